"""Statistics of pairs are studentised by authors: for one text an author they are the classical ones, else each author counts as one."""

import numpy as np
import pandas as pd
import pytest

from stages.metrics import testing
from stages.metrics.contingency import FAVOURABLE, TEXTS, Contingency, tabulate
from stages.metrics.pair_statistics import PairStatistic
from stages.metrics.permutation import null_sums

SETS = [("gender",)]


def statistic(table: Contingency, metric: str) -> PairStatistic:
    people = table.people(SETS)[:, FAVOURABLE if metric == "fv" else TEXTS]
    return PairStatistic(metric, table.clustered(SETS)[0], people[[[1, 2]]], people[0])


def study(protected: list[tuple[int, int, int, int]], privileged: list[tuple[int, int, int, int]]) -> Contingency:
    """Authors, texts of each, favourable ones among them and, of the favourable, selected ones, a line of people who are alike."""
    rows = []
    for side, kinds in (("protected", protected), ("privileged", privileged)):
        for authors, texts, favourable, selected in kinds:
            for _ in range(authors):
                name = len({author for author, *_ in rows})
                rows += [(name, side, text < favourable, text < selected) for text in range(texts)]
    author, gender, label, decision = map(np.array, zip(*rows, strict=True))
    return tabulate(pd.DataFrame({"gender": gender}), label, decision, author)


def test_of_one_text_an_author_di_is_the_pooled_z_test():
    """z^2 is the chi-square of the fourfold table, but for the half text added to each side."""
    table = study([(300, 1, 1, 1), (700, 1, 1, 0)], [(400, 1, 1, 1), (600, 1, 1, 0)])
    pooled = 0.35
    z = 0.1 / np.sqrt(pooled * (1 - pooled) * 2 / 1000)
    assert statistic(table, "di").of(table.clustered(SETS))[0] == pytest.approx(z, rel=2e-3)


@pytest.mark.parametrize("metric", ["di", "di_star", "adi", "fv"])
def test_texts_that_an_author_wrote_twice_add_nothing(metric):
    """Every text five times: nobody knows more, and the statistic is (nearly, by the halves and added authors) the same."""
    once = study([(40, 2, 1, 1), (40, 2, 2, 0), (40, 2, 1, 0)], [(90, 2, 1, 1), (90, 2, 2, 2), (40, 2, 1, 0)])
    often = study([(40, 10, 5, 5), (40, 10, 10, 0), (40, 10, 5, 0)], [(90, 10, 5, 5), (90, 10, 10, 10), (40, 10, 5, 0)])
    one, other = (float(statistic(table, metric).of(table.clustered(SETS))[0]) for table in (once, often))
    assert other == pytest.approx(one, rel=0.02)


def test_fv_of_equal_texts_weighs_the_two_groups_as_fv_itself_does():
    """|difference| over the standard error of the smaller group: permutations order as FV does."""
    table = study([(20, 1, 1, 0), (20, 1, 1, 1)], [(200, 1, 1, 1), (100, 1, 1, 0)])
    of = statistic(table, "fv")
    dealt = np.concatenate(list(null_sums(table, SETS, 500, 1)))
    drawn, violation = of.of(dealt)[:, 0], np.abs(dealt[:, 1:, 3] / dealt[:, 1:, 1] - 0.65).max(axis=1)
    assert np.corrcoef(drawn, violation)[0, 1] > 0.97


@pytest.mark.parametrize("everybody", [0, 1])
def test_a_group_of_which_nobody_is_selected_is_seen_as_well_as_one_of_which_everybody_is(everybody):
    """Thirty protected people beside 200 who are decided rightly: Fisher's p is 8e-9; no studentising may hide that."""
    table = study([(15, 1, 1, everybody), (15, 1, 0, 0)], [(100, 1, 1, 1), (100, 1, 0, 0)])
    if everybody:
        table = study([(30, 1, 1, 1)], [(100, 1, 1, 1), (100, 1, 1, 0)])
    of = statistic(table, "di")
    null = np.concatenate([of.of(part)[:, 0] for part in null_sums(table, SETS, 999, 1)])
    assert testing.p_value(float(of.of(table.clustered(SETS))[0]), null) == 1 / 1000

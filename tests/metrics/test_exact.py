"""A threshold is met or passed by counts, never by the last digit of a float: checked against fractions for all small counts."""

import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages import evaluate
from stages.metrics import exact, thresholds
from stages.metrics.estimates import estimates
from stages.metrics.group_scores import score_groups
from stages.metrics.group_tests import compare_groups
from stages.metrics.groups import RATES
from stages.metrics.thresholds import DIFFERENCE, RATIO, flagged
from tests.known_failures.studies import REFERENCE, evaluated, inputs, spread

SHARES = [Fraction(hits, texts) for texts in range(1, 21) for hits in range(texts + 1)]


@pytest.mark.parametrize(("written", "threshold"), [("0.8", Fraction(4, 5)), ("0.9", Fraction(9, 10)), ("0.7", Fraction(7, 10))])
def test_ratios_of_all_small_counts_are_held_against_the_decimal_fraction(written, threshold):
    """k1/n1 over k0/n0 is beyond 4/5 when 5 k1 n0 < 4 k0 n1 or 4 k1 n0 > 5 k0 n1; floats alone err for some (12/20 over 15/20)."""
    ratios = [one / other for one, other in itertools.product(SHARES, SHARES) if other]
    floats = pd.Series([float(one) / float(other) for one, other in itertools.product(SHARES, SHARES) if other])
    kinds = np.full(len(ratios), RATIO, dtype=object)
    right = np.array([not threshold <= ratio <= 1 / threshold for ratio in ratios])
    found = flagged(floats, kinds, float(written), None, lambda row: ratios[row])
    assert (found == right).all()
    assert (flagged(floats, kinds, float(written), None) != right).any(), "floats alone would do"


@pytest.mark.parametrize("written", ["0.1", "0.2", "0.05"])
def test_differences_of_all_small_counts_too(written):
    """.4 - .3 is no more than .1, though it is 0.10000000000000003."""
    apart = [one - other for one, other in itertools.product(SHARES, SHARES)]
    floats = pd.Series([float(one) - float(other) for one, other in itertools.product(SHARES, SHARES)])
    kinds = np.full(len(apart), DIFFERENCE, dtype=object)
    right = np.array([abs(one) > Fraction(written) for one in apart])
    assert (flagged(floats, kinds, None, float(written), lambda row: apart[row]) == right).all()
    assert (flagged(floats, kinds, None, float(written)) != right).any(), "floats alone would do"


@pytest.mark.parametrize(("hits", "beyond"), [(12, False), (11, True), (19, True), (18, False)])
def test_four_fifths_of_two_groups_wherever_it_is_printed(hits, beyond):
    """12/20 over 15/20 and 15/20 over 12/20 are at four fifths, in every table; 11, and 19 the other way round, are not."""
    kinds = [(hits, 1, 1, "b"), (20 - hits, 1, 0, "b"), (15, 1, 1, REFERENCE), (5, 1, 0, REFERENCE)]
    found = evaluated(spread(*kinds))
    for group, metric in (("protected/privileged", "di"), ("protected/privileged", "adi"), ("lowest / highest", "selection_rate")):
        assert found.loc[("gender", group, metric), "flagged"] == beyond, (group, metric)
    groups = evaluate.run(*inputs(spread(*kinds)), evaluate.Params(replicates=100, permutations=199))[1].to_pandas()
    own = groups[(groups["group"] == "b") & (groups["comparison"] == "ratio to reference")].set_index("metric")
    assert own.loc["selection_rate", "flagged"] == own.loc["tpr", "flagged"] == beyond


ASKED = (*RATES, "equalised_odds", "di", "di_star", "adi", "fv")
PEOPLE = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), st.sampled_from("rb"), st.sampled_from("rbc")), min_size=30, max_size=60)


@settings(max_examples=15, deadline=None)
@given(PEOPLE)
def test_fractions_are_the_numbers_that_stand_in_the_tables(rows):
    """Every ratio and difference of rates has a fraction, and it is the number beside it."""
    rows = [(label, decision, *(REFERENCE if one == "r" else one for one in who)) for label, decision, *who in rows]
    rows += [(1, 1, REFERENCE, REFERENCE), (1, 0, "b", "b"), (0, 1, "b", REFERENCE)]
    columns = dict(zip(("label", "decision", "gender", "race"), map(list, zip(*rows, strict=True)), strict=True))
    made = inputs(columns)
    params = evaluate.Params(replicates=100, permutations=100)
    frame = evaluate.joined(made.documents, made.subgroups, made.predictions)
    frame["author_id"] = pd.factorize(frame["author_id"])[0]
    sets = [("gender",), ("race",), ("gender", "race")]
    rules = evaluate.Rules(100, 100, 0.95, 0.05, 10, 1)
    pairs = evaluate._score_pairs(frame, made.population, sets, rules, params)
    own = evaluate.gather(frame, sets)
    measured = estimates(own)
    tests, gaps = compare_groups(own, measured, rules)
    groups = score_groups(own, measured, tests, rules)
    scores = pd.DataFrame(pairs + gaps)
    for table, kinds, fraction in (
        (scores, thresholds.kinds_of_gaps(scores), exact.of_scores(scores, groups)),
        (groups, thresholds.kinds_of_comparisons(groups), exact.of_groups(groups)),
    ):
        known = np.flatnonzero((kinds != None) & table["value"].notna().to_numpy() & table["metric"].isin(ASKED))  # noqa: E711
        assert len(known)
        for row in known:
            assert float(fraction(int(row))) == pytest.approx(float(table["value"].iloc[row]), rel=1e-12, abs=1e-15)

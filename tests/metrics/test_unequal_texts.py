"""Where groups write unequally many texts: levels hold, and no verdict stands against the interval of its own number."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.evaluate import Params, compare_all, score_table
from stages.metrics.contingency import tabulate
from stages.metrics.groups import gather
from stages.metrics.scoring import Rules, sample

PARITY = {"di": 1.0, "di_star": 1.0, "adi": 1.0}
PARAMS = Params(conventions=("crossbias",))


def table(writers: list[tuple[str, int, int, int]]) -> pd.DataFrame:
    """Texts of writers, each with a group, how many texts, favourable ones among them, and selected ones, taken from both ends."""
    rows = [
        (f"a{author}", group, text < favourable, (text + author) % texts < selected)
        for author, (group, texts, favourable, selected) in enumerate(writers)
        for text in range(texts)
    ]
    frame = pd.DataFrame(rows, columns=["author_id", "g_value", "favourable", "selected"])
    outcomes = {"y_true": frame["favourable"].astype(float), "y_pred": frame["selected"].astype(int)}
    side = np.where(frame["g_value"] == frame["g_value"].iloc[-1], "privileged", "protected")
    return frame.assign(**outcomes, y_score=outcomes["y_pred"].astype(float), g=side)


def verdicts(frame: pd.DataFrame, permutations: int = 1000) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Scores of pairs and of all groups, and the table of groups."""
    rules = Rules(200, permutations, 0.95, 0.05, 10, 1)
    counts = tabulate(frame[["g"]], frame["favourable"].to_numpy(), frame["selected"].to_numpy(), frame["author_id"].to_numpy())
    rows, groups = compare_all(gather(frame, [("g",)]), rules)
    return pd.DataFrame(score_table(sample(counts, [("g",)], rules), PARAMS) + rows), groups


def test_thirty_women_with_ten_texts_each_are_no_disparity_beside_sixty_men_with_one():
    """5 of 10 selected of each woman, 25 of 60 men: a permutation of the rate alone had p = .0012 beside an interval that holds 0."""
    frame = table([("woman", 10, 5, 5)] * 30 + [("man", 1, 1, 1)] * 25 + [("man", 1, 0, 0)] * 35)
    scores, groups = verdicts(frame, 20_000)
    pair = scores[(scores["metric"] == "di") & (scores["group"] == "protected/privileged")].iloc[0]
    woman = groups[(groups["metric"] == "selection_rate") & (groups["comparison"] == "difference to everyone")].iloc[0]
    for row in (pair, woman):
        assert 0.1 < row["p_value"] < 0.3  # exactly 25 or fewer, or 35 or more, of 60 tosses: .245
        assert row["verdict"] == "no evidence of disparity"


people = st.tuples(st.sampled_from("ab"), st.sampled_from([1, 2, 9, 30]), st.floats(0, 1), st.floats(0, 1))


@settings(max_examples=40, deadline=None)
@given(st.lists(people, min_size=24, max_size=60), st.floats(0, 0.6))
def test_a_disparity_never_holds_parity_in_its_own_interval(writers, more):
    of_b = [("b", 1, 1, 1), ("b", 1, 0, 0)]
    frame = table([(g, n, round(n * y), round(n * min(1, d + more * (g == "a")))) for g, n, y, d in writers] + of_b)
    scores, groups = verdicts(frame, 1000)
    for rows in (scores, groups):
        found = rows[(rows["verdict"] == "disparity") & rows["ci_low"].notna() & rows["ci_high"].notna()]
        parity = found["metric"].map(PARITY).astype(float).fillna(0.0)
        assert not ((found["ci_low"] <= parity) & (parity <= found["ci_high"])).any()


@pytest.mark.slow
@pytest.mark.parametrize(("many", "few"), [(6, 2), (11, 1), (1, 11)])
def test_levels_hold_where_a_group_writes_more(many, few):
    """No difference, authors lean one way in all they write: at most .05 and three standard errors of 300 studies."""
    found = []
    for seed in range(300):
        random = np.random.default_rng(seed)
        leaning = random.beta(1.15, 1.15, (2, 100))
        wrote = np.where(np.arange(100) < 40, many, few)
        favourable, selected = (random.binomial(wrote, part) for part in leaning)
        writers = zip(np.where(np.arange(100) < 40, "a", "b"), wrote, favourable, selected, strict=True)
        scores, groups = verdicts(table([(str(g), int(n), int(y), int(d)) for g, n, y, d in writers]))
        pairs = scores[scores["group"] == "protected/privileged"].set_index("metric")["p_value"]
        own = groups[(groups["comparison"] == "difference to everyone") & (groups["group"] == "a")].set_index("metric")["p_value"]
        found.append(pd.concat([pairs, own[["selection_rate", "tpr", "fpr"]]]) <= 0.05)
    shares = pd.concat(found, axis=1).mean(axis=1)
    assert (shares <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)).all(), shares

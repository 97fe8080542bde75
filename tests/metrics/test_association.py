"""Association of a word with a label: closed forms, other libraries, and honest tests where authors wrote several texts."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import Table2x2

from stages.metrics.association import associate


def spread(a, b, c, d):
    """Texts of so many counts, each of another author."""
    held = np.repeat([True, True, False, False], [a, b, c, d])
    favourable = np.repeat([True, False, True, False], [a, b, c, d])
    return held, favourable, np.arange(a + b + c + d)


def test_one_text_an_author_is_woolf_and_fisher():
    found = associate(*spread(12, 30, 200, 150), 0.95)
    table = Table2x2([[12, 30], [200, 150]])
    assert found.log_odds_ratio == pytest.approx(table.log_oddsratio)
    assert (found.low, found.high) == pytest.approx(table.log_oddsratio_confint(0.05))
    assert found.p_value == pytest.approx(stats.fisher_exact([[12, 30], [200, 150]]).pvalue)
    assert (found.test, found.reason) == ("fisher", None)


@pytest.mark.parametrize(
    ("counts", "reason", "tested"),
    [
        ((0, 0, 5, 5), "no text holds it", False),
        ((5, 5, 0, 0), "nothing to compare with", False),
        ((3, 0, 5, 5), "no unfavourable text holds it", True),
        ((0, 3, 5, 5), "no favourable text holds it", True),
        ((3, 4, 0, 5), "every favourable text holds it", True),
        ((3, 4, 5, 0), "every unfavourable text holds it", True),
    ],
)
def test_a_count_of_zero_is_undefined_with_its_reason(counts, reason, tested):
    found = associate(*spread(*counts), 0.95)
    assert np.isnan(found.log_odds_ratio)
    assert np.isnan(found.low)
    assert found.reason == reason
    assert np.isfinite(found.p_value) == tested


def test_every_text_twice_tells_nothing_more():
    """Doubling each author's text leaves estimate, interval and (but for Fisher's discreteness) p as they were."""
    held, favourable, author = spread(30, 60, 400, 350)
    once, twice = associate(held, favourable, author, 0.9), associate(*(np.repeat(part, 2) for part in (held, favourable, author)), 0.9)
    assert twice[:3] == pytest.approx(once[:3])
    assert twice.test == "score"
    assert twice.p_value == pytest.approx(stats.chi2_contingency([[30, 60], [400, 350]], correction=False).pvalue, rel=0.25)


def test_texts_of_few_people_are_not_tested():
    held, favourable, author = (np.repeat(part, 3) for part in spread(4, 5, 40, 30))
    found = associate(held, favourable, author, 0.95)
    assert np.isfinite(found.log_odds_ratio)
    assert np.isnan([found.low, found.p_value]).all()
    assert found.reason == "texts of 9 people, who wrote several, are too few for a test"


def test_error_rate_of_the_score_test_with_several_texts_an_author():
    """Authors who keep to their word and mostly to their label: at equality at most 7 % of 1,000 tests are below .05."""
    random = np.random.default_rng(1)
    below, naive = 0, 0
    for _ in range(1000):
        author = np.repeat(np.arange(100), 4)
        held, rate = (random.random(100) < 0.3)[author], random.beta(0.7, 0.7, 100)[author]
        favourable = random.random(400) < rate
        below += associate(held, favourable, author, 0.95).p_value < 0.05
        naive += associate(held, favourable, np.arange(400), 0.95).p_value < 0.05
    assert below <= 70
    assert naive >= 150

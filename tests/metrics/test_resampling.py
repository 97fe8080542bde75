"""Distances are those of the gaps that evaluate reports, and resamples are shared by tasks and models."""

from dataclasses import replace

import numpy as np
import pytest

from stages.metrics.fairness import gaps
from stages.metrics.resampling import METRICS, distances, resample, values
from tests.metrics.people import SETS, panels


def test_distances_of_a_set_by_hand():
    everyone, protected, privileged = [20, 10, 9, 7], [10, 4, 3, 2], [8, 5, 5, 4]
    sums = np.array([everyone, protected, privileged], dtype=float)
    di, base = (3 / 10) / (5 / 8), (4 / 10) / (5 / 8)
    tpr = [2 / 4, 4 / 5, 7 / 10]
    np.testing.assert_allclose(values(sums)[0], [di, di / base, max(abs(tpr[0] - tpr[2]), abs(tpr[1] - tpr[2])), tpr[0] - tpr[1]])
    np.testing.assert_allclose(distances(sums)[0], [-np.log(di), -np.log(di / base), 0.2, 0.3], atol=1e-12)


def test_nobody_selected_is_far_and_nobody_to_compare_with_is_undefined():
    """A DI of 0 has half a text added to each count; x / 0 and 0 / 0 are no measurement."""
    sums = np.array([[20, 10, 5, 4], [10, 4, 0, 0], [8, 5, 5, 4]], dtype=float)
    np.testing.assert_allclose(distances(sums)[0, 0], -np.log((0.5 / 11) / (5.5 / 9)))
    np.testing.assert_allclose(distances(sums)[0, 1], -np.log((0.5 / 4.5) / (5.5 / 5.5)))
    sums[2, 2:] = 0
    assert np.isnan(distances(sums)[0, :2]).all()
    np.testing.assert_allclose(distances(sums)[0, 2:], [0.4, 0])


def test_distances_agree_with_the_gaps_of_fairness():
    panel = panels(300, 1, (0.4, 0.0), tasks=1)[0]
    found = resample([panel], [(1, 0)], 100, 2)[0]
    for model, place in ((0, 1), (1, 3)):
        expected = gaps(found.sums[model, 1 + 2 * place], found.sums[model, 2 + 2 * place], found.sums[model, 0], "crossbias")
        assert found.point[model, place, METRICS.index("adi")] == pytest.approx(abs(np.log(expected["adi"])))
        assert found.point[model, place, METRICS.index("fv")] == pytest.approx(expected["fv"])


def test_models_alike_differ_by_nothing_in_any_draw():
    panel = panels(100, 3, (0.4,), tasks=1)[0]
    panel = replace(panel, counts=panel.counts[:, [0, 1, 2, 2, 3, 3]])
    found = resample([panel], [(0, 1)], 100, 4)[0]
    assert (found.swapped == 0).all()
    np.testing.assert_array_equal(found.drawn[:, 0], found.drawn[:, 1])
    np.testing.assert_array_equal(found.dealt[:, 0], found.dealt[:, 1])


def test_two_tasks_alike_share_every_draw_and_the_same_seed_gives_the_same():
    panel = panels(100, 5, (0.4, 0.1), tasks=1)[0]
    one, other = resample([panel, panel], [(1, 0)], 100, 6)
    alone = resample([panel], [(1, 0)], 100, 6)[0]
    for name in ("drawn", "swapped", "dealt"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        np.testing.assert_array_equal(getattr(one, name), getattr(alone, name))
    assert one.dealt.shape == (100, 2, len(SETS), len(METRICS))


def test_a_swap_of_all_decisions_turns_the_difference_round():
    """Over all draws the distribution of the difference after swapping is symmetric, as it is for two models and for them turned round."""
    panel = panels(150, 7, (0.6, 0.0), tasks=1)[0]
    found = resample([panel], [(0, 1), (1, 0)], 4000, 8)[0].swapped[:, :, 0, METRICS.index("fv")]
    np.testing.assert_array_equal(found[:, 0], -found[:, 1])
    assert abs(found[:, 0].mean()) < 4 * found[:, 0].std() / np.sqrt(4000)

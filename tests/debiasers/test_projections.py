"""Projections away from directions, principal directions of pairs, and the refusals that the projecting debiasers share."""

import subprocess
import sys

import numpy as np
import pytest

from stages.contract.bad_input import BadInput
from stages.debiasers.projections import Affine, away_from, check, principal, span, unit
from tests.conftest import ROOT

RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize("count", [0, 1, 3, 8])
def test_away_from_is_the_orthogonal_projection_onto_the_complement(count):
    directions = RANDOM.normal(size=(count, 8)) * 1e3
    found = away_from(directions)
    np.testing.assert_allclose(found @ found, found, atol=1e-12)
    np.testing.assert_array_equal(found, found.T)
    assert np.trace(found) == pytest.approx(8 - count)
    np.testing.assert_allclose(found @ directions.T, 0, atol=1e-9)


def test_a_single_direction_may_come_without_its_second_axis():
    direction = RANDOM.normal(size=8)
    np.testing.assert_array_equal(away_from(direction), away_from(direction[None]))


def test_dependent_and_empty_rows_add_no_dimension():
    row = RANDOM.normal(size=5)
    assert len(span(np.array([row, -3 * row, 1e-6 * row, 0 * row]))) == 1
    np.testing.assert_array_equal(unit(np.zeros((1, 3))), np.zeros((1, 3)))


def test_the_principal_direction_of_pairs_is_the_planted_one_and_no_common_middle_moves_it():
    planted = unit(RANDOM.normal(size=(1, 10)))[0]
    middles = 50 * RANDOM.normal(size=(40, 1, 10))
    pairs = middles + np.array([[-1], [1]]) * planted + 0.05 * RANDOM.normal(size=(40, 2, 10))
    found = principal(pairs, 1)
    assert found.shape == (1, 10)
    assert found[0] @ planted > 0.99, "second less first, whatever sign the decomposition gives"
    two = principal(pairs, 2)
    np.testing.assert_allclose(two @ two.T, np.eye(2), atol=1e-12)


@pytest.mark.parametrize(
    ("pairs", "count"),
    [(np.ones((3, 2, 4)), 1), (np.stack([np.zeros((3, 4)), np.ones((3, 4))], axis=1), 2), (RANDOM.normal(size=(5, 2, 1)), 1)],
)
def test_pairs_that_differ_along_too_few_directions_are_refused(pairs, count):
    with pytest.raises(BadInput, match=r"pairs of \d dimensions differ along [01], and [12] shall be removed"):
        principal(pairs, count)


@pytest.mark.parametrize(
    ("vectors", "classes", "sentence"),
    [
        (np.ones((4, 3)), np.zeros(4), r"1 classes of \[4\] examples"),
        (np.ones((4, 3)), np.array([0, 0, 0, 1]), r"2 classes of \[3, 1\] examples"),
        (np.ones(4), np.array([0, 0, 1, 1]), "2 or more dimensions"),
        (np.ones((4, 1)), np.array([0, 0, 1, 1]), "2 or more dimensions"),
        (np.ones((4, 3)), np.array([0, 0, 1]), "for 3 classes"),
        (np.array([[1, np.nan], [1, 2], [np.inf, 3], [1, 2]]), np.array([0, 0, 1, 1]), "2 of 4 vectors hold a value that is not finite"),
        (np.ones((0, 3)), np.zeros(0), r"0 classes of \[\] examples"),
    ],
)
def test_classes_that_teach_nothing_are_refused_early(vectors, classes, sentence):
    with pytest.raises(BadInput, match=f"method: .*{sentence}"):
        check("method", vectors, classes)


def test_an_affine_map_keeps_the_precision_of_what_it_maps():
    found = Affine(np.array([[0.0, 1.0], [2.0, 0.0]]), np.array([10.0, 20.0])).of(np.array([[1, 2]], dtype=np.float32))
    np.testing.assert_array_equal(found, np.array([[12, 22]], dtype=np.float32))
    assert found.dtype == np.float32


def test_the_debiasers_can_be_named_without_loading_torch_or_scikit_learn():
    names = ", ".join(f"stages.debiasers.{name}" for name in ("hard_debias", "inlp", "leace", "sentence_debias"))
    code = f"import sys, {names}; assert not {{'torch', 'transformers', 'sklearn'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)

"""Who is trained on what: nobody is trained on a text that is tested, nor validated on an author that is trained on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.contract.bad_input import BadInput
from stages.models import folds
from tests.models.tiny import documents

AUTHORS = [f"a{i // 3}" for i in range(90)]
FOLDS = [str((i // 3) % 5) for i in range(90)]


@given(st.floats(0.01, 0.5), st.integers(0, 1000))
def test_parts_are_disjoint_and_authors_whole(share, seed):
    for fold in folds.split(FOLDS, AUTHORS, share, seed):
        assert sorted(np.concatenate([fold.train, fold.validation, fold.test]).tolist()) == list(range(90))
        authors = [{AUTHORS[i] for i in part} for part in (fold.train, fold.validation, fold.test)]
        assert not authors[0] & authors[1]
        assert not authors[2] & (authors[0] | authors[1])
        assert len(authors[1]) == max(1, round(share * 24))


def test_every_text_is_tested_once_in_folds_with_seeds_of_their_own():
    plan = folds.split(FOLDS, AUTHORS, 0.1, 3)
    assert [fold.name for fold in plan] == ["0", "1", "2", "3", "4"]
    assert sorted(np.concatenate([fold.test for fold in plan]).tolist()) == list(range(90))
    assert len({fold.seed for fold in plan}) == 5
    again = folds.split(FOLDS, AUTHORS, 0.1, 3)
    assert all((one.validation == other.validation).all() for one, other in zip(plan, again, strict=True))
    other = folds.split(FOLDS, AUTHORS, 0.1, 4)
    assert any(set(one.validation) != set(two.validation) for one, two in zip(plan, other, strict=True))


def test_no_share_no_validation():
    assert all(len(fold.validation) == 0 for fold in folds.split(FOLDS, AUTHORS, 0.0, 3))


def test_ten_folds_come_in_the_order_of_their_numbers():
    assert list(folds.tested([str(i) for i in range(11)])) == [str(i) for i in range(11)]


def test_a_published_split_is_kept():
    names = ["train"] * 50 + ["dev"] * 20 + ["test"] * 20
    (fold,) = folds.split(names, AUTHORS, 0.3, 1)
    assert (fold.train == np.arange(50)).all()
    assert (fold.validation == np.arange(50, 70)).all()
    assert (fold.test == np.arange(70, 90)).all()


def test_a_published_split_without_dev_draws_authors_of_train():
    (fold,) = folds.split(["train"] * 60 + ["test"] * 30, AUTHORS, 0.5, 1)
    assert len(fold.validation) == 30
    assert fold.validation.max() < 60


@pytest.mark.parametrize("names", [["0"] * 9, ["train"] * 9, ["dev", "test"], ["train", "test", "1"]])
def test_folds_that_cannot_be_used(names):
    with pytest.raises(BadInput, match="column fold"):
        folds.tested(names)


@pytest.mark.parametrize(("kind", "word"), [("classification", "decision"), ("regression", "label")])
def test_one_class_only_is_refused(kind, word, tmp_path):
    fold = folds.split(FOLDS, AUTHORS, 0.1, 3)[2]
    targets = np.ones(90)
    targets[fold.test] = 0
    with pytest.raises(BadInput, match=rf"fold 2: its \d+ training texts all have one {word}"):
        folds.fit_fold(None, None, None, None, kind, targets, tmp_path, fold)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("error", "sentence"), [(MemoryError(), "fold 2: memory is too small for the network"), (ValueError("x"), None)])
def test_a_network_too_large_for_memory_is_bad_input_and_other_errors_stay(error, sentence, tmp_path):
    fold = folds.split(FOLDS, AUTHORS, 0.1, 3)[2]

    def fit(*_):
        raise error

    with pytest.raises(BadInput if sentence else ValueError, match=sentence or "x"):
        folds.fit_fold(fit, None, None, None, "regression", np.arange(90.0), tmp_path, fold)


def test_a_missing_fold_says_what_to_do(tmp_path):
    with pytest.raises(BadInput, match="run finetune again"):
        folds.predict_fold(None, None, None, "classification", tmp_path, ("7", np.arange(3)))


def test_the_planted_documents_keep_authors_in_one_fold():
    table = documents(80, folds=3)
    pairs = set(zip(table["author_id"].to_pylist(), table["fold"].to_pylist(), strict=True))
    assert len(pairs) == len({author for author, _ in pairs}) == 40

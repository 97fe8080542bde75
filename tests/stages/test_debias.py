"""debias: the base in its own format, changed by its debiaser or refused."""

import hashlib
import importlib
import shutil
from pathlib import Path

import numpy as np
import pytest
import yaml
from numpy.typing import NDArray

from stages import debias
from stages.contract.bad_input import BadInput
from stages.contract.params import Model
from stages.models import projection, vectors

FAMILY = {"use": "text_cnn"}


@pytest.fixture
def glove(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Six words as a text file, and lexicons of our own that name the last of them."""
    lexicons = tmp_path / "lexicons"
    lexicons.mkdir()
    (lexicons / "gender_pairs.tsv").write_text("feminine\tmasculine\nShe\tHe\n", encoding="utf-8")
    monkeypatch.setattr(debias, "LEXICONS", lexicons)
    path = tmp_path / "glove.txt"
    path.write_text(
        "".join(f"{word} {row} 1.5 -2\n" for row, word in enumerate(["the", "of", "and", "rare", "she", "he"])), encoding="utf-8"
    )
    return path


@pytest.fixture
def encoder(tmp_path: Path) -> Path:
    safetensors = pytest.importorskip("safetensors.numpy")
    folder = tmp_path / "encoder"
    folder.mkdir()
    safetensors.save_file({"weight": np.arange(4, dtype=np.float32)}, folder / "model.safetensors", metadata={"format": "pt"})
    for name in ("config.json", "tokenizer.json", "vocab.txt", "pytorch_model.bin", "README.md"):
        (folder / name).write_text("{}" if name == "config.json" else name, encoding="utf-8")
    return folder


def model(source: Path, use: str = "identity", **base: int) -> Model:
    return Model.model_validate({"base": {"source": str(source)} | base, "debiaser": {"use": use}, "family": FAMILY})


def run(chosen: Model, output: Path) -> Path:
    debias.run(chosen, debias.Params(seed=1), output)
    return output


def test_identity_keeps_the_most_frequent_words_and_those_of_the_lexicons(glove: Path, tmp_path: Path) -> None:
    kept = vectors.load(run(model(glove, vocabulary=2), tmp_path / "out"))
    assert kept.words == ["the", "of", "she", "he"], "words of the lexicons are never cut"
    np.testing.assert_array_equal(kept.matrix[:, 0], [0, 1, 4, 5])
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == ["vectors.npy", "words.txt"]
    assert len(vectors.load(run(model(glove), tmp_path / "whole")).words) == 6


def test_the_output_is_itself_a_base(glove: Path, tmp_path: Path) -> None:
    first = run(model(glove), tmp_path / "first")
    second = run(model(first), tmp_path / "second")
    for name in ("vectors.npy", "words.txt"):
        assert (first / name).read_bytes() == (second / name).read_bytes()


def test_identity_copies_of_an_encoder_only_what_it_takes(encoder: Path, tmp_path: Path) -> None:
    output = run(model(encoder), tmp_path / "out")
    assert sorted(file.name for file in output.iterdir()) == ["config.json", "model.safetensors", "tokenizer.json", "vocab.txt"]
    assert (output / "model.safetensors").read_bytes() == (encoder / "model.safetensors").read_bytes()


def test_a_debiaser_of_word_vectors_refuses_an_encoder(encoder: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"gender_preserving is not made for an encoder, as .*encoder is: change the base or debiaser"):
        run(model(encoder, "gender_preserving"), tmp_path / "out")


def test_a_vocabulary_for_an_encoder_is_refused(encoder: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="vocabulary is for a base of word vectors"):
        run(model(encoder, vocabulary=5), tmp_path / "out")


def unchanged(_words: object, matrix: NDArray[np.float32], *_: object) -> NDArray[np.float32]:
    return matrix.copy()


def rewritten(folder: Path, *_: object) -> None:
    """The same numbers under another header: a debiaser that loaded, did nothing, and saved."""
    import safetensors.numpy

    file = folder / "model.safetensors"
    safetensors.numpy.save_file(safetensors.numpy.load_file(file), file, metadata={"format": "pt", "debiased": "yes"})


def negated(folder: Path, *_: object) -> None:
    import safetensors.numpy

    file = folder / "model.safetensors"
    tensors = {name: -tensor for name, tensor in safetensors.numpy.load_file(file).items()}
    safetensors.numpy.save_file(tensors, file, metadata={"format": "pt"})


def test_debiasing_that_changes_no_number_of_word_vectors_fails(glove: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("stages.debiasers.gender_preserving")
    monkeypatch.setattr(module, "debias_vectors", unchanged)
    with pytest.raises(BadInput, match="the debiased base equals its input"):
        run(model(glove, "gender_preserving"), tmp_path / "out")


def test_debiasing_that_changes_no_number_of_an_encoder_fails(encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("stages.debiasers.gender_preserving")
    monkeypatch.setattr(module, "debias_encoder", rewritten, raising=False)
    with pytest.raises(BadInput, match="the debiased base equals its input"):
        run(model(encoder, "gender_preserving"), tmp_path / "out")
    monkeypatch.setattr(module, "debias_encoder", negated)
    output = run(model(encoder, "gender_preserving"), tmp_path / "changed")
    assert (output / "model.safetensors").read_bytes() != (encoder / "model.safetensors").read_bytes()


def halved(*_: object) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A debiaser's map h -> h / 2 + 1 of an encoder's last hidden states."""
    return np.eye(4) / 2, np.ones(4)


def kept(*_: object) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.eye(4) * (1 + 1e-12), np.zeros(4)


def test_a_map_that_a_debiaser_returns_lies_beside_unchanged_weights(
    encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.import_module("stages.debiasers.leace"), "debias_encoder", halved)
    output = run(model(encoder, "leace"), tmp_path / "out")
    assert (output / "model.safetensors").read_bytes() == (encoder / "model.safetensors").read_bytes()
    found = projection.read(output)
    assert found is not None
    np.testing.assert_array_equal(found[0], np.eye(4) / 2)
    np.testing.assert_array_equal(found[1], np.ones(4))
    copied = run(model(output), tmp_path / "copied")
    assert (copied / projection.FILE).read_bytes() == (output / projection.FILE).read_bytes(), "a base keeps its map"
    with pytest.raises(BadInput, match="already has a projection"):
        run(model(output, "leace"), tmp_path / "twice")


def test_an_identity_map_fails(encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module("stages.debiasers.leace"), "debias_encoder", kept)
    with pytest.raises(BadInput, match="the debiased base equals its input: leace changed no number"):
        run(model(encoder, "leace"), tmp_path / "out")


@pytest.mark.parametrize(("use", "held"), [("hard_debias", "an encoder"), ("sentence_debias", "word vectors")])
def test_a_debiaser_of_the_other_format_is_refused(use: str, held: str, encoder: Path, glove: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=f"debiaser {use} is not made for {held}"):
        run(model(encoder if held == "an encoder" else glove, use), tmp_path / "out")


def test_too_few_gender_words_are_refused(glove: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="knows 1 of the 1 entries of gender_pairs; the method needs 40"):
        run(model(glove, "gender_preserving"), tmp_path / "out")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty or not UTF-8"),
        (b"a\xff\n", "is empty or not UTF-8"),
        (b"f\tm\nshe\n", "line 2 must hold 2 words"),
        (b"f\nshe \n", "line 2"),
    ],
)
def test_a_broken_word_list_is_refused(glove: Path, content: bytes, sentence: str) -> None:
    (debias.LEXICONS / "broken.tsv").write_bytes(content)
    with pytest.raises(BadInput, match=sentence):
        debias.read_lexicons(debias.LEXICONS)


def test_the_shipped_word_lists_are_sound() -> None:
    lexicons = debias.read_lexicons(Path(debias.__file__).parent / "lexicons")
    pairs, stereotypes, neutral = (lexicons[f"gender_{name}"] for name in ("pairs", "stereotypes", "neutral"))
    assert (len(pairs), len(stereotypes), len(neutral)) == (333, 87, 1074)
    for rows in (pairs, stereotypes, neutral):
        assert len(rows) == len(set(rows))
        assert all(word == word.lower() for row in rows for word in row)
    gendered, associated, plain = ({word for row in rows for word in row} for rows in (pairs, stereotypes, neutral))
    assert not gendered & associated
    assert not gendered & plain
    assert not associated & plain
    assert not {row[0] for row in pairs} & {row[1] for row in pairs}, "no word is feminine in one pair and masculine in another"


def test_a_base_of_plain_text_is_a_mark_and_its_debiaser_identity(tmp_path: Path) -> None:
    pin = Path(debias.__file__).parent / "pretrained" / "text.yaml"
    assert [file.name for file in run(model(pin), tmp_path / "out").iterdir()] == ["text.txt"]
    with pytest.raises(BadInput, match=r"debiaser hard_debias is not made for plain text, as .*text.yaml is"):
        run(model(pin, "hard_debias"), tmp_path / "other")
    with pytest.raises(BadInput, match=r"vocabulary is for a base of word vectors, and .* is plain text"):
        run(model(pin, vocabulary=5), tmp_path / "cut")


@pytest.fixture
def languages(encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A pin with that encoder for English and one with other numbers for Spanish, both below the folder in which we are."""
    monkeypatch.chdir(tmp_path)
    spanish = shutil.copytree(encoder, tmp_path / "spanish")
    negated(spanish)
    entries = {}
    for language, folder in (("en", encoder), ("es", spanish)):
        files = {"model.safetensors": hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()}
        entries[language] = {"about": "x", "licence": "none", "folder": folder.name, "files": files}
    pin = tmp_path / "languages.yaml"
    pin.write_text(yaml.safe_dump({"kind": "encoder", "about": "one a language", "languages": entries}), encoding="utf-8")
    return pin


def test_a_base_by_language_has_a_folder_for_each(languages: Path, encoder: Path, tmp_path: Path) -> None:
    output = run(model(languages), tmp_path / "out")
    assert sorted(folder.name for folder in output.iterdir()) == ["en", "es"]
    for language, source in (("en", encoder), ("es", tmp_path / "spanish")):
        assert (output / language / "model.safetensors").read_bytes() == (source / "model.safetensors").read_bytes()


def test_a_debiaser_with_english_words_refuses_weights_of_other_languages(languages: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"debiaser leace has English word lists and .*languages.yaml weights for es: use identity"):
        run(model(languages, "leace"), tmp_path / "out")

"""pretrained base, word lists -> debiased base of the same format"""

import shutil
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from stages.contract import yaml_file
from stages.contract.bad_input import BadInput
from stages.contract.command import command
from stages.contract.params import Design, Model, Section
from stages.contract.shelf import take
from stages.contract.tables import At
from stages.contract.values import ON_DISK, Seed, Threads
from stages.models import pretrained, projection, vectors
from stages.models.pins import Kind

LEXICONS = Path(__file__).parent / "lexicons"
PROBED = Path(__file__).parent / "probes" / "words"
FORMATS = {"vectors": "word vectors", "encoder": "an encoder", "text": "plain text"}
Lexicons = dict[str, list[tuple[str, ...]]]


class Params(Section):
    """The seed of the debiaser's training and its number of threads, which both determine the bytes of the result."""

    seed: Seed
    threads: Threads = 1


def check(design: Design, _: Params) -> None:
    """BadInput where a model's base is not to be had, or its debiaser is not for it."""
    for name, model in design.models.items():
        debiaser, _options = take("debiasers", model.debiaser, ON_DISK)
        for language, kind in pretrained.kinds(model.base.source).items():
            _fits(model, debiaser, kind, language, f"params.yaml: models.{name}: ")
    for model in design.models.values():
        pretrained.need_files(model.base.source)


def run(model: Model, params: Params, output: Annotated[Path, At("data/debias/{model}")]) -> None:
    """Fill ``output`` with the model's base after its debiaser: ``vectors.npy`` and ``words.txt``, or an encoder's folder.

    An encoder whose debiaser edits its last hidden states rather than its weights gets ``projection.safetensors`` beside them.
    A base with weights by language gets a folder for each language, a base of the kind text a file that says so.
    BadInput: the base cannot be used, the debiaser is not for its format or languages, or debiasing left the numbers as they were.
    """
    found = pretrained.locate_all(model.base.source)
    debiaser, options = take("debiasers", model.debiaser)
    changes = model.debiaser.use != "identity"
    for language, weights in found.items():
        _fits(model, debiaser, weights.kind, language)
    if changes:
        import torch

        torch.set_num_threads(params.threads)
    debias = {"vectors": _debias_vectors, "encoder": _debias_encoder, "text": _keep_text}
    with threadpool_limits(params.threads):  # NumPy's own threads, on which the last digits of a product depend too
        for language, weights in found.items():
            folder = output / language
            equal = debias[weights.kind](debiaser, options, weights, model.base.vocabulary, params.seed, folder)
            if changes and equal:
                raise BadInput(
                    f"the debiased base equals its input: {model.debiaser.use} changed no number; check its options and word lists."
                )


def _fits(model: Model, debiaser: ModuleType, kind: Kind, language: str, where: str = "") -> None:
    """BadInput where the debiaser is not made for the weights' format, or has no words of their language ("": any), or a vocabulary
    is to be cut of what has none.
    """
    use, source = model.debiaser.use, model.base.source
    if not hasattr(debiaser, f"debias_{kind}"):
        raise BadInput(f"{where}debiaser {use} is not made for {FORMATS[kind]}, as {source} is: change the base or debiaser.")
    if use != "identity" and language not in ("", "en"):
        raise BadInput(f"{where}debiaser {use} has English word lists and {source} weights for {language}: use identity.")
    if model.base.vocabulary is not None and kind != "vectors":
        raise BadInput(f"{where}vocabulary is for a base of word vectors, and {source} is {FORMATS[kind]}: remove the key.")


def _debias_vectors(
    debiaser: ModuleType, options: Any, weights: pretrained.Weights, vocabulary: int | None, seed: int, output: Path
) -> bool:
    """Write debiased vectors of the ``vocabulary`` most frequent words and all of the lexicons and probes; True when nothing changed."""
    lexicons = read_lexicons(LEXICONS)
    listed = {word for rows in lexicons.values() for row in rows for word in row}
    base = vectors.read(weights.files, vocabulary, listed | read_probed(PROBED))
    print(f"{len(base.words)} words of {base.matrix.shape[1]} dimensions", flush=True)
    matrix = debiaser.debias_vectors(base.words, base.matrix, lexicons, options, seed)
    vectors.save(vectors.WordVectors(base.words, matrix), output)
    return np.array_equal(matrix, base.matrix)


def _debias_encoder(
    debiaser: ModuleType, options: Any, weights: pretrained.Weights, _vocabulary: int | None, seed: int, output: Path
) -> bool:
    """Copy the encoder, let the debiaser change its weights in place or return a map h -> W h + b; True when nothing changed."""
    output.mkdir(parents=True, exist_ok=True)
    for file in weights.files:
        shutil.copyfile(file, output / file.name)
    found = debiaser.debias_encoder(output, read_lexicons(LEXICONS), options, seed)
    if found is not None:
        if not projection.changes_nothing(weights.path):
            raise BadInput(f"{weights.path} already has a projection ({projection.FILE}): debias the encoder it was made from instead.")
        projection.save(found, output)
    same = _numbers(output / "model.safetensors") == _numbers(weights.path / "model.safetensors")
    return same and (found is None or projection.changes_nothing(output))


def _keep_text(
    _debiaser: ModuleType, _options: Any, _weights: pretrained.Weights, _vocabulary: int | None, _seed: int, output: Path
) -> bool:
    """Mark a base that has no weights; nothing can have changed."""
    output.mkdir(parents=True, exist_ok=True)
    (output / "text.txt").write_text("The texts themselves: there are no pretrained weights.\n", encoding="utf-8")
    return True


def _numbers(file: Path) -> bytes:
    """The values in a safetensors file, without its header (whose metadata may change where no value does)."""
    content = file.read_bytes()
    return content[8 + int.from_bytes(content[:8], "little") :]


def read_lexicons(folder: Path) -> Lexicons:
    """Every word list (``*.tsv``: one header line, tab-separated, lower-cased) by its name: rows of as many words as columns."""
    return {file.stem: _rows(file) for file in sorted(folder.glob("*.tsv"))}


def read_probed(folder: Path) -> set[str]:
    """The words that probes ask for, as written and in lower case."""
    files = (yaml_file.read(file) for file in sorted(folder.glob("*.yaml")))
    return {form for file in files for words in file.get("sets", {}).values() for word in words for form in (word, word.lower())}


def _rows(file: Path) -> list[tuple[str, ...]]:
    try:
        header, *rows = (tuple(line.lower().split("\t")) for line in file.read_text(encoding="utf-8").splitlines())
    except ValueError as error:
        raise BadInput(f"{file} is empty or not UTF-8: a word list has a header line, then a row a line.") from error
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header) or not all(word and word == word.strip() for word in row):
            raise BadInput(f"{file}: line {number} must hold {len(header)} words set apart by tabs, and it reads {' | '.join(row)!r}.")
    return rows


if __name__ == "__main__":
    command(run)

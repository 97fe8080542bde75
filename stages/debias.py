"""pretrained base, word lists -> debiased base of the same format"""

import shutil
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from stages.contract.bad_input import BadInput
from stages.contract.command import command
from stages.contract.params import Model, Section
from stages.contract.shelf import take
from stages.contract.tables import At
from stages.models import pretrained, projection, vectors

LEXICONS = Path(__file__).parent / "lexicons"
FORMATS = {"vectors": "word vectors", "encoder": "an encoder"}
Lexicons = dict[str, list[tuple[str, ...]]]


class Params(Section):
    """The seed of the debiaser's training and its number of threads, which both determine the bytes of the result."""

    seed: int
    threads: int = 1


def run(model: Model, params: Params, output: Annotated[Path, At("data/debias/{model}")]) -> None:
    """Fill ``output`` with the model's base after its debiaser: ``vectors.npy`` and ``words.txt``, or an encoder's folder.

    An encoder whose debiaser edits its last hidden states rather than its weights gets ``projection.safetensors`` beside them.
    BadInput: the base cannot be used, the debiaser is not for its format, or debiasing left the numbers as they were.
    """
    weights = pretrained.locate(model.base.source)
    debiaser, options = take("debiasers", model.debiaser)
    if not hasattr(debiaser, f"debias_{weights.kind}"):
        what = FORMATS[weights.kind]
        raise BadInput(f"debiaser {model.debiaser.use} is not made for {what}, as {model.base.source} is: change the base or debiaser.")
    changes = model.debiaser.use != "identity"
    if changes:
        import torch

        torch.set_num_threads(params.threads)
    debias = _debias_vectors if weights.kind == "vectors" else _debias_encoder
    with threadpool_limits(params.threads):  # NumPy's own threads, on which the last digits of a product depend too
        equal = debias(debiaser, options, weights, model.base.vocabulary, params.seed, output)
    if changes and equal:
        raise BadInput(f"the debiased base equals its input: {model.debiaser.use} changed no number; check its options and word lists.")


def _debias_vectors(
    debiaser: ModuleType, options: Any, weights: pretrained.Weights, vocabulary: int | None, seed: int, output: Path
) -> bool:
    """Write the debiased vectors of the ``vocabulary`` most frequent words and all words of the lexicons; True when nothing changed."""
    lexicons = read_lexicons(LEXICONS)
    base = vectors.read(weights.files, vocabulary, {word for rows in lexicons.values() for row in rows for word in row})
    print(f"{len(base.words)} words of {base.matrix.shape[1]} dimensions", flush=True)
    matrix = debiaser.debias_vectors(base.words, base.matrix, lexicons, options, seed)
    vectors.save(vectors.WordVectors(base.words, matrix), output)
    return np.array_equal(matrix, base.matrix)


def _debias_encoder(
    debiaser: ModuleType, options: Any, weights: pretrained.Weights, vocabulary: int | None, seed: int, output: Path
) -> bool:
    """Copy the encoder, let the debiaser change its weights in place or return a map h -> W h + b; True when nothing changed."""
    if vocabulary is not None:
        raise BadInput(f"vocabulary is for a base of word vectors, and {weights.path} is an encoder: remove the key.")
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


def _numbers(file: Path) -> bytes:
    """The values in a safetensors file, without its header (whose metadata may change where no value does)."""
    content = file.read_bytes()
    return content[8 + int.from_bytes(content[:8], "little") :]


def read_lexicons(folder: Path) -> Lexicons:
    """Every word list (``*.tsv``: one header line, tab-separated, lower-cased) by its name: rows of as many words as columns."""
    return {file.stem: _rows(file) for file in sorted(folder.glob("*.tsv"))}


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

"""Word vectors: published files read without loading them whole, and the pair of files that this project keeps."""

import re
from array import array
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from stages.contract.bad_input import BadInput

BUFFER = 4 * 1024 * 1024
PICKLED = (".kv", ".model", ".pkl", ".pickle", ".pt", ".pth", ".npz")


@dataclass(frozen=True)
class WordVectors:
    """Words, the most frequent first, and their vectors: ``matrix`` is float32 of shape [words, dimensions]."""

    words: list[str]
    matrix: NDArray[np.float32]


def save(vectors: WordVectors, folder: Path) -> None:
    """Write ``vectors.npy`` and ``words.txt``; BadInput when a word holds a line break, which words.txt cannot."""
    broken = [word for word in vectors.words if "\n" in word]
    if broken:
        raise BadInput(f"{len(broken)} words hold a line break ({broken[0]!r}), so words.txt cannot list them; remove them from the base.")
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "vectors.npy", np.ascontiguousarray(vectors.matrix, dtype=np.float32))
    (folder / "words.txt").write_bytes("".join(f"{word}\n" for word in vectors.words).encode())


def load(folder: Path, wanted: Collection[str] | None = None) -> WordVectors:
    """The vectors of a folder written by ``save``, memory-mapped; with ``wanted`` those words alone, in the folder's order.

    Wanted words that the folder lacks are simply not among the result. BadInput: a file is missing or the two disagree.
    """
    numbers, listed = folder / "vectors.npy", folder / "words.txt"
    for file in (numbers, listed):
        if not file.is_file():
            raise BadInput(f"{file} is missing: {folder} holds no word vectors; give this model a base of word vectors.")
    words, matrix = _words(listed), _matrix(numbers)
    _check_count(words, matrix, listed, numbers)
    if wanted is None:
        return WordVectors(words, matrix)
    asked = frozenset(wanted)
    rows = [row for row, word in enumerate(words) if word in asked]
    return WordVectors([words[row] for row in rows], np.array(matrix[rows], dtype=np.float32))


def read(files: tuple[Path, ...], most_frequent: int | None, also: Collection[str]) -> WordVectors:
    """The ``most_frequent`` words (None: all) and the words ``also`` of published vectors, in their order, the first of duplicates.

    ``files`` is one text file or word2vec binary, or an .npy matrix and the list of its words (.txt, or .parquet with one column).
    """
    if len(files) == 2:
        words, matrix = _words(files[1]), _matrix(files[0])
        _check_count(words, matrix, files[1], files[0])
        rows = _rows(words, most_frequent, also)
        return WordVectors([words[row] for row in rows], np.array(matrix[rows], dtype=np.float32))
    path = files[0]
    if path.suffix.lower() in PICKLED:
        raise BadInput(f"{path} may hold pickled objects, which are never read; save it as word2vec text (save_word2vec_format).")
    if path.suffix.lower() in (".gz", ".zip", ".bz2", ".xz"):
        raise BadInput(f"{path} is compressed: unpack it and name the unpacked file.")
    return (read_binary if path.suffix.lower() == ".bin" else read_text)(path, most_frequent, also)


def read_text(path: Path, most_frequent: int | None, also: Collection[str]) -> WordVectors:
    """``read`` for GloVe text, word2vec text and fastText .vec: ``word 0.1 0.2 ...`` a line, perhaps after a ``count dimensions`` line.

    The file streams past; only lines of wanted words are parsed, so a cut of a file larger than memory needs the cut's memory.
    Words may hold spaces. BadInput names the line: another number of values, no number, not UTF-8, a truncated end.
    """
    asked = frozenset(word.encode() for word in also)
    starts = frozenset(word.split(b" ", 1)[0] for word in asked)
    limit = float("inf") if most_frequent is None else most_frequent
    kept: dict[bytes, None] = {}
    numbers = array("f")
    with path.open("rb", buffering=BUFFER) as file:
        promised, dimensions, lines = _opening(path, file)
        seen, line, number = 0, b"", 0
        for number, line in lines:
            seen += 1
            if seen > limit and line[: line.find(b" ")] not in starts:
                continue
            word, *values = line.rstrip().rsplit(b" ", dimensions)
            if word in kept or (seen > limit and word not in asked and len(values) == dimensions):
                continue
            numbers.frombytes(_parsed(values, dimensions, path, number).tobytes())
            kept[word] = None
    if not seen:
        raise BadInput(f"{path} holds no word vectors.")
    _parsed(line.rstrip().rsplit(b" ", dimensions)[1:], dimensions, path, number)
    if promised is not None and seen < promised:
        raise BadInput(f"{path} ends at line {number} after {seen} of the {promised} words its first line promises: it is truncated.")
    return WordVectors(_decoded(kept, path), np.frombuffer(numbers, dtype=np.float32).reshape(-1, dimensions))


def read_binary(path: Path, most_frequent: int | None, also: Collection[str]) -> WordVectors:
    """``read`` for word2vec's binary format: a ``count dimensions`` line, then each word, a space and its float32 values."""
    asked = frozenset(word.encode() for word in also)
    kept: dict[bytes, None] = {}
    numbers = bytearray()
    with path.open("rb") as file:
        header = re.fullmatch(rb"(\d+) ([1-9]\d*)\n", file.readline(64))
        if header is None:
            raise BadInput(f"{path} does not begin as word2vec's binary format does; of fastText take the .vec file, of gensim save text.")
        count, dimensions = int(header[1]), int(header[2])
        limit = count if most_frequent is None else most_frequent
        for row, (word, values) in enumerate(_records(file, count, 4 * dimensions, path)):
            if (row < limit or word in asked) and word not in kept:
                kept[word] = None
                numbers += values
    return WordVectors(_decoded(kept, path), np.frombuffer(numbers, dtype="<f4").reshape(-1, dimensions))


def _records(file: BinaryIO, count: int, width: int, path: Path) -> Iterator[tuple[bytes, bytes]]:
    """Each word of a binary file and the ``width`` bytes of its values; the file is read piece by piece, however large."""
    held, position = b"", 0
    for row in range(count):
        while (space := held.find(b" ", position)) < 0 or space + 1 + width > len(held):
            more = file.read(BUFFER)
            if not more:
                raise BadInput(f"{path} ends after {row} of the {count} words its first line promises: it is truncated.")
            held, position = held[position:] + more, 0
        yield held[position:space].lstrip(b"\n"), held[space + 1 : space + 1 + width]
        position = space + 1 + width


def _opening(path: Path, file: Iterable[bytes]) -> tuple[int | None, int, Iterator[tuple[int, bytes]]]:
    """The number of words a header promises, the number of dimensions, and the numbered lines that hold vectors."""
    lines = enumerate(file, start=1)
    first = list(islice(lines, 1))
    if not first:
        raise BadInput(f"{path} is empty.")
    header = re.fullmatch(rb"(\d+) (\d+)\s*", first[0][1])
    promised, dimensions = (int(header[1]), int(header[2])) if header else (None, len(first[0][1].rstrip().split(b" ")) - 1)
    if not dimensions:
        raise BadInput(f"{path} has no numbers after its first word: it is a list of words, or its columns are not set apart by spaces.")
    return promised, dimensions, lines if header else chain(first, lines)


def _parsed(values: list[bytes], dimensions: int, path: Path, number: int) -> NDArray[np.float32]:
    if len(values) != dimensions:
        raise BadInput(f"{path}: line {number} holds {len(values)} values where {dimensions} belong: truncated, or not word vectors.")
    try:
        parsed = np.array(values, dtype=np.float32)
    except ValueError as error:
        raise BadInput(f"{path}: line {number} holds something other than numbers after its word ({error}).") from error
    if not np.isfinite(parsed).all():
        raise BadInput(f"{path}: line {number} holds a value that is not finite.")
    return parsed


def _decoded(words: Iterable[bytes], path: Path) -> list[str]:
    try:
        return [word.decode() for word in words]
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: the word {error.object!r} is not UTF-8; convert the file (iconv -t UTF-8).") from error


def _rows(words: list[str], most_frequent: int | None, also: Collection[str]) -> list[int]:
    limit = len(words) if most_frequent is None else most_frequent
    asked = frozenset(also)
    first: dict[str, int] = {}
    for row, word in enumerate(words):
        if row < limit or word in asked:
            first.setdefault(word, row)
    return list(first.values())


def _words(path: Path) -> list[str]:
    if path.suffix == ".parquet":
        try:
            return [str(word) for word in pq.ParquetFile(path).read().column(0).to_pylist()]
        except pa.ArrowInvalid as error:
            raise BadInput(f"{path} is not a readable Parquet file: {error}.") from error
    try:
        return path.read_bytes().decode().removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8 ({error.reason} at byte {error.start}).") from error


def _matrix(path: Path) -> NDArray[np.float32]:
    try:
        matrix = np.load(path, mmap_mode="c", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise BadInput(f"{path} is not a readable .npy matrix: {error}.") from error
    if matrix.ndim != 2 or matrix.dtype.kind != "f":
        raise BadInput(f"{path} is {matrix.dtype} of shape {matrix.shape}; word vectors are real numbers of shape [words, dimensions].")
    return matrix


def _check_count(words: list[str], matrix: NDArray[np.float32], listed: Path, numbers: Path) -> None:
    if len(words) != len(matrix):
        raise BadInput(f"{listed} lists {len(words)} words, but {numbers} holds {len(matrix)} vectors: they are not of one set.")

"""Word vectors: read as gensim reads them, refused with a sentence, kept in a folder byte for byte."""

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stages.contract.bad_input import BadInput
from stages.models.vectors import WordVectors, load, read, read_text, save

LINES = ["the 0.5 -1.25 2", "new york 1 2 3", ", 4 5 6", "the 9 9 9", "çà 7 8 9e-1", "null -1 -2 -3"]


def written(folder: Path, lines: list[str], end: str = "\n", name: str = "vectors.txt") -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + end, encoding="utf-8")
    return path


def test_text_without_header_keeps_the_first_of_duplicates_and_words_with_spaces(tmp_path: Path) -> None:
    vectors = read_text(written(tmp_path, LINES), None, [])
    assert vectors.words == ["the", "new york", ",", "çà", "null"]
    np.testing.assert_array_equal(vectors.matrix, np.array([[0.5, -1.25, 2], [1, 2, 3], [4, 5, 6], [7, 8, 0.9], [-1, -2, -3]], np.float32))


@pytest.mark.parametrize("header", [True, False])
def test_text_is_read_as_gensim_reads_it(tmp_path: Path, header: bool) -> None:
    gensim = pytest.importorskip("gensim.models")
    rng = np.random.default_rng(5)
    lines = [f"word{row} " + " ".join(f"{value:.5f}" for value in rng.normal(size=7)) for row in range(200)]
    theirs = gensim.KeyedVectors.load_word2vec_format(str(written(tmp_path, ["200 7", *lines], name="theirs.txt")))
    ours = read_text(written(tmp_path, ["200 7", *lines] if header else lines), None, [])
    assert ours.words == theirs.index_to_key
    np.testing.assert_array_equal(ours.matrix, theirs.vectors)


@pytest.mark.parametrize(("limit", "size"), [(None, 200), (3, 4)])
def test_binary_is_read_as_gensim_reads_it(tmp_path: Path, limit: int | None, size: int) -> None:
    gensim = pytest.importorskip("gensim.models")
    theirs = gensim.KeyedVectors(7)
    theirs.add_vectors([f"wörd{row}" for row in range(200)], np.random.default_rng(6).normal(size=(200, 7)).astype(np.float32))
    theirs.save_word2vec_format(str(tmp_path / "vectors.bin"), binary=True)
    ours = read((tmp_path / "vectors.bin",), limit, ["wörd150"])
    assert len(ours.words) == size
    for word, vector in zip(ours.words, ours.matrix, strict=True):
        np.testing.assert_array_equal(vector, theirs[word])


def test_the_most_frequent_and_the_asked_for_words_are_kept_in_the_files_order(tmp_path: Path) -> None:
    path = written(tmp_path, LINES)
    assert read_text(path, 1, ["null", "new york", "absent"]).words == ["the", "new york", "null"]
    assert read_text(path, 2, []).words == ["the", "new york"]
    assert read_text(path, 0, ["new"]).words == [], "the first word of a longer one is not that word"
    # fastText ends its lines with a space
    fasttext = written(tmp_path, ["2 3", "a 1 2 3 ", "b 4 5 6 "], name="cc.vec")
    np.testing.assert_array_equal(read((fasttext,), 1, ["b"]).matrix, np.array([[1, 2, 3], [4, 5, 6]], np.float32))


@pytest.mark.parametrize("words", ["words.txt", "words.parquet"])
def test_a_matrix_and_its_words_are_read_as_text_is(tmp_path: Path, words: str) -> None:
    listed, matrix = ["a", "b", "a", "c", "d"], np.arange(10, dtype=np.float32).reshape(5, 2)
    np.save(tmp_path / "m.npy", matrix)
    if words.endswith(".txt"):
        (tmp_path / words).write_text("".join(f"{word}\n" for word in listed), encoding="utf-8")
    else:
        pq.write_table(pa.table({"index": listed}), tmp_path / words)
    vectors = read((tmp_path / "m.npy", tmp_path / words), 3, ["d"])
    assert vectors.words == ["a", "b", "d"]
    np.testing.assert_array_equal(vectors.matrix, matrix[[0, 1, 4]])


def test_save_and_load_return_the_same_vectors_and_the_same_bytes(tmp_path: Path) -> None:
    vectors = WordVectors(["a b", "\x85", "\u2028", "ß"], np.random.default_rng(1).normal(size=(4, 3)).astype(np.float32))
    save(vectors, tmp_path / "one")
    loaded = load(tmp_path / "one")
    assert loaded.words == vectors.words
    np.testing.assert_array_equal(loaded.matrix, vectors.matrix)
    save(loaded, tmp_path / "two")
    for name in ("vectors.npy", "words.txt"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    some = load(tmp_path / "one", {"ß", "a b", "absent"})
    assert some.words == ["a b", "ß"]
    np.testing.assert_array_equal(some.matrix, vectors.matrix[[0, 3]])


@pytest.mark.parametrize(
    ("lines", "end", "sentence"),
    [
        ([], "", "is empty"),
        (["3 2"], "\n", "holds no word vectors"),
        (["a 1 2", "b 1 2 3 4"], "\n", None),
        (["a 1 2", "b 1"], "\n", "line 2 holds 1 values where 2 belong"),
        (["a 1 2", "b 1 x"], "\n", "line 2 holds something other than numbers"),
        (["a 1 2", "b 1 nan"], "\n", "line 2 holds a value that is not finite"),
        (["3 2", "a 1 2", "b 1 2"], "\n", "2 of the 3 words its first line promises"),
        (["a 1 2", "b 1 2", "c 0"], "", "line 3 holds 1 values where 2 belong"),
    ],
)
def test_a_bad_text_is_refused_with_its_line(tmp_path: Path, lines: list[str], end: str, sentence: str | None) -> None:
    path = written(tmp_path, lines, end)
    if sentence is None:
        assert read_text(path, None, []).words == ["a", "b 1 2"], "a line of more values is a word with spaces"
        return
    with pytest.raises(BadInput, match=sentence) as refusal:
        read_text(path, None, [])
    assert str(path) in str(refusal.value)


def test_a_truncated_end_is_noticed_though_its_word_is_not_wanted(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="line 3 holds 1 values"):
        read_text(written(tmp_path, ["a 1 2", "b 3 4", "c 5"], end=""), 1, [])


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    for name, content, sentence in [
        ("v.kv", b"\x80\x04", "pickled objects"),
        ("v.txt.gz", b"\x1f\x8b", "compressed"),
        ("v.bin", b"\x80\x04\x95", "does not begin as word2vec's binary format"),
        ("short.bin", b"2 2\na " + bytes(8) + b"b " + bytes(3), "ends after 1 of the 2 words"),
        ("latin.txt", b"caf\xe9 1 2\n", "is not UTF-8"),
    ]:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(BadInput, match=sentence):
            read((tmp_path / name,), None, [])


def test_a_folder_that_does_not_hold_vectors_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=re.escape("vectors.npy is missing")):
        load(tmp_path)
    save(WordVectors(["a", "b"], np.zeros((2, 3), np.float32)), tmp_path)
    (tmp_path / "words.txt").write_text("a\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"lists 1 words, but .* holds 2 vectors"):
        load(tmp_path)
    np.save(tmp_path / "vectors.npy", np.zeros(2, np.float32))
    with pytest.raises(BadInput, match="of shape"):
        load(tmp_path)
    (tmp_path / "vectors.npy").write_bytes(b"no matrix")
    with pytest.raises(BadInput, match=r"not a readable .npy matrix"):
        load(tmp_path)
    with pytest.raises(BadInput, match="line break"):
        save(WordVectors(["a\nb"], np.zeros((1, 3), np.float32)), tmp_path)

"""`crossbias embed` on files of every kind: one planted bias in all, less of it after a debiaser, one sentence when refused."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from flows import command, embed_report
from stages.contract.bad_input import BadInput
from stages.models import vectors
from stages.probes import name_tables
from tests.debiasers import small
from tests.probes.planted_names import WIDTH, planted

LISTED = """
sets:
  x: [nurse, "New York", baker, dancer]
  y: [Doctor, soldier, pilot, miner]
  a: [she, her, woman, girl]
  b: [he, his, man, boy]
tests: {t: {x: x, y: y, a: a, b: b}}
groups: {gender: {of: [a, b], neutral: [x, y], paired: true}}
"""
FEMININE, MASCULINE = ["nurse", "New York", "baker", "dancer", "she", "her", "woman", "girl"], ["Doctor", "soldier", "pilot", "miner"]
MASCULINE += ["he", "his", "man", "boy"]
PAIRS = [("mother", "father"), ("daughter", "son"), ("female", "male"), ("herself", "himself")]
FILES = {"index.html", "summary.json", "probes.parquet", "associations.parquet", "names.parquet"}


@pytest.fixture
def known(tmp_path, monkeypatch):
    """Word sets of the test's own, and the planted names for the table of names."""
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets" / "small.yaml").write_text(LISTED, encoding="utf-8")
    names = planted()[1]
    monkeypatch.setattr(name_tables, "read", lambda *_: names)


def space() -> tuple[list[str], np.ndarray]:
    """The planted names and words, and words of the sets that lean along the last axis: feminine ones up, masculine ones down."""
    rng = np.random.default_rng(1)
    given, names = planted()
    rows = given.rows(given.frequent)
    words = [*FEMININE, *MASCULINE, *(word for pair in PAIRS for word in pair), *rows]
    side = [1] * len(FEMININE) + [-1] * len(MASCULINE) + [1, -1] * len(PAIRS)
    own = rng.normal(size=(len(side), WIDTH))
    own[:, -1] = 2 * np.array(side)
    assert len(names.names) == 90
    return words, np.concatenate([own, np.stack(list(rows.values()))]).astype(np.float32)


def lines(words, matrix, end=""):
    return "".join(f"{word} {' '.join(repr(float(value)) for value in row)}{end}\n" for word, row in zip(words, matrix, strict=True))


def binary(path, words, matrix):
    body = b"".join(word.encode() + b" " + row.astype("<f4").tobytes() + b"\n" for word, row in zip(words, matrix, strict=True))
    path.write_bytes(f"{len(words)} {matrix.shape[1]}\n".encode() + body)


def written(folder: Path, kind: str) -> list[str]:
    """The arguments that name the space as a file of a kind."""
    words, matrix = space()
    path = folder / f"vectors{Path(kind).suffix or '.txt'}"
    if kind == "glove.txt":
        path.write_text(lines(words, matrix), encoding="utf-8")
    elif kind in ("word2vec.txt", "fasttext.vec"):
        head, end = f"{len(words)} {WIDTH}\n", " " if kind.endswith("vec") else ""
        path.write_text(head + lines(words, matrix, end), encoding="utf-8")
    elif kind == "word2vec.bin":
        binary(path, [word.replace(" ", "_") for word in words], matrix)
    elif kind == "matrix.npy":
        np.save(path, matrix)
        (folder / "words.txt").write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
        return [str(path), "--words", str(folder / "words.txt")]
    else:
        vectors.save(vectors.WordVectors(words, matrix), folder / "both")
        return [str(folder / "both")]
    return [str(path)]


def embed(folder: Path, *arguments: str) -> int:
    options = ["--groups", "3", "--categories", "4", "--rotations", "199", "--word-sets", str(folder / "sets")]
    return command.main(["embed", *arguments, *options, "--out", str(folder / "report")])


def figures(folder: Path, name: str = "probes") -> pd.DataFrame:
    assert {path.name for path in (folder / "report").iterdir()} == FILES
    return pd.read_parquet(folder / "report" / f"{name}.parquet")


def value(found: pd.DataFrame, statistic: str, model: str = "as given") -> float:
    (row,) = found[(found["statistic"] == statistic) & (found["model"] == model)].to_dict("records")
    return row["value"]


@pytest.mark.parametrize("kind", ["glove.txt", "word2vec.txt", "fasttext.vec", "word2vec.bin", "matrix.npy", "folder"])
def test_files_of_every_kind_give_the_planted_bias(tmp_path, known, capsys, kind):
    assert embed(tmp_path, *written(tmp_path, kind)) == 0
    found = figures(tmp_path)
    assert value(found, "effect_size") > 1.5
    lost = found.set_index(["probe", "statistic"]).loc[("weat", "effect_size"), "lost"]
    assert (lost == "x: New York") if kind == "word2vec.bin" else pd.isna(lost)
    cells = figures(tmp_path, "associations")
    leaning = cells[cells["significant"]]
    assert len(leaning) == 2
    assert leaning["group"].nunique() == 2
    assert leaning["category"].nunique() == 2
    assert set(figures(tmp_path, "names")["length"]) <= {40, 30, 20, *range(10, 40)}
    summary = json.loads((tmp_path / "report" / "summary.json").read_text(encoding="utf-8"))
    assert summary["models"]["as given"]["cells"]["significant"] == 2
    assert "of 1 association test 1 show a lean" in capsys.readouterr().out


def test_a_debiaser_stands_beside_the_vectors_as_given(tmp_path, known):
    """Hard debiasing takes the last axis from the neutral words: the gap of women's and men's words goes, names keep theirs."""
    assert embed(tmp_path, *written(tmp_path, "glove.txt"), "--debias", "hard") == 0
    found = figures(tmp_path)
    assert value(found, "direct_bias", "hard_debias") < 0.2 * value(found, "direct_bias")
    assert value(found, "amae", "hard_debias") < 0.7 * value(found, "amae")
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert page.count('<th scope="col" class="n">hard_debias</th>') == 4
    assert "http" not in page.replace("http-equiv", "")


def test_equal_files_give_equal_bytes_and_an_earlier_audit_is_replaced(tmp_path, known):
    given = written(tmp_path, "glove.txt")
    assert embed(tmp_path, *given) == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "report").iterdir()}
    assert embed(tmp_path, *given) == 0
    assert {path.name: path.read_bytes() for path in (tmp_path / "report").iterdir()} == before
    (tmp_path / "report" / "mine.txt").write_text("kept")
    assert embed(tmp_path, *given) == 2
    assert (tmp_path / "report" / "mine.txt").read_text() == "kept"


def test_duplicates_upper_case_and_words_of_markup(tmp_path, known):
    """The first of two equal words counts; a word in capitals alone is another word; what looks like HTML is shown as text."""
    words, matrix = space()
    more = ["nurse", "SHE", "<script>alert(1)</script>"]
    (tmp_path / "v.txt").write_text(lines([*words, *more], np.concatenate([matrix, -9 * matrix[:3]])), encoding="utf-8")
    sets = tmp_path / "sets" / "small.yaml"
    sets.write_text(LISTED.replace("baker", "<script>alert(1)</script>").replace("dancer", "gone<b>"), encoding="utf-8")
    assert embed(tmp_path, str(tmp_path / "v.txt"), "--tests", "weat") == 0
    found = figures(tmp_path)
    assert value(found, "effect_size") > 0.5
    assert found.loc[0, "lost"] == "x: gone<b>"
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "<b>" not in page
    assert "gone&lt;b&gt;" in page


def test_an_encoder(tmp_path, known):
    words = [*FEMININE, *MASCULINE, *(word for pair in PAIRS for word in pair), "this is that there here it about they said the word ."]
    folder = small.encoder(tmp_path / "bert", [" ".join(words).lower()])
    assert embed(tmp_path, str(folder), "--tests", "weat,association,seat") == 0
    found = figures(tmp_path)
    assert set(found["vectors"]) == {"alone", "templates", "sentences"}
    assert figures(tmp_path, "associations").empty
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "(templates)" in page
    assert "SEAT (sentences): tests beyond chance" in page


def test_the_folder_has_the_files_name_and_an_encoders_whole_name(tmp_path):
    (tmp_path / "bert-v1.5").mkdir()
    assert embed_report.folder_of(tmp_path / "glove.6B.50d.txt", None) == Path("glove.6B.50d_audit")
    assert embed_report.folder_of(tmp_path / "bert-v1.5", None) == Path("bert-v1.5_audit")
    with pytest.raises(BadInput, match="no earlier audit"):
        embed_report.folder_of(tmp_path / "v.txt", tmp_path)


def damaged(kind: str) -> bytes:
    words, matrix = space()
    text = lines(words, matrix).encode()
    header = f"{len(words)} {WIDTH}\n".encode()
    return {
        "empty": b"",
        "truncated line": text[:-40],
        "truncated list": header + text[: text.rindex(b"\n", 0, -1) + 1],
        "wrong dimension": text + b"wide" + b" 0.5" * (WIDTH + 3) + b"\n" + text[:60] + b"\n",
        "odd bytes": b"caf\xe9" + b" 0.5" * WIDTH + b"\n" + text,
        "no numbers": text.replace(b"she ", b"she x", 1),
        "not finite": b"odd" + b" nan" * WIDTH + b"\n" + text,
        "words alone": "\n".join(words).encode(),
        "no dimension": b"3 0\nshe\nhe\nher\n",
        "another language": lines(["aaa", "bbb"], matrix[:2]).encode(),
    }[kind]


REFUSED = {
    "empty": "is empty",
    "truncated line": "truncated, or not word vectors",
    "truncated list": "it is truncated",
    "wrong dimension": f"where {WIDTH} belong",
    "odd bytes": "is not UTF-8",
    "no numbers": "something other than numbers",
    "not finite": "not finite",
    "words alone": "no numbers",
    "no dimension": "no numbers",
    "another language": "has none of the 16 words",
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_damaged_is_refused_in_one_sentence(tmp_path, known, capsys, kind):
    (tmp_path / "v.txt").write_bytes(damaged(kind))
    assert embed(tmp_path, str(tmp_path / "v.txt")) == 2
    said = capsys.readouterr().err
    assert REFUSED[kind] in said
    assert said.count("\n") == 1
    assert not (tmp_path / "report").exists()


def test_binaries_cut_short_of_fasttext_and_with_gaps_are_refused(tmp_path, known, capsys):
    words, matrix = space()
    matrix[3, 0] = np.nan
    binary(tmp_path / "n.bin", words, matrix)
    binary(tmp_path / "v.bin", *space())
    (tmp_path / "v.bin").write_bytes((tmp_path / "v.bin").read_bytes()[:-30])
    (tmp_path / "f.bin").write_bytes(b"\xba\x16\x4f\x2f" + bytes(100))
    (tmp_path / "b.bin").write_bytes((tmp_path / "n.bin").read_bytes().replace(b"nurse", b"nurs\xe9"))
    for name, sentence in (
        ("v.bin", "it is truncated"),
        ("n.bin", "1 of 354 vectors hold a value"),
        ("f.bin", "of fastText take the .vec file"),
        ("b.bin", "is not UTF-8"),
    ):
        assert embed(tmp_path, str(tmp_path / name)) == 2
        assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--debias", "word"], "names no debiaser"),
        (["--debias", "co"], "names more than one debiaser"),
        (["--debias", "context_debias"], "is not made for word vectors"),
        (["--tests", "weet"], "is no probe"),
        (["--words", "w.txt"], "belongs to an .npy matrix"),
    ],
)
def test_options_that_do_not_fit_are_refused(tmp_path, known, capsys, arguments, sentence):
    assert embed(tmp_path, *written(tmp_path, "glove.txt"), *arguments) == 2
    assert sentence in capsys.readouterr().err


def test_files_that_are_not_there_or_pickles_or_without_words_are_refused(tmp_path, known, capsys):
    np.save(tmp_path / "m.npy", np.eye(3))
    (tmp_path / "m.pkl").write_bytes(b"\x80\x04.")
    (tmp_path / "m.gz").write_bytes(b"\x1f\x8b")
    cases = {"m.npy": "--words FILE", "m.pkl": "never read", "m.gz": "is compressed", "none.txt": "is no file or folder"}
    for name, sentence in cases.items():
        assert embed(tmp_path, str(tmp_path / name)) == 2
        assert sentence in capsys.readouterr().err
    (tmp_path / "w.txt").write_text("she\nhe\n")
    assert embed(tmp_path, str(tmp_path / "m.npy"), "--words", str(tmp_path / "w.txt")) == 2
    assert "lists 2 words, but" in capsys.readouterr().err


def test_matrices_and_lists_of_words_that_are_damaged_are_refused(tmp_path, known, capsys):
    words, matrix = space()
    np.save(tmp_path / "m.npy", matrix)
    (tmp_path / "short.npy").write_bytes((tmp_path / "m.npy").read_bytes()[:-40])
    (tmp_path / "none.npy").write_bytes(b"")
    np.save(tmp_path / "line.npy", matrix[0])
    np.save(tmp_path / "objects.npy", np.array([[None]]), allow_pickle=True)
    (tmp_path / "w.txt").write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    (tmp_path / "odd.txt").write_bytes(b"caf\xe9\n")
    (tmp_path / "w.parquet").write_bytes(b"PAR1")
    cases = [("short.npy", "w.txt", "is not a readable .npy matrix"), ("none.npy", "w.txt", "is not a readable .npy matrix")]
    cases += [("line.npy", "w.txt", "of shape"), ("objects.npy", "w.txt", "is not a readable .npy matrix")]
    cases += [("m.npy", "odd.txt", "is not UTF-8"), ("m.npy", "w.parquet", "is not a readable Parquet file")]
    for numbers, listed, sentence in cases:
        assert embed(tmp_path, str(tmp_path / numbers), "--words", str(tmp_path / listed)) == 2
        said = capsys.readouterr().err
        assert sentence in said
        assert said.count("\n") == 1


def test_weat_of_published_vectors(tmp_path, shared):
    """The 457 words of GloVe 840B of WEAT's lists: the ten published effect sizes, to all printed digits."""
    file = shared / "data" / "weat" / "glove840b_items_457x300.txt"
    assert command.main(["embed", str(file), "--tests", "weat", "--out", str(tmp_path / "report")]) == 0
    found = figures(tmp_path).query("statistic == 'effect_size'").set_index("test")["value"]
    golden = json.loads((shared / "golden" / "published.json").read_text(encoding="utf-8"))["weat_glove_840b"]
    for number in range(1, 11):
        assert found[f"weat_{number}"] == pytest.approx(golden[f"WEAT{number}"]["d"], abs=1e-4)

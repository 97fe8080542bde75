"""Documents keep every row, every identifier and every unknown; folds keep authors whole."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from stages import ingest, subgroup
from stages.contract import command, tables
from stages.contract.bad_input import BadInput
from stages.contract.in_parts import InParts, Texts
from stages.contract.params import Entry, Task
from stages.contract.schemas import Documents, Population
from stages.datasets import delimited, reading
from tests.conftest import ROOT

SURVEY = ROOT / "stages" / "datasets" / "simulated_survey.yaml"


def survey(**changed) -> Task:
    dataset = {"use": "simulated", "source": str(SURVEY), "trait": "trust", "people": 60, "seed": 5}
    return Task.model_validate({"dataset": dataset, "label": "trust"} | changed)


def own(tmp_path: Path, rows: list[tuple], **changed) -> Task:
    path = tmp_path / "own.csv"
    pd.DataFrame(rows, columns=["id", "author", "text", "score", "gender"]).to_csv(path, index=False)
    dataset = {"use": "delimited", "source": str(path), "identifier": "id", "author": "author", "attributes": {"gender": "category"}}
    return Task.model_validate({"dataset": dataset, "label": "score"} | changed)


ROWS = [(f"t{i}", f"p{i // 2}", f"text {i}", i % 3, "woman" if i % 4 else "") for i in range(24)]


@pytest.fixture
def small(monkeypatch):
    """Parts of five texts, read in lots of seven."""
    monkeypatch.setitem(tables.PARQUET, "row_group_size", 5)
    monkeypatch.setattr(reading, "LOT", 7)


def test_the_tables_pass_their_own_door():
    documents, population = ingest.run(survey(), ingest.Params(folds=3))
    assert tables.check(documents, Documents.__metadata__[0], "d").num_rows == 120
    assert tables.check(population, Population.__metadata__[0], "p").num_rows > 0


def test_folds_keep_authors_whole_and_labels_balanced():
    documents = ingest.run(survey(), ingest.Params(folds=3))[0].to_pandas()
    assert len(documents[["author_id", "fold"]].drop_duplicates()) == documents["author_id"].nunique()
    assert set(documents["fold"]) == {"0", "1", "2"}
    rates = documents.groupby("fold")["favourable"].mean()
    assert rates.max() - rates.min() < 0.1
    other = ingest.run(survey(), ingest.Params(folds=3, seed=2))[0].to_pandas()
    assert not documents["fold"].equals(other["fold"])


def test_real_data_has_no_planted_population(tmp_path):
    documents, population = ingest.run(own(tmp_path, ROWS, threshold=1), ingest.Params(folds=2))
    assert population.num_rows == 0
    assert tables.check(population, Population.__metadata__[0], "p").column_names == ["mass", "favourable", "decision", "gender"]
    assert documents.column("gender").null_count == sum(row[4] == "" for row in ROWS)


def test_the_decision_follows_threshold_and_direction(tmp_path):
    high = ingest.run(own(tmp_path, ROWS, threshold="median"), ingest.Params(folds=2))[0].to_pandas()
    low = ingest.run(own(tmp_path, ROWS, threshold="median", favourable="low"), ingest.Params(folds=2))[0].to_pandas()
    assert (high["favourable"] == (high["label"] >= 1)).all()
    assert (low.set_index("doc_id")["favourable"] == ~high.set_index("doc_id")["favourable"]).all()


def test_texts_without_a_label_are_counted(tmp_path, capsys):
    documents, _ = ingest.run(own(tmp_path, [*ROWS, ("t99", "p99", "no label", "", "man")], threshold=1), ingest.Params(folds=2))
    assert documents.num_rows == len(ROWS)
    assert "1 of 25 texts have no label 'score' and are left out" in capsys.readouterr().out


REFUSED = pytest.mark.parametrize(
    ("rows", "changed", "sentence"),
    [
        ([*ROWS, ROWS[0]], {"threshold": 1}, "1 of 25 identifiers are used twice (first: 't0')"),
        ([*ROWS, ("t99", "p99", "  ", 1, "man")], {"threshold": 1}, "1 of 25 texts are empty (first: 't99')"),
        ([*ROWS, ("t99", "", "text", 1, "man")], {"threshold": 1}, "1 of 25 rows name no author"),
        ([(*row[:3], 1, "man") for row in ROWS], {}, "label 'score' is constant"),
        ([(*row[:3], "high", "man") for row in ROWS], {}, "column 'score' is not a number in 24 of 24 rows (first: 'high')"),
        (ROWS, {"threshold": 9}, "with threshold 9.0 every label decides the same"),
        (ROWS[:4], {"threshold": 1}, "2 authors (2 with the rarer label) cannot fill 3 folds"),
        ([(*row[:3], "", "man") for row in ROWS], {}, "no text has a label 'score'"),
    ],
)


@REFUSED
def test_what_cannot_be_benchmarked_is_refused(tmp_path, rows, changed, sentence):
    with pytest.raises(BadInput) as refusal:
        ingest.run(own(tmp_path, rows, **changed), ingest.Params(folds=3))
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


@REFUSED
def test_in_parts_the_same_is_refused_in_the_same_words(small, tmp_path, rows, changed, sentence):
    test_what_cannot_be_benchmarked_is_refused(tmp_path, rows, changed, sentence)


MENTIONS = (Entry(use="lookup", attributes=["gender"]), Entry(use="names", attributes=["gender"]))


def mentioning(tmp_path, **changed):
    texts = ["She left", "he and Mary", "rain"]
    rows = [(f"t{i}", f"p{i}", texts[i % 3], i % 2, "woman") for i in range(24)]
    return own(tmp_path, rows, **changed)


def test_whom_texts_mention_becomes_columns_beside_the_declared(tmp_path, capsys):
    documents = ingest.run(mentioning(tmp_path), ingest.Params(folds=2, mentions=MENTIONS))[0].to_pandas()
    found = documents.groupby("text")[["mentioned_gender", "mentioned_gender_by_name"]].first()
    assert found.loc["She left"].fillna("").tolist() == ["women", ""]
    assert found.loc["he and Mary"].fillna("").tolist() == ["men", "women"]
    assert found.loc["rain"].isna().all()
    assert set(documents["gender"]) == {"woman"}
    assert "mentioned_gender is found in 16 of 24 English texts: whom they mention, not who wrote them" in capsys.readouterr().out


def test_texts_in_other_languages_are_not_searched_and_have_no_column_that_says_so(tmp_path, capsys):
    task = mentioning(tmp_path)
    task = Task.model_validate(task.model_dump() | {"dataset": task.dataset.model_dump() | {"lang": "es"}})
    documents = ingest.run(task, ingest.Params(folds=2, mentions=MENTIONS))[0]
    assert not [name for name in documents.column_names if name.startswith("mention")]
    assert "none of 24 texts is English, so whom they mention is not looked for" in capsys.readouterr().out
    assert tables.check(documents, Documents.__metadata__[0], "d").num_rows == 24


def test_mined_columns_are_subgroups_like_any_other(tmp_path):
    documents, population = ingest.run(mentioning(tmp_path), ingest.Params(folds=2, mentions=MENTIONS))
    rules = {"mentioned_gender": subgroup.Rule(privileged=("men",))}
    coded = subgroup.run(documents, population, subgroup.Params(attributes=rules))[0].to_pandas()
    assert coded["mentioned_gender"].fillna("unknown").value_counts().to_dict() == {"protected": 8, "privileged": 8, "unknown": 8}


def test_of_a_simulation_with_mined_columns_nothing_is_planted():
    documents, population = ingest.run(survey(), ingest.Params(folds=3, mentions=MENTIONS[:1]))
    assert population.num_rows == 0
    assert {"gender", "mentioned_gender"} <= set(documents.column_names) & set(population.column_names)


def test_mined_columns_have_names_of_their_own(tmp_path):
    with pytest.raises(BadInput, match="'mentioned_gender' is mined twice"):
        ingest.run(mentioning(tmp_path), ingest.Params(folds=2, mentions=MENTIONS[:1] * 2))
    path = tmp_path / "own.csv"
    path.write_text(path.read_text().replace("gender", "mentioned_gender"))
    dataset = {
        "use": "delimited",
        "source": str(path),
        "identifier": "id",
        "author": "author",
        "attributes": {"mentioned_gender": "category"},
    }
    with pytest.raises(BadInput, match="column 'mentioned_gender' has a name that mined columns have"):
        ingest.run(Task.model_validate({"dataset": dataset, "label": "score"}), ingest.Params(folds=2))


TEXTS = ["She left", "he and Mary", "rain", 'one\nline, and "another"', "über die Männer 🙂", "women", "NA"]


@pytest.mark.parametrize("mentions", [(), MENTIONS])
@pytest.mark.parametrize("count", [4, 5, 6, 10, 37])
def test_texts_in_parts_are_written_byte_for_byte_as_texts_held(small, monkeypatch, tmp_path, capsys, count, mentions):
    numbers = np.random.default_rng(count).permutation(count + 3)
    rows = [(f"t{i:02d}", f"p{i}", TEXTS[i % 7], i % 2 if i < count else "", "woman" if i % 3 else "") for i in numbers]
    task, params = own(tmp_path, rows), ingest.Params(folds=2, mentions=mentions)
    at = Documents.__metadata__[0]
    found, population = ingest.run(task, params)
    told = capsys.readouterr().out
    assert isinstance(found, InParts) == (count > 5)
    command._write(found, at, tmp_path / "parts.parquet")
    monkeypatch.undo()
    whole, expected = ingest.run(task, params)
    assert (told, population) == (capsys.readouterr().out, expected)
    monkeypatch.setitem(tables.PARQUET, "row_group_size", 5)
    tables.write_parquet(tables.check(whole, at, "d"), tmp_path / "whole.parquet")
    assert (tmp_path / "parts.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    assert tables.read(tmp_path / "parts.parquet", at)["doc_id"].to_pylist() == sorted(row[0] for row in rows if row[3] != "")


def test_bytes_do_not_depend_on_the_order_or_the_lots_of_the_file(monkeypatch, tmp_path):
    """A file whose rows are in order already keeps the lots in which it was read, which Parquet's dictionaries would show."""
    rows = [(f"{i:050d}", f"p{i}", "text", i % 2, "woman") for i in range(30_000)]
    found = set()
    for order, lot in ((1, 1000), (1, 40_000), (-1, 1000)):
        monkeypatch.setattr(reading, "LOT", lot)
        task = own(tmp_path, rows[::order])
        task = Task.model_validate(task.model_dump() | {"dataset": task.dataset.model_dump() | {"fold": "gender"}})
        command._write(ingest.run(task, ingest.Params())[0], Documents.__metadata__[0], tmp_path / "documents.parquet")
        found.add((tmp_path / "documents.parquet").read_bytes())
    assert len(found) == 1


def test_of_long_texts_a_few_parts_are_held(monkeypatch, tmp_path):
    """Of 4 MB of texts, in parts and lots of 0.2 MB, Arrow, in which pandas keeps texts, never holds 1 MB when another comes."""
    task = own(tmp_path, [(f"t{i * 79 % 400:03d}", f"p{i}", f"{i} {'h' * 9990} she", i % 2, "woman") for i in range(400)])
    monkeypatch.setitem(tables.PARQUET, "row_group_size", 20)
    monkeypatch.setattr(reading, "LOT", 20)
    before, held = pa.total_allocated_bytes(), []

    def watched(read):
        def lots(*given):
            for lot in read(*given):
                held.append(pa.total_allocated_bytes() - before)
                yield lot

        return lots

    monkeypatch.setattr(delimited, "read_lots", watched(delimited.read_lots))
    monkeypatch.setattr(Texts, "parts", watched(Texts.parts))
    found, _ = ingest.run(task, ingest.Params(folds=2, mentions=MENTIONS[:1]))
    command._write(found, Documents.__metadata__[0], tmp_path / "documents.parquet")
    assert len(held) == 5 * 20  # to see what is there, then to find mentions and to write, in lots and in parts
    assert max(held) < 1e6
    found.whole()
    assert max(held) > 3.5e6

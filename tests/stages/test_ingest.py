"""Documents keep every row, every identifier and every unknown; folds keep authors whole."""

from pathlib import Path

import pandas as pd
import pytest

from stages import ingest, subgroup
from stages.contract import tables
from stages.contract.bad_input import BadInput
from stages.contract.params import Entry, Task
from stages.contract.schemas import Documents, Population
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


@pytest.mark.parametrize(
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
def test_what_cannot_be_benchmarked_is_refused(tmp_path, rows, changed, sentence):
    with pytest.raises(BadInput) as refusal:
        ingest.run(own(tmp_path, rows, **changed), ingest.Params(folds=3))
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


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


def test_texts_in_other_languages_mention_nobody_we_could_find(tmp_path):
    task = mentioning(tmp_path)
    task = Task.model_validate(task.model_dump() | {"dataset": task.dataset.model_dump() | {"lang": "es"}})
    documents = ingest.run(task, ingest.Params(folds=2, mentions=MENTIONS))[0]
    assert documents.column("mentioned_gender").null_count == 24
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

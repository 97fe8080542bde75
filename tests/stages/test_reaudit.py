"""The re-audit: which published numbers are which, the problems where they belong, and one sentence for each file that cannot be used."""

import shutil

import numpy as np
import pandas as pd
import pytest

from stages import reaudit
from stages.contract import tables
from stages.contract.bad_input import BadInput
from stages.contract.findings import Findings, KnownProblems
from tests.conftest import ROOT

FOLDER = ROOT / "data" / "raw" / "naacl2022"
RUN = ["dataset", "task", "model", "debiaser"]


def run(folder=FOLDER, **options):
    results = reaudit.run(reaudit.Params(counts=str(folder), **({"draws": 200} | options)))
    return [tables.check(table, hint.__metadata__[0], "x") for table, hint in zip(results, (Findings, KnownProblems), strict=True)]


@pytest.fixture(scope="module")
def tables_() -> list:
    return run()


@pytest.fixture(scope="module")
def found(tables_) -> pd.DataFrame:
    return tables_[0].to_pandas()


def test_how_many_numbers_are_worth_what(found):
    printed = found[found["printed"]]["finding"].value_counts().to_dict()
    words = ("empty group", "collapsed model", "smoothing", "counts not recovered")
    assert {word: printed[word] for word in words} == {"empty group": 10, "collapsed model": 128, "smoothing": 2, "counts not recovered": 4}
    assert printed["disparity"] + printed["no evidence of disparity"] == 620
    everything = found["finding"].value_counts().to_dict()
    assert [everything[word] for word in words] == [16, 240, 5, 120]
    assert "cannot tell" not in everything, "the smallest group has 116 people"


def test_empty_groups_are_the_pairs_of_mbti(found):
    empty = found[found["finding"] == "empty group"]
    assert set(empty["dataset"]) == {"MBTI", "MBTIShort"}
    assert set(empty["attributes"]) == {"gender+age"}
    assert (empty["n_protected"] == 0).all()
    assert empty["di"].isna().all()
    assert set(empty["reason"]) == {"no text in the protected group"}
    assert empty["problems"].str.contains("empty group").all()


def test_collapsed_models_are_those_known(found):
    collapsed = found[(found["finding"] == "collapsed model") & found["printed"]]
    runs = {tuple(row) for row in collapsed[RUN[1:]].drop_duplicates().to_numpy()}
    both = {(task, "CNN", debiaser) for task in ("Extraverted", "Stable", "Numeracy", "Literacy") for debiaser in ("none", "WordED")}
    assert runs == both
    assert collapsed.groupby(RUN).size().eq(16).all(), "a model is collapsed for all sets or none"
    nobody = found[found["selected"] == 0]
    np.testing.assert_allclose(nobody["published_di"], (nobody["n_privileged"] + 2) / (nobody["n_protected"] + 2), rtol=1e-12)
    np.testing.assert_allclose(nobody["null_low"], nobody["published_di"], rtol=1e-12)


def test_the_largest_published_adi_is_a_collapsed_model(found):
    largest = found.loc[found["published_adi"].idxmax()]
    assert largest["published_adi"] == pytest.approx(53.0)
    assert largest["finding"] == "collapsed model"


def test_di_and_adi_of_numeracy_point_in_opposite_directions(found):
    row = found[
        (found["task"] == "Numeracy") & (found["model"] == "BERT") & (found["debiaser"] == "none") & (found["order"] == 5)
    ].squeeze()
    assert (row["selected_protected"], row["n_protected"], row["selected_privileged"], row["n_privileged"]) == (28, 129, 363, 510)
    assert row["published_adi"] == pytest.approx(3.23, abs=0.005)
    assert (row["katz_low"], row["katz_high"]) == pytest.approx((0.219, 0.425), abs=0.001)
    assert row["opposed"]
    assert row["finding"] == "disparity"


def test_every_fv_is_a_gap_of_selection_rates(found):
    assert found["fv_of_selection"].dropna().tolist() == [True] * 1108


def test_points_lie_in_their_intervals_and_q_is_no_smaller_than_p(found):
    known = found[found["ci_low"].notna()]
    assert ((known["ci_low"] <= known["di"]) & (known["di"] <= known["ci_high"])).all()
    tested = found[found["p_value"].notna()]
    assert len(tested) == 1108 - 16
    for corrected in ("q_value", "q_released", "p_order"):
        assert (tested[corrected] >= tested["p_value"] * (1 - 1e-12)).all()
    assert (found["di"].notna() == found["outside_four_fifths"].notna()).all()
    assert found.loc[found["di"].isna(), "reason"].notna().all()


def test_known_problems_stand_where_they_belong(tables_, found):
    def rows(problem: str) -> pd.DataFrame:
        return found[found["problems"].str.split("; ").map(lambda names: problem in names)]

    assert set(rows("labels of another task")[RUN[:3]].itertuples(index=False, name=None)) == {
        ("FIPI", "Extraverted", "CNN"),
        ("FIPI", "Stable", "CNN"),
    }
    assert set(rows("predictions of another model")["model"]) == {"CNN"}
    assert set(rows("group coding inverted")["task"]) == {"Hatespeech"}
    assert set(rows("repeated respondents")["dataset"]) == {"Psychometric", "FIPI", "FIPIShort", "FIPIShort2"}
    repeated = rows("repeated respondents").dropna(subset="texts")
    assert (repeated["texts"] > repeated["people"]).all()
    assert set(rows("no counts fit").index) == set(found.index[found["texts"].isna()])
    problems = tables_[1].to_pandas()
    assert problems.groupby("problem")["rows"].sum().to_dict() == {name: len(rows(name)) for name in problems["problem"].unique()}
    assert (problems["rows"] > 0).all()


def test_the_runs_said_to_be_the_same_are(found):
    columns = ["published_di", "published_adi", "published_fv"]
    cnn = found[(found["dataset"] == "FIPI") & (found["model"] == "CNN")].set_index(["debiaser", "attributes"])
    one, other = (cnn[cnn["task"] == task][columns].sort_index() for task in ("Extraverted", "Stable"))
    pd.testing.assert_frame_equal(one, other)


def test_switched_off_there_is_nothing():
    assert [table.num_rows for table in run(included=False)] == [0, 0]


def test_the_same_seed_gives_the_same_bytes(tables_, tmp_path):
    for name, table in (("one", tables_[0]), ("other", run()[0])):
        tables.write_parquet(table, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


@pytest.fixture
def copy(tmp_path):
    return shutil.copytree(FOLDER, tmp_path / "counts")


def spoilt(folder, **values):
    table = pd.read_csv(folder / "counts.csv")
    for column, value in values.items():
        table[column] = table[column].astype(object)
        table.loc[3, column] = value
    table.to_csv(folder / "counts.csv", index=False)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"selected_protected": 10**6}, r"counts\.csv: 1 rows have impossible counts or not those of published_di, line 5 first; restore"),
        ({"n_protected": 1741}, r"1 rows have impossible counts or not those of published_di, line 5 first"),
        ({"n_privileged": -1}, r"1 rows have impossible counts"),
        ({"selected_privileged": None}, r"1 rows have impossible counts"),
        ({"published_di": 0.5}, r"1 rows have impossible counts or not those"),
        ({"texts": "many"}, r"counts\.csv: counts must be whole numbers or empty"),
        ({"texts": 20000.5}, r"counts\.csv: counts must be whole numbers or empty"),
    ],
)
def test_counts_that_cannot_be_are_refused(copy, values, sentence):
    spoilt(copy, **values)
    with pytest.raises(BadInput, match=sentence):
        run(copy)


def test_a_missing_file_or_column_is_one_sentence(copy):
    with pytest.raises(BadInput, match=r"nowhere.counts\.csv is not there: restore it from the repository, correct reaudit\.counts"):
        run(copy / "nowhere")
    frame = pd.read_csv(copy / "known_problems.csv")
    frame.drop(columns="proof").to_csv(copy / "known_problems.csv", index=False)
    with pytest.raises(BadInput, match=r"known_problems\.csv: column 'proof' is missing; it has dataset, task"):
        run(copy)
    (copy / "counts.csv").write_bytes(b"dataset,task\n\xff\xfe,x\n")
    with pytest.raises(BadInput, match=r"counts\.csv is no CSV file in UTF-8"):
        run(copy)
    (copy / "counts.csv").write_bytes(b"")
    with pytest.raises(BadInput, match=r"counts\.csv is no CSV file"):
        run(copy)

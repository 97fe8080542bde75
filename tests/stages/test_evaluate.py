"""Scores recover planted truth with honest intervals, and name what cannot be known."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from stages import evaluate, ingest, subgroup
from stages.contract import tables
from stages.contract.bad_input import BadInput
from stages.contract.params import Design, Task
from stages.contract.schemas import Groups, Scores
from stages.contract.vocabulary import ANY_GROUP, ANY_SET
from tests.conftest import ROOT, make_documents
from tests.datasets.test_simulated import ideal_reader


def cell(trait: str, people: int, seed: int, highest_order: int = 5, **params):
    """The scores of the ideal reader on one draw of the simulated survey, of sets of up to so many attributes; few permutations."""
    source = ROOT / "stages" / "datasets" / "simulated_survey.yaml"
    dataset = {"use": "simulated", "source": str(source), "trait": trait, "people": people, "seed": seed}
    documents, population = ingest.run(Task.model_validate({"dataset": dataset, "label": trait}), ingest.Params(folds=3))
    section = Design.read(ROOT / "params.yaml").section("subgroup") | {"highest_order": highest_order}
    rules = subgroup.Params.model_validate(section)
    subgroups, kinds, sets = subgroup.run(documents, population, rules)
    frame = documents.to_pandas()
    decision = ideal_reader(frame["text"], trait).to_numpy()
    return evaluate.run(documents, subgroups, kinds, sets, predict(frame, decision), evaluate.Params(**{"permutations": 100} | params))


def predict(frame: pd.DataFrame, decision: np.ndarray) -> pa.Table:
    columns = {"y_true": frame["favourable"].astype(float), "y_score": decision.astype(float), "y_pred": decision.astype(int)}
    return pa.Table.from_pandas(frame[["doc_id", "fold"]].assign(**columns), preserve_index=False)


@pytest.fixture
def pairs_alone(monkeypatch):
    """No scores of every group as it is, of which no truth is planted."""
    nothing = evaluate._score_groups(pd.DataFrame(), [], None)
    monkeypatch.setattr(evaluate, "_score_groups", lambda *_: nothing)


@pytest.mark.usefixtures("pairs_alone")
def test_intervals_cover_the_planted_truth():
    """Over 10 surveys whose authors wrote two dependent texts each, 95 % intervals of rates and ratios hold the closed-form truth."""
    draws = [(trait, seed) for seed in range(1, 6) for trait in ("literacy", "trust")]
    scores = pd.concat([cell(trait, 600, seed, highest_order=3, replicates=500)[0].to_pandas() for trait, seed in draws])
    known = scores[scores["planted"].notna() & scores["ci_low"].notna()]
    held = known["planted"].between(known["ci_low"], known["ci_high"])
    covered = held.groupby(known["metric"]).agg(["mean", "size"])
    assert (covered["size"] >= 100).all()
    assert covered.loc[["base_rate", "selection_rate", "tpr", "fpr", "di", "di_star", "adi"], "mean"].between(0.91, 0.99).all(), covered
    # All gaps behind an FV are held at once, so that its interval errs on the wide side.
    assert covered.loc["fv", "mean"] >= 0.93


@pytest.mark.usefixtures("pairs_alone")
def test_a_large_survey_converges_to_the_planted_truth():
    scores = cell("literacy", 8_000, 3, highest_order=2, replicates=200)[0].to_pandas()
    gaps = scores[scores["planted"].notna() & (scores["group"] == "protected/privileged")]
    assert len(gaps) == 5 * 4
    np.testing.assert_allclose(gaps["value"], gaps["planted"], rtol=0.1, atol=0.02)


def test_the_scores_pass_their_own_door_and_the_metrics_are_numbers_or_null():
    scores, groups, metrics, roc, calibration = cell("trust", 60, 1, replicates=200)
    assert {"man", "woman", "everyone"} <= set(roc["group"].to_pylist()) & set(calibration["group"].to_pylist())
    checked = tables.check(scores, Scores.__metadata__[0], "scores").to_pandas()
    everyone, one_set, of_groups = 5 + 12 + 4, 4 * 4 + 2 * 4, 15
    orders = 5 * 4
    of_gate = checked["group"].isin([ANY_GROUP, ANY_SET])
    most_extreme = (checked["group"] == "any group").sum()
    assert most_extreme == 6 * 16
    assert len(checked[~of_gate]) == everyone + 16 * (one_set + of_groups) + orders + most_extreme
    assert {"tpr", "fpr", "adi", "di", "di_star", "fv", "selection_rate"} <= set(checked.loc[of_gate, "metric"])
    assert not checked.loc[of_gate, "metric"].duplicated().any()
    each = tables.check(groups, Groups.__metadata__[0], "groups").to_pandas()
    counted = each[(each["metric"] == "selection_rate") & (each["comparison"] == "none")].groupby("attributes")["n"].sum()
    assert len(counted) == 16
    assert (counted == 120).all()
    assert (each["ci_low"].notna() | each["reason"].notna()).all()
    assert (checked["value"].notna() | checked["reason"].notna()).all()
    assert (checked["ci_low"].notna() | checked["reason"].notna()).all()
    assert set(metrics) == {"accuracy", "f1", "auc", "mse", "pearson_r", "adi", "fv"}
    assert list(metrics["adi"]) == [f"order_{order}" for order in range(1, 6)]
    assert all(value is None or np.isfinite(value) for value in [*metrics["adi"].values(), *metrics["fv"].values()])


def test_an_empty_group_is_null_with_its_reason_and_nobody_is_dropped():
    gender, age = ["woman"] * 10 + ["man"] * 20 + [None] * 10, [70.0] * 5 + [30.0] * 35
    documents = make_documents(["x"] * 40, [True, False] * 20, gender=gender, age=age)
    population = documents.select(["gender", "age"]).slice(0, 0)
    for name, kind in (("mass", pa.float64()), ("favourable", pa.bool_()), ("decision", pa.bool_())):
        population = population.append_column(name, pa.array([], kind))
    rules = {"attributes": {"gender": {"privileged": ["man"]}, "age": {"privileged_at_least": 50}}}
    subgroups, kinds, sets = subgroup.run(documents, population, subgroup.Params.model_validate(rules))
    frame = documents.to_pandas()
    predictions = predict(frame, frame["favourable"].to_numpy())
    scores, *_ = evaluate.run(documents, subgroups, kinds, sets, predictions, evaluate.Params(replicates=200))
    table = scores.to_pandas().set_index(["attributes", "group", "metric", "convention"])
    adi = table.loc[("gender+age", "protected/privileged", "adi", "crossbias")]
    assert np.isnan(adi["value"])
    assert adi["reason"] == "no text in the privileged group"
    assert table.loc[("gender", "unknown", "base_rate", "crossbias"), "n"] == 10
    released = table.loc[("gender+age", "protected/privileged", "di", "naacl2022"), "value"]
    assert released == pytest.approx((2 + 1) / (5 + 2) / (1 / 2))  # the empty group's rate is the prior 1/2: why null is better
    groups = table.xs("base_rate", level="metric").reset_index()
    groups = groups[groups["group"].isin(["protected", "privileged", "mixed", "unknown"])]
    assert (groups.groupby("attributes")["n"].sum() == 40).all()


def test_tables_that_do_not_match_are_refused():
    documents = make_documents(["x", "y"], [True, False], gender=["woman", "man"])
    frame = documents.to_pandas()
    subgroups = pa.table({"doc_id": ["d0000", "d0009"], "gender": ["protected", "privileged"]})
    with pytest.raises(BadInput, match="documents and subgroups differ in 2 identifiers"):
        evaluate.joined(documents, subgroups, predict(frame, np.array([True, False])))


def test_rows_join_on_identifiers_never_on_text():
    """Two people wrote the same text: joined on the text, two rows would become four."""
    documents = make_documents(["same", "same"], [True, False], gender=["woman", "man"])
    subgroups = pa.table({"doc_id": ["d0001", "d0000"], "gender": ["privileged", "protected"]})
    joined = evaluate.joined(documents, subgroups, predict(documents.to_pandas(), np.array([True, False])))
    assert joined[["doc_id", "gender"]].to_numpy().tolist() == [["d0000", "protected"], ["d0001", "privileged"]]


def test_the_same_inputs_give_the_same_scores():
    one, other = (cell("trust", 60, 1, highest_order=3, replicates=200) for _ in range(2))
    assert one[0].equals(other[0])


def scored_split(**attributes: list) -> tuple[pa.Table, pa.Table, pd.DataFrame]:
    """Sixty documents in a published split, scores of its test part, and that part."""
    documents = make_documents(["x"] * 60, [True, False] * 30, **attributes)
    fold = ["train"] * 20 + ["dev"] * 10 + ["test"] * 30
    documents = documents.set_column(documents.column_names.index("fold"), "fold", pa.array(fold))
    frame = documents.to_pandas().tail(30)
    decision = frame["favourable"].to_numpy() ^ (np.arange(30) % 5 == 0)
    return documents, predict(frame, decision), frame


def test_without_attributes_there_is_performance_alone():
    documents, predictions, _ = scored_split()
    population = pa.table(
        {"mass": pa.array([], pa.float64()), "favourable": pa.array([], pa.bool_()), "decision": pa.array([], pa.bool_())}
    )
    scores, groups, metrics, *_ = evaluate.run(
        documents, *subgroup.run(documents, population, subgroup.Params()), predictions, evaluate.Params(replicates=100)
    )
    checked = tables.check(scores, Scores.__metadata__[0], "scores").to_pandas().set_index("metric")
    assert set(metrics) == {"accuracy", "f1", "auc", "mse", "pearson_r"} < set(checked.index)
    assert len(checked) == 5 + 12, "precision, recall and F1 of each decision and their two means"
    assert checked.loc["accuracy", ["value", "n"]].tolist() == [pytest.approx(0.8), 30]
    assert tables.check(groups, Groups.__metadata__[0], "groups").num_rows == 0


def test_a_published_split_is_scored_on_its_test_part():
    """As if there were no other texts: those for training and development are predicted by nobody."""
    documents, predictions, frame = scored_split(gender=["woman", "man", "man"] * 20)
    population = documents.select(["gender"]).slice(0, 0)
    for name, kind in (("mass", pa.float64()), ("favourable", pa.bool_()), ("decision", pa.bool_())):
        population = population.append_column(name, pa.array([], kind))
    rules = subgroup.Params.model_validate({"attributes": {"gender": {"privileged": ["man"]}}})
    test = pa.Table.from_pandas(frame, preserve_index=False)
    params = evaluate.Params(replicates=100, permutations=100)
    found, alone = (evaluate.run(table, *subgroup.run(table, population, rules), predictions, params) for table in (documents, test))
    assert [table.equals(other) for table, other in zip(found[:2], alone[:2], strict=True)] == [True, True]
    with pytest.raises(BadInput, match="documents and predictions differ in 1 identifiers"):
        evaluate.run(documents, *subgroup.run(documents, population, rules), predictions.slice(1), params)

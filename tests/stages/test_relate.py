"""From the tables of all cells to the three tables of relations: planted effects are found, models alike differ by exactly nothing."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from stages import relate
from stages.contract import tables
from stages.contract.bad_input import BadInput
from stages.contract.params import Design
from stages.contract.probes import Probes
from stages.contract.relations import Authors, Effects, Matched, ProbesAndOutcomes
from stages.contract.tables import column_names
from tests.metrics.people import SETS, decisions, statuses

MODELS = {
    "plain": {},
    "debiased": {"debiaser": {"use": "hard_debias"}},
    "mitigated": {"family": {"use": "text_cnn", "mitigation": {"use": "thresholds"}}},
}


def design(models: dict[str, dict] | None = None, **task) -> Design:
    entry = {"base": {"source": "glove.yaml"}, "debiaser": {"use": "identity"}, "family": {"use": "text_cnn"}}
    dataset = {"use": "delimited", "source": "people.csv"}
    one = {"dataset": dataset, "label": "a"} | task
    other = {"dataset": dataset, "label": "b"}
    models = {name: entry | options for name, options in (models or MODELS).items()}
    return Design.model_validate({"tasks": {"one": one, "other": other}, "models": models})


def cells(
    biases: tuple[float, ...], people: int = 200, seed: int = 1, alike: dict[int, int] | None = None, names: tuple[str, ...] = tuple(MODELS)
) -> tuple[pa.Table, ...]:
    """documents, subgroups, sets and predictions of two tasks; scores are decisions, with noise that keeps their side of 1/2."""
    random = np.random.default_rng(seed)
    status = statuses(people, random)
    parts: tuple[list[pd.DataFrame], ...] = ([], [], [], [])
    for task in ("one", "other"):
        owner, favourable, decided = decisions(status, random, biases)
        score = np.round(decided / 2 + random.random(decided.shape) / 2, 6)
        for model, source in (alike or {}).items():
            decided[:, model], score[:, model] = decided[:, source], score[:, source]
        texts = pd.DataFrame({"doc_id": [f"d{i}" for i in range(len(owner))], "task": task})
        parts[0].append(texts.assign(author_id=[f"a{i}" for i in owner], fold="0", favourable=favourable))
        parts[1].append(pd.concat([texts, status.iloc[owner].reset_index(drop=True)], axis=1).sample(frac=1, random_state=1))
        parts[2].append(pd.DataFrame({"attributes": ["+".join(chosen) for chosen in SETS], "task": task}))
        for place, model in enumerate(names):
            parts[3].append(texts.assign(model=model, y_score=score[:, place], y_pred=decided[:, place].astype(int)))
    return tuple(pa.Table.from_pandas(pd.concat(part), preserve_index=False) for part in parts)


def probes(values: dict[str, float]) -> pa.Table:
    rows = [
        {"probe": "weat", "test": "weat_6", "statistic": "s", "vectors": "static", "value": value, "model": model}
        for model, value in values.items()
    ]
    return pa.Table.from_pandas(pd.DataFrame(rows).reindex(columns=[*column_names(Probes), "model"]), preserve_index=False)


def related(found: tuple[pa.Table, ...], given: Design | None = None, **params) -> tuple[pd.DataFrame, ...]:
    """The three tables, passed through their own door."""
    values = probes(dict.fromkeys(MODELS, 0.1))
    results = relate.run(*found, values, given or design(), relate.Params(**({"draws": 199} | params)))
    ats = [table.__metadata__[0] for table in (Effects, Matched, ProbesAndOutcomes)]
    return tuple(tables.check(table, at, at.path).to_pandas() for table, at in zip(results, ats, strict=True))


def test_planted_effects_are_found_and_the_tables_pass_their_door():
    effects, matched, going_along = related(cells((0.5, 0.0, 0.5), people=400))
    terms = effects.set_index(["outcome", "term"])
    assert list(effects["term"][:5]) == [
        "order",
        "debiased - plain",
        "mitigated - plain",
        "debiased - plain at the same selection rate",
        "mitigated - plain at the same selection rate",
    ]
    assert list(effects["kind"][:5]) == ["order", "debiaser", "mitigation", "matched", "matched"]
    assert (terms.xs("order", level="term")["n"] == 2 * 3 * len(SETS)).all()
    for term in ("debiased - plain", "debiased - plain at the same selection rate"):
        assert (terms.xs(term, level="term")["value"] < 0).all()
        assert (terms.xs(term, level="term")["q_value"] <= 0.02).all()
    assert (terms.xs("mitigated - plain", level="term")["p_value"] > 0.01).all()
    assert len(matched) == 2 * 2 * len(SETS) * 4
    assert set(matched["baseline"]) == {"plain"}
    assert (matched["value"].notna() | matched["reason"].notna()).all()
    assert (going_along["reason"] == "cannot tell: fewer than 5 embeddings").all()
    assert (going_along["n"] == 2).all()  # the mitigated model has the plain one's embedding
    assert len(going_along) == 3 * 2


def test_models_alike_differ_by_exactly_nothing():
    """Also through the matched baseline, as its scores cut at the same rate are the same decisions."""
    effects, matched, _ = related(cells((0.5, 0.0, 0.0), alike={2: 0}))
    same = effects[effects["term"].str.startswith("mitigated")]
    assert (same["value"] == 0).all()
    assert (same["p_value"] == 1).all()
    assert (same["null_mean"] == 0).all()
    rows = matched[matched["model"] == "mitigated"]
    assert (rows["difference"].dropna() == 0).all()
    assert (rows["p_value"].dropna() == 1).all()
    assert (rows["matched_accuracy"] == rows["baseline_accuracy"]).all()


def test_low_scores_of_a_regression_may_be_the_favourable_ones():
    """The same decisions from scores turned round give the same tables."""
    found = cells((0.4, 0.0, 0.2))
    turned = found[3].to_pandas()
    one = turned["task"] == "one"
    turned.loc[one, "y_score"] = -turned.loc[one, "y_score"]
    low = design(kind="regression", favourable="low")
    for left, right in zip(related(found), related((*found[:3], pa.Table.from_pandas(turned, preserve_index=False)), low), strict=True):
        pd.testing.assert_frame_equal(left, right)


def test_the_same_inputs_give_the_same_tables_and_another_seed_others():
    found = cells((0.4, 0.0, 0.2), people=60)
    for left, right in zip(related(found), related(found), strict=True):
        pd.testing.assert_frame_equal(left, right)
    assert not related(found)[0]["null_low"].equals(related(found, seed=7)[0]["null_low"])


def test_one_model_has_an_order_and_nothing_to_be_compared_with():
    found = cells((0.4, 0.0, 0.2), people=60)
    effects, matched, _ = related(found, design({"plain": {}}))
    assert list(effects["term"]) == ["order"] * 3
    assert len(matched) == 0


def test_probes_go_along_with_gaps_over_embeddings_not_models():
    """Six debiasers whose figure is the planted bias; a second family on one of them adds no embedding."""
    biases = {f"m{i}": i / 5 for i in range(6)} | {"twin": 0.0}
    models = {name: {"debiaser": {"use": "hard_debias", "strength": bias}} for name, bias in biases.items()}
    models["twin"] = {"debiaser": models["m0"]["debiaser"], "family": {"use": "frozen_encoder"}}
    found = cells(tuple(biases.values()), people=400, names=tuple(biases))
    results = relate.run(*found, probes(biases), design(models), relate.Params(draws=100))[2].to_pandas()
    assert (results["n"] == 6).all()
    assert set(results["probe"]) == {"weat weat_6 s static"}
    lost = relate.run(*found, probes(dict.fromkeys(biases)), design(models), relate.Params(draws=100))[2].to_pandas()
    assert (lost["n"] == 0).all()
    assert (lost["reason"] == "cannot tell: fewer than 5 embeddings").all()
    assert relate.run(*found, probes(biases).slice(0, 0), design(models), relate.Params(draws=100))[2].num_rows == 0
    rho = results[results["coefficient"] == "spearman"].set_index("outcome")
    assert (rho["value"] > 0.9).all()
    assert (rho["q_value"] <= 0.05).all()


def test_attributes_are_read_alone(tmp_path):
    """Columns that differ in type between data sets are no hindrance, as relate reads none of them."""
    at = Authors.__metadata__[0]
    for name, age in (("one", [33.0]), ("other", ["over 33"])):
        table = pa.table({"doc_id": ["a"], "author_id": ["b"], "fold": ["0"], "favourable": [True], "age": age})
        tables.write_parquet(table, tmp_path / f"{name}.parquet")
        assert tables.read(tmp_path / f"{name}.parquet", at).column_names == ["doc_id", "author_id", "fold", "favourable"]


def test_predictions_of_other_documents_are_refused():
    found = cells((0.4, 0.0, 0.2), people=60)
    lost = found[3].slice(0, found[3].num_rows - 2)
    with pytest.raises(BadInput, match="documents and predictions of mitigated for other differ in 2 identifiers"):
        relate.run(*found[:3], lost, probes({"plain": 1.0}), design(), relate.Params())


def test_people_are_matched_within_a_source_by_their_names():
    found = cells((0.4, 0.0, 0.2), people=60)
    texts = found[0].to_pandas()
    other = texts["task"] == "other"
    shuffled = texts.assign(author_id=texts["author_id"].where(~other, "z" + texts["author_id"]))
    apart = related((pa.Table.from_pandas(shuffled, preserve_index=False), *found[1:]))[0]
    together = related(found)[0]
    assert apart["value"].equals(together["value"])
    assert not apart["null_low"].equals(together["null_low"])


def test_the_texts_that_a_split_trains_on_are_left_out():
    """Their writers are not drawn, and the same documents without them give the same tables; one missing elsewhere is still refused."""
    found = documents, subgroups, sets, predictions = cells((0.4, 0.0, 0.2), people=60)
    texts, coded = documents.to_pandas(), subgroups.to_pandas()
    texts["fold"] = texts["fold"].where(texts["task"] != "one", "test")
    learned = texts[texts["task"] == "one"].head(7)
    learned = learned.assign(doc_id="t" + learned["doc_id"], author_id="t" + learned["author_id"], fold=["train"] * 4 + ["dev"] * 3)
    more = pd.concat([learned, texts]), pd.concat([coded, coded[coded["task"] == "one"].head(7).assign(doc_id=list(learned["doc_id"]))])
    split = tuple(pa.Table.from_pandas(table, preserve_index=False) for table in more)
    for left, right in zip(related((*split, sets, predictions)), related(found), strict=True):
        pd.testing.assert_frame_equal(left, right)
    lost = predictions.filter(pc.not_equal(predictions["doc_id"], predictions["doc_id"][0]))
    with pytest.raises(BadInput, match="documents and predictions of plain for one differ in 1 identifiers"):
        related((*split, sets, lost))


def test_tasks_without_groups_are_left_out():
    found = cells((0.3, 0, 0.1))
    documents, subgroups, sets, predictions = found
    bare = sets.filter(pc.equal(sets["task"], "one"))
    left = related((documents, subgroups, bare, predictions))
    one = design().model_copy(update={"tasks": {"one": design().tasks["one"]}})
    alone = related(tuple(table.filter(pc.equal(table["task"], "one")) for table in found), one)
    for table, other in zip(left, alone, strict=True):
        pd.testing.assert_frame_equal(table, other)
    assert [len(table) for table in related((documents, subgroups, sets.slice(0, 0), predictions))] == [0, 0, 0]

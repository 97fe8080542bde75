"""A real history: a refactoring is identical, a new seed no evidence, a debiaser better, a regression found, new data partly shared."""

import dataclasses
import json
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from dvc.repo import Repo

from flows import command, compare, compare_cells, compare_flow
from flows.compare import Options
from flows.revisions import History
from stages.contract.bad_input import BadInput
from stages.metrics.paired import BETTER, NO_EVIDENCE, NOT_COMPARABLE, PERFORMANCE, WORSE, Rules
from stages.metrics.paired_gaps import PAIRS
from tests.flows import small_history
from tests.flows.conftest import make
from tests.metrics.two_sides import shared

# pygtrie, which DVC uses, warns of its own future.
pytestmark = pytest.mark.filterwarnings("ignore:_NoneStep.value:DeprecationWarning")
RULES = Rules(draws=500)
FILES = {"index.html", "comment.md", "summary.json", "rows.parquet"}


@pytest.fixture(scope="session")
def history(tmp_path_factory, outside):
    folder = tmp_path_factory.mktemp("history") / "repo"
    with pytest.MonkeyPatch.context() as patch:
        folder.mkdir()
        patch.chdir(folder)
        for name, value in outside.items():
            patch.setenv(name, value)
        return small_history.build(folder)


@pytest.fixture
def here(history, monkeypatch):
    monkeypatch.chdir(history)
    yield history
    subprocess.run(["git", "checkout", "--quiet", "."], cwd=history, check=True)


def found(one: str, other: str, **options) -> compare.Comparison:
    return compare.compare(Options(one, other, rules=RULES, **options))


def rows_of(comparison: compare.Comparison, family: str, verdict: str) -> pd.DataFrame:
    return comparison.rows[(comparison.rows["family"] == family) & (comparison.rows["verdict"] == verdict)]


def test_a_refactoring_is_identical_and_nothing_is_read(here, monkeypatch):
    monkeypatch.setattr(History, "read", lambda *_: pytest.fail("bytes were read"))
    comparison = found("base", "refactored")
    assert [cell.status for cell in comparison.cells] == ["identical", "identical"]
    assert comparison.rows.empty
    assert [name for name, *_ in comparison.changes["code and data"]] == ["planted.py"]


def test_a_new_seed_is_no_evidence(here):
    comparison = found("refactored", "reseeded")
    assert {cell.status for cell in comparison.cells} == {"compared"}
    assert set(comparison.rows["verdict"]) == {NO_EVIDENCE}
    assert comparison.rows["p_value"].notna().sum() > 100
    assert comparison.changes["parameters"] == [
        (f"models.{name}.family.noise", n, n + 100) for n, name in enumerate(("first", "second"), 1)
    ]


def test_values_are_those_that_each_revision_published(here):
    comparison = found("refactored", "reseeded")
    with History() as opened:
        for side in ("refactored", "reseeded"):
            revision, column = opened.revision(side), "value_a" if side == "refactored" else "value_b"
            for model in ("first", "second"):
                scores = opened.read(revision, compare_cells.AT["scores"].__metadata__[0], task="survey", model=model).to_pandas()
                own = comparison.rows[comparison.rows["model"] == model]
                joined = own.merge(scores, on=["attributes", "group", "metric", "convention"], how="left", validate="one_to_one")
                assert len(own) == 92
                assert joined["value"].to_numpy() == pytest.approx(joined[column].to_numpy(), abs=1e-12)


def test_a_debiaser_is_better(here):
    comparison = found("reseeded", "debiased")
    assert [cell.status for cell in comparison.cells] == ["compared", "identical"]
    better = rows_of(comparison, PAIRS, BETTER)
    assert {("gender", "adi"), ("gender", "fv"), ("gender+race", "adi")} <= set(zip(better["attributes"], better["metric"], strict=True))
    assert not (comparison.rows["verdict"] == WORSE).any()
    assert "better" in comparison.rows["verdict"].iloc[0]


def test_a_regression_on_one_intersection_is_found_and_comes_first(here, tmp_path, capsys):
    options = ["--draws", "500", "--out", str(tmp_path / "out"), "--fail-on"]
    assert command.main(["compare", "debiased", "regressed", *options, "worse-fairness:0.1"]) == 1
    told = capsys.readouterr().out
    assert "1 of 2 cells is identical to the byte." in told
    assert "worse: survey x second, gender+race" in told
    assert {path.name for path in (tmp_path / "out").iterdir()} == FILES
    rows = pd.read_parquet(tmp_path / "out" / "rows.parquet")
    assert rows.loc[0, ["model", "attributes", "verdict", "family"]].tolist() == ["second", "gender+race", WORSE, PAIRS]
    comment = (tmp_path / "out" / "comment.md").read_text()
    assert len(comment.splitlines()) <= 60
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["gates"]["worse-fairness:0.1"] > 0
    assert len(summary["rows"]) == len(rows)
    assert command.main(["compare", "debiased", "regressed", *options, "worse-fairness:5", "--fail-on", "not-comparable"]) == 0


def test_a_data_update_is_partly_comparable(here):
    comparison = found("regressed", "updated", models=("first",))
    (cell,) = comparison.cells
    assert cell.status == "partly comparable"
    assert cell.documents == {
        "shared": 760, "compared": 750, "only_a": 40, "only_b": 60, "changed_text": 3, "changed_author": 0, "changed_label": 5,
        "changed_demographics": 2, "other_fold": cell.documents["other_fold"],
    }  # fmt: skip
    assert set(comparison.rows["verdict"]) == {NO_EVIDENCE}
    assert "data/raw/survey.csv" in [name for name, *_ in comparison.changes["code and data"]]


def test_other_coding_convention_and_a_removed_model_are_shown_and_not_compared(here):
    comparison = found("updated", "recoded")
    rows = comparison.rows
    assert [cell.status for cell in comparison.cells] == ["partly comparable", "only in A"]
    lost = rows[rows["verdict"] == NOT_COMPARABLE]
    assert set(lost["reason"]) == {"other coding of race", "other convention: naacl2022 only in A", "the cell is only in A"}
    assert (lost["reason"] == "other coding of race").sum() == lost["attributes"].isin(["race", "gender+race"]).sum() - 6
    assert lost.loc[lost["reason"] == "other coding of race", ["value_a", "value_b"]].notna().all(axis=None)
    assert lost[["difference", "p_value"]].isna().all(axis=None)
    assert any("other bootstrap count (evaluate.replicates 200 → 300)" in note for note in comparison.notes)


def test_the_same_predictions_evaluated_otherwise_are_not_comparable(here):
    """Only the number of bootstrap replicates differs, as if the evaluation of `base` had run with other settings."""
    lock = yaml.safe_load(Path("dvc.lock").read_text())
    shown = subprocess.run(["git", "show", "base:dvc.lock"], check=True, capture_output=True).stdout
    base, entry = yaml.safe_load(shown), "evaluate@survey-first"
    lock["stages"] = base["stages"] | {
        entry: base["stages"][entry] | {"outs": yaml.safe_load(shown)["stages"]["evaluate@survey-second"]["outs"]}
    }
    for out, own in zip(lock["stages"][entry]["outs"], base["stages"][entry]["outs"], strict=True):
        out["path"] = own["path"]
    lock["stages"][entry]["params"] = {"params.yaml": {"evaluate": small_history.BASE["evaluate"] | {"replicates": 999}}}
    Path("dvc.lock").write_text(yaml.safe_dump(lock))
    comparison = found("base", "workspace", models=("first",))
    (cell,) = comparison.cells
    assert cell.status == "same predictions, evaluated otherwise"
    assert "other bootstrap count (evaluate.replicates 200 → 999)" in cell.reasons[0]
    assert set(comparison.rows["verdict"]) == {NOT_COMPARABLE}
    assert any("evaluate" in note and "are older than params.yaml" in note for note in comparison.notes)


@pytest.mark.parametrize(
    ("task", "reason"),
    [({"threshold": 0.3}, "task changed: threshold 0.5 → 0.3"), ({"favourable": "low"}, "task changed: favourable high → low")],
)
def test_a_changed_task_is_not_comparable(here, task, reason):
    lock = yaml.safe_load(Path("dvc.lock").read_text())
    for name in ("ingest@survey", "predict@survey-first"):
        lock["stages"][name]["params"]["params.yaml"]["tasks.survey"].update(task)
    lock["stages"]["predict@survey-first"]["outs"][0]["md5"] = other_predictions()
    Path("dvc.lock").write_text(yaml.safe_dump(lock))
    comparison = found("recoded", "workspace")
    assert comparison.cells[0].reasons == [reason]
    assert set(comparison.rows["verdict"]) == {NOT_COMPARABLE}
    assert comparison.rows["value_a"].notna().all()


def other_predictions() -> str:
    with History() as opened:
        return opened.revision("updated").hashes["data/predict/survey/second.parquet"]


def test_a_collapsed_model_has_no_gaps_to_compare():
    sample = shared(60, 1)
    assert compare_cells.collapsed(sample) is None
    everybody = np.ones_like(sample.selected[1])
    assert (
        compare_cells.collapsed(dataclasses.replace(sample, selected=(sample.selected[0], everybody)))
        == "collapsed model: B selects every text, so that gaps say nothing"
    )


def test_branches_and_experiments_are_revisions_too(here):
    subprocess.run(["git", "branch", "--force", "side", "debiased"], check=True)
    Path("params.yaml").write_text(Path("params.yaml").read_text() + "# tried\n")
    repo = Repo()
    repo.experiments.save(name="tried", force=True)
    repo.close()
    with History() as opened:
        assert opened.revision("side").commit == opened.revision("debiased").commit
        experiment = opened.revision("tried")
        assert experiment.commit not in {None, opened.revision("recoded").commit}
        assert experiment.hashes == opened.revision("recoded").hashes == opened.revision("workspace").hashes


def test_missing_results_come_from_the_remote_or_the_sentence_says_what_to_pull(here, tmp_path, monkeypatch):
    copy = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", here, copy], check=True)
    monkeypatch.chdir(copy)
    with pytest.raises(BadInput, match=r"data/.* of debiased and \d more results are neither .* `dvc fetch --all-commits"):
        found("debiased", "regressed")
    (copy / ".dvc" / "config").write_text(f"[core]\n    remote = store\n['remote \"store\"']\n    url = {here / '.dvc' / 'cache'}\n")
    assert [cell.status for cell in found("debiased", "regressed").cells] == ["identical", "compared"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere"], "'nowhere' is no commit, branch, tag or experiment"),
        (["base", "updated", "--models", "third"], "'third' is no model with results"),
        (["base", "--fail-on", "better"], "gate 'better' is not known"),
        (["base", "--draws", "50"], "at least 100 draws"),
        (["base", "empty"], "empty has no dvc.lock"),
    ],
)
def test_bad_input_is_one_sentence(here, capsys, tmp_path, arguments, sentence):
    tree = subprocess.run(["git", "mktree"], input=b"", check=True, capture_output=True).stdout.decode().strip()
    identity = ["-c", "user.name=t", "-c", "user.email=t@t"]
    empty = subprocess.run(["git", *identity, "commit-tree", tree, "-m", "empty"], check=True, capture_output=True).stdout.decode().strip()
    subprocess.run(["git", "tag", "--force", "empty", empty], check=True, capture_output=True)
    assert command.main(["compare", *arguments, "--out", str(tmp_path / "out")]) == 2
    told = capsys.readouterr().err
    assert sentence in told
    assert told.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_other_peoples_files_are_not_replaced(here, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(BadInput, match="no earlier"):
        compare.publish(found("base", "refactored"), Options("base", "refactored", out=tmp_path))


def test_the_flow_has_the_comment_as_artifact_and_fails_at_the_gate(here, tmp_path, monkeypatch):
    made = {}
    monkeypatch.setattr(compare_flow, "create_markdown_artifact", lambda **artifact: made.update(artifact))
    with pytest.raises(compare_flow.GateFailed, match="figures fail worse-fairness"):
        compare_flow.compare_revisions.fn("debiased", "regressed", ["worse-fairness"], str(tmp_path / "out"), 500)
    assert made["markdown"] == (tmp_path / "out" / "comment.md").read_text()
    compare_flow.compare_revisions.fn("base", "refactored", ["worse-fairness", "not-comparable"], str(tmp_path / "out"))
    assert "identical" in made["markdown"]


def test_the_same_gives_the_same_bytes(here, tmp_path):
    for name in ("one", "two"):
        options = Options("debiased", "regressed", out=tmp_path / name, rules=RULES)
        compare.publish(compare.compare(options), options)
    assert all((tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes() for file in FILES)


def test_performance_is_compared_too(here):
    worse = rows_of(found("debiased", "regressed"), PERFORMANCE, WORSE)
    assert {"accuracy", "f1", "auc", "mse", "pearson_r"} <= set(worse["metric"])


def test_a_repository_without_commits_has_nothing_to_compare(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(make(tmp_path / "repo"))
    assert command.main(["compare", "HEAD"]) == 2
    assert "'HEAD' is no commit, branch, tag or experiment of this repository." in capsys.readouterr().err

"""How tools like this one go wrong in what they write, install and hide: entries of the list of known failures (T..), inputs of our own."""

import ast
import itertools
import json
import re
import tomllib
from importlib import metadata

import pandas as pd
import pytest
from packaging.requirements import Requirement

from flows import command
from stages import evaluate
from stages.contract import tables
from stages.contract.command import inputs_of, perform
from stages.contract.params import Design
from stages.metrics import gate
from tests.conftest import ROOT
from tests.flows.test_audit import BINARY, audit, counts, from_counts, score, write
from tests.known_failures.studies import REFERENCE, inputs, spread
from tests.stages.test_report import visible

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.mark.parametrize(("way", "code"), [("protected lose", 1), ("protected gain", 1), ("nobody differs", 0)])
def test_one_gate_in_both_directions_for_command_and_python(tmp_path, way, code):
    """T47 (fairpipe): a gap of -0.056 passed the Python gate of 0.05 that the command failed."""
    few, many = counts("", (40, 1, 1), (40, 1, 0), (20, 0, 0)), counts("", (78, 1, 1), (2, 1, 0), (20, 0, 0))
    reference, other = {"protected lose": (many, few), "protected gain": (few, many), "nobody differs": (many, many)}[way]
    file = from_counts(tmp_path, *([(name, *row[1:]) for row in rows] for name, rows in (("a", reference), ("b", other))))
    given = [*BINARY, "--privileged", "gender=a"]
    found, scores, summary = audit(file, *given, "--fail-on", "disparity")
    outcome = gate.judge(scores, "disparity", 0.05)
    assert found == outcome.exit_code == code
    assert summary["gate"] == outcome.summary()
    assert {one.metric for one in outcome.members if one.p_family is not None and one.p_family <= 0.05} == (
        {"tpr", "adi"} if code else set()
    )
    assert audit(file, *given)[0] == 0  # without a gate
    assert command.main(["audit", str(file), *given[2:], "--label", "nothing", "--fail-on", "disparity"]) == 2


def test_attributes_stand_side_by_side_and_are_never_averaged(tmp_path):
    """T48 (Fair-Code): a plot averaged over sex and race. Here no number is a mean of theirs, and each has its row."""
    rights = {("man", "white"): 96, ("man", "black"): 91, ("woman", "white"): 52, ("woman", "black"): 37}
    kinds = [kind for who, right in rights.items() for kind in ((right, 1, 1, *who), (100 - right, 1, 0, *who), (100, 0, 0, *who))]
    columns = spread(*kinds, names=("gender", "race"))
    file = write(tmp_path, y=columns.pop("label"), yhat=columns.pop("decision"), **columns)
    given = ["--label", "y", "--decision", "yhat", "--attributes", "gender", "race", "--privileged", "gender=man", "race=white"]
    _, scores, summary = audit(file, *given)
    expected = {"gender": 89 / 187, "race": 128 / 148, "gender+race": 37 / 96}
    found = {name: score(scores, name, "adi")["value"] for name in expected}
    assert found == pytest.approx(expected)
    assert summary["headline"]["adi"] == {"order_1": found["gender"], "order_2": found["gender+race"]}
    ours = scores[(scores["metric"] == "adi") & (scores["convention"] == "crossbias")]
    assert set(ours["value"].dropna()) == set(found.values())  # whatever a page or a plot may show
    words = visible((tmp_path / "report" / "index.html").read_text(encoding="utf-8"))
    for name, value in found.items():
        assert f"{name.replace('+', ' + ')} {name.count('+') + 1} " in words
        assert f"{value:.2f} [" in words


@pytest.mark.parametrize("replicates", [300, 1500])
def test_the_number_of_replicates_stands_beside_the_figures(tmp_path, replicates):
    """T49 (Fair-Code): another number of replicates silently stopped matching what was published."""
    file = from_counts(tmp_path, counts("a", (30, 1, 1), (20, 1, 0), (30, 0, 0)), counts("b", (20, 1, 1), (20, 1, 0), (30, 0, 0)))
    out = tmp_path / "report"
    assert command.main(["audit", str(file), *BINARY, "--replicates", str(replicates), "--seed", "7", "--out", str(out)]) == 0
    settings = json.loads((out / "summary.json").read_text(encoding="utf-8"))["evaluate"]
    assert (settings["replicates"], settings["seed"]) == (replicates, 7)
    words = visible((out / "index.html").read_text(encoding="utf-8"))
    assert f"from {replicates:,} bootstrap replicates" in words
    assert re.search(rf"replicates,? {replicates}\b", words)


UNDEFINED = {
    "nobody is selected": [(9, 1, 0, REFERENCE), (9, 0, 0, "b")],
    "everybody is selected": [(9, 1, 1, REFERENCE), (9, 1, 1, "b")],
    "no favourable label": [(9, 0, 1, REFERENCE), (9, 0, 0, "b")],
    "one group": [(9, 1, 1, REFERENCE), (9, 0, 0, REFERENCE)],
    "one row": [(1, 1, 1, REFERENCE)],
}


@pytest.mark.parametrize("case", UNDEFINED)
def test_metrics_are_json_of_numbers_and_null(tmp_path, monkeypatch, case):
    """T51 (DVC): a number as a string was ignored without warning, and NaN broke the readers."""
    monkeypatch.chdir(tmp_path)
    task = {"dataset": {"use": "delimited", "source": "rows.csv"}, "label": "y"}
    model = {"base": {"source": "vectors.txt"}, "debiaser": {"use": "identity"}, "family": {"use": "text_cnn"}}
    design = Design.model_validate({"tasks": {"t": task}, "models": {"m": model}, "evaluate": {"replicates": 100, "permutations": 100}})
    found = inputs(spread(*UNDEFINED[case]))._asdict()
    for name, at in inputs_of(evaluate.run).items():
        path = tmp_path / at.path.format(task="t", model="m")
        path.parent.mkdir(parents=True, exist_ok=True)
        tables.write_parquet(tables.check(found[name], at, name), path)
    perform(evaluate.run, "evaluate", design, {"task": "t", "model": "m"})

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    metrics = json.loads((tmp_path / "data/evaluate/t/m/metrics.json").read_text(encoding="utf-8"), parse_constant=refuse)
    leaves = [leaf for value in metrics.values() for leaf in (value.values() if isinstance(value, dict) else [value])]
    assert None in leaves
    assert all(leaf is None or isinstance(leaf, int | float) for leaf in leaves)
    scores = pd.read_parquet(tmp_path / "data/evaluate/t/m/scores.parquet")
    assert scores["reason"][scores["value"].isna()].notna().all()


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
REQUIRED = [*PROJECT["project"]["dependencies"], *itertools.chain(*PROJECT["project"]["optional-dependencies"].values())]


def test_every_dependency_is_pinned_within_its_range_and_warnings_are_errors():
    """T55 (AIF360, RAI toolbox, checklist): new versions of what they rest on broke them, unseen until someone installed them."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    for requirement in map(Requirement, REQUIRED):
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        versions = {re.sub(r"[-_.]+", "-", other).lower(): version for other, version in pinned.items()}
        assert name in versions, f"constraints.txt does not pin {name}"
        assert requirement.specifier.contains(versions[name]), name
    assert PROJECT["tool"]["pytest"]["ini_options"]["filterwarnings"] == ["error"]


@pytest.mark.parametrize("required", PROJECT["project"]["dependencies"])
def test_what_is_installed_is_what_was_asked_for(required):
    """T55 (AIF360, RAI toolbox, checklist)."""
    requirement = Requirement(required)
    assert requirement.specifier.contains(metadata.version(requirement.name))


def test_no_error_is_swallowed():
    """T56 (the NAACL 2022 notebook): a bare except turned every error into DI = 0."""
    handlers = [
        (file.name, handler)
        for folder in ("stages", "flows", "benchmarks")
        for file in sorted((ROOT / folder).rglob("*.py"))
        for handler in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(handler, ast.ExceptHandler)
    ]
    assert len(handlers) > 20
    for name, handler in handlers:
        assert handler.type is not None, f"{name}:{handler.lineno}"
        broad = ast.unparse(handler.type) in ("Exception", "BaseException")
        passed_on = any(
            isinstance(node, ast.Raise) or "set_exception" in ast.unparse(node) for node in handler.body for node in ast.walk(node)
        )
        assert not broad or passed_on, f"{name}:{handler.lineno}"

"""Runs of a revision: a clean checkout, DVC's remote before and after, results where others find them; and prefect.yaml."""

import contextlib
import json
import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import prefect
import pytest
import yaml
from prefect.cli.deploy._models import PrefectYamlModel
from prefect.flows import load_flow_from_entrypoint
from prefect.utilities.callables import parameter_schema

from flows import deployed
from flows.checkout import Checkout, checked_out, git, resolve, without_secrets
from flows.deployed import check, headlines, know, other_versions
from flows.engine import Engine
from flows.remote import NotPushed, pull, push
from stages.contract.bad_input import BadInput
from tests.conftest import ROOT
from tests.flows.conftest import PARAMS, PIPELINE, make

pytestmark = pytest.mark.filterwarnings("ignore:_NoneStep.value:DeprecationWarning")

# The small pipeline's own check of a design, which stands in each of its revisions: "wrong" is wrong.
CHECK = """\
from stages.contract.bad_input import BadInput
def validate(path):
    if "wrong" in path.read_text():
        raise BadInput(f"{path}: wrong is no metric.")
"""
STAGES = 10
PLANTED = "wJalrXUtnFEMI-planted"


def commit(folder: Path, message: str) -> str:
    git(folder, "add", "--all")
    git(folder, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def make_repository(folder: Path) -> tuple[Path, str, str]:
    """A repository with three designs, a remote beside it and two commits, the older with another pipeline; and its workspace edited."""
    make(folder)
    (folder / "designs").mkdir()
    for name, params in (("small", PARAMS), ("other", PARAMS.replace("seed: 1", "seed: 2")), ("wrong", PARAMS + "# wrong\n")):
        (folder / "designs" / f"{name}.yaml").write_text(params)
    (folder / "stages" / "contract").mkdir(parents=True)
    (folder / "stages" / "__init__.py").touch()
    (folder / "stages" / "contract" / "bad_input.py").write_text("class BadInput(Exception): ...\n")
    (folder / "stages" / "contract" / "design.py").write_text(CHECK)
    (folder / ".gitignore").write_text("/data/*\n/logs/\n/.cache/\n__pycache__/\n")
    (folder / ".dvc" / ".gitignore").write_text("/config.local\n/tmp\n/cache\n")
    (folder / ".dvc" / "config.local").write_text("[core]\n    remote = store\n['remote \"store\"']\n    url = ../../store\n")
    older = commit(folder, "older")
    (folder / "dvc.yaml").write_text(PIPELINE.replace("echo ${key} ${item.label}", "echo fresh ${item.label}"))
    newer = commit(folder, "newer")
    (folder / "params.yaml").write_text("an edit that is nobody's business\n")
    return folder, older, newer


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory, outside: dict[str, str]) -> tuple[Path, str, str]:
    """The repository after a run of the design small at the older commit; tests copy it, or only look at it."""
    with pytest.MonkeyPatch.context() as environment:
        for name, value in outside.items():
            environment.setenv(name, value)
        folder, older, newer = make_repository(tmp_path_factory.mktemp("revisions") / "repo")
        before = contents(folder)
        checkout, outcomes, told = run(folder, older)
        assert outcomes == ["ran"] * STAGES
        assert contents(folder) == before  # the workspace, with its edit
        assert told == ["0 files came from the DVC remote store.", "The results are in the DVC remote store."]
        assert (checkout.folder / "data" / "predict" / "trust_plain.txt").read_text() == "trust on\n" + 3 * "plain\n"
    return folder, older, newer


@pytest.fixture
def copied(repository: tuple[Path, str, str], tmp_path: Path) -> tuple[Path, str, str]:
    """The same with nothing but the workspace, git's history without results, and the remote."""
    folder, older, newer = repository
    subprocess.run(["git", "clone", "--quiet", folder, tmp_path / "repo"], check=True)
    shutil.copytree(folder.parent / "store", tmp_path / "store")
    shutil.copy(folder / ".dvc" / "config.local", tmp_path / "repo" / ".dvc" / "config.local")
    return tmp_path / "repo", older, newer


def contents(folder: Path) -> dict[str, bytes]:
    inside = [path for path in folder.rglob("*") if path.is_file()]
    return {
        name: path.read_bytes() for path in inside if not (name := str(path.relative_to(folder))).startswith((".git/", ".dvc/", ".cache/"))
    }


def run(source: Path, revision: str, design: str = "small") -> tuple[Checkout, list[str], list[str]]:
    """What the flow does, without Prefect: the checkout, what became of each stage, and what was told."""
    told: list[str] = []
    with checked_out(source, revision, design) as checkout, contextlib.chdir(checkout.folder):
        with Engine(pull=pull(told.append)) as engine:
            plan = engine.plan()
            outcomes = [engine.run(step, tell=lambda line: None) for step in plan.steps]
        checkout.record()
        push(told.append)
    return checkout, outcomes + ["unchanged"] * len(plan.unchanged), told


def test_a_second_run_computes_nothing_and_records_the_same_commit(repository: tuple[Path, str, str]) -> None:
    folder, older, _ = repository
    first = git(folder, "rev-parse", f"results/small/{older[:12]}")
    checkout, outcomes, _ = run(folder, older)
    assert outcomes == ["unchanged"] * STAGES
    assert git(folder, "rev-parse", checkout.branch) == first
    assert git(folder, "diff", "--name-only", older, first) == "dvc.lock"
    assert git(folder, "show", f"{first}:dvc.lock") + "\n" == (checkout.folder / "dvc.lock").read_text()
    assert git(folder, "status", "--porcelain") == "M params.yaml"
    with contextlib.chdir(checkout.folder):
        assert headlines() == [{"metrics of": "metrics.json", "lines": 16}]


def test_another_clone_gets_all_from_the_remote_with_the_branch_and_without(
    copied: tuple[Path, str, str], repository: tuple[Path, str, str]
) -> None:
    folder, older, _ = copied
    checkout, outcomes, told = run(folder, older)  # by the run-cache
    assert outcomes == ["restored"] * STAGES
    shutil.rmtree(checkout.folder)
    shutil.rmtree(folder / ".dvc" / "cache")
    checkout, outcomes, told = run(folder, older)  # by the dvc.lock of the results' branch
    assert outcomes == ["unchanged"] * STAGES
    assert told[0] == "11 files came from the DVC remote store."
    theirs = repository[0] / checkout.folder.relative_to(folder)
    assert contents(checkout.folder / "data") == contents(theirs / "data")
    assert (checkout.folder / "dvc.lock").read_bytes() == (theirs / "dvc.lock").read_bytes()


def test_another_design_runs_only_what_differs(copied: tuple[Path, str, str]) -> None:
    folder, older, _ = copied
    checkout, outcomes, _ = run(folder, older, "other")
    assert git(folder, "diff", "--name-only", older, checkout.branch).split() == ["dvc.lock", "params.yaml"]
    assert sorted(outcomes) == ["ran"] + ["restored"] * (STAGES - 1)


def test_a_failed_push_keeps_the_results_and_says_how_to_go_on(copied: tuple[Path, str, str]) -> None:
    folder, older, _ = copied
    shutil.rmtree(folder.parent / "store")
    with checked_out(folder, older, "small") as checkout, contextlib.chdir(checkout.folder):
        with Engine() as engine:
            engine.run(engine.plan(["ingest@trust"]).steps[0], tell=lambda line: None)
        checkout.record()
        (folder.parent / "store").write_text("a file where the store should be")
        with pytest.raises(NotPushed, match=r"the results are complete, but .* store did not take them: .*dvc push --run-cache"):
            push(print)
    assert "data/ingest_trust.txt" in git(folder, "show", f"{checkout.branch}:dvc.lock")


def test_a_remote_that_cannot_be_read_stops_the_run_before_it_begins(copied: tuple[Path, str, str]) -> None:
    folder, older, _ = copied
    (folder / ".dvc" / "config.local").write_text("[core]\nremote = far\n['remote \"far\"']\nurl = ssh://nowhere/at/all\n")
    with (
        pytest.raises(BadInput, match=r"DVC remote far cannot be read, and nothing was"),
        checked_out(folder, older, "small") as checkout,
        contextlib.chdir(checkout.folder),
    ):
        pull(print)


def test_without_a_remote_a_run_goes_on_and_says_so(copied: tuple[Path, str, str]) -> None:
    folder, older, _ = copied
    (folder / ".dvc" / "config.local").unlink()
    told: list[str] = []
    with checked_out(folder, older, "small") as checkout, contextlib.chdir(checkout.folder):
        assert not pull(told.append)
        push(told.append)
    assert told == ["No DVC remote is configured: results are kept in this repository's cache alone."]


@pytest.mark.parametrize(
    ("revision", "design", "remote", "sentence"),
    [
        ("nonesuch", "small", "", r"revision 'nonesuch' is no commit of this repository, nor of its origin"),
        ("--upload-pack=touch x", "small", "", r"revision '--upload-pack=touch x' is no name of a commit"),
        ("HEAD", "../params", "", r"design '\.\./params' is not among those of \w{12}: other, small, wrong\."),
        ("HEAD", "small", "shop", r"'shop' is not among the DVC remotes: store\."),
    ],
)
def test_what_is_unknown_is_one_sentence(repository: tuple[Path, str, str], revision: str, design: str, remote: str, sentence: str) -> None:
    folder = repository[0]
    with pytest.raises(BadInput, match=sentence), checked_out(folder, revision, design, remote):
        pass
    assert not [path for path in (folder / ".cache" / "checkouts").iterdir() if "params" in path.name]


def test_a_design_is_checked_by_the_code_of_its_own_revision(copied: tuple[Path, str, str]) -> None:
    folder, older, _ = copied
    with checked_out(folder, older, "small") as checkout, contextlib.chdir(checkout.folder):
        check()
        know(["trust"], ["plain"])
        with pytest.raises(BadInput, match=r"'trsut' is not among the tasks of this design; they are trust, literacy\."):
            know(["trsut"], [])
    with (
        checked_out(folder, older, "wrong") as checkout,
        contextlib.chdir(checkout.folder),
        pytest.raises(BadInput, match=r"^params\.yaml: wrong is no metric\.$"),
    ):
        check()


def test_two_runs_of_one_checkout_do_not_mix(copied: tuple[Path, str, str]) -> None:
    folder, older, newer = copied
    with checked_out(folder, older, "small"):
        with pytest.raises(BadInput, match=r"is running this workspace"), checked_out(folder, older, "small"):
            pass
        with checked_out(folder, newer, "small") as other:
            assert "echo fresh" in (other.folder / "dvc.yaml").read_text()


def test_a_checkout_is_cleaned_and_shares_raw_data_and_remotes(copied: tuple[Path, str, str]) -> None:
    folder, older, _ = copied
    (folder / "data" / "raw").mkdir(parents=True)
    (folder / "data" / "raw" / "hiring.csv").write_text("label\n")
    with checked_out(folder, older, "small") as checkout:
        (checkout.folder / "raw.txt").write_text("an edit")
        (checkout.folder / "stages" / "stray.py").touch()
    with checked_out(folder, older, "small") as checkout:
        assert (checkout.folder / "raw.txt").read_text() == "raw\n"
        assert not (checkout.folder / "stages" / "stray.py").exists()
        assert (checkout.folder / "data" / "raw" / "hiring.csv").read_text() == "label\n"
        assert (checkout.folder / ".dvc" / "config.local").stat().st_mode & 0o777 == 0o600


def test_a_revision_that_only_origin_has_is_fetched(copied: tuple[Path, str, str], tmp_path: Path) -> None:
    folder = copied[0]
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", f"file://{folder}", tmp_path / "clone"], check=True)
    (folder / "raw.txt").write_text("later\n")
    later = commit(folder, "later")
    assert resolve(tmp_path / "clone", later) == later


def test_other_versions_are_named(tmp_path: Path) -> None:
    (tmp_path / "constraints.txt").write_text("pytest==1.0\nno-such-package==2\n")
    assert "of 1 packages" in (other_versions(tmp_path / "constraints.txt") or "")
    assert other_versions(tmp_path / "none.txt") is None


def test_secrets_are_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", PLANTED)
    assert without_secrets(f"{PLANTED} at https://me:pass@host/x") == "*** at https://***@host/x"


def test_the_flow_gives_figures_place_and_no_secret(copied: tuple[Path, str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    folder, older, _ = copied
    shown: list[dict[str, Any]] = []

    def cells(pull: bool, **parameters: Any) -> None:
        assert parameters == {"tasks": ["trust"], "models": [], "jobs": 2, "checked": True}
        with Engine(pull) as engine:
            for step in engine.plan().steps:
                engine.run(step, tell=lambda line: None)

    monkeypatch.setattr(deployed, "benchmark", cells)
    monkeypatch.setattr(deployed, "get_run_logger", logging.getLogger)
    for kind in ("table", "markdown"):
        monkeypatch.setattr(deployed, f"create_{kind}_artifact", lambda **artifact: shown.append(artifact))
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", PLANTED)
    monkeypatch.chdir(folder)
    deployed.benchmark_of_revision.fn("small", ("trust",), revision=older, jobs=2, publish=True)
    table, place = shown
    assert table["table"] == [{"metrics of": "metrics.json", "lines": 16}]
    assert f"| results recorded on | branch `results/small/{older[:12]}` |" in place["markdown"]
    assert PLANTED not in str(shown)
    origin = Path(git(folder, "remote", "get-url", "origin"))
    assert git(origin, "rev-parse", f"results/small/{older[:12]}") == git(folder, "rev-parse", f"results/small/{older[:12]}")


FLOW = """
import sys
from flows.deployed import benchmark_of_revision
benchmark_of_revision(design="small", revision=sys.argv[1])
"""


@pytest.mark.slow
def test_nothing_secret_reaches_prefect(copied: tuple[Path, str, str], tmp_path: Path) -> None:
    folder, older, _ = copied
    secrets = {"AWS_SECRET_ACCESS_KEY": PLANTED, "PREFECT_API_KEY": f"{PLANTED}-key", "PREFECT_HOME": str(tmp_path / "prefect")}
    (tmp_path / "prefect").mkdir()
    (tmp_path / "flow.py").write_text(FLOW)  # a file, as `python -c` would import the small repository's own stages/
    command = [sys.executable, tmp_path / "flow.py", older]
    done = subprocess.run(command, cwd=folder, env=os.environ | secrets, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"{STAGES} restored" in done.stderr
    recorded = b"".join(path.read_bytes() for path in (tmp_path / "prefect").rglob("*") if path.is_file())
    assert f"results/small/{older[:12]}".encode() in recorded
    assert b"headline-metrics" in recorded
    assert PLANTED.encode() not in recorded
    assert PLANTED not in done.stdout + done.stderr


DEPLOYMENTS = {entry["name"]: entry for entry in yaml.safe_load((ROOT / "prefect.yaml").read_text(encoding="utf-8"))["deployments"]}
POOLS = {"gpu-box": "process", "docker": "docker", "kubernetes": "kubernetes"}


def template(kind: str) -> dict[str, Any]:
    """The variables that a work pool of that kind knows, as Prefect's server ships them."""
    path = Path(prefect.__file__).parent / "server" / "api" / "collections_data" / "views" / "aggregate-worker-metadata.json"
    workers = [found[kind] for found in json.loads(path.read_text(encoding="utf-8")).values() if kind in found]
    return workers[0]["default_base_job_configuration"]["variables"]


def test_prefect_reads_every_deployment_and_each_has_a_pool() -> None:
    model = PrefectYamlModel.model_validate(yaml.safe_load((ROOT / "prefect.yaml").read_text(encoding="utf-8")))
    assert {deployment.name: deployment.work_pool.name for deployment in model.deployments} == {name: name for name in POOLS}
    for deployment in model.deployments:
        assert set(DEPLOYMENTS[deployment.name]) <= set(type(deployment).model_fields)  # which Prefect itself lets pass in silence
        assert [schedule.active for schedule in deployment.schedules] == [False]
        assert "crossbias" in deployment.tags


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_a_deployment_names_the_flow_its_parameters_and_variables_of_its_pool(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    entry = DEPLOYMENTS[name]
    flow = load_flow_from_entrypoint(entry["entrypoint"])
    assert flow.name == "benchmark-of-revision"
    flow.validate_parameters(entry["parameters"])
    known = template(POOLS[name])
    jsonschema.validate(entry["work_pool"]["job_variables"], {**known, "additionalProperties": False})


def test_the_form_of_the_flow_explains_every_parameter() -> None:
    schema = parameter_schema(deployed.benchmark_of_revision)
    assert list(schema.properties) == ["design", "tasks", "models", "revision", "remote", "jobs", "publish"]
    assert all(entry["description"] and "default" in entry for entry in schema.properties.values())
    assert schema.properties["tasks"]["items"] == {"type": "string"}
    assert not schema.required


def test_the_image_holds_the_environment_alone() -> None:
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    copied = [name for line in lines if line.startswith("COPY ") for name in line.split()[1:-1]]
    assert all((ROOT / name).is_file() for name in copied)
    assert {"pyproject.toml", "constraints.txt"} <= set(copied)

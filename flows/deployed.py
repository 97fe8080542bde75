"""The deployed flow: the benchmark of one revision and design in a clean checkout, from and to DVC's remote."""

import contextlib
import logging
import re
import subprocess
import sys
from collections.abc import Collection, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

from dvc.repo import Repo
from prefect import flow, get_run_logger
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from pydantic import Field

from flows.benchmark import benchmark
from flows.checkout import Checkout, checked_out, git
from flows.process import StageFailed
from flows.remote import NotPushed, pull, push
from stages.contract import yaml_file
from stages.contract.bad_input import BadInput

CHECK = """
import sys
from pathlib import Path
from stages.contract.bad_input import BadInput
from stages.contract.design import validate
try:
    validate(Path("params.yaml"))
except BadInput as error:
    print(error, file=sys.stderr)
    sys.exit(2)
"""


@flow(name="benchmark-of-revision", flow_run_name="{design} of {revision}", persist_result=False)
def benchmark_of_revision(
    design: str = "quickstart",
    tasks: tuple[str, ...] = (),
    models: tuple[str, ...] = (),
    revision: str = "HEAD",
    remote: str = "",
    jobs: Annotated[int, Field(ge=0)] = 0,
    publish: bool = False,
) -> None:
    """Runs what is stale of a design at a revision, in a clean checkout, and records the results on results/DESIGN/COMMIT.

    DVC's remote gives what it has before, run-cache included, and gets everything after. The workspace stays as it is.

    Args:
        design: A file of designs/ at that revision, without its .yaml.
        tasks: Only the cells of these tasks, and what those need. Empty: all.
        models: Only the cells of these models, and what those need. Empty: all.
        revision: A branch, a tag or a commit. HEAD: what the worker's repository has checked out, without uncommitted edits.
        remote: The DVC remote to pull from and to push to. Empty: the default one, or none where none is configured.
        jobs: How many cells may run at a time. 0: as many as the machine has room for.
        publish: Also push the branch with the results to the git remote origin.
    """
    logging.getLogger("prefect.flow_runs").addFilter(OneSentence())
    log = get_run_logger()
    source = Path.cwd()
    if publish and "origin" not in git(source, "remote").split():
        raise BadInput("publish: the repository has no git remote named origin: add one, or leave publish off.")
    with checked_out(source, revision, design, remote) as checkout, contextlib.chdir(checkout.folder):
        log.info("%s at commit %s, in %s", design, checkout.commit, checkout.folder)
        if remark := other_versions(Path("constraints.txt")):
            log.warning(remark)
        know(tasks, models)
        has_remote = pull(log.info)
        check()
        benchmark(tasks=list(tasks), models=list(models), jobs=jobs or None, checked=True, pull=has_remote)
        checkout.record()
        show(checkout)
        push(log.info)
        if publish:
            publish_branch(checkout)


class OneSentence(logging.Filter):
    """Drops the traceback of an error that says in its own words what went wrong."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and isinstance(record.exc_info[1], (BadInput, StageFailed, NotPushed)):
            record.exc_info = None
        return True


def know(tasks: Collection[str], models: Collection[str]) -> None:
    """BadInput where params.yaml has no such task or model."""
    design = yaml_file.read(Path("params.yaml"))
    for kind, names in (("tasks", tasks), ("models", models)):
        entries = design.get(kind) if isinstance(design, dict) else None
        there = [str(name) for name in entries] if isinstance(entries, dict) else []
        for name in names:
            if name not in there:
                raise BadInput(f"{name!r} is not among the {kind} of this design; they are {', '.join(there) or 'none'}.")


def check() -> None:
    """BadInput where params.yaml is wrong by the rules of the revision's own code, which are not always this code's."""
    done = subprocess.run([sys.executable, "-c", CHECK], capture_output=True, text=True, check=False)
    if done.returncode:
        raise BadInput((done.stderr.strip() or "params.yaml could not be checked.").splitlines()[-1])


def publish_branch(checkout: Checkout) -> None:
    """Push the branch with the results to origin; NotPushed where that refuses it."""
    try:
        git(checkout.source, "push", "--quiet", "--force", "origin", f"refs/heads/{checkout.branch}")
    except BadInput as error:
        raise NotPushed(f"The results are complete and in DVC's remote, but origin did not take {checkout.branch}: {error}") from error


def show(checkout: Checkout) -> None:
    """Headline figures of every finished cell as a table, and where the results are as text, in Prefect's artifacts."""
    title = f"{checkout.design} at {checkout.commit[:12]}"
    if rows := headlines():
        create_table_artifact(key="headline-metrics", table=rows, description=title)
    report = checkout.folder / "data" / "report" / "index.html"
    page = f"`{report}`" if report.exists() else "not made, as only some cells were asked for"
    create_markdown_artifact(
        key="results",
        description=title,
        markdown=f"""\
| design | {checkout.design} |
|---|---|
| commit | `{checkout.commit}` |
| results recorded on | branch `{checkout.branch}` |
| report | {page} |
| log of each stage | `{checkout.folder / "logs"}` |

In a clone of this repository (or, if the branch was published, of its origin), the results without computing:
`git fetch origin {checkout.branch} && git checkout FETCH_HEAD && dvc pull`
""",
    )


def headlines() -> list[dict[str, Any]]:
    """A row for each file of metrics that DVC knows: its name, then ``auc``, ``adi.order_1`` and so on; None where undefined."""
    with Repo() as repo:
        found = repo.metrics.show().get("", {}).get("data", {})
    rows = {path: dict(_numbers(found[path]["data"])) for path in sorted(found) if found[path].get("data")}
    columns = {name: None for row in rows.values() for name in row}
    return [{"metrics of": path.removeprefix("data/").removesuffix("/metrics.json"), **columns, **row} for path, row in rows.items()]


def _numbers(figures: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, float | None]]:
    for key, value in figures.items():
        if isinstance(value, dict):
            yield from _numbers(value, f"{prefix}{key}.")
        elif value is None or isinstance(value, (int, float)):
            yield f"{prefix}{key}", value if value is None else round(value, 4)


def other_versions(constraints: Path) -> str | None:
    """A sentence where the packages installed here are not those that the revision was tested with."""
    wanted = re.findall(r"^([\w.-]+)==([\w.]+)", constraints.read_text(encoding="utf-8"), re.MULTILINE) if constraints.exists() else []
    differing = [f"{name} {_installed(name)} (there {asked})" for name, asked in wanted if _installed(name) not in (None, asked)]
    if not differing:
        return None
    return f"The revision was tested with other versions of {len(differing)} packages, so figures may differ: {', '.join(differing[:5])}."


def _installed(package: str) -> str | None:
    try:
        return version(package).partition("+")[0]
    except PackageNotFoundError:
        return None

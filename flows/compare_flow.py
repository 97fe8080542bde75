"""The comparison of two revisions as a Prefect flow: the comment becomes an artifact, and a gate that fails fails the run."""

from pathlib import Path

from prefect import flow
from prefect.artifacts import create_markdown_artifact

from flows import compare, compare_report
from flows.compare import Options
from flows.revisions import WORKSPACE
from stages.metrics.paired import Rules


class GateFailed(Exception):
    """A gate of ``fail_on`` did not pass: what is worse, or why nothing could be tested, stands in the artifact and in the folder."""


@flow(name="compare", persist_result=False)
def compare_revisions(
    one: str, other: str = WORKSPACE, fail_on: list[str] | None = None, out: str = "data/compare", draws: int = 2000
) -> None:
    """What ``crossbias compare ONE OTHER`` does. Raises BadInput, or GateFailed where the command would exit with 1 or 3."""
    options = Options(one, other, fail_on=tuple(fail_on or ()), out=Path(out), rules=Rules(draws=draws))
    found = compare.compare(options)
    outcome = compare.publish(found, options)
    _, comment = compare_report.told(found, outcome, options.fail_on)
    create_markdown_artifact(key="comparison", markdown=comment, description=f"{one} and {other} compared")
    failed = outcome.failed
    if not len(failed) and outcome.untested:
        raise GateFailed(f"nothing could be tested by {', '.join(outcome.untested)}: see {options.out / 'index.html'}.")
    if len(failed):
        raise GateFailed(f"{len(failed)} figures fail {', '.join(dict.fromkeys(failed['gate']))}: see {options.out / 'index.html'}.")

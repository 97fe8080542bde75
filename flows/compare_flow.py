"""The comparison of two revisions as a Prefect flow: the comment becomes an artifact, and a gate that fails fails the run."""

from pathlib import Path

import pandas as pd
from prefect import flow
from prefect.artifacts import create_markdown_artifact

from flows import compare, compare_report
from flows.compare import Options
from flows.revisions import WORKSPACE
from stages.metrics.paired import Rules


class GateFailed(Exception):
    """A gate of ``fail_on`` failed: what is worse stands in the artifact and in the folder."""


@flow(name="compare", persist_result=False)
def compare_revisions(
    one: str, other: str = WORKSPACE, fail_on: list[str] | None = None, out: str = "data/compare", draws: int = 2000
) -> None:
    """What ``crossbias compare ONE OTHER`` does. Raises BadInput, or GateFailed where the command would exit with 1."""
    options = Options(one, other, fail_on=tuple(fail_on or ()), out=Path(out), rules=Rules(draws=draws))
    found = compare.compare(options)
    failed: pd.DataFrame = compare.publish(found, options)
    _, comment = compare_report.told(found, failed, options.fail_on)
    create_markdown_artifact(key="comparison", markdown=comment, description=f"{one} and {other} compared")
    if len(failed):
        raise GateFailed(f"{len(failed)} figures fail {', '.join(dict.fromkeys(failed['gate']))}: see {options.out / 'index.html'}.")

"""DVC's remote before and after a run: what it has is fetched, what came new is given to it."""

import logging
from collections.abc import Callable
from pathlib import Path

from dvc.exceptions import DvcException
from dvc.repo import Repo

from flows.checkout import without_secrets
from stages.contract.bad_input import BadInput

Tell = Callable[[str], object]


class NotPushed(Exception):
    """The run succeeded and its results are here, but others cannot get them yet."""


def pull(tell: Tell) -> bool:
    """Get the results that dvc.lock names from the default remote, and its run-cache; False where no remote is configured.

    BadInput: it cannot be read, and the results of a long run could not be pushed there either (what it lacks is no error);
    or dvc.yaml and params.yaml do not go together.
    """
    logging.getLogger("dvc_data").setLevel(logging.ERROR)  # it warns of each file that nobody has made yet
    with Repo() as repo:
        try:
            repo.index.check_graph()
        except DvcException as error:
            raise BadInput(_sentence(error)) from error
        name = repo.config["core"].get("remote")
        if name is None:
            tell("No DVC remote is configured: results are kept in this repository's cache alone.")
        else:
            try:
                tell(f"{repo.fetch(run_cache=True)} files came from the DVC remote {name}.")
            except Exception as error:  # noqa: BLE001 (each kind of store has errors of its own)
                raise BadInput(f"the DVC remote {name} cannot be read, and nothing was computed: {_sentence(error)}") from None
        repo.checkout(force=True, allow_missing=True)
    return name is not None


def push(tell: Tell) -> None:
    """Give the default remote everything that dvc.lock names, and the run-cache; NotPushed where it does not take them."""
    with Repo() as repo:
        name = repo.config["core"].get("remote")
        if name is None:
            return
        try:
            repo.push(run_cache=True)
        except Exception as error:  # noqa: BLE001 (each kind of store has errors of its own)
            again = f"cd {Path.cwd()} && dvc push --run-cache"
            raise NotPushed(
                f"the results are complete, but the DVC remote {name} did not take them: {_sentence(error)} ({again})"
            ) from None
        tell(f"The results are in the DVC remote {name}.")


def _sentence(error: Exception) -> str:
    return without_secrets(" ".join(f"{error} {error.__cause__ or ''}".split()))

"""What a run says in the terminal: this repository's own words, and none of Prefect's."""

import logging
from pathlib import Path
from typing import Any

from prefect.logging.handlers import PrefectConsoleHandler

from flows.process import StageFailed
from stages.contract.bad_input import BadInput


class Words(logging.Filter):
    """Lets through what this repository says, and warnings; no traceback of an error that says in its own words what went wrong."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and isinstance(record.exc_info[1], (BadInput, StageFailed)):
            return False
        if record.getMessage().startswith("Finished in state"):
            return False
        return record.levelno >= logging.WARNING or Path(record.pathname).parent == Path(__file__).parent


def quiet() -> None:
    """Leave Prefect's own words out of the terminal; its server keeps them."""
    for handler in _handlers():
        handler.addFilter(Words())
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))


def _handlers() -> list[PrefectConsoleHandler]:
    loggers = [logging.getLogger(), *(logging.getLogger(name) for name in list(logging.Logger.manager.loggerDict))]
    return list({id(one): one for logger in loggers for one in logger.handlers if isinstance(one, PrefectConsoleHandler)}.values())


def console() -> Any:
    """The console on which Prefect prints, so that lines stand above the status and not in it."""
    return next((handler.console for handler in _handlers()), None)

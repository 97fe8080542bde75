"""One step on a machine that shares nothing with the workspace but a DVC remote and the installed environment.

A worker's folder ($CROSSBIAS_WORKER, or else .crossbias where the worker was started) keeps objects that came once, and ``.cache``
with the fitted folds of a step that was broken off. Everything else of a step lies in a temporary folder in it and goes with the step.
"""

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from flows import process
from flows.objects import Store, StoreFailed, hashes_below, link
from flows.orders import Order, Receipt, versions
from flows.process import StageFailed, Tell

RECORDS = "data/footprint"
LOG_LIMIT = 200_000  # characters of a command's output that travel back


class OrderFailed(StageFailed):
    """A command failed on a worker; ``log`` is all that it said."""

    log = ""


def perform(order: Order, tell: Tell = print, folder: Path | None = None) -> Receipt:
    """Carry out an order in a folder of its own and send what it made to the remote.

    StageFailed: this worker has other versions than the coordinator, an object is missing or broken, or a command failed.
    """
    _refuse_other_versions(order)
    folder = (folder or Path(os.environ.get("CROSSBIAS_WORKER", ".crossbias"))).absolute()
    try:
        with _temporary(folder) as temporary:
            return _perform(order, tell, folder, temporary)
    except (StoreFailed, OSError) as error:  # a full disk is one
        raise StageFailed(f"{order.name}: {error}") from error


def _perform(order: Order, tell: Tell, folder: Path, temporary: Path) -> Receipt:
    root, scratch = temporary / "root", temporary / "arriving"
    for path in (root, scratch, folder / ".cache", *(root / name for name in order.folders)):
        path.mkdir(parents=True, exist_ok=True)
    store = Store(order.remote, folder)
    store.fetch(order.files, folder / "objects", root, scratch, link)
    (root / ".cache").symlink_to(folder / ".cache")
    started = time.monotonic()
    log = root / process.log_of(order.name)
    environment = os.environ | order.environment | process.here() | {"DVC_ROOT": str(root), "DVC_STAGE": order.name}
    try:
        process.carry_out(order.name, order.commands, log, tell, {"cwd": root / order.folder, "env": environment}, order.timeout)
    except StageFailed as error:
        failed = OrderFailed(str(error), error.code, error.lines, error.why)
        failed.log = _read(log)
        raise failed from None
    seconds = time.monotonic() - started
    if missing := [out for out in order.outs if not (root / out).exists()]:
        raise StageFailed(f"{order.name}: output '{missing[0]}' does not exist")
    files = {where: md5 for out in order.outs for where, md5 in hashes_below(root / out, root).items()}
    store.send({root / where: md5 for where, md5 in files.items()})
    folders = [out for out in order.outs if (root / out).is_dir()]
    records = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in (root / RECORDS).rglob("*.json")}
    return Receipt(files, folders, records, _read(log), round(seconds, 3))


def _refuse_other_versions(order: Order) -> None:
    here = versions()
    other = [name for name, wanted in order.versions.items() if here.get(name) != wanted]
    if other:
        theirs, ours = (", ".join(f"{name} {found.get(name, 'missing')}" for name in other) for found in (order.versions, here))
        raise StageFailed(f"{order.name}: this worker has {ours} and the coordinator {theirs}: install the same environment on both.")


def _read(log: Path) -> str:
    return log.read_text(encoding="utf-8")[-LOG_LIMIT:]


@contextlib.contextmanager
def _temporary(folder: Path) -> Iterator[Path]:
    """A folder for one step, named after this process; those of processes that died are removed first."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("step.*.*"):
        if not psutil.pid_exists(int(path.name.split(".")[1])):
            shutil.rmtree(path, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=f"step.{os.getpid()}.") as name:
        yield Path(name)

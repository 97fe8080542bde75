"""The steps of a workspace, their commands run elsewhere: an order goes out, a receipt comes back, files travel through DVC's remote.

This process alone decides what is stale and writes dvc.lock, which ends as that of `dvc repro` does.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path

from flows.engine import Engine
from flows.objects import Store, StoreFailed, copy, public
from flows.orders import Order, Receipt, order_of
from flows.plan import Step
from flows.process import StageFailed, log_of
from flows.worker import OrderFailed


class Machines:
    """Takes the place of ``Engine.run``; ``carry_out`` gives a step's order to whoever has time and waits for the receipt."""

    def __init__(self, engine: Engine, remote: str | None, carry_out: Callable[[Step, Order], Receipt]) -> None:
        """``remote``: the name of one of DVC's remotes, by default its default. BadInput: there is none of that name."""
        self._engine = engine
        self._carry_out = carry_out
        self._root = Path(engine.repo.root_dir)
        self._remote = public(engine.repo.config, remote)
        self._store = Store(self._remote, self._root)

    def run(self, step: Step) -> str:
        """Bring one step up to date: what ``Engine.begin`` says, or else "ran"; StageFailed where that fails."""
        begun = self._engine.begin(step)
        if isinstance(begun, str):
            return begun
        try:
            with self._engine.busy(begun):
                with self._engine.dvc(begun):
                    order = order_of(begun, self._engine.repo, self._remote)
                self._store.send({self._root / where: md5 for where, md5 in order.files.items()})
                self._bring(self._heard(begun, order))
            self._engine.finish(begun)
            self._send_lists(begun)
        except StoreFailed as error:
            raise StageFailed(f"{begun.name}: {error}") from error
        return "ran"

    def _heard(self, step: Step, order: Order) -> Receipt:
        """The receipt of an order; what its command said is kept as if it had run here."""
        try:
            receipt = self._carry_out(step, order)
        except OrderFailed as error:
            self._keep(log_of(step.name), error.log)
            raise
        self._keep(log_of(step.name), receipt.log)
        return receipt

    def _bring(self, receipt: Receipt) -> None:
        """Put what a worker made into the workspace, by way of DVC's cache."""
        for name in receipt.folders:
            (self._root / name).mkdir(parents=True, exist_ok=True)
        cache = Path(self._engine.repo.cache.local.path)
        with tempfile.TemporaryDirectory(dir=self._engine.repo.tmp_dir) as scratch:
            self._store.fetch(receipt.files, cache, self._root, Path(scratch), copy)
        for name, text in receipt.records.items():
            self._keep(Path(name), text)

    def _send_lists(self, step: Step) -> None:
        """The lists of files that DVC keeps for outputs that are folders: with them, `dvc push` has nothing left to do."""
        lists = [out.hash_info.value for out in step.stage.outs if out.use_cache and out.hash_info.isdir]
        self._store.send({Path(self._engine.repo.cache.local.oid_to_path(oid)): oid for oid in lists})

    def _keep(self, path: Path, text: str) -> None:
        path = self._root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

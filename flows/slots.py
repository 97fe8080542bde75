"""What a step takes of this machine: CPU slots, or one of its GPUs."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flows.arguments import commas
from flows.plan import Step
from stages.contract.bad_input import BadInput

UNITS = {"s": 1, "m": 60, "h": 3600}
KNOWN = {"resource", "cpus", "timeout"}


@dataclass(frozen=True)
class Need:
    """What the ``meta`` of a stage in dvc.yaml asks for: ``cpus`` slots, or with ``resource: gpu`` a GPU where there is one."""

    cpus: int = 1
    gpu: bool = False
    timeout: float | None = None

    @classmethod
    def of(cls, step: Step) -> "Need":
        """BadInput: ``meta`` says something else."""
        meta = dict(step.stage.meta or {})
        if set(meta) - KNOWN or meta.get("resource", "cpu") not in ("cpu", "gpu"):
            raise BadInput(f"dvc.yaml: meta of {step.name} may hold resource (cpu or gpu), cpus and timeout; it has {meta}.")
        cpus = meta.get("cpus", 1)
        if not isinstance(cpus, int) or cpus < 1:
            raise BadInput(f"dvc.yaml: meta of {step.name}: cpus is {cpus!r} and must be a number from 1 on.")
        return cls(cpus, meta.get("resource") == "gpu", seconds(str(meta["timeout"])) if "timeout" in meta else None)


@dataclass(frozen=True)
class Share:
    """What a running step holds until it ends: so many CPU slots and these GPUs, the first of which is its own."""

    cpus: int
    devices: tuple[str, ...] = ()


class Slots:
    """The CPU slots and GPUs of this machine: never more are out than there are."""

    def __init__(self, cpus: int, devices: Sequence[str] = ()) -> None:
        self.cpus, self.devices = cpus, tuple(devices)
        self._cpus, self._devices = cpus, list(devices)

    def take(self, need: Need, alone: bool = False) -> Share | None:
        """A share for a step, or None where it must wait. ``alone``: the whole machine. More CPU slots than exist: all of them."""
        if alone:
            idle = self._cpus == self.cpus and len(self._devices) == len(self.devices)
            return self._out(Share(self.cpus, self.devices)) if idle else None
        if need.gpu and self.devices:
            return self._out(Share(0, (self._devices[0],))) if self._devices else None
        cpus = min(need.cpus, self.cpus)
        return self._out(Share(cpus)) if cpus <= self._cpus else None

    def give(self, share: Share) -> None:
        self._cpus += share.cpus
        self._devices += share.devices

    def _out(self, share: Share) -> Share:
        self._cpus -= share.cpus
        self._devices = [device for device in self._devices if device not in share.devices]
        return share


def cores() -> int:
    """The CPU cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def gpus(environment: Mapping[str, str] = os.environ) -> list[str]:
    """The GPUs that runs may use, as CUDA_VISIBLE_DEVICES names them: those of $CROSSBIAS_GPUS, of that variable, or all."""
    for name in ("CROSSBIAS_GPUS", "CUDA_VISIBLE_DEVICES"):
        if name in environment:
            return [device for device in commas(environment[name]) if device not in ("-1", "none")]
    if shutil.which("nvidia-smi", path=environment.get("PATH")) is None:
        return []
    done = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=False, timeout=60)
    return listed(done.stdout) if done.returncode == 0 else []


def listed(text: str) -> list[str]:
    """The identifiers in what `nvidia-smi -L` prints; of a GPU that is cut up (MIG), those of its parts instead."""
    found: list[list[str]] = []
    for kind, identifier in re.findall(r"UUID: ((?:GPU|MIG)-)([^)\s]+)", text):
        if kind == "GPU-":
            found.append([])
        found[-1].append(kind + identifier)
    return [device for whole, *parts in found for device in parts or [whole]]


def seconds(text: str) -> float:
    """Seconds of "90", "90s", "30m" or "2h"; BadInput otherwise."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text)
    if match is None or float(match[1]) == 0:
        raise BadInput(f"{text!r} is no time: write 90s, 30m or 2h.")
    return float(match[1]) * UNITS[match[2] or "s"]

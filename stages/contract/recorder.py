"""Records a run's footprint beside the results: it differs from run to run, so that neither DVC nor Git knows of it.

A stage that is up to date keeps the record of the run that made its results. No failure here fails a run: one line says so.
"""

import dataclasses
import importlib.util
import json
import logging
import resource
import sys
import time
from pathlib import Path
from typing import Any

import psutil

from stages.contract.bad_input import BadInput
from stages.contract.footprint import FOLDER, Footprint, Watts
from stages.contract.whole import write_whole

# The tracker's own files, network and tokens are off, whatever a configuration of codecarbon in this folder or home says.
QUIET: dict[str, Any] = {"output_methods": [], "emissions_endpoint": None, "electricitymaps_api_token": None, "log_level": "critical"}
QUIET |= {"country_iso_code": "USA", "force_carbon_intensity_g_co2e_kwh": 475, "pue": 1.0, "allow_multiple_runs": True}

# What drivers of counters, files and packages in other versions throw.
FAILURES = (OSError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, ImportError, RuntimeError, psutil.Error, BadInput)


def start() -> Any:
    """codecarbon's offline tracker, running; None where it is not installed, or has no counter (RAPL, NVML) to read."""
    if importlib.util.find_spec("codecarbon") is None:
        return None
    try:
        from codecarbon import OfflineEmissionsTracker
        from codecarbon.core import cpu, gpu

        if not (cpu.is_rapl_available() or gpu.is_gpu_details_available()):
            return None
        logging.getLogger("codecarbon").setLevel(logging.CRITICAL)
        tracker = OfflineEmissionsTracker(**QUIET, measure_power_secs=5)
        tracker.start()
    except FAILURES as error:
        print(f"footprint: energy is estimated, as measuring failed: {type(error).__name__}: {error}", file=sys.stderr)
        return None
    return tracker


def record(tracker: Any, stage: str, names: dict[str, str]) -> None:
    """Write data/footprint/STAGE[/task][/model].json of this process, which ran the stage."""
    try:
        found, watts = measure(tracker, stage, names), Watts.of_environment()
        content = dataclasses.asdict(found) | {"energy": found.energy(watts)._asdict()}
        text = json.dumps(content, indent=2, allow_nan=False) + "\n"
        write_whole(FOLDER.joinpath(*_place(stage, names)), lambda path: _put(path, text))
    except FAILURES as error:  # the results are whole; only their record is not
        print(f"footprint: not recorded: {type(error).__name__}: {error}", file=sys.stderr)


def measure(tracker: Any, stage: str, names: dict[str, str]) -> Footprint:
    """The footprint of this process and the workers that it waited for, from its first moment on."""
    own, workers = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    gpus = _gpus()
    unit = 1 if sys.platform == "darwin" else 1024  # macOS counts bytes
    return Footprint(
        stage=stage,
        names=names,
        seconds=round(time.time() - psutil.Process().create_time(), 2),
        cpu_seconds=round(sum(spent for usage in (own, workers) for spent in (usage.ru_utime, usage.ru_stime)), 2),
        memory=round((own.ru_maxrss + workers.ru_maxrss) * unit / 1e9, 3),
        gpus=gpus,
        measured={} if tracker is None else _measured(tracker, bool(gpus)),
    )


def _measured(tracker: Any, used: bool) -> dict[str, float]:
    """Energy [kWh] that counters tell; codecarbon's own estimates from rated power are not among them."""
    from codecarbon.core import cpu

    tracker.stop()
    data = getattr(tracker, "final_emissions_data", None)  # missing where the tracker failed, which it tells nobody
    told = {"cpu": data.cpu_energy} if data is not None and cpu.is_rapl_available() else {}
    told |= {"gpu": data.gpu_energy} if data is not None and used else {}
    return {part: float(kwh) for part, kwh in told.items() if kwh}


def _gpus() -> list[str]:
    """The names of the GPUs that torch used, if anybody has loaded it."""
    cuda = sys.modules["torch"].cuda if "torch" in sys.modules else None
    return [cuda.get_device_name(index) for index in range(cuda.device_count())] if cuda is not None and cuda.is_initialized() else []


def _place(stage: str, names: dict[str, str]) -> list[str]:
    *folders, last = [stage, *names.values()]
    return [*folders, f"{last}.json"]


def _put(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")

"""What a run of a stage cost, as data/footprint/STAGE[/task][/model].json holds it: seconds, memory, devices, energy, CO2."""

import dataclasses
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from stages.contract import yaml_file
from stages.contract.bad_input import BadInput
from stages.contract.params import Design

FOLDER = Path("data/footprint")
REGIONS = Path(__file__).with_name("grams_per_kwh.yaml")
MEASURED, ESTIMATE, PARTLY = "measured", "estimate", "measured in part"
WORLD = "WORLD"
# Rated power of GPUs [W] by a part of their name: ML CO2 Impact (mlco2/impact, gpus.csv); H200 as NVIDIA's data sheet has it.
RATED = {"H200": 700, "H100": 700, "A100": 400, "V100": 300, "P100": 250, "T4": 70, "L4": 72, "L40S": 350, "A10G": 150}
RATED |= {"RTX 3080": 320, "RTX 3090": 350, "RTX 4090": 450, "RTX A5000": 230, "RTX A6000": 300}
OTHER_GPU = 300.0
JOULES = 3.6e6  # of a kWh
VARIABLES = {"core": "CROSSBIAS_WATTS_PER_CORE", "memory": "CROSSBIAS_WATTS_PER_GB", "gpu": "CROSSBIAS_WATTS_PER_GPU"}


@dataclasses.dataclass(frozen=True)
class Watts:
    """Power behind estimates [W]: of a busy core, of a GB of memory in use, of a GPU (None: its rated power, 300 where unknown).

    0.3725 W a GB is that of Green Algorithms (Lannelongue et al. 2021), 12 W a core the middle of its processors, of 4 to 24 W.
    """

    core: float = 12.0
    memory: float = 0.3725
    gpu: float | None = None

    @classmethod
    def of_environment(cls, environment: Mapping[str, str] = os.environ) -> "Watts":
        """As the three ``VARIABLES`` say; BadInput where one is no number of watts."""
        return cls(**{field: positive(name, environment[name]) for field, name in VARIABLES.items() if name in environment})


class Energy(NamedTuple):
    """Energy [kWh], and whether it is measured, an estimate, or measured in part."""

    kwh: float
    how: str


@dataclasses.dataclass(frozen=True)
class Footprint:
    """The facts of a run. ``names`` are its task, model or challenge; ``seconds`` went by since its process began.

    ``cpu_seconds`` are those of the process and its workers; ``memory`` [GB] is the peak of the process and of its largest worker;
    ``gpus`` are those used. ``measured`` [kWh] is what the counters of the whole machine say of ``cpu`` and ``gpu``: no entry, no counter.
    """

    stage: str
    names: dict[str, str]
    seconds: float
    cpu_seconds: float
    memory: float
    gpus: list[str]
    measured: dict[str, float]

    def parts(self, watts: Watts) -> dict[str, Energy]:
        """Energy of cpu, memory and, where used, gpu: measured, else power x time (of a GPU all the time, as if never idle)."""
        each = [_rated(name) if watts.gpu is None else watts.gpu for name in self.gpus]
        joules = {"cpu": watts.core * self.cpu_seconds, "memory": watts.memory * self.memory * self.seconds}
        joules |= {"gpu": sum(each) * self.seconds} if self.gpus else {}
        estimates = {part: Energy(spent / JOULES, ESTIMATE) for part, spent in joules.items()}
        return estimates | {part: Energy(kwh, MEASURED) for part, kwh in self.measured.items()}

    def energy(self, watts: Watts) -> Energy:
        """All parts together; measured in part at best, as memory has no counter."""
        return together(list(self.parts(watts).values()))


def together(energies: list[Energy]) -> Energy:
    """The sum, which is measured (or an estimate) only where everything in it is."""
    ways = {energy.how for energy in energies}
    return Energy(sum(energy.kwh for energy in energies), ways.pop() if len(ways) == 1 else PARTLY)


def kilograms(kwh: float, grams_per_kwh: float) -> float:
    """CO2 equivalents [kg] of energy [kWh] by the carbon intensity of the electricity [g/kWh] (Lacoste et al. 2019)."""
    return kwh * grams_per_kwh / 1000


def intensities() -> dict[str, float]:
    """Carbon intensity of electricity [g CO2eq/kWh] by country (ISO 3166 alpha-3) and of the ``WORLD``; sources stand in the file."""
    found: dict[str, float] = yaml_file.read(REGIONS)
    return found


def read(folder: Path = FOLDER, design: Design | None = None) -> list[Footprint]:
    """All records below a folder, none where there is no folder; of a ``design``, those of its tasks, models and challenges alone.

    BadInput for a file that is no record.
    """
    found = [_read(path) for path in sorted(folder.rglob("*.json")) if not path.name.startswith(".")]
    if design is None:
        return found
    return [one for one in found if all(name in getattr(design, f"{key}s") for key, name in one.names.items())]


def _read(path: Path) -> Footprint:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return Footprint(**{field.name: content[field.name] for field in dataclasses.fields(Footprint)})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(
            f"{path} is no footprint ({type(error).__name__}: {error}): delete it; the next run of its stage writes it."
        ) from error


def positive(name: str, text: str) -> float:
    """A number from 0 on; BadInput otherwise."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise BadInput(f"{name}: {text!r} is no number from 0 on.")
    return value


def _rated(name: str) -> float:
    """Rated power [W] of a GPU; of several names that fit the longest (L40S is no L4)."""
    return max(((len(part), watts) for part, watts in RATED.items() if part in name), default=(0, OTHER_GPU))[1]

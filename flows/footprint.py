"""`crossbias footprint`: what the runs behind the present results cost, by stage: seconds, energy and CO2 equivalents."""

import argparse
import dataclasses
import json
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stages.contract.bad_input import BadInput
from stages.contract.footprint import (
    FOLDER,
    WORLD,
    Energy,
    Footprint,
    Watts,
    intensities,
    kilograms,
    positive,
    read,
    together,
)
from stages.contract.params import Design

NOTE = """Estimates: CPU seconds x watts a core, memory x watts a GB x seconds, seconds x watts a GPU (--help has the watts).
Measured energy of CPU and GPU is that of the whole machine. Making the hardware, cooling (--pue) and runs that failed do not count."""


@dataclass(frozen=True)
class Line:
    """The runs of one stage together: ``seconds`` and ``cpu_seconds``, the highest ``memory`` [GB], energy, ``kg`` of CO2eq."""

    stage: str
    runs: int
    seconds: float
    cpu_seconds: float
    memory: float
    energy: Energy
    kg: float


def main(arguments: Sequence[str] | None = None, program: str = "crossbias footprint") -> int:
    """Exit code 0: shown; 2: bad input, in one sentence."""
    options = _parser(program).parse_args(arguments)
    try:
        region, grams = _intensity(options.region, options.grams_per_kwh)
        found = _records(options)
        watts, pue = _watts(options), 1.0 if options.pue is None else positive("--pue", options.pue)
    except (BadInput, OSError) as error:
        if options.debug:
            traceback.print_exc()
        print(f"footprint: {error}", file=sys.stderr)
        return 2
    lines = by_stage(found, watts, grams, pue)
    if options.json:
        settings = {"grams_per_kwh": grams, "region": region, "watts": dataclasses.asdict(watts), "pue": pue}
        print(json.dumps(settings | {"stages": [_plain(line) for line in lines[:-1]], "total": _plain(lines[-1])}, indent=2))
        return 0
    print(table(lines))
    print(f"\nCO2 equivalents by {grams:g} g/kWh ({region}).\n{NOTE}")
    return 0


def by_stage(found: list[Footprint], watts: Watts, grams: float, pue: float = 1.0) -> list[Line]:
    """A line for each stage, dearest first, and one of all together; ``pue`` multiplies energy by what the building adds."""
    stages = {one.stage: [other for other in found if other.stage == one.stage] for one in found}
    lines = [_line(stage, runs, watts, grams, pue) for stage, runs in stages.items()]
    return [*sorted(lines, key=lambda line: -line.energy.kwh), _line("all", found, watts, grams, pue)]


def _line(stage: str, runs: list[Footprint], watts: Watts, grams: float, pue: float) -> Line:
    energy = together([run.energy(watts) for run in runs])
    energy = energy._replace(kwh=energy.kwh * pue)
    seconds, cpu_seconds = sum(run.seconds for run in runs), sum(run.cpu_seconds for run in runs)
    return Line(stage, len(runs), seconds, cpu_seconds, max(run.memory for run in runs), energy, kilograms(energy.kwh, grams))


def table(lines: list[Line]) -> str:
    """The lines as a table for the terminal."""
    head = ("stage", "runs", "seconds", "CPU seconds", "peak GB", "kWh", "kg CO2eq", "energy is")
    rows = [
        (one.stage, *figures, one.energy.how)
        for one in lines
        for figures in [
            (f"{one.runs}", f"{one.seconds:,.0f}", f"{one.cpu_seconds:,.0f}", f"{one.memory:.2f}", f"{one.energy.kwh:.3g}", f"{one.kg:.3g}")
        ]
    ]
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    sides = "<" + ">" * (len(head) - 2) + "<"
    shown = ["  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=True)) for row in (head, *rows)]
    return "\n".join(line.rstrip() for line in shown)


def _plain(line: Line) -> dict[str, object]:
    return dataclasses.asdict(line) | {"energy": line.energy._asdict()}


def _records(options: argparse.Namespace) -> list[Footprint]:
    """Those of the design's runs, or all where there is no design; BadInput where there is none."""
    found = read(options.folder, Design.read(options.params) if options.params.exists() else None)
    if not found:
        raise BadInput(f"{options.folder} holds no footprint of this design: run a stage (crossbias run), which records its own.")
    return found


def _intensity(region: str, grams: str | None) -> tuple[str, float]:
    """Whose electricity it is, and its carbon intensity [g/kWh]."""
    if grams is not None:
        return "as given", positive("--grams-per-kwh", grams)
    known = intensities()
    if region.upper() not in known:
        raise BadInput(f"--region {region}: no carbon intensity is known; choose one of {', '.join(known)}, or give --grams-per-kwh.")
    return region.upper(), known[region.upper()]


def _watts(options: argparse.Namespace) -> Watts:
    """Those of the environment, but where a flag says otherwise."""
    flags = {"core": "--watts-per-core", "memory": "--watts-per-gb", "gpu": "--watts-per-gpu"}
    given = {field: getattr(options, flag[2:].replace("-", "_")) for field, flag in flags.items()}
    chosen = {field: positive(flags[field], text) for field, text in given.items() if text is not None}
    return dataclasses.replace(Watts.of_environment(), **chosen)


def _parser(program: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=program, description=__doc__)
    parser.add_argument("--region", default=WORLD, help="whose electricity: a country's code such as DEU (default: the world's average)")
    parser.add_argument("--grams-per-kwh", metavar="N", help="its carbon intensity, in place of a region's")
    parser.add_argument("--watts-per-core", metavar="N", help="power of a busy core, for estimates (default: 12)")
    parser.add_argument("--watts-per-gb", metavar="N", help="power of a GB of memory (default: 0.3725)")
    parser.add_argument("--watts-per-gpu", metavar="N", help="power of a GPU (default: its rated power, 300 where unknown)")
    parser.add_argument("--pue", metavar="N", help="what the building draws for each watt of the machine (default: 1, the machine alone)")
    parser.add_argument("--folder", type=Path, default=FOLDER, help=f"where the records are (default: {FOLDER})")
    parser.add_argument("--params", type=Path, default=Path("params.yaml"), help="the design whose runs count (default: params.yaml)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    return parser


if __name__ == "__main__":
    sys.exit(main())

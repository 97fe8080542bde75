"""What `crossbias audit` can be told, in Python and on the command line."""

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from stages.contract.exit_codes import OF_COMMANDS
from stages.metrics import gate

UNKNOWN = ("na", "n/a", "nan", "null", "<na>")


@dataclass(frozen=True)
class Options:
    """What the file's columns are, and how they are to be looked at; the command's options have the same names."""

    file: Path
    label: str
    attributes: tuple[str, ...] = ()
    score: str | None = None
    decision: str | None = None
    privileged: tuple[str, ...] = ()
    author: str | None = None
    id: str | None = None
    text: str | None = None
    lang: str = "en"
    favourable: tuple[str, ...] = ()
    favourable_scores: Literal["high", "low"] | None = None
    threshold: float | Literal["median"] | None = None
    containing: str | None = None
    highest_order: int = 5
    delimiter: str | None = None
    encoding: str = "utf-8"
    unknown: tuple[str, ...] = UNKNOWN
    replicates: int = 10_000
    seed: int = 1
    convention: tuple[str, ...] = ()
    least_ratio: float | None = 0.8
    most_difference: float | None = None
    out: Path | None = None
    fail_on: str | None = None


def parse(arguments: Sequence[str] | None, program: str) -> tuple[Options, bool]:
    """The options of a command line, and whether it asks for tracebacks."""
    given = vars(parser(program, "Audit a file of predictions: who is selected and who is missed, by group.", True).parse_args(arguments))
    debug = given.pop("debug")
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    return Options(**values), debug


def parser(program: str, description: str, grouped: bool) -> argparse.ArgumentParser:
    """What an audit can be told; ``grouped``: the columns of demographics must be named."""
    command = argparse.ArgumentParser(prog=program, description=description, epilog=OF_COMMANDS)
    add = command.add_argument
    add("file", type=Path, help=".csv, .tsv, .jsonl or .parquet, one row a text")
    add("--label", required=True, help="the column of true labels")
    add("--score", help="the column of the model's scores; cut at --threshold unless --decision is given")
    add("--decision", help="the column of the model's decisions")
    add("--attributes", required=grouped, default=[], nargs="+", help="the columns of demographics")
    add("--privileged", nargs="+", default=[], metavar="ATTRIBUTE=WHO", help="reference groups: gender=male race=white,asian age=..55")
    add("--author", help="the column that says who wrote a text; texts of one person are not independent")
    add("--id", help="the column of identifiers, which must not repeat")
    add(
        "--favourable",
        type=_commas,
        default=[],
        help="the favourable value or values of labels and decisions, with commas (of 0 and 1: 1 unless told)",
    )
    add("--favourable-scores", choices=("high", "low"), help="which scores, and labels cut by --threshold, are favourable (default high)")
    add("--threshold", type=_threshold, help="the cut of scores, and of labels that are numbers: a number or median (default 0.5)")
    add("--containing", help="only attribute sets with this attribute")
    add("--highest-order", type=int, default=5, help="how many attributes are met at most (default 5)")
    add("--delimiter", type=_delimiter, help="of a .csv or .tsv (default: the one that fits the header)")
    add("--encoding", default="utf-8", help="of a .csv or .tsv (default utf-8)")
    add("--unknown", type=_commas, default=UNKNOWN, help=f"what stands for unknown beside an empty cell (default {','.join(UNKNOWN)})")
    add("--replicates", type=int, default=10_000, help="bootstrap replicates (default 10000)")
    add("--seed", type=int, default=1)
    add("--convention", nargs="+", default=[], choices=("crossbias", "naacl2022"), help="conventions of gaps beside crossbias")
    add("--least-ratio", type=float, default=0.8, help="ratios below it, or above one over it, are flagged (default 0.8: four fifths)")
    add("--most-difference", type=float, help="differences above it are flagged")
    add("--out", type=Path, help="the folder to write (default: FILE's name with _audit, beside it)")
    add("--fail-on", metavar="GATE", help=f"exit with 1 when it fails, with 3 when nothing can be tested. {gate.RULE}".replace("%", "%%"))
    add("--debug", action="store_true", help="show the traceback of an error")
    return command


def _commas(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))


def _delimiter(text: str) -> str:
    character = text.replace("\\t", "\t")
    if len(character) != 1:
        raise ValueError(text)
    return character


def _threshold(text: str) -> float | str:
    if text != "median" and not math.isfinite(float(text)):
        raise ValueError(text)
    return text if text == "median" else float(text)

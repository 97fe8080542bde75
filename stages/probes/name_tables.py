"""Names of people and what is known of those who bear them, from a table that a file of names/ pins."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from pydantic import Field, model_validator

from stages.contract import installed, yaml_file
from stages.contract.bad_input import BadInput
from stages.contract.params import Section, fill
from stages.contract.values import Inside

FOLDER = Path(__file__).with_name("names")
Trait = Literal["female", "birth_year", "white", "black", "hispanic", "asian", "other"]


class Births(Section):
    """Columns of a table of births by name, sex (F or M) and year, and the years to count, both ends included."""

    name: str
    sex: str
    year: str
    number: str
    first: int
    last: int

    @property
    def all(self) -> list[str]:
        return [self.name, self.sex, self.year, self.number]


class Tabulated(Section):
    """Columns of a table of one row a name, the most frequent first, of which the ``first`` are read (None: all): the name, ``number``
    of people where there is one, and ``traits``: shares, and the mean year of birth.
    """

    name: str
    traits: dict[Trait, str] = Field(min_length=1)
    number: str | None = None
    first: int | None = Field(default=None, ge=1)

    @property
    def all(self) -> list[str]:
        return [self.name, *self.traits.values(), *([self.number] if self.number else [])]


class Pin(Section):
    """A file of names/: a table (.parquet or .csv) in an installed package, which is never imported, or at a path; and its SHA-256."""

    about: str
    licence: str
    file: Inside
    sha256: str
    install: str = ""
    package: installed.Package = ""
    births: Births | None = None
    tabulated: Tabulated | None = None

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if (self.births is None) == (self.tabulated is None):
            raise ValueError("a pin of names says either births or tabulated")
        return self

    @property
    def place(self) -> Path | None:
        """Where the table is to be; None: its package is not installed."""
        if not self.package:
            return Path(self.file)
        folder = installed.folder_of(self.package)
        return folder / self.file if folder else None


def pinned(which: str) -> Pin:
    """The pin of that name in names/. BadInput: there is none, or it is not as it must be."""
    path = FOLDER / f"{which}.yaml"
    if not path.is_file():
        raise BadInput(f"{which!r} is no table of names; there are {', '.join(known())}.")
    return fill(Pin, yaml_file.read(path), str(path))


def known() -> list[str]:
    return sorted(file.stem for file in FOLDER.glob("*.yaml"))


@dataclass(frozen=True)
class Names:
    """Names, the most frequent first, and ``traits`` [names]: one column each of shares in [0, 1], or of the mean year of birth."""

    names: list[str]
    traits: pd.DataFrame


def read(which: str, fewest: int) -> Names:
    """The names that the pin ``which`` of names/ says, of at least ``fewest`` people where the table counts them.

    Names written in capitals alone get a capital at the start; of spellings that differ in case the most frequent is kept.
    BadInput: no such pin, the table is missing or another, it lacks a column, or no name is left.
    """
    pin, path = pinned(which), FOLDER / f"{which}.yaml"
    table = _table(pin, path)
    columns: Births | Tabulated = pin.births or pin.tabulated  # type: ignore[assignment]
    missing = sorted(set(columns.all) - set(table.column_names))
    if missing:
        raise BadInput(f"{path}: {pin.file} lacks the column {missing[0]!r}; it has {', '.join(table.column_names)}.")
    found = _counted(table, columns) if isinstance(columns, Births) else _tabulated(table, columns)
    del table
    pa.default_memory_pool().release_unused()  # 100 MB that a million rows of births took
    found = found[found["number"].isna() | (found["number"] >= fewest)].drop(columns="number").dropna()
    found.index = pd.Index([name.title() if name.isupper() else name for name in found.index])
    found = found[~found.index.str.casefold().duplicated()]
    if found.empty:
        raise BadInput(f"{path}: {pin.file} holds no name of at least {fewest} people.")
    return Names(list(found.index), found)


def _counted(table: pa.Table, columns: Births) -> pd.DataFrame:
    """One row a name, the most frequent first: people, the share of F, and the mean year of birth."""
    frame = pd.DataFrame({ours: table[getattr(columns, ours)].to_pandas() for ours in ("name", "sex", "year", "number")})
    frame = frame[frame["year"].between(columns.first, columns.last)]
    frame = frame.assign(female=frame["number"].where(frame["sex"] == "F", 0), birth_year=frame["year"] * frame["number"])
    sums = frame.groupby("name")[["number", "female", "birth_year"]].sum()
    shares = sums[["female", "birth_year"]].div(sums["number"], axis=0)
    return shares.assign(number=sums["number"]).sort_values("number", ascending=False, kind="stable")


def _tabulated(table: pa.Table, columns: Tabulated) -> pd.DataFrame:
    frame = pd.DataFrame({trait: table[column].to_pandas() for trait, column in columns.traits.items()})
    frame["number"] = table[columns.number].to_pandas() if columns.number else float("nan")
    frame.index = pd.Index(table[columns.name].to_pylist(), dtype="str")
    return frame[: columns.first]


def _table(pin: Pin, path: Path) -> pa.Table:
    file = pin.place
    if file is None:
        raise BadInput(f"{path}: the package {pin.package} is not installed; {pin.install}.")
    if not file.is_file():
        raise BadInput(f"{path}: {pin.file} is missing; {pin.install or 'put it there, or correct the pin'}.")
    found = hashlib.sha256(file.read_bytes()).hexdigest()
    if found != pin.sha256:
        raise BadInput(f"{path}: {pin.file} is not the pinned file (sha256 {found[:9]}..., pinned {pin.sha256[:9]}...).")
    return pq.ParquetFile(file).read() if file.suffix == ".parquet" else pyarrow.csv.read_csv(file)

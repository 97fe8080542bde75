"""released counts of the NAACL 2022 paper -> what each of its published disparities is worth"""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from pydantic import Field

from stages.contract.bad_input import BadInput
from stages.contract.command import command
from stages.contract.findings import Findings, KnownProblems
from stages.contract.params import Design, Section
from stages.contract.tables import column_names, from_pandas
from stages.contract.values import Place, Seed
from stages.metrics import released
from stages.metrics.released import COUNTS, Bounds

RUN = ["dataset", "task", "model", "debiaser"]
WHERE = [*RUN, "order"]
GIVEN = [*RUN, "attributes", "order", "printed", "recovered", "people", *COUNTS, "published_di", "published_adi", "published_fv"]
WHOLE = ["people", *COUNTS]
REPRODUCED = 1e-12


class Params(Section):
    """``counts``: the folder of counts.csv and known_problems.csv; with ``included: false`` there is no re-audit and no finding.

    ``collapsed``, ``smoothed``, ``negligible``, ``fewest`` and ``level``: see metrics/released.py.
    """

    counts: Place = "data/raw/naacl2022"
    included: bool = True
    seed: Seed = 5
    draws: int = Field(default=10_000, ge=100)
    confidence: float = Field(default=0.95, gt=0, lt=1)
    level: float = Field(default=0.05, gt=0, lt=1)
    fewest: int = Field(default=10, ge=2)
    collapsed: float = Field(default=0.02, ge=0, lt=1)
    smoothed: float = Field(default=0.1, gt=0)
    negligible: float = Field(default=0.01, ge=0)


def check(_: Design, params: Params) -> None:
    """BadInput where the released counts are not there or not as they must be."""
    if params.included:
        _given(params)


def run(params: Params) -> tuple[Findings, KnownProblems]:
    """Every released run and attribute set with interval, test, size-matched null, and in words what its DI is worth."""
    if not params.included:
        return _nothing(Findings), _nothing(KnownProblems)
    table, known = _given(params)
    table["published_di_star"] = table["published_di"] / table["published_adi"]
    table["opposed"] = (table["published_di"] - 1) * (table["published_adi"] - 1) < 0
    counted = table[table["texts"].notna()]
    found = table.join(judged(counted, params))
    found["finding"] = found["finding"].fillna(released.NOT_RECOVERED)
    found["reason"] = found["reason"].where(found["texts"].notna(), "no integers fit the published numbers")
    found["problems"], concerned = attach(known, found)
    order = pd.Categorical(found["finding"], released.FINDINGS, ordered=True)
    print(pd.crosstab(pd.Series(order, name="finding"), found["order"]).to_string(), flush=True)
    return from_pandas(found[column_names(Findings)]), from_pandas(concerned)


def _given(params: Params) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The counts, and the problems that are known of them. BadInput as ``read``, and where counts cannot be."""
    path = Path(params.counts) / "counts.csv"
    table = read(path, GIVEN)
    known = read(path.with_name("known_problems.csv"), [*WHERE, "problem", "proof"])
    _possible(table[table["texts"].notna()], path)
    return table, known


def read(path: Path, columns: list[str]) -> pd.DataFrame:
    """The columns of a CSV file, whole numbers as such; BadInput: no file, or a column is missing."""
    if not path.is_file():
        raise BadInput(f"{path} is not there: restore it from the repository, correct reaudit.counts, or set reaudit.included to false.")
    try:
        frame = pd.read_csv(path)
    except (ValueError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} is no CSV file in UTF-8: {' '.join(str(error).split())}.") from error
    missing = [column for column in columns if column not in frame]
    if missing:
        raise BadInput(f"{path}: column {missing[0]!r} is missing; it has {', '.join(frame.columns)}.")
    try:
        return frame[columns].astype({name: "Int64" for name in columns if name in (*WHOLE, "order")})
    except (TypeError, ValueError) as error:
        raise BadInput(f"{path}: counts must be whole numbers or empty: {error}.") from error


def judged(counts: pd.DataFrame, params: Params) -> pd.DataFrame:
    """All that is computed of the rows whose counts are known."""
    counts = counts.astype(dict.fromkeys(COUNTS, np.int64))
    found = pd.DataFrame({"di": released.impact(counts)}, counts.index)
    intervals = [released.interval(row, params.confidence) for _, row in counts.iterrows()]
    found["ci_low"], found["ci_high"], found["reason"] = zip(*intervals, strict=True)
    found["katz_low"], found["katz_high"] = released.katz_interval(counts, params.confidence)
    found["null_low"], found["null_high"] = released.null_band(counts, params.draws, params.confidence, params.seed)
    found["fv_of_selection"] = np.abs(released.violation(counts) - counts["published_fv"]) < REPRODUCED
    found = found.assign(**tested(counts))
    bounds = Bounds(**params.model_dump(include={"collapsed", "smoothed", "negligible", "fewest", "level"}))
    low, high = bounds.four_fifths
    found["outside_four_fifths"] = ((found["di"] < low) | (found["di"] > high)).astype("boolean").mask(found["di"].isna())
    return found.assign(finding=[released.finding(row, bounds) for _, row in counts.join(found).iterrows()])


def tested(counts: pd.DataFrame) -> dict[str, pd.Series]:
    """Each p-value, and what is left of it when it is one of many: of its run and order, of its run, of all that was released."""
    runs = [counts[name] for name in RUN]
    p_values = pd.Series(released.fisher_p(counts), counts.index)
    fewer = pd.Series(released.fisher_p(released.cut_to(counts, counts["people"])), counts.index)
    return {
        "p_value": p_values,
        "p_order": released.of_furthest(p_values, [*runs, counts["order"]]),
        "q_value": released.within(p_values, runs),
        "q_released": released.within(p_values, [pd.Series(0, counts.index)]),
        "q_people": released.within(fewer, runs),
    }


def attach(known: pd.DataFrame, found: pd.DataFrame) -> tuple[pd.Series, pd.DataFrame]:
    """The problems of each row by name, and each problem with where it holds and how many rows it concerns; empty: anywhere."""
    names = pd.Series("", found.index)
    concerned = []
    for _, entry in known.iterrows():
        given = [column for column in WHERE if pd.notna(entry[column])]
        mask = pd.Series(True, found.index)
        for column in given:
            mask &= found[column] == entry[column]
        names = names.where(~mask, names + "; " + entry["problem"])
        where = ", ".join(f"{entry[column]} demographics" if column == "order" else str(entry[column]) for column in given)
        concerned.append({"problem": entry["problem"], "where": where or "all", "proof": entry["proof"], "rows": int(mask.sum())})
    return names.str.removeprefix("; "), pd.DataFrame(concerned)


def _possible(counts: pd.DataFrame, path: Path) -> None:
    """BadInput unless all counts are given, no part is larger than the whole, and they give the published DI."""
    missing = counts[list(COUNTS)].isna().any(axis=1)
    numbers = counts[list(COUNTS)].fillna(0)
    wrong = missing | (numbers < 0).any(axis=1) | (numbers["n_protected"] + numbers["n_privileged"] > numbers["texts"])
    for size, hits in (("texts", "selected"), released.PROTECTED, released.PRIVILEGED):
        wrong |= numbers[hits] > numbers[size]
    wrong |= numbers["selected_protected"] + numbers["selected_privileged"] > numbers["selected"]
    wrong |= ~(np.abs(released.impact(numbers, smoothing=1) - counts["published_di"]) < REPRODUCED * counts["published_di"])
    if wrong.any():
        first = f"line {wrong.idxmax() + 2} first"
        raise BadInput(f"{path}: {int(wrong.sum())} rows have impossible counts or not those of published_di, {first}; restore the file.")


def _nothing(table: object) -> pa.Table:
    return pa.table({name: pa.array([], pa.string()) for name in column_names(table)})


if __name__ == "__main__":
    command(run)

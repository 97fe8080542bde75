"""python -m benchmarks.released_counts merged_plotting_data.csv counts.csv: the integers behind the paper's released numbers.

The released file (github.com/nd-hal/naacl-2022, MIT) has DI = P0 / P1 and FV = |P0 - P| with sixteen digits, where P0 = (k0 + 1) /
(n0 + 2) and P1 are the selection rates of the protected and the privileged group and P = (K + 1) / (N + 2) is that of everyone. For
gender, whose two groups are everyone, N, n0, k0 and k1 follow: no other integers give these digits. That fixes N and K of the run,
so that in every other set P0 = P +- FV and P1 = P0 / DI are fractions of small integers; what they leave open, a common multiple of
numerator and denominator, is the smallest that fits all runs on the same texts and nearly the size that other runs of the task have.
"""

import math
import sys
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

RUN = ["dataset", "task", "model", "debiaser"]
ORDER = ["gender", "race", "age", "education", "income"]
DEBIASERS = {"PT": "none", "PTDCDA": "CDA", "PTDDropout": "Dropout"}
TASKS = {"SubjectiveLit": "Literacy", "TrustPhys": "Trust", "AskAPatient": "Sentiment", "HateSpeech": "Hatespeech"}
# Where to look for N: the published sizes of the data sets, and more where respondents were joined more than once.
TEXTS = {"Psychometric": range(8300, 10001), "AskAPatient": range(19800, 20101), "Hatespeech": range(6000, 7501)}
TEXTS |= {"HateSpeech": range(27000, 29001)} | dict.fromkeys(("MBTI", "MBTIShort"), range(6000, 8001))
TEXTS |= dict.fromkeys(("FIPI", "FIPIShort", "FIPIShort2"), range(6500, 10001))
PEOPLE = {"Psychometric": 8395, "FIPI": 6805, "FIPIShort": 6805, "FIPIShort2": 6805, "MBTI": 1584, "MBTIShort": 1584}
NEAR = 0.01  # runs of a task whose N differ by less are runs on nearly the same texts


class Gender(NamedTuple):
    """All texts, the protected ones, and those selected of either group."""

    texts: int
    protected: int
    selected_protected: int
    selected_privileged: int


def published(path: Path) -> pd.DataFrame:
    """One row a run and attribute set: published_di, published_adi, published_fv."""
    raw = pd.read_csv(path).drop_duplicates()
    raw["number"] = raw["Metric"].str[:2] + raw["adjustedDI"].astype(str)
    raw["attributes"] = ["+".join(name for name in ORDER if name in metric.lower().split("_")) for metric in raw["Metric"]]
    static = raw["model"] == "CNN"
    raw["debiaser"] = raw["finetune"].map(DEBIASERS).fillna(pd.Series(np.where(static, "WordED", "ContextED"), raw.index))
    raw = raw.rename(columns={"Dataset": "dataset", "DV": "task", "num_demos": "order"}).replace({"task": TASKS})
    wide = raw.pivot_table(index=[*RUN, "order", "attributes"], columns="number", values="Value").reset_index()
    names = {"DIFalse": "published_di", "DITrue": "published_adi", "FVFalse": "published_fv"}
    return wide.rename(columns=names).drop(columns="FVTrue").rename_axis(columns=None)


def gender_counts(di: float, fv: float, texts: Iterable[int]) -> list[Gender]:
    """Every (N, n0, k0, k1) with N among ``texts`` that gives DI and |FV| to the last digits."""
    found = []
    for total in texts:
        protected = np.arange(total + 1)
        privileged = total - protected
        per_hit = (privileged + 2) / (protected + 2) / di  # (k1 + 1) / (k0 + 1)
        slope = 1 / (protected + 2) - (1 + per_hit) / (total + 2)
        for gap in (fv, -fv):
            hits = np.divide(gap - 1 / (total + 2), slope, out=np.zeros(total + 1), where=slope != 0)
            one, other = np.rint(hits), np.rint(hits * per_hit)
            close = (np.abs(hits - one) < 1e-5) & (np.abs(hits * per_hit - other) < 1e-5)
            close &= (one >= 1) & (one <= protected + 1) & (other >= 1) & (other <= privileged + 1)
            rate = one / (protected + 2)
            close &= np.abs(rate * (privileged + 2) / np.maximum(other, 1) / di - 1) < 1e-14
            close &= np.abs(np.abs(rate - (one + other - 1) / (total + 2)) - fv) < 2e-15
            found += [Gender(total, int(n), int(one[n]) - 1, int(other[n]) - 1) for n in np.flatnonzero(close)]
    return found


def rates(di: float, fv: float, texts: int, selected: int) -> Iterator[tuple[Fraction, Fraction]]:
    """The fractions that P0 and P1 of a set can be, given everyone's counts."""
    everyone = (selected + 1) / (texts + 2)
    for rate in (everyone + fv, everyone - fv):
        pair = [Fraction(value).limit_denominator(texts + 2) for value in (rate, rate / di)]
        if all(abs(float(part) - value) < 1e-14 and 0 < part < 1 for part, value in zip(pair, (rate, rate / di), strict=True)):
            yield pair[0], pair[1]


def sizes(pairs: list[list[tuple[Fraction, Fraction]]]) -> tuple[tuple[int, int], list[tuple[Fraction, Fraction]]]:
    """The least n0 + 2 and n1 + 2 that are multiples of every run's denominators, and the fractions that give them."""
    chosen = [min(options, key=lambda pair: pair[0].denominator * pair[1].denominator) for options in pairs]
    return (math.lcm(*(p.denominator for p, _ in chosen)), math.lcm(*(q.denominator for _, q in chosen))), chosen


def recover(table: pd.DataFrame, texts: dict[str, Iterable[int]]) -> pd.DataFrame:
    """The table with texts, selected, n_protected, selected_protected, n_privileged, selected_privileged and how they were found."""
    of_gender = table[table["attributes"] == "gender"].set_index(RUN)
    solved = {run: gender_counts(row["published_di"], row["published_fv"], texts[run[0]]) for run, row in of_gender.iterrows()}
    several = [run for run, found in solved.items() if len(found) > 1]
    if several:
        raise ValueError(f"{several} have several solutions")
    everyone = {run: found[0] for run, found in solved.items() if found}
    families = _families(table, everyone)
    least = {key: sizes([options for _, options in rows])[0] for key, rows in families.items()}
    found = {}
    for key, rows in families.items():
        near = [least[other] for other in families if _alike(key, other)]
        size = [_nearest(least[key][side], max(pair[side] for pair in near)) for side in (0, 1)]
        for (index, _), pair in zip(rows, sizes([options for _, options in rows])[1], strict=True):
            hits = [part.numerator * size[side] // part.denominator - 1 for side, part in enumerate(pair)]
            found[index] = [size[0] - 2, hits[0], size[1] - 2, hits[1]]
    return _written(table, everyone, found)


def _families(table: pd.DataFrame, everyone: dict) -> dict[tuple, list]:
    """For each set, runs on the same texts with the fractions of each; runs without any positive decision apart, as k is known there."""
    families: dict[tuple, list] = {}
    for index, row in table.iterrows():
        run = tuple(row[RUN])
        if run in everyone:
            total, protected, *selected = everyone[run]
            options = list(rates(row["published_di"], row["published_fv"], total, sum(selected)))
            if sum(selected) == 0:
                options = [pair for pair in options if pair[0].numerator == pair[1].numerator == 1]
            task = row["task"] if row["dataset"] == "Psychometric" else ""
            key = (row["dataset"], task, row["attributes"], total, protected, row["model"] == "CNN", sum(selected) == 0)
            families.setdefault(key, []).append((index, options))
    return families


def _alike(key: tuple, other: tuple) -> bool:
    return key[:3] == other[:3] and abs(key[3] - other[3]) <= NEAR * key[3]


def _nearest(least: int, size: int) -> int:
    return least * max(1, round(size / least))


def _written(table: pd.DataFrame, everyone: dict, found: dict) -> pd.DataFrame:
    runs = [everyone.get(tuple(row)) for row in table[RUN].itertuples(index=False)]
    table = table.assign(
        people=table["dataset"].map(PEOPLE),
        printed=~(table["dataset"].isin(["FIPIShort", "MBTIShort"]) | ((table["dataset"] == "FIPI") & (table["model"] != "CNN"))),
        texts=[run.texts if run else None for run in runs],
        selected=[sum(run[2:]) if run else None for run in runs],
    )
    for place, name in enumerate(("n_protected", "selected_protected", "n_privileged", "selected_privileged")):
        table[name] = [found[index][place] if index in found else None for index in table.index]
    whole = ["people", "order", "texts", "selected", "n_protected", "selected_protected", "n_privileged", "selected_privileged"]
    table = table.astype(dict.fromkeys(whole, "Int64"))
    exact = ((table["attributes"] == "gender") | (table["selected"] == 0)).fillna(False).astype(bool)
    kinds = [table["texts"].isna(), exact, ~table["dataset"].str.match("Psychometric|FIPI")]
    table["recovered"] = np.select(kinds, ["not recovered", "exact", "smallest"], "anchored")
    columns = [*RUN, "attributes", "order", "printed", "recovered", "people", "texts", "selected", *whole[4:]]
    table = table[[*columns, "published_di", "published_adi", "published_fv"]]
    return table.sort_values([*RUN, "order", "attributes"], ignore_index=True)


if __name__ == "__main__":
    recover(published(Path(sys.argv[1])), TEXTS).to_csv(sys.argv[2], index=False, lineterminator="\n")

"""What the stage that evaluates says of simulated texts, beside their truth: which intervals hold it, and what is claimed at equality."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from benchmarks.calibration.people import holds
from benchmarks.calibration.writers import Writers
from stages import evaluate
from stages.contract.tables import from_pandas

# Tables of the stage: what its numbers are of, and whether its tests are of one attribute set or corrected over several.
PAIR, FURTHEST, SIDE, OVERALL, SET, GROUP = "pair", "the most extreme", "rate of a side", "performance", "gap over groups", "group"
HELD, LEVEL, CALLED, AGAINST = "held", "p <= .05", "called a disparity", "disparities against their own interval"
DISPARITY, LEVEL_OF_TESTS = "disparity", 0.05
PARAMS = evaluate.Params(replicates=400, permutations=400, conventions=("crossbias",))
FEWEST = evaluate.Params(replicates=100, permutations=100, conventions=("crossbias",))  # for point values alone
EXACT = 2e-3  # a population's shares are rounded to whole texts
Found = dict[tuple[str, str, str], float]


class Tables(NamedTuple):
    """The scores and the groups of an audit, as frames."""

    scores: pd.DataFrame
    groups: pd.DataFrame


def audited(frame: pd.DataFrame, names: list[str], params: evaluate.Params = PARAMS) -> Tables:
    """The stage's tables of texts with the attributes ``names``, met in every set."""
    texts = frame.assign(doc_id=np.char.mod("d%d", np.arange(len(frame))), fold="0", author_id=frame["author_id"].astype(str))
    sets = ["+".join(chosen) for order in range(1, len(names) + 1) for chosen in combinations(names, order)]
    scores, groups, *_ = evaluate.run(
        from_pandas(texts[["doc_id", "author_id", "fold", "favourable"]]),
        from_pandas(texts[["doc_id", *(column for name in names for column in (name, f"{name}_value"))]]),
        pa.table({"mass": pa.array([], pa.float64())}),
        pa.table({"attributes": sets}),
        from_pandas(texts[["doc_id", "y_true", "y_score", "y_pred"]]),
        params,
    )
    return Tables(scores.to_pandas(), groups.to_pandas())


def truth(writers: Writers) -> pd.DataFrame:
    """The true value of every row an audit can have, by its place: the stage's point values of the whole population.

    What is within ``EXACT`` of parity is parity.
    """
    rows = placed(audited(writers.population(), attributes(writers), FEWEST))
    near = (rows["value"] - rows["parity"]).abs() < EXACT
    return pd.DataFrame({"true": rows["value"].where(~near, rows["parity"]).to_numpy(dtype=float)}, index=rows["place"])


def attributes(writers: Writers) -> list[str]:
    """The names of the writers' attributes."""
    return list(writers.names[: writers.groups.shape[1]])


def placed(tables: Tables) -> pd.DataFrame:
    """Rows of both tables: ``place`` is unique, ``kind`` and ``name`` are what is summed up, ``parity`` what equality is (NaN: no gap)."""
    scores, groups = tables
    sides = scores["group"].isin(["protected", "privileged", "mixed", "unknown"])
    kinds = {
        OVERALL: scores["order"] == 0,
        PAIR: scores["group"] == "protected/privileged",
        FURTHEST: scores["group"].str.startswith("any "),
        SIDE: sides,
    }
    scores = scores.assign(kind=np.select(list(kinds.values()), list(kinds), SET))
    plain = scores["kind"].isin([PAIR, OVERALL, SIDE])
    scores = scores.assign(name=scores["metric"].where(plain, scores["metric"] + ", " + scores["group"]))
    groups = groups.assign(kind=GROUP, name=groups["metric"] + ", " + groups["comparison"])
    rows = pd.concat([scores, groups], ignore_index=True)
    rows["place"] = rows["kind"] + "|" + rows["attributes"] + "|" + rows["group"] + "|" + rows["name"]
    ratio = rows["metric"].isin(["di", "di_star", "adi"]) | rows["group"].eq("lowest / highest")
    ratio |= rows["comparison"].fillna("").str.startswith("ratio")
    gap = rows["kind"].isin([PAIR, SET, FURTHEST]) | rows["comparison"].fillna("none").ne("none")
    return rows.assign(parity=np.where(gap, ratio.astype(float), np.nan))


def measured(tables: Tables, true: pd.DataFrame) -> Found:
    """Of each kind and name: the share of intervals that hold the truth, whether any test claims a difference where there is none.

    With several attribute sets a claim is one that is corrected over them (q, where there is one), with one it is that of the set (p).
    And the share of disparities whose own interval holds parity, of a name and of all. What is picked as the most extreme of several is
    tested; its interval, that of whichever it is, promises nothing.
    """
    rows = placed(tables).join(true, on="place")
    low, high = rows["ci_low"].to_numpy(dtype=float), rows["ci_high"].to_numpy(dtype=float)
    rows["held"] = np.where(rows["true"].isna() | rows["kind"].eq(FURTHEST), np.nan, holds(low, high, rows["true"].to_numpy(dtype=float)))
    several = (rows["order"] > 1).any()
    claim = rows["p_value"].where(rows["q_value"].isna() | (not several), rows["q_value"]).astype(float)
    rows["claimed"] = np.where(claim.isna(), np.nan, claim <= LEVEL_OF_TESTS)
    rows["called"] = np.where(rows["verdict"].isna(), np.nan, rows["verdict"] == DISPARITY)
    rows["against"] = contradictions(rows)
    unequal = rows["true"].notna() & rows["parity"].notna() & rows["true"].ne(rows["parity"])
    metrics = rows.loc[unequal & rows["kind"].isin([PAIR, GROUP]), "metric"]
    rows["equal"] = np.where(rows["kind"] == FURTHEST, ~rows["metric"].isin(metrics), ~unequal)
    summed = rows.groupby(["kind", "name"], sort=False).agg(
        held=("held", "mean"), claimed=("claimed", "max"), called=("called", "max"), equal=("equal", "all"), against=("against", "mean")
    )
    found: Found = {(HELD, *figure): held for figure, held in summed["held"].items()}
    tested = summed[summed["equal"] & summed["claimed"].notna()]
    for what, column in ((LEVEL, "claimed"), (CALLED, "called")):
        found |= {(what, *figure): share for figure, share in tested[column].items()}
    found |= {(AGAINST, *figure): share for figure, share in summed["against"].dropna().items()}
    return found | {(AGAINST, "", ""): rows["against"].mean()}


def contradictions(rows: pd.DataFrame) -> pd.Series:
    """Of each disparity whether its own interval holds parity, as 1 or 0; NaN where no disparity is called. ``rows``: as ``placed``."""
    low, high, parity = (rows[name].to_numpy(dtype=float) for name in ("ci_low", "ci_high", "parity"))
    return pd.Series(holds(low, high, parity) == 1, rows.index, dtype=float).where(rows["verdict"] == DISPARITY)

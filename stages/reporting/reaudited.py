"""The paper, re-audited, in words: findings about its released numbers -> sentences, tables and a figure."""

from typing import Any

import pandas as pd
import pyarrow as pa

from stages.contract.vocabulary import COLLAPSED
from stages.reporting import caterpillar
from stages.reporting.caterpillar import Number
from stages.reporting.tables import Table
from stages.reporting.wording import count, number, percent, probability, set_name

MEANT = {
    "empty group": "one of the two groups has nobody in it; the number is the smoothing's 1/2 over a rate",
    COLLAPSED: "the model selects almost nobody; the number is about a ratio of group sizes",
    "smoothing": "the number is another one without the smoothing",
    "disparity": "selection rates differ by more than groups of these sizes do by chance",
    "no evidence of disparity": "chance alone could well have done it",
    "cannot tell": "too few people in a group",
    "counts not recovered": "no integers give the published digits; nothing can be checked",
}
MEASURED = ("disparity", "no evidence of disparity")  # what is a measurement at all, of a group that is there
FAR = (0.8, 1.25)


def parts(findings: pa.Table, problems: pa.Table, settings: Any) -> dict[str, Any] | None:
    """All that the section shows; None where the design leaves the re-audit out."""
    import markupsafe

    found = findings.to_pandas()
    if found.empty:
        return None
    shown = found[found["printed"] & found["texts"].notna()]
    level = percent(settings.confidence)
    figures = said(found, settings)
    return {
        "level": level,
        "said": figures,
        "overview": overview(figures),
        "summary": summary(found),
        "orders": by_order(found, settings),
        "svg": markupsafe.Markup(caterpillar.draw(_numbers(shown))),  # noqa: S704 - drawn by vl-convert, which escapes the names in it
        "label": f"The {len(shown):,} published DI whose counts are known, by number of demographics and size, from "
        f"{number(shown['published_di'].min())} to {number(shown['published_di'].max())}; the tables below have every number.",
        "claims": [claims(found, finding, level) for finding in MEANT if (found["finding"] == finding).any()],
        "problems": known(problems),
    }


def overview(figures: dict[str, str]) -> dict[str, list[str]]:
    """Of the page's first sentences those about the paper's numbers."""
    of = f"of {figures['far']} published ADI outside 0.8 to 1.25"
    return {
        "found": [f"The paper, re-audited: {figures['far_disparity']} {of} belong to a disparity in selection rates."],
        "none": [f"The paper, re-audited: {figures['far_no_evidence']} {of} belong to selection rates that chance could have set apart."],
        "untold": [f"The paper, re-audited: {figures['no_measurement']} {of} are no measurement of a disparity."],
    }


def said(found: pd.DataFrame, settings: Any) -> dict[str, str]:
    """The figures in the section's sentences."""
    counted, printed = found[found["texts"].notna()], found[found["printed"]]
    far = printed[(printed["published_adi"] < FAR[0]) | (printed["published_adi"] > FAR[1])]
    opposed = printed[printed["opposed"] & (printed["finding"] == "disparity")]
    extreme = opposed.loc[(opposed["published_adi"] / opposed["published_di"]).idxmax()] if len(opposed) else None
    measured = found[found["finding"].isin(MEASURED)]
    tested = {name: int((measured[name] <= settings.level).sum()) for name in ("q_value", "q_released", "q_people")}
    return {
        "released": f"{len(found):,}",
        "runs": f"{len(found.drop_duplicates(['dataset', 'task', 'model', 'debiaser'])):,}",
        "printed": f"{len(printed):,}",
        "counted": f"{len(counted):,}",
        "selection_gaps": f"{int(counted['fv_of_selection'].sum()):,}",
        "far": f"{len(far):,}",
        "no_measurement": f"{int((~far['finding'].isin(MEASURED)).sum()):,}",
        "far_disparity": f"{int((far['finding'] == 'disparity').sum()):,}",
        "far_no_evidence": f"{int((far['finding'] == 'no evidence of disparity').sum()):,}",
        "opposed": f"{len(opposed):,} of {int((printed['finding'] == 'disparity').sum()):,}",
        "example": "" if extreme is None else _example(extreme),
        **{name: f"{many:,}" for name, many in tested.items()},
        "level": f"{settings.level:g}",
        "collapsed": percent(settings.collapsed),
        "smoothed": percent(settings.smoothed),
    }


def _example(row: pd.Series) -> str:
    return (
        f"{run_name(row)}, {set_name(row['attributes'])}: {_rate(row, 'protected')} of the protected and {_rate(row, 'privileged')} of the "
        f"privileged people are selected, DI {number(row['published_di'])}, published as ADI {number(row['published_adi'])}"
    )


def summary(found: pd.DataFrame) -> Table:
    """How many published numbers are worth what, by number of demographics."""
    orders = sorted(found["order"].unique())
    rows = []
    for finding, meaning in MEANT.items():
        own = found[(found["finding"] == finding) & found["printed"]]
        besides = int(((found["finding"] == finding) & ~found["printed"]).sum())
        rows.append([finding, meaning, *(f"{int((own['order'] == order).sum()):,}" for order in orders), f"{len(own):,}", f"{besides:,}"])
    printed = found[found["printed"]]
    sums = [f"{int((printed['order'] == order).sum()):,}" for order in orders]
    rows.append(["all", "", *sums, f"{len(printed):,}", f"{len(found) - len(printed):,}"])
    columns = ["Finding", "What the number is", *map(str, orders), "All in the paper", "Released besides"]
    return Table("What the published DI are worth: how many (runs x attribute sets), by number of demographics", columns, rows, (0, 1))


def by_order(found: pd.DataFrame, settings: Any) -> Table:
    """For each number of demographics, how often the published DI is further from 1 than chance, by four yardsticks."""
    rows = []
    measured = _measured(found[found["printed"]])
    for order, own in measured.groupby("order"):
        furthest = own.groupby(["dataset", "task", "model", "debiaser"])["p_order"].min()
        marks = [
            (own["published_di"] < own["null_low"]) | (own["published_di"] > own["null_high"]),
            (own["katz_low"] > 1) | (own["katz_high"] < 1),
            (own["ci_low"] > 1) | (own["ci_high"] < 1),
            own["q_value"] <= settings.level,
            own["outside_four_fifths"].astype(bool),
        ]
        width = f"{(own['ci_high'] / own['ci_low']).median():.2f}"
        size = f"{own['n_protected'].median():,.0f}"
        runs = f"{int((furthest <= settings.level).sum())} of {len(furthest)}"
        rows.append([str(order), f"{len(own):,}", size, width, *(f"{100 * mark.mean():.0f} %" for mark in marks), runs])
    level = percent(settings.confidence)
    columns = ["Demographics", "Numbers", "Protected people, median", f"Upper over lower end of the {level} interval, median"]
    columns += ["Beyond what chance shows", f"{level} interval by Katz without 1", f"{level} interval without 1"]
    columns += [f"q up to {settings.level:g}", "DI outside 0.8 to 1.25", "Runs whose furthest set is beyond chance"]
    caption = "Sampling error by number of demographics: the paper's runs, empty groups and collapsed models left out"
    return Table(caption, columns, rows)


def claims(found: pd.DataFrame, finding: str, level: str) -> Table:
    """Every published number of a finding with the counts behind it, those furthest from parity by ADI first."""
    own = found[found["finding"] == finding]
    distance = own["published_adi"].where(own["published_adi"] >= 1, 1 / own["published_adi"])
    rows = []
    for _, row in own.loc[distance.sort_values(ascending=False, kind="stable").index].iterrows():
        counted = pd.notna(row["texts"])
        sides = [_rate(row, side) for side in ("protected", "privileged")] if counted else ["unknown", "unknown"]
        chance = f"{number(row['null_low'])} to {number(row['null_high'])}" if counted else "-"
        tested = probability(row["q_value"]).removeprefix("= ") if pd.notna(row["q_value"]) else "-"
        published = [number(row[name]) for name in ("published_di", "published_adi")] + [number(row["published_fv"], 3)]
        notes = ", ".join(filter(None, [*row["problems"].split("; "), "DI and ADI opposed" if row["opposed"] else ""]))
        rows.append([run_name(row), set_name(row["attributes"]), *sides, *published, _interval(row), chance, tested, notes])
    columns = ["Run", "Attribute set", "Selected, protected", "Selected, privileged", "DI", "ADI", "FV", f"DI without smoothing [{level}]"]
    columns += ["DI by chance", "q", "Notes"]
    return Table(f"{finding}: {count(len(own), 'published number')}; {MEANT[finding]}", columns, rows, (0, 1, 10))


def known(problems: pa.Table) -> Table:
    """What is known against released numbers, with the proof."""
    rows = [[row["problem"], row["where"], f"{row['rows']:,}", row["proof"]] for row in problems.to_pylist()]
    return Table("Known problems of released numbers", ["Problem", "Where", "Numbers", "Why we know"], rows, (0, 1, 3))


def run_name(row: pd.Series) -> str:
    """``Numeracy, BERT``, with the debiaser where there is one and the data set where the paper prints another of the task."""
    name = f"{row['task']}, {row['model']}"
    name = name if row["debiaser"] == "none" else f"{name} + {row['debiaser']}"
    return name if row["printed"] else f"{name} ({row['dataset']})"


def _measured(found: pd.DataFrame) -> pd.DataFrame:
    """The numbers that compare two groups that are there, by a model that selects somebody."""
    return found[found["texts"].notna() & ~found["finding"].isin(["empty group", COLLAPSED])]


def _rate(row: pd.Series, side: str) -> str:
    return f"{row[f'selected_{side}']:,.0f} of {row[f'n_{side}']:,.0f}"


def _interval(row: pd.Series) -> str:
    if pd.isna(row["di"]):
        return f"undefined: {row['reason']}"
    if pd.isna(row["ci_low"]):
        return f"{number(row['di'])}, no interval"
    return f"{number(row['di'])} [{number(row['ci_low'])}, {number(row['ci_high'])}]"


def _numbers(shown: pd.DataFrame) -> list[Number]:
    names = ["order", "finding", "published_di", "ci_low", "ci_high", "null_low", "null_high"]
    rows = shown[names].astype(object).where(shown[names].notna(), None)
    return [Number(*row) for row in rows.itertuples(index=False)]

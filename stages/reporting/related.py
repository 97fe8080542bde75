"""What order, debiasing and mitigation do to fairness over all cells: tables of relate -> sentences, tables and a figure."""

import math
from collections import Counter
from typing import Any

import pandas as pd
import pyarrow as pa

from stages.reporting import baselines, effects_figure
from stages.reporting.baselines import FAIRER, LESS_FAIR, NO_EVIDENCE, UNTOLD, untold, verdict
from stages.reporting.effects_figure import RATIOS, Effect, size
from stages.reporting.results import MANY
from stages.reporting.tables import Table
from stages.reporting.wording import METRICS, count, number, percent, probability

KINDS = {"order": "number of demographics", "matched": "debiaser or mitigation, beside the cut baseline"}


def parts(effects: pa.Table, matched: pa.Table, probes: pa.Table, confidence: float, level: float) -> dict[str, Any] | None:
    """All that the section shows; None where nothing was related. ``level``: up to which q there is a difference."""
    import markupsafe

    found, cut = (table.to_pandas().astype(object).where(lambda frame: frame.notna(), None) for table in (effects, matched))
    if found.empty:
        return None
    drawn = [_effect(row, level) for row in found.to_dict("records") if row["value"] is not None]
    return {
        "level": percent(confidence),
        "significance": f"{level:g}",
        "overview": overview(found, level),
        "orders": [_of_order(row, level) for row in found.to_dict("records") if row["kind"] == "order"],
        "terms": _terms(found, confidence, level),
        "svg": markupsafe.Markup(effects_figure.draw(drawn)) if drawn else "",  # noqa: S704 - drawn by vl-convert, which escapes names
        "label": f"{count(len(drawn), 'effect')} on the distance from parity, a panel a gap; the table has every number.",
        "matched": baselines.summary(cut, level) if len(cut) else None,
        "every": []
        if cut.groupby(["task", "model"]).ngroups > MANY
        else [baselines.of_sets(own, task, model, confidence, level) for (task, model), own in cut.groupby(["task", "model"], sort=False)],
        "probes": _probes(probes.to_pylist(), confidence, level) if probes.num_rows else None,
        "probes_said": _probes_said(probes.to_pylist(), level),
    }


def overview(found: pd.DataFrame, level: float) -> dict[str, list[str]]:
    """Of the page's first sentences those about order, debiasers and mitigations."""
    said: dict[str, list[str]] = {"found": [], "none": [], "untold": []}
    for row in found[found["kind"] == "order"].to_dict("records"):
        told = beyond_chance(row, level)
        kind = "untold" if told.startswith(UNTOLD) else "none" if told.startswith("no more") else "found"
        said[kind].append(_of_order(row, level))
    for what in ("debiaser", "mitigation"):
        words = [verdict(row, level).split(":")[0] for row in found[found["kind"] == what].to_dict("records")]
        of = f"of {count(len(words), f'effect of {what}s on a gap', f'effects of {what}s on gaps')}"
        for kind, told in (("found", FAIRER), ("found", LESS_FAIR), ("none", NO_EVIDENCE), ("untold", UNTOLD)):
            if told in words:
                said[kind].append(f"{words.count(told):,} {of}: {told}.")
    return said


def beyond_chance(row: dict[str, Any], level: float) -> str:
    """Whether gaps grow with the number of demographics by more, or less, than chance alone makes them."""
    if row["value"] is None or row["p_value"] is None or row["null_mean"] is None:
        return untold(row)
    if row["p_value"] > level:
        return "no more and no less than by chance"
    return "more than by chance" if row["value"] > row["null_mean"] else "less than by chance"


def _of_order(row: dict[str, Any], level: float) -> str:
    """The paper's question answered in a sentence."""
    name, told = METRICS[row["outcome"]], beyond_chance(row, level)
    if told.startswith(UNTOLD):
        return f"{name}: {told}."
    if row["outcome"] in RATIOS:
        factors = {end: number(math.exp(row[end])) for end in ("value", "null_low", "null_high")}
        grows = f"Each further demographic puts {name} {factors['value']} times as far from 1"
        chance = f"{factors['null_low']} to {factors['null_high']} times"
    else:
        grows, chance = f"Each further demographic adds {row['value']:+.3f} to {name}", _range(row, "null_low", "null_high")
    return f"{grows}; in groups of these sizes chance alone gives {chance}: {told} (p {probability(row['p_value'])})."


def _terms(found: pd.DataFrame, confidence: float, level: float) -> Table:
    rows = []
    for row in found.to_dict("records"):
        of_order = row["kind"] == "order"
        words = beyond_chance(row, level) if of_order else verdict(row, level)
        chance = _range(row, "null_low", "null_high") if row["null_low"] is not None else "-"
        tested = ["-" if row[name] is None else probability(row[name]).removeprefix("= ") for name in ("p_value", "q_value")]
        counted = f"{row['n']:,}" + (f" ({row['undefined']:,} undefined)" if row["undefined"] else "")
        effect = "undefined" if row["value"] is None else f"{size(row['outcome'], row['value'])}{_interval(row)}"
        rows.append([METRICS[row["outcome"]], KINDS.get(row["kind"], row["kind"]), row["term"], effect, chance, *tested, words, counted])
    columns = ["Gap", "What", "Term", f"Effect, {percent(confidence)} interval", "By chance", "p", "q", "In words"]
    columns.append("Attribute sets x cells")
    return Table("What goes along with a gap's distance from parity", columns, rows, (0, 1, 2, 7))


def _interval(row: dict[str, Any]) -> str:
    return "" if row["ci_low"] is None else f" [{_range(row, 'ci_low', 'ci_high', ', ')}]"


def _range(row: dict[str, Any], low: str, high: str, between: str = " to ") -> str:
    return between.join(size(row["outcome"], row[end]) for end in (low, high))


def _effect(row: dict[str, Any], level: float) -> Effect:
    words = "number of demographics" if row["kind"] == "order" else verdict(row, level).split(":")[0]
    ends = [row[end] for end in ("ci_low", "ci_high", "null_low", "null_high")]
    return Effect(row["outcome"], row["term"], words, row["value"], *ends)


def _probes(along: list[dict[str, Any]], confidence: float, level: float) -> Table:
    """One row a probe and gap; Spearman's coefficient is tested and told, Kendall's stands beside it."""
    rows = []
    kendall = {(row["probe"], row["outcome"]): row for row in along if row["coefficient"] == "kendall"}
    for row in along:
        if row["coefficient"] != "spearman":
            continue
        other = kendall[row["probe"], row["outcome"]]
        interval = "" if row["ci_low"] is None else f" [{number(row['ci_low'])}, {number(row['ci_high'])}]"
        values = ["undefined" if one["value"] is None else number(one["value"]) for one in (row, other)]
        tested = ["-" if row[name] is None else probability(row[name]).removeprefix("= ") for name in ("p_value", "q_value")]
        rows.append(
            [
                row["probe"],
                METRICS.get(row["outcome"], row["outcome"]),
                values[0] + interval,
                values[1],
                *tested,
                str(row["n"]),
                along_with(row, level),
            ]
        )
    columns = ["Probe of the representation", "Gap of the model", f"Spearman, {percent(confidence)} interval", "Kendall", "p", "q"]
    columns += ["Embeddings", "In words"]
    return Table("Bias in representations beside bias in decisions", columns, rows, (0, 1, 7))


def _probes_said(along: list[dict[str, Any]], level: float) -> str:
    """How many probes go along with a gap, in a sentence."""
    told = Counter(along_with(row, level).split(":")[0] for row in along if row["coefficient"] == "spearman")
    counted = "; ".join(f"{words}: {how_many:,}" for words, how_many in told.most_common())
    return f"Of {count(told.total(), 'pair')} of a probe and a gap: {counted}."


def along_with(row: dict[str, Any], level: float) -> str:
    """A rank correlation in words."""
    if row["value"] is None or row["q_value"] is None:
        return untold(row)
    if row["q_value"] > level:
        return "no evidence that they go together"
    return "more biased representations, wider gaps" if row["value"] > 0 else "more biased representations, narrower gaps"

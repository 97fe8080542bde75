"""The verdicts in plain sentences with their counts: what was found, what was not, and what cannot be told."""

from collections import Counter
from typing import Any

from stages.contract.vocabulary import COLLAPSED
from stages.reporting import findings
from stages.reporting.assessment_rows import NO_EVIDENCE
from stages.reporting.groups import CANNOT_TELL, DISPARITY, AsTheyAre
from stages.reporting.results import Results
from stages.reporting.wording import METRICS, count, listed, measure, set_name

ASKS = {
    "adi": "is each group selected as often as its labels warrant?",
    "fv": "is each group found as reliably as everyone when its label is favourable?",
}
Sentences = dict[str, list[str]]


def parts(results: Results, groups: dict[tuple[str, str], AsTheyAre], *others: dict[str, Any] | None) -> Sentences:
    """``found``, ``none`` and ``untold``: lists of sentences; those of ``others``, sections that may be missing, come last."""
    said: Sentences = {"found": [], "none": [], "untold": []}
    told = [_gaps(results, metric) for metric in ASKS] if results.orders else []
    told += [_groups(groups)] if groups else []
    told += [section["overview"] for section in others if section is not None]
    for sentences in told:
        for kind, some in sentences.items():
            said[kind] += some
    if results.ungrouped:
        said["untold"].append(
            f"{listed(list(results.ungrouped))}: no demographics of the authors are known, so that no groups can be compared."
        )
    return said


def _gaps(results: Results, metric: str) -> Sentences:
    """What the tests of a gap of attribute sets came to, over all cells."""
    cells = list(results.cells())
    asked = [gap for cell in cells for name in results.orders[cell[0]] if (gap := results.gap(*cell, name, metric)) is not None]
    if not asked:
        return {}
    verdicts = Counter("undefined" if gap.value is None and gap.verdict != COLLAPSED else gap.verdict or "not tested" for gap in asked)
    name, of = METRICS[metric], f"of {count(len(asked), 'attribute set')}{' over all tasks and models' if len(cells) > 1 else ''}"
    said: Sentences = {"found": [], "none": [], "untold": []}
    if verdicts[DISPARITY]:
        found = f"a disparity in {verdicts[DISPARITY]:,} {of}{_furthest(results, metric)}"
        said["found"].append(f"{name} ({ASKS[metric]}): {found}")
    elif verdicts[NO_EVIDENCE]:
        said["none"].append(f"{name} ({ASKS[metric]}): no disparity in any {of}.")
    if verdicts[NO_EVIDENCE]:
        said["none"].append(f"{name}: no evidence of a disparity in {verdicts[NO_EVIDENCE]:,} {of}, which is no proof of parity.")
    if verdicts[CANNOT_TELL]:
        said["untold"].append(f"{name}: too few people for the test to tell in {verdicts[CANNOT_TELL]:,} {of}.")
    if verdicts[COLLAPSED]:
        said["untold"].append(
            f"{name}: {COLLAPSED} in {verdicts[COLLAPSED]:,} {of}: it selects every text or none, which tells no groups apart."
        )
    if verdicts["undefined"]:
        said["untold"].append(f"{name}: undefined in {verdicts['undefined']:,} {of}; the reasons stand under undefined numbers.")
    return said


def _furthest(results: Results, metric: str) -> str:
    """In how many cells there are disparities, and the one furthest from parity."""
    cells = list(results.cells())
    apart = {cell: gaps for cell in cells if (gaps := findings.apart(results, *cell, metric))}
    (task, model), gaps = max(apart.items(), key=lambda item: findings.distance(metric, next(iter(item[1].values())).known))
    name, gap = next(iter(gaps.items()))
    if len(cells) == 1:
        return f". The furthest from parity: {set_name(name)}, {measure(gap)}."
    return f", in {len(apart)} of {len(cells)} cells. The furthest from parity: {set_name(name)} ({task}, {model}), {measure(gap)}."


def _groups(groups: dict[tuple[str, str], AsTheyAre]) -> Sentences:
    """Of how many groups as they are something could be told; a group counts once a model."""
    every, told, found = (sum(getattr(cell, name) for cell in groups.values()) for name in ("number", "told", "found"))
    once = ", counted once a model" if len(groups) > 1 else ""
    of = f"of {count(told, 'group')} as they are (each category and intersection{once}) that are large enough for a test"
    said: Sentences = {"found": [], "none": [], "untold": []}
    if found:
        said["found"].append(f"{found:,} {of} {'stands' if found == 1 else 'stand'} out from everyone by at least one metric.")
    if told:
        said["none"].append(f"{told - found:,} {of} {'does' if told - found == 1 else 'do'} not stand out by any metric.")
    few = sum(cell.number - cell.told for cell in groups.values() if not cell.collapsed)
    if few:
        said["untold"].append(f"{few:,} of {count(every, 'group')} as they are: too few people for any test.")
    return said

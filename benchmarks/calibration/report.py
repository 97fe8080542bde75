"""The tables of every study, and where intervals or tests miss what they promise."""

from collections.abc import Iterator

from benchmarks.calibration import families, groups, pairs, peers, power
from benchmarks.calibration.shares import Share, table, together
from stages.metrics.group_scores import FROM_EVERYONE, FROM_REFERENCE, ITSELF, OVER_EVERYONE, OVER_REFERENCE
from stages.metrics.group_tests import ABOVE, EVERY, HIGHEST, LOWEST, RATIO

RATES = ("selection_rate", "tpr", "fpr")
LEAST_HELD, MOST_CLAIMED, SURE = 0.93, 0.055, 3  # a miss is one by more than so many standard errors
Column = list[tuple[str, str]]
INTERVALS: dict[str, Column] = {
    "rate": [(rate, ITSELF) for rate in RATES],
    "- everyone": [(rate, FROM_EVERYONE) for rate in RATES],
    "/ everyone": [(rate, OVER_EVERYONE) for rate in RATES],
    "- reference": [(rate, FROM_REFERENCE) for rate in RATES],
    "/ reference": [(rate, OVER_REFERENCE) for rate in RATES],
    "AUC": [("subgroup_auc", ITSELF)],
    "BPSN, BNSP": [("bpsn_auc", ITSELF), ("bnsp_auc", ITSELF)],
    "Brier": [("brier", ITSELF), ("brier", FROM_EVERYONE)],
    "calibration": [("calibration", ITSELF), ("calibration", FROM_EVERYONE)],
    "pooled": [(rate, groups.POOLED) for rate in RATES],
    "pooled, the one out": [(rate, f"{groups.POOLED}, {groups.OUT}") for rate in RATES],
}
WIDEST: dict[str, Column] = {
    HIGHEST: [(rate, HIGHEST) for rate in RATES],
    RATIO: [("selection_rate", RATIO)],
    LOWEST: [("selection_rate", LOWEST), ("tpr", LOWEST)],
    ABOVE: [("fpr", ABOVE)],
    "AUC, highest - lowest": [("subgroup_auc", HIGHEST)],
    "Brier, calibration": [("brier", HIGHEST), ("calibration", HIGHEST)],
    "equalised odds": [("equalised_odds", HIGHEST)],
    "differential fairness": [("differential_fairness", EVERY)],
}
BEYOND: Column = [
    (metric, f"{name} {groups.BEYOND}") for column in WIDEST.values() for metric, name in column if metric != "differential_fairness"
]
CLAIMS = ("selection_rate", "tpr", "fpr", "brier", "calibration")
Found = dict[tuple, dict]


def of_pairs(found: Found) -> Iterator[str]:
    yield "## Protected beside privileged\n"
    measures = [*((metric, "held") for metric in (*pairs.METRICS, *pairs.RATES)), *((metric, "level") for metric in pairs.METRICS)]
    names = [f"{metric} held" if what == "held" else f"{metric} p <= .05" for metric, what in measures]
    for kind in pairs.KINDS:
        rows = [
            {"people": people, "texts each": texts, "protected": protected}
            | {name: _cell(found[kind, (people, texts, protected)].get(measure)) for name, measure in zip(names, measures, strict=True)}
            for people, texts, protected in pairs.SIZES
        ]
        yield f"True rates: {kind}.\n\n{table(rows)}\n"
    cells = {(*place, *measure): share for place, of in found.items() for measure, share in of.items()}
    yield _misses({cell: share for cell, share in cells.items() if cell[-1] in ("held", "level")}, "level")


def of_groups(found: Found) -> Iterator[str]:
    yield "## Groups as they are\n"
    for title, columns in (("Intervals of groups", INTERVALS), ("Intervals of gaps over all groups", WIDEST)):
        yield f"{title}: share that holds the truth, mean of patterns and rates (least of them).\n"
        yield table(
            [_place(place) | {name: _of_patterns(found, place, name, column) for name, column in columns.items()} for place in _places()]
        )
        yield ""
    yield "Tests, and intervals beyond parity, at equality; and what is claimed when the TPR of one group is lower by 0.3.\n"
    yield table([_place(place) | _tests(found, place) for place in _places()]) + "\n"
    yield "The same levels, over all sizes and all tests of one rate or mean, with standard errors.\n"
    yield table([_levels(found, number, texts) for number in groups.GROUPS for texts in groups.TEXTS]) + "\n"
    held = {name: column for part in (INTERVALS, WIDEST) for name, column in part.items() if not name.startswith("pooled")}
    cells = {
        (*place, *measure): together([found[*place, pattern][measure] for pattern in groups.PATTERNS])
        for place in _places()
        for column in held.values()
        for measure in column
    }
    levels = {(*place, *measure): share for place, of in found.items() if place[-1] == groups.EQUAL for measure, share in of.items()}
    yield _misses(cells | {cell: share for cell, share in levels.items() if cell[-1] == groups.LEVEL}, groups.LEVEL)


def of_families(found: Found) -> Iterator[str]:
    yield "## Families of the 7 sets of three attributes, at equality: share of studies with any finding\n"
    measures = [measure for measure in next(iter(found.values())) if measure[0] not in ("fpr", "brier")]
    names = [" ".join(measure) for measure in measures]
    yield table(
        [
            {"people": people, "texts each": texts} | dict(zip(names, (str(of[measure]) for measure in measures), strict=True))
            for (people, texts), of in found.items()
        ]
    )
    yield ""
    yield _misses({(*place, *measure, "any"): share for place, of in found.items() for measure, share in of.items()}, "any")


def of_power(found: Found) -> Iterator[str]:
    yield "## What finds a planted deficit of TPR in one of ten intersections: share of studies that call a disparity\n"
    yield (
        table([{"people": people, "deficit": deficit} | {n: str(s) for n, s in of.items()} for (people, deficit), of in found.items()])
        + "\n"
    )


def of_peers(found: Found) -> Iterator[str]:
    yield "## The largest difference of selection rates: share of 95 % intervals that hold it, on the same draws\n"
    names = ("groups", "people each", "texts each", "true rates")
    yield table([dict(zip(names, place, strict=True)) | {n: str(s) for n, s in of.items()} for place, of in found.items()]) + "\n"


REPORTS = {families: of_families, groups: of_groups, pairs: of_pairs, peers: of_peers, power: of_power}


def _places() -> list[tuple[int, str, int]]:
    return list(dict.fromkeys(scenario[:3] for scenario in groups.SCENARIOS))


def _place(place: tuple[int, str, int]) -> dict[str, object]:
    return dict(zip(("groups", "people each", "texts each"), place, strict=True))


def _of_patterns(found: Found, place: tuple, name: str, column: Column) -> str:
    patterns = (groups.ONE_OUT,) if name.endswith("the one out") else groups.PATTERNS
    parts = [found[(*place, pattern)][measure] for pattern in patterns for measure in column]
    parts = [part for part in parts if part.studies]
    return f"{together(parts)} ({min(part.value for part in parts):.2f})" if parts else "-"


def _tests(found: Found, place: tuple) -> dict[str, str]:
    equal, out = found[(*place, groups.EQUAL)], found[(*place, groups.ONE_OUT)]
    levels = {f"{metric} p <= .05": str(equal[metric, groups.LEVEL]) for metric in CLAIMS}
    return levels | {
        "called a disparity": str(together([equal[metric, groups.CALLED] for metric in CLAIMS])),
        "interval beyond parity": str(together([equal[measure] for measure in BEYOND])),
        "one out: its TPR found": str(out["tpr", groups.OUT]),
        "and called": str(out["tpr", f"{groups.OUT}, {groups.CALLED}"]),
        "any other group's": str(out["tpr", groups.OTHERS]),
    }


def _levels(found: Found, number: int, texts: int) -> dict[str, object]:
    equal = [found[number, people, texts, groups.EQUAL] for people in groups.PEOPLE]
    shares = {name: together([of[metric, name] for of in equal for metric in CLAIMS]) for name in (groups.LEVEL, groups.CALLED)}
    shares["interval beyond parity"] = together([of[measure] for of in equal for measure in BEYOND])
    return {"groups": number, "texts each": texts} | {name: f"{share} ({share.error:.3f})" for name, share in shares.items()}


def _cell(share: Share | None) -> str:
    return "" if share is None else str(share)


def _misses(cells: dict[tuple, Share], level: str) -> str:
    """Which of many shares miss their promise by more than chance explains, and the largest standard error."""
    cells = {cell: share for cell, share in cells.items() if share.studies}
    found = []
    for cell, share in cells.items():
        above = share.value - MOST_CLAIMED if cell[-1] == level else LEAST_HELD - share.value
        if above > SURE * share.error:
            found.append({"where": ", ".join(map(str, cell)), "share": f"{share.value:.3f}", "standard error": f"{share.error:.3f}"})
    said = f"{len(cells):,} shares, standard errors up to {max(share.error for share in cells.values()):.3f}"
    promise = f"holding the truth in less than {LEAST_HELD} or claiming more than {MOST_CLAIMED}, by more than {SURE} standard errors"
    return f"{said}; {promise}: {len(found) or 'none'}.\n" + ("\n" + table(found) + "\n" if found else "")

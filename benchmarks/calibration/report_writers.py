"""The tables of writers of unequal numbers of texts, of heavy writers, of whole audits and their gate; and each figure that misses."""

from collections.abc import Iterator

from benchmarks.calibration import gate, heavy, unequal
from benchmarks.calibration.audited import AGAINST, CALLED, FURTHEST, GROUP, HELD, LEVEL, OVERALL, PAIR, SET, SIDE
from benchmarks.calibration.shares import Share, table, together

LEAST_HELD, MOST_HELD, MOST_CLAIMED, SURE = 0.93, 0.97, 0.055, 3  # a miss is one by more than so many standard errors
EVERYONE = "difference to everyone"
TESTS = {
    **{name: (PAIR, metric) for name, metric in (("DI", "di"), ("DI\\*", "di_star"), ("ADI", "adi"), ("FV", "fv"))},
    "groups: selection rate": (GROUP, f"selection_rate, {EVERYONE}"),
    **{name: (GROUP, f"{metric}, {EVERYONE}") for name, metric in (("TPR", "tpr"), ("FPR", "fpr"), ("accuracy", "accuracy"))},
}
MEANS = ("brier", "calibration", "treatment", "mean_", "gini")
Shares = dict[tuple[str, str, str], Share]
Found = dict[tuple, dict]


def of_unequal(found: Found) -> Iterator[str]:
    yield "## Groups that write unequally, at equality\n"
    yield (
        f"{unequal.MANY} people of a group write the first number of texts each, {unequal.FEW} of another the second (with three "
        "attributes twice as many people); *alike*: the intraclass correlation of a writer's texts, of either group where they differ. "
        "TPR and FPR are the same for everyone. Share of studies in which a test claims a difference (standard error).\n"
    )
    names = ("texts each", "alike", "rates", "attributes")
    places = {place: dict(zip(names, (f"{place[0][0]}:{place[0][1]}", *place[1:]), strict=True)) for place in found}
    yield from _shares_of(found, places)


def of_heavy(found: Found) -> Iterator[str]:
    yield "## Few who write much, authors as they are, small cells, at equality\n"
    skipped = {name: of[heavy.SKIPPED] for (name,), of in found.items() if heavy.SKIPPED in of}
    equal = {place: of for place, of in found.items() if place[0] in heavy.AS_EQUALS and place[0] not in skipped}
    yield f"Share of studies in which a test claims a difference (standard error).{_skipped(skipped)}\n"
    yield from _shares_of(equal, {place: {"writers": place[0]} for place in equal})
    yield f"### What finds a TPR lower by {heavy.DEFICIT} in those protected on every attribute\n"
    yield "Share of studies that call a disparity (standard error). With 300 people there are three attributes, else one.\n"
    yield table([{"those with the deficit": name} | {what: _with(s) for what, s in found[name,].items()} for name in heavy.PLANTED]) + "\n"


def of_gate(found: Found) -> Iterator[str]:
    yield "## One whole audit of three attributes at equality: does it call anything, does its gate fail?\n"
    skipped = {name: of[gate.SKIPPED] for (name,), of in found.items() if gate.SKIPPED in of}
    shown = {name: of for (name,), of in found.items() if name not in skipped}
    yield (
        f"Share of audits (standard error). {gate.PEOPLE} people, or the authors of the essays. A classifier that is always right has "
        "differing selection rates where base rates differ, and must never fail the gate. Each metric keeps its level by itself; what "
        f"any of all metrics calls is told and not promised.{_skipped(skipped)}\n"
    )
    yield table([{"writers": name} | {what: _with(share) for what, share in of.items()} for name, of in shown.items()]) + "\n"
    misses = [
        {"writers": name, "share": what, "found": _with(share)}
        for name, of in shown.items()
        for what, share in of.items()
        if what in (gate.FAILS, AGAINST) and _too_many(share, what == AGAINST or name == gate.RIGHT)
    ]
    yield (
        f"The gate failing in more than {MOST_CLAIMED} by more than {SURE} standard errors, or what must never be at all: "
        f"{len(misses) or 'none'}.\n" + (f"\n{table(misses)}\n" if misses else "")
    )


def _shares_of(found: Found, places: dict[tuple, dict[str, str]]) -> Iterator[str]:
    yield table([names | _levels(found[place]) for place, names in places.items()]) + "\n"
    yield "Share of intervals that hold the truth, mean over what a column has (least of them).\n"
    yield table([names | _coverage(found[place]) for place, names in places.items()]) + "\n"
    yield _misses({" ".join(names.values()): found[place] for place, names in places.items()})


def _levels(of: Shares) -> dict[str, str]:
    shown = {name: _with(of.get((LEVEL, *measure))) for name, measure in TESTS.items()}
    for title, kind in (("any other of groups, most", GROUP), ("most extreme, most", FURTHEST), ("gap over groups, most", SET)):
        others = [share for (what, k, name), share in of.items() if (what, k) == (LEVEL, kind) and (k, name) not in TESTS.values()]
        shown[title] = _with(max((share for share in others if share.studies), key=lambda share: share.value, default=None))
    called = [share for (what, *_), share in of.items() if what == CALLED and share.studies]
    return shown | {"called, most": _with(max(called, key=lambda share: share.value)), AGAINST: _with(of[AGAINST, "", ""])}


def _coverage(of: Shares) -> dict[str, str]:
    held = {(kind, name): share for (what, kind, name), share in of.items() if what == HELD and share.studies}
    columns = {metric: [share for place, share in held.items() if place == measure] for metric, measure in list(TESTS.items())[:4]}
    of_groups = {name: share for (kind, name), share in held.items() if kind == GROUP}
    means = {name: share for name, share in of_groups.items() if name.startswith(MEANS)}
    aucs = [share for name, share in of_groups.items() if "_auc" in name]
    rates = {name: share for name, share in of_groups.items() if name not in means and "_auc" not in name}
    columns["rate of a side"] = [share for (kind, _), share in held.items() if kind == SIDE]
    for title, end in (("rate of a group", "none"), ("- everyone", EVERYONE), ("- reference", "difference to reference")):
        columns[title] = [share for name, share in rates.items() if name.endswith(f", {end}")]
    columns["ratios"] = [share for name, share in rates.items() if ", ratio" in name]
    columns |= {"means": list(means.values()), "AUC": aucs}
    for title, wanted in (("gaps over groups", SET), ("of everyone", OVERALL)):
        columns[title] = [share for (kind, _), share in held.items() if kind == wanted]
    return {name: _mean(part) for name, part in columns.items()}


def _mean(parts: list[Share]) -> str:
    if not parts:
        return "-"
    return f"{together(parts)} ({min(share.value for share in parts):.2f})" if len(parts) > 1 else _with(parts[0])


def _misses(found: dict[str, Shares]) -> str:
    """Each figure that misses its promise by more than chance explains: where it does so, and by how much at worst."""
    missed: dict[tuple[str, str, str], dict[str, Share]] = {}
    wide, number, largest = 0, 0, 0.0
    for place, of in found.items():
        for measure, share in of.items():
            if not share.studies or (measure[0] == CALLED and (LEVEL, *measure[1:]) in missed and place in missed[LEVEL, *measure[1:]]):
                continue  # what is called too often because its p is too small too often is said once
            number, largest = number + 1, max(largest, share.error)
            low = measure[0] == HELD and LEAST_HELD - share.value > SURE * share.error
            wide += measure[0] == HELD and share.value - MOST_HELD > SURE * share.error
            if low or (measure[0] != HELD and _too_many(share, never=measure[0] == AGAINST)):
                missed.setdefault(measure, {})[place] = share
    rows = []
    for (what, kind, name), places in missed.items():
        pick = min if what == HELD else max
        place, share = pick(places.items(), key=lambda item: item[1].value)
        figure = f"{kind}: {name}" if kind else "all"
        rows.append({"figure": figure, "what": what, "worst": _with(share), "where": place, "scenarios": len(places)})
    total = sum(row["scenarios"] for row in rows)
    return (
        f"{number:,} shares, standard errors up to {largest:.3f}; holding the truth in less than {LEAST_HELD}, or claiming more than "
        f"{MOST_CLAIMED}, by more than {SURE} standard errors, or a disparity against its own interval at all: {total or 'none'}. "
        f"{wide:,} shares hold the truth in more than {MOST_HELD}: wider than asked.\n" + (f"\n{table(rows)}\n" if rows else "")
    )


def _too_many(share: Share, never: bool) -> bool:
    return bool(share.studies) and (share.value > 0 if never else share.value - MOST_CLAIMED > SURE * share.error)


def _with(share: Share | None) -> str:
    """A share and its standard error."""
    return f"{share} ({share.error:.3f})" if share is not None and share.studies else "-"


def _skipped(skipped: dict[str, str]) -> str:
    return "".join(f" Skipped: {name} ({why})." for name, why in skipped.items())

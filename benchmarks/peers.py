"""Ours beside fairlearn, AIF360 and Aequitas on the same rows: rates of every group, bootstrap, permutation null, a whole audit.

Seconds are of the processor, not of the clock, so that other work on the machine counts for neither side.
"""

import itertools
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.peers_environment import APART, OURS, install, job, run
from stages.metrics.contingency import tabulate
from stages.metrics.groupwise import Membership, cross, of_values, rates, tally
from stages.metrics.permutation import null_sums

ATTRIBUTES = ["age", "gender", "income", "education", "race"]
ROWS, MANY_ROWS = 100_000, 1_000_000
REPLICATES, DRAWS = 1000, 10_000
TWITTER = 83_078  # texts of the Multilingual Twitter Corpus in the NAACL 2022 benchmark
SETS = [("gender", *rest) for order in range(5) for rest in itertools.combinations([n for n in ATTRIBUTES if n != "gender"], order)]
AUDIT = """
import re, sys
from flows.command import main
assert main(sys.argv[1:]) == 0
print(int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1]) / 1024)
"""
Row = dict[str, str]
Found = dict[str, Any]


def measure() -> list[Row]:
    """Rows of what, ours, theirs, ratio, note. The figures of ours and theirs are compared, and an unequal one is an AssertionError."""
    missing = install()
    with tempfile.TemporaryDirectory() as name:
        small, large = Path(name, "small.csv"), Path(name, "large.csv")
        _write(small, ROWS)
        _write(large, MANY_ROWS)
        peer = job(OURS, "fairlearn", small)
        rows = [*_groups(small, peer, missing), *_bootstrap(small, peer), *_null(), *_audit(small, ROWS, peer, missing)]
        return rows + _audit(large, MANY_ROWS, job(OURS, "fairlearn", large), missing)


def _groups(path: Path, fairlearn: Found, missing: str) -> list[Row]:
    frame = pd.read_csv(path)
    decided = frame["label"].to_numpy() == 1, frame["decision"].to_numpy() == 1
    alone = _fastest(lambda: [rates(tally(of_values(frame[name]), *decided)) for name in ATTRIBUTES])[0]
    seconds, (groups, found) = _fastest(lambda: _rates(frame, *decided))
    what = f"rates of {len(groups.names):,} groups, five attributes crossed, {len(frame):,} texts"
    one_by_one = f"rates of {len(ATTRIBUTES)} attributes one at a time, {len(frame):,} texts"
    if missing:
        others = [_without(what, seconds, f"AIF360 and Aequitas: {missing}"), _without(one_by_one, alone, f"Aequitas: {missing}")]
    else:
        aif360, aequitas = (job(APART, name, path) for name in ("aif360", "aequitas_groups"))
        _agree(groups, found, aif360["rates"])
        _agree(groups, found, aequitas["rates"])
        others = [
            _row(what, seconds, aif360["seconds"], "AIF360", "a ClassificationMetric a group, all of its performance measures"),
            _row(what, seconds, aequitas["seconds"], "Aequitas", "get_crosstabs of a column crossed by hand; 12 rates"),
            _row(one_by_one, alone, aequitas["alone"], "Aequitas", "get_crosstabs, which knows no intersections; 12 rates"),
        ]
    _agree(groups, found, fairlearn["rates"])
    return [_row(what, seconds, fairlearn["seconds"], "fairlearn", "MetricFrame by_group with three rates; ours all 13"), *others]


def _rates(frame: pd.DataFrame, favourable: np.ndarray, selected: np.ndarray) -> tuple[Membership, Found]:
    groups = cross(*(of_values(frame[name]) for name in ATTRIBUTES))
    return groups, rates(tally(groups, favourable, selected))


def _agree(groups: Membership, found: Found, theirs: dict[str, list[float]]) -> None:
    ours = np.stack([found[name][0] for name in ("selection_rate", "tpr", "fpr")], axis=1)
    np.testing.assert_allclose(ours, [theirs["|".join(map(str, group))] for group in groups.names], rtol=0, atol=1e-12)


def _bootstrap(path: Path, fairlearn: Found) -> list[Row]:
    frame = pd.read_csv(path)
    favourable, selected = frame["label"].to_numpy() == 1, frame["decision"].to_numpy() == 1

    def replicates() -> Found:
        # Redrawing people equals drawing how many of them are of each kind: group, label and decision.
        group = cross(*(of_values(frame[name]) for name in ATTRIBUTES)).member.tocsr().indices.astype(np.int64)
        kinds, people = np.unique(group * 4 + favourable * 2 + selected, return_counts=True)
        drawn = np.random.default_rng(1).multinomial(len(frame), people / len(frame), REPLICATES).astype(float)
        return rates(tally(of_values(kinds // 4), kinds // 2 % 2 == 1, kinds % 2 == 1, drawn))

    seconds, found = _fastest(replicates)
    what = f"{REPLICATES:,} bootstrap replicates of the rates of {found['tpr'][0].shape[1]:,} groups, {len(frame):,} texts"
    note = "MetricFrame(n_boot), from one replicate; three rates, ours all 13; one text a person"
    return [
        _row(what, seconds, REPLICATES * fairlearn["replicate"], "fairlearn", note),
        _without(what, seconds, "AIF360 and Aequitas have no bootstrap and no intervals"),
    ]


def _null() -> list[Row]:
    random = np.random.default_rng(0)
    status = pd.DataFrame({name: random.choice(["protected", "privileged"], TWITTER) for name in ATTRIBUTES})
    label, decision = random.random(TWITTER) < 0.3, random.random(TWITTER) < 0.3
    rows = []
    for texts in (1, 5):
        author = np.arange(TWITTER) // texts
        of_author = status.iloc[author].reset_index(drop=True)

        def draw(of_author: pd.DataFrame = of_author, author: np.ndarray = author) -> int:
            return sum(len(chunk) for chunk in null_sums(tabulate(of_author, label, decision, author), SETS, DRAWS, 1))

        seconds, draws = _timed(draw)
        assert draws == DRAWS
        what = f"permutation null, {DRAWS:,} deals, {len(SETS)} attribute sets of orders 1-5, {TWITTER:,} texts, {texts} a person"
        rows.append(_without(what, seconds, "fairlearn and AIF360 have no test; Aequitas has t-tests, one attribute at a time"))
    return rows


def _audit(path: Path, texts: int, fairlearn: Found, missing: str) -> list[Row]:
    options = ["--label", "label", "--favourable", "1", "--score", "score", "--threshold", "0.7", "--favourable-scores", "high"]
    options += ["--attributes", *ATTRIBUTES, "--privileged", *(f"{name}=a" for name in ATTRIBUTES), "--out", str(path.with_suffix(""))]
    seconds, printed = run([OURS, "-c", AUDIT, "audit", str(path), *options])
    megabytes = float(printed.split()[-1])
    what, peak = (f"{quantity} of a whole audit, {texts:,} texts x five attributes, file to report" for quantity in ("time", "peak memory"))
    theirs = fairlearn["whole"] - fairlearn["redrawn"] + REPLICATES * fairlearn["replicate"]
    note = f"MetricFrame(n_boot={REPLICATES}), from one replicate; three rates of one of our 31 attribute sets, no report"
    rows = [_row(what, seconds, theirs, "fairlearn", note), _row(peak, megabytes, fairlearn["megabytes"], "fairlearn", "the same", "MB")]
    if missing:
        return [*rows, _without(what, seconds, f"Aequitas: {missing}")]
    for name, tests in (("aequitas_tests", "with t-tests"), ("aequitas_audit", "without tests")):
        peer = job(APART, name, path)
        note = f"Audit {tests}, attributes one at a time, no intervals, no report"
        rows += [_row(what, seconds, peer["whole"], "Aequitas", note), _row(peak, megabytes, peer["megabytes"], "Aequitas", note, "MB")]
    return rows


def _write(path: Path, rows: int) -> None:
    """Five attributes of four values, 1,024 groups when crossed, scores that are the same for all, and decisions from a cut at 0.7."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({name: random.choice(list("abcd"), rows) for name in ATTRIBUTES})
    frame = frame.assign(label=(random.random(rows) < 0.3).astype(int), score=random.random(rows).round(4))
    frame.assign(decision=(frame["score"] >= 0.7).astype(int)).to_csv(path, index=False)


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.process_time()
    found = work()
    return time.process_time() - started, found


def _fastest(work: Callable[[], Any]) -> tuple[float, Any]:
    return min((_timed(work) for _ in range(3)), key=lambda done: done[0])


def _row(what: str, ours: float, theirs: float, who: str, note: str, unit: str = "s") -> Row:
    figures = {"ours": f"{_digits(ours)} {unit}", "theirs": f"{_digits(theirs)} {unit} ({who})", "ratio": f"{_digits(theirs / ours)}x"}
    return {"what": what, **figures, "note": note}


def _without(what: str, ours: float, note: str) -> Row:
    return {"what": what, "ours": f"{_digits(ours)} s", "theirs": "none", "ratio": "-", "note": note}


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"

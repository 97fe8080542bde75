"""The rows of evaluate from tables of big predictions: the contingency table of all people, performance, and figures of classes."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from flows.large_coding import Coding
from flows.large_people import Profiles
from flows.large_ranks import Everyone
from stages.metrics.class_report import score_kinds
from stages.metrics.contingency import Contingency
from stages.metrics.intervals import Interval, accelerated_interval, acceleration
from stages.metrics.performance import METRICS, RARE
from stages.metrics.scoring import Row, Rules, row

Numbers = NDArray[np.float64]
Index = NDArray[np.int64]
STATUS = {"privileged": 1, "protected": 0, None: -1}
CLASSES = [3, 2, 1, 0]  # codes of label and decision in the order of ``class_report``
RANGES = {"mse": (0, np.inf), "pearson_r": (-1, 1)}


def contingency(people: Profiles, coding: Coding, attributes: Sequence[str]) -> Contingency:
    """The table of ``contingency.tabulate`` from kinds of people, in the order of their first rows."""
    status = statuses(coding, people.codes >> 2)
    coded = np.column_stack([*(status[name] for name in attributes), people.codes >> 1 & 1, people.codes & 1])
    cells, cell = np.unique(coded, axis=0, return_inverse=True)
    kind = people.kind
    by_kind = sparse.csr_array((people.texts.astype(float), (kind, cell.ravel())), shape=(len(people.number), len(cells)))
    by_kind.sum_duplicates()
    alike: dict[bytes, int] = {}
    starts, place = by_kind.indptr, np.empty(len(people.number), dtype=np.int64)
    for index in range(len(people.number)):
        part = slice(starts[index], starts[index + 1])
        place[index] = alike.setdefault(by_kind.indices[part].tobytes() + by_kind.data[part].tobytes(), len(alike))
    first = np.unique(place, return_index=True)[1]
    authors = np.bincount(place, people.number).astype(float)
    cells = cells.astype(np.int8)
    return Contingency(tuple(attributes), cells[:, :-2], cells[:, -2] == 1, cells[:, -1] == 1, by_kind[first], authors)


def categories(coding: Coding, combinations: Index) -> dict[str, Index]:
    """The category [combinations] of each attribute."""
    found = {}
    for one in reversed(coding.attributes.values()):
        combinations, found[one.name] = np.divmod(combinations, len(one.values))
    return {name: found[name] for name in reversed(found)}


def statuses(coding: Coding, combinations: Index) -> dict[str, NDArray[np.int8]]:
    """Whether each attribute is privileged 1, protected 0 or unknown -1 [combinations]."""
    meant = {one.name: np.array([STATUS[status] for status in one.status], dtype=np.int8) for one in coding.attributes.values()}
    return {name: meant[name][place] for name, place in categories(coding, combinations).items()}


def performance(everyone: Everyone, products: Numbers, cubes: Numbers, rules: Rules) -> list[Row]:
    """The rows of ``scoring.score_performance``: intervals from the normal limit of redrawn people."""
    defined = [index for index, metric in enumerate(METRICS) if np.isfinite(everyone.point[metric])]
    drawn, rare = {}, min(everyone.favourable, everyone.texts - everyone.favourable) < RARE
    if not rare:
        centre = [everyone.point[METRICS[index]] for index in defined]
        replicates = np.random.default_rng(rules.seed).multivariate_normal(centre, products[np.ix_(defined, defined)], rules.replicates)
        drawn = {index: np.clip(replicates[:, i], *RANGES.get(METRICS[index], (0, 1))) for i, index in enumerate(defined)}
    rows = []
    for index, metric in enumerate(METRICS):
        interval: Interval = (np.nan, np.nan, "undefined: the predictions or the labels do not vary")
        if index in drawn:
            speed = cubes[index] / (6 * products[index, index] ** 1.5) if products[index, index] > 0 else 0.0
            interval = accelerated_interval(drawn[index], everyone.point[metric], float(speed), rules.confidence)
        elif index in defined:
            interval = (np.nan, np.nan, f"no interval: fewer than {RARE} texts have one of the two labels")
        rows.append(row((), "everyone", metric, everyone.point[metric], interval) | {"n": everyone.texts})
    return rows


def classes(people: Profiles, rules: Rules) -> list[Row]:
    """The rows of ``class_report.score_classes``."""
    kind = people.kind
    counts = np.bincount(kind * 4 + (people.codes & 3), people.texts, 4 * len(people.number)).reshape(-1, 4)[:, CLASSES]
    kinds, place = np.unique(counts, axis=0, return_inverse=True)
    number = np.bincount(place.ravel(), people.number).astype(np.int64)
    return score_kinds(kinds.astype(float), number, rules, lambda influence: acceleration(influence, number.astype(float)))

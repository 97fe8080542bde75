"""The rows of evaluate from tables of big predictions: the contingency table of all people, performance, and figures of classes."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from flows.large_coding import Coding
from flows.large_figures import Everyone
from flows.large_people import Profiles
from stages.metrics.class_report import score_kinds
from stages.metrics.contingency import Contingency
from stages.metrics.intervals import Interval, jackknife_interval
from stages.metrics.performance import METRICS, SCALES
from stages.metrics.scoring import Row, Rules, row

Numbers = NDArray[np.float64]
Index = NDArray[np.int64]
STATUS = {"privileged": 1, "protected": 0, None: -1}
CLASSES = [3, 2, 1, 0]  # codes of label and decision in the order of ``class_report``


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


def performance(everyone: Everyone, squares: Numbers, rules: Rules) -> list[Row]:
    """The rows of ``scoring.score_performance``, from the sums of squares [5] of how far people move each figure."""
    rows = []
    for metric, square in zip(METRICS, squares, strict=True):
        interval: Interval = (np.nan, np.nan, "undefined: the predictions or the labels do not vary")
        value = everyone.point[metric]
        if np.isfinite(value):
            interval = jackknife_interval(value, float(np.sqrt(square)), everyone.effective[metric], rules.confidence, SCALES[metric])
        rows.append(row((), "everyone", metric, value, interval) | {"n": everyone.texts})
    return rows


def classes(people: Profiles, rules: Rules) -> list[Row]:
    """The rows of ``class_report.score_classes``."""
    kind = people.kind
    counts = np.bincount(kind * 4 + (people.codes & 3), people.texts, 4 * len(people.number)).reshape(-1, 4)[:, CLASSES]
    kinds, place = np.unique(counts, axis=0, return_inverse=True)
    number = np.bincount(place.ravel(), people.number).astype(np.int64)
    return score_kinds(kinds.astype(float), number, rules)

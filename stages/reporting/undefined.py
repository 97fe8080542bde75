"""Every number that is missing, and why: scores without a value or without an interval -> counts by reason."""

import re
from collections import defaultdict

from stages.contract.vocabulary import ANY_GROUP, ANY_SET
from stages.reporting.results import OURS, Key, Results
from stages.reporting.tables import Table
from stages.reporting.wording import count, metric_name, set_name

PLACES = 3  # how many of the sets concerned are named


def table(results: Results) -> Table:
    """One row for each missing thing, metric, group and reason; reasons that differ in a count are one."""
    found: dict[tuple[str, str, str, str], list[Key]] = defaultdict(list)
    cells = set(results.performed())
    for key, score in results.scores.items():
        if (key.task, key.model) in cells and not score.bounded and key.group not in (ANY_GROUP, ANY_SET):
            missing = "interval" if score.value is not None else "number"
            reason = re.sub(r"undefined in \d+ of", "undefined in too many of", score.reason or "no reason was recorded")
            reason = re.sub(r"^(no interval: over )?[\d,]+ (of \d+ )?groups", r"\1so many groups", reason)
            metric = metric_name(key.metric) + ("" if key.convention == OURS else f" ({key.convention})")
            found[missing, metric, key.group, reason].append(key)
    order = sorted(found, key=lambda kind: (kind[0] != "number", kind[3], kind[2], kind[1]))
    rows = [[*kind, f"{len(found[kind]):,}", _where(found[kind])] for kind in order]
    columns = ["Missing", "Metric", "Group", "Reason", "How many", "Where"]
    return Table("Missing numbers and intervals by reason", columns, rows, (0, 1, 2, 3, 5))


def _where(keys: list[Key]) -> str:
    """The first few attribute sets concerned, of all cells together."""
    names = list(dict.fromkeys(set_name(key.attributes) or "all texts" for key in keys))
    cells = len({(key.task, key.model) for key in keys})
    more = f" and {len(names) - PLACES} more" if len(names) > PLACES else ""
    return f"{', '.join(names[:PLACES])}{more}, in {count(cells, 'cell')}"

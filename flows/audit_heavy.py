"""Groups in which few people wrote most of the texts: a sentence on them, as their numbers of people promise more than they hold."""

import pyarrow as pa
import pyarrow.compute as pc

from stages.metrics.group_scores import ITSELF

NAMED = 3


def heavy_note(groups: pa.Table, fewest: int) -> str | None:
    """Which groups of one attribute have ``fewest`` people or more and effectively fewer, by their texts; None where there are none."""
    texts = (pc.field("metric").isin(["base_rate", "mean_label"])) & (pc.field("comparison") == ITSELF) & (pc.field("order") == 1)
    few = (pc.field("people") >= fewest) & (pc.field("effective_people") < fewest)
    found = groups.filter(texts & few).sort_by("effective_people").to_pylist()
    if not found:
        return None
    named = [f"{row['attributes']}: {row['group']} ({row['people']:,}, effectively {row['effective_people']:.1f})" for row in found[:NAMED]]
    which = "; ".join(named) + ("; ..." if len(found) > NAMED else "")
    of = "1 group" if len(found) == 1 else f"{len(found):,} groups"
    return f"few people wrote most texts of {of}, which are worth fewer than {fewest} people each: {which}. Intervals are wide."

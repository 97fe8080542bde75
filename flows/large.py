"""`crossbias audit` of more rows than fit into memory: three passes over lots of people, whose tables add up to what evaluate scores."""

import dataclasses
import functools
import tempfile
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from flows import (
    audit_outcomes,
    audit_table,
    large_counts,
    large_figures,
    large_files,
    large_groups,
    large_layout,
    large_limit,
    large_ranks,
    large_scores,
    large_survey,
)
from flows.audit_options import Options
from flows.large_coding import Coding
from flows.large_counts import Layout, Tally
from flows.large_groups import Tallied
from flows.large_people import Profiles, by_first_row
from flows.large_survey import Survey
from flows.large_workers import each
from stages import evaluate, subgroup
from stages.contract.tables import from_pandas
from stages.metrics.contingency import GROUPS, TEXTS, Contingency
from stages.metrics.fairness import add_up
from stages.metrics.scoring import Row, Rules, Sets

Numbers = NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Scored:
    """What evaluate and subgroup give of files in memory, and sentences on how it was read."""

    scores: pa.Table
    groups: pa.Table
    headline: dict[str, Any]
    sets: pa.Table
    notes: list[str]


def survey(pool: Executor, files: list[Path], options: Options) -> Survey:
    """Which values there are, how often: of all rows."""
    found = Survey({})
    for part in each(pool, functools.partial(large_survey.survey, options=options), large_files.parts(files)):
        found.add(part, options)
    return found


def score(
    pool: Executor,
    files: list[Path],
    options: Options,
    found: Survey,
    coding: Coding,
    groups: subgroup.Params,
    params: evaluate.Params,
    lot: int,
) -> Scored:
    """Scores of all rows of ``files``; ``lot``: how many rows, about, a process has in memory at once."""
    sets: Sets = subgroup.sets_of([one.name for one in coding.attributes.values()], groups)
    rules = Rules(**params.model_dump(include={field.name for field in dataclasses.fields(Rules)}))
    with tempfile.TemporaryDirectory(prefix="crossbias-") as name:
        spilt = large_layout.spill(pool, files, options, coding, max(1, -(-found.used // lot)), Path(name))
        layout = large_layout.layout_of(coding, sets, spilt)
        people, kept, histogram = _tally(pool, spilt, layout)
        table = large_scores.contingency(people, coding, sorted({one for chosen in sets for one in chosen}))
        pairs = evaluate.score_table(large_limit.sampled(table, sets, rules), params)
        tallied = large_groups.of_profiles(people, layout, kept)
        tallied, overall, apart = _ranked(pool, spilt, layout, tallied, histogram, kept, Path(name, "placements.npy"), rules)
    rows, frame = evaluate.compare_all(tallied, rules)
    scored = evaluate.scored(overall + large_scores.classes(people, rules) + pairs + rows, frame, params)
    notes = _read(options, found, coding, people, spilt.nobody) + _inexact(options, layout, apart)
    return Scored(*scored, _sizes(table, sets), notes)


def _ranked(
    pool: Executor, spilt: large_layout.Spill, layout: Layout, tallied: Tallied, histogram: Numbers, kept: Tally, file: Path, rules: Rules
) -> tuple[Tallied, list[Row], float]:
    """The groups with their AUCs, the rows of performance, and how far an AUC may be off; the third pass."""
    texts = add_up(tallied.codes, tallied.texts, 4).reshape(2, 2)
    unfavourable, favourable = (np.where(tallied.favourable == label, tallied.texts, 0) for label in (False, True))
    sides = tallied.side(unfavourable), tallied.side(favourable)
    counted = tallied.side(tallied.texts), tallied.side(favourable + np.where(tallied.codes & 1, tallied.texts, 0))
    ranked = large_ranks.rank(histogram, layout, sides, file)
    everyone = large_figures.figures(texts, kept.scores, float(ranked.value[0, -1]), sides, counted)
    spread = functools.partial(large_ranks.spread, layout=layout, everyone=everyone, sides=sides, file=file)
    squares, figures = (sum(part) for part in zip(*each(pool, spread, spilt.slices), strict=True))
    aucs = large_ranks.worths(ranked, squares, sides, tallied.lattice.starts)
    rows = large_scores.performance(everyone, figures, rules)
    return dataclasses.replace(tallied, ranked=aucs), rows, ranked.most_apart


def _tally(pool: Executor, spilt: large_layout.Spill, layout: Layout) -> tuple[Profiles, Tally, Numbers]:
    """The second pass: kinds of people, what else adds up, and texts [cells, 2, levels] by label and level."""
    lots = each(pool, functools.partial(large_counts.tally, layout=layout), spilt.slices)
    histogram = np.zeros(len(layout.cells) * 2 * layout.levels)
    kept = next(lots)
    histogram[kept.histogram[0]] += kept.histogram[1]
    for lot in lots:
        histogram[lot.histogram[0]] += lot.histogram[1]
        kept = large_counts.together(kept, lot)
    return by_first_row(kept.people), kept, histogram.reshape(-1, 2, layout.levels)


def _sizes(table: Contingency, sets: Sets) -> pa.Table:
    """Texts and people of each group of each set, as ``subgroup`` has them."""
    texts, people = table.sums(sets)[1:, TEXTS], table.people(sets)[1:, TEXTS]
    places = [("+".join(chosen), len(chosen), group) for chosen in sets for group in GROUPS]
    frame = pd.DataFrame(places, columns=["attributes", "order", "group"])
    return from_pandas(frame.assign(texts=texts.astype(np.int64), authors=people.astype(np.int64)))


def _read(options: Options, found: Survey, coding: Coding, people: Profiles, nobody: int) -> list[str]:
    """How the files were read, in the order of the notes of a file in memory."""
    notes, decided = coding.notes[:1], 1 + bool(options.decision)
    if options.score:
        selected = people.number[people.kind][people.codes & 1 > 0] @ people.texts[people.codes & 1 > 0]
        of = f"{int(selected):,} of {found.used:,}"
        notes.append(audit_outcomes.score_note(options, found.low, found.high, coding.cut, coding.direction, False, of))
    notes += coding.notes[1:decided]
    if options.score is None:
        notes.append(audit_outcomes.NO_SCORES)
    return [*notes, audit_table.author_note(options, int(people.number.sum()) - nobody, nobody), *coding.notes[decided:]]


def _inexact(options: Options, layout: Layout, apart: float) -> list[str]:
    """What is not as in memory."""
    notes = [f"id {options.id!r} is not looked at in files of this size."] if options.id else []
    if options.score and layout.exact:
        notes.append("AUCs are exact: no two scores were taken for one.")
    elif options.score:
        notes.append(f"AUCs: neighbouring scores share one of {layout.levels:,} levels, which moves no AUC by more than {apart:.2g}.")
    notes.append(
        f"tests of Brier scores, calibration and mean scores, and with {large_limit.MANY:,} people or more all tests, follow the normal "
        f"limit of people dealt anew; in groups of fewer than {large_limit.FEW:,} each is drawn."
    )
    return notes

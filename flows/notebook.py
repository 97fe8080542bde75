"""Audits in a notebook: a frame of predictions -> tidy frames of scores and groups, charts, and the page that `crossbias audit` writes.

from flows.notebook import audit
found = audit(frame, label="hired", score="p", attributes=["gender", "race"], privileged={"gender": "man", "race": "white"})
"""

import html
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from flows import audit as audits
from flows import audit_report
from flows.audit_options import Options
from stages.contract.bad_input import BadInput
from stages.metrics.gate import NAME, Member, Outcome, judge
from stages.reporting import gate

if TYPE_CHECKING:
    import altair as alt

PARITY = {"adi": 1.0, "di": 1.0, "di_star": 1.0, "fv": 0.0}
MOST_DRAWN = 40


def audit(frame: Any, *, label: str, attributes: Sequence[str], name: str = "frame", **options: Any) -> "Audited":
    """What `crossbias audit` finds in a frame of pandas or polars, or an Arrow table: one row a text, the same groups, tests and verdicts.

    ``options`` are those of the command (``score``, ``decision``, ``author``, ``favourable``, ``threshold``, ``replicates``, ``seed``
    ...; see flows/audit_options.py); ``privileged`` may be a mapping, ``{"gender": "man", "age": "..55"}``. ``name`` is what the page
    calls the frame. BadInput: what cannot be read, or only by guessing.
    """
    privileged = options.pop("privileged", ())
    if isinstance(privileged, Mapping):
        privileged = tuple(f"{column}={who}" for column, who in privileged.items())
    unknown = options.keys() - Options.__dataclass_fields__.keys()
    if unknown:
        raise BadInput(f"{', '.join(sorted(unknown))}: no such option; there are {', '.join(Options.__dataclass_fields__)}.")
    table = _arrow(frame)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "frame.parquet")
        pq.write_table(table, file)  # the command's own reader decides what the cells mean
        asked = Options(file, label, tuple(attributes), privileged=tuple(privileged), **options)
        try:
            done = audits.audit(asked)
        except BadInput as error:
            raise BadInput(str(error).replace(str(file), name)) from error
    return Audited(done, replace(asked, file=Path(name)))


@dataclass(frozen=True)
class Audited:
    """An audit: ``scores`` and ``groups`` as tidy frames of pandas, ``notes`` on how the frame was read, charts, and the page."""

    audit: audit_report.Audit
    options: Options

    @property
    def scores(self) -> pd.DataFrame:
        """One row an attribute set, group, metric and convention: value, interval, n, p, q, verdict, or the reason why it is undefined."""
        return self._told.tables["scores"].to_pandas()

    @property
    def groups(self) -> pd.DataFrame:
        """One row a group of people as it is, metric and comparison: value, interval, n, people, pooled estimate, q and verdict."""
        return self._told.tables["groups"].to_pandas()

    @property
    def notes(self) -> list[str]:
        """Rows read and left out, and how each column was understood."""
        return self._told.lines[: 1 + len(self.audit.reading.rows["left_out"]) + len(self.audit.reading.notes)]

    @property
    def summary(self) -> dict[str, Any]:
        """The content of the command's summary.json."""
        return self._told.summary

    @property
    def page(self) -> str:
        """The command's page: one HTML text that needs nothing else."""
        return self._told.page

    def gate(self, rule: str | None = None) -> Outcome:
        """What ``--fail-on`` says: ``passed`` is True, False, or None where nothing could be tested. See stages/metrics/gate.py.

        ``rule``: ``disparity`` or ``disparity:METRIC,...``; by default the audit's own ``fail_on``, else disparity.
        """
        return judge(self.scores, rule or self.options.fail_on or NAME, self.audit.evaluate.level)

    def failures(self, rule: str | None = None) -> pd.DataFrame:
        """The metrics of the gate's family that fail it, each with its most extreme group or set; none means passed.

        BadInput: nothing could be tested, which is no pass.
        """
        outcome = self.gate(rule)
        if outcome.passed is None:
            raise BadInput(
                f"gate {outcome.rule}: nothing could be tested ({'; '.join(f'{one.metric}: {one.says}' for one in outcome.members)})."
            )
        rows = [asdict(one) for one in outcome.tested if one.p_family is not None and one.p_family <= outcome.level]
        return pd.DataFrame(rows, columns=[field.name for field in fields(Member)])

    def write(self, folder: str | Path) -> Path:
        """Write the folder that the command writes, and return it. BadInput: it holds files of somebody else."""
        audit_report.publish(self.audit, replace(self.options, out=Path(folder)))
        return Path(folder)

    def chart(self, metric: str = "selection_rate", attributes: str | None = None) -> "alt.LayerChart":
        """Groups as they are by one metric, with intervals and n at hand; the ``MOST_DRAWN`` largest, of one attribute set or of all.

        BadInput: there is no such metric or set among ``groups``.
        """
        groups = self.groups.query("metric == @metric").set_index(["attributes", "group"])
        rows = groups.query("comparison == 'none'").copy()
        tests = groups.query("comparison == 'difference to everyone'")  # a group is tested beside everyone
        rows["verdict"], rows["q_value"] = tests["verdict"].reindex(rows.index), tests["q_value"].reindex(rows.index)
        rows = rows.reset_index().query("attributes == @attributes" if attributes else "n >= 0")
        if rows.empty:
            raise BadInput(f"no group has metric {metric!r}{f' of {attributes}' if attributes else ''}; see groups['metric'].unique().")
        return _intervals(rows.nlargest(MOST_DRAWN, "n"), "group", metric, None)

    def chart_gaps(self, metric: Literal["adi", "di", "di_star", "fv"] = "adi") -> "alt.LayerChart":
        """A gap of every attribute set, with intervals; the line is parity. BadInput: the audit has no such gap."""
        rows = self.scores.query("metric == @metric and convention == 'crossbias' and group == 'protected/privileged'")
        if rows.empty:
            raise BadInput(f"there is no gap {metric!r}; there are {', '.join(PARITY)}.")
        return _intervals(rows, "attributes", metric, PARITY[metric])

    @cached_property
    def _told(self) -> audit_report.Told:
        return audit_report.tell(self.audit, self.options)

    def __repr__(self) -> str:
        return "\n".join(self._told.lines)

    def _repr_html_(self) -> str:
        """The verdicts and the sets furthest from parity, for a notebook's output cell."""
        counts = self.scores["verdict"].value_counts()
        verdicts = ", ".join(f"{number:,} {html.escape(str(verdict))}" for verdict, number in counts.items()) or "none"
        shown = self.scores.query("verdict == 'disparity' and convention == 'crossbias'").nsmallest(10, "q_value")
        shown = shown[["attributes", "metric", "value", "ci_low", "ci_high", "n_protected", "n_privileged", "q_value"]]
        notes = "".join(f"<li>{html.escape(note.strip())}</li>" for note in self.notes)
        table = shown.to_html(index=False, float_format="{:.3f}".format, na_rep="") if len(shown) else ""
        judged = self.summary["gate"]
        said = f"<p><b>{html.escape(gate.sentence(judged))}</b></p>" if judged else ""
        read = f"<details><summary>How it was read</summary><ul>{notes}</ul></details>"
        return f"{said}<p><b>Verdicts on all gaps:</b> {verdicts}</p>{table}{read}"


def _arrow(frame: Any) -> pa.Table:
    """A frame as an Arrow table, without pandas' index. BadInput: it is no frame."""
    if isinstance(frame, pd.DataFrame):
        return pa.Table.from_pandas(frame, preserve_index=False)
    if isinstance(frame, pa.Table):
        return frame
    if hasattr(frame, "__arrow_c_stream__"):  # polars, DuckDB and others
        return pa.table(frame)
    raise BadInput(f"{type(frame).__name__} is no frame of pandas or polars and no Arrow table.")


def _intervals(rows: pd.DataFrame, name: str, metric: str, parity: float | None) -> "alt.LayerChart":
    """Points with intervals, one row each, from the largest down; undefined ones are left out, as they have no place on the axis."""
    import altair as alt

    known = rows[rows["value"].notna()].reset_index(drop=True)
    known = known.assign(verdict=known["verdict"].fillna("not tested"), row=known["attributes"] + ": " + known[name])
    label = "row" if name == "group" else name
    y = alt.Y(f"{label}:N", sort=known[label].tolist(), title=None, axis=alt.Axis(labelLimit=360))
    counts = ("n", "people", "effective_people", "n_protected", "n_privileged")
    tips = [one for one in (label, "value", "ci_low", "ci_high", *counts, "q_value") if one in known]
    base = alt.Chart(known)
    scale = alt.Scale(type="log" if parity == 1.0 else "linear", zero=False)
    marks = [
        base.mark_rule().encode(y=y, x=alt.X("ci_low:Q", scale=scale, title=metric), x2="ci_high:Q"),
        base.mark_point(filled=True, opacity=1, size=60).encode(
            y=y, x=alt.X("value:Q", scale=scale), color="verdict:N", shape="verdict:N", tooltip=tips
        ),
    ]
    if parity is not None:
        line = alt.Chart(pd.DataFrame({"parity": [parity]})).mark_rule(strokeDash=[4, 3], color="#666")
        marks.insert(0, line.encode(x=alt.X("parity:Q", scale=scale)))
    return alt.layer(*marks)

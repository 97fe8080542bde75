"""The paper's tables as LaTeX."""

import re
from collections.abc import Iterator

from stages.reporting.by_order import Line
from stages.reporting.paper_tables import Grid, shown, title
from stages.reporting.wording import number

ESCAPES = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {sign: f"\\{sign}" for sign in "&%$#_{}"}


def write(grid: Grid, level: str, significance: float) -> str:
    """Every metric and convention as tables that fit the width of a page (booktabs), values above intervals.

    A star: p of the set that stands out most among those of its order is at most ``significance``.
    """
    parts = [
        f"% Needs \\usepackage{{booktabs}}. Values above their {escaped(level)} intervals; a star: among all sets of this number of",
        f"% demographics the one that stands out most has p <= {significance:g} (not corrected for tasks and models).",
    ]
    for metric, convention in grid.kinds():
        for part, block in enumerate(grid.blocks()):
            parts += ["", *_table(grid, block, (metric, convention), part, significance)]
    return "\n".join(parts) + "\n"


def _table(grid: Grid, block: list[tuple[str, int]], kind: tuple[str, str], part: int, significance: float) -> Iterator[str]:
    tasks = list(dict.fromkeys(task for task, _ in block))
    labels = 1 + len(grid.treatments())
    heads = [f"\\multicolumn{{{len(grid.orders[task])}}}{{c}}{{{escaped(task)}}}" for task in tasks]
    yield r"\begin{table*}"
    yield r"\centering\scriptsize\setlength{\tabcolsep}{2pt}"
    yield rf"\begin{{tabular}}{{{'l' * labels}{'c' * len(block)}}}"
    yield r"\toprule"
    yield " & ".join([*[""] * labels, *heads]) + r" \\"
    yield " & ".join(["Model", *map(str.capitalize, grid.treatments()), *(f"+{order - 1}" for _, order in block)]) + r" \\"
    yield r"\midrule"
    for arm in grid.arms:
        found = [grid.line(task, arm.model, order, *kind) for task, order in block]
        names = [escaped(name) for name in (arm.model, *(getattr(arm, name) for name in grid.treatments()))]
        yield " & ".join([*names, *(_value(line, significance) for line in found)]) + r" \\"
        yield " & ".join([*[""] * labels, *(_interval(line) for line in found)]) + r" \\"
    yield r"\bottomrule"
    yield r"\end{tabular}"
    yield rf"\caption{{{escaped(title(*kind))}.}}"
    yield rf"\label{{tab:{'-'.join(kind)}-{part + 1}}}"
    yield r"\end{table*}"


def _value(line: Line | None, significance: float) -> str:
    if line is None or line.furthest is None:
        return "--"
    star = "^{*}" if line.p_any is not None and line.p_any <= significance else ""
    return f"${number(shown(line).known)}{star}$"


def _interval(line: Line | None) -> str:
    score = shown(line) if line is not None else None
    if score is None or score.ci_low is None or score.ci_high is None:
        return ""
    return f"[{number(score.ci_low)}, {number(score.ci_high)}]"


def escaped(text: str) -> str:
    return re.sub(r"[\\~^&%$#_{}]", lambda match: ESCAPES[match[0]], text)

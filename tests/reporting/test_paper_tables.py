"""The paper's arrangement, on the page and in LaTeX: every line in its cell, tasks unbroken, names escaped."""

import re

import pytest

from stages.reporting import by_order, latex, paper, paper_tables
from stages.reporting.paper_tables import Grid
from stages.reporting.results import EVERYONE, GAP, OURS, Key, Results, Score
from tests.reporting.test_by_order import PAIR


@pytest.fixture
def grid(results):
    results.scores[Key("t", "a", EVERYONE, "any set of order 1", "adi", OURS)] = Score(0.6, None, None, None, None, None, None, None, 0.03)
    return Grid(results, by_order.lines(results, PAIR), by_order.arms(PAIR))


def wide(orders):
    """A benchmark with so many orders a task and no score."""
    sets = {task: {f"{order}": order for order in range(1, most + 1)} for task, most in orders.items()}
    return Grid(Results(["a"], sets, {}, {}), [], by_order.arms(PAIR))


def test_rows_are_models_columns_tasks_and_orders(grid):
    (table,) = paper_tables.arranged(grid, "adi", OURS, "95 %")
    assert table.columns == ["Model", "Debiaser", "t +0", "t +1"]
    assert table.rows == [
        ["a", "none", "1.90\n[0.90, 3.00]\np = 0.030", "0.00\nno interval"],
        ["b", "leace", "2.00\n[1.20, 3.10]", "undefined"],
    ]


def test_a_table_takes_whole_tasks_up_to_ten_columns():
    blocks = list(wide({"a": 5, "b": 5, "c": 3, "d": 5, "e": 12}).blocks())
    assert [list(dict.fromkeys(task for task, _ in block)) for block in blocks] == [["a", "b"], ["c", "d"], ["e"]]
    assert [len(block) for block in blocks] == [10, 8, 12]


def test_fv_shows_its_mean(results):
    for name, value in (("gender", 0.1), ("race", 0.3)):
        results.scores[Key("t", "a", name, GAP, "fv", OURS)] = Score(value, value - 0.1, value + 0.1, None, 12, 34, None, None)
    grid = Grid(results, by_order.lines(results, PAIR), by_order.arms(PAIR))
    assert paper_tables.arranged(grid, "fv", OURS, "95 %")[0].rows[0][2] == "0.20\n[0.10, 0.30]"
    assert grid.kinds() == [("adi", OURS), ("fv", OURS)]


def test_every_line_has_mean_furthest_range_and_p(results, grid):
    table = paper_tables.every(by_order.lines(results, PAIR), "t", "adi", "95 %")
    assert table.rows[0] == [
        *("a", "1", "2 of 2", "1.25 [0.65, 1.95]", "gender", "1.90 [0.90, 3.00]", "12 / 34", "0.60 to 1.90", "0.030", ""),
    ]
    assert table.rows[3][2:4] == ["0 of 1", "undefined: no text in the protected group"]
    assert {len(row) for row in table.rows} == {len(table.columns)}


def test_latex_has_as_many_cells_in_every_row_and_closes_what_it_opens(grid):
    text = latex.write(grid, "95 %", 0.05)
    body = text[text.index("\\begin{table*}") :]
    assert "95 \\%" in text
    assert "$1.90^{*}$ & $0.00$" in body
    assert "[0.90, 3.00] & " in body
    assert "leace & $2.00$ & --" in body
    columns = len(re.search(r"\\begin\{tabular\}\{(\w+)\}", body)[1])
    for line in body.splitlines():
        if line.endswith(r"\\"):
            spanned = sum(int(many) - 1 for many in re.findall(r"\\multicolumn\{(\d+)\}", line))
            assert len(re.split(r"(?<!\\)&", line)) + spanned == columns
    assert re.findall(r"\\begin\{([^}]*)\}", body) == re.findall(r"\\end\{([^}]*)\}", body)[::-1]
    assert body.count("{") == body.count("}")


def test_latex_escapes_every_special_character():
    assert latex.escaped(r"a_b & 5 % of {x} ~ $y^2$ #1 \z") == (
        r"a\_b \& 5 \% of \{x\} \textasciitilde{} \$y\textasciicircum{}2\$ \#1 \textbackslash{}z"
    )


def test_the_section_has_a_figure_for_each_representation_with_a_mark_a_line(results):
    parts = paper.parts(results, PAIR, "95 %")
    assert [figure["name"] for figure in parts["figures"]] == ["a"]
    assert [table.caption[:15] for table in parts["first"]] == ["ADI (crossbias)"]
    assert parts["rest"] == []
    assert list(parts["every"]) == ["t"]


def test_without_any_score_there_is_nothing_to_draw(results):
    bare = Results(results.models, results.orders, results.sizes, {})
    parts = paper.parts(bare, PAIR, "95 %")
    assert (parts["first"], parts["figures"], parts["every"]) == ([], [], {"t": []})

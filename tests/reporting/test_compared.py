"""The words and tables of a comparison: what is worse first, sixty lines at most, and no name of somebody's data acts on either."""

import re

import pandas as pd
import pytest
import yaml

from stages.metrics import compare_gate, gate
from stages.reporting import compared
from tests.conftest import ROOT

HOSTILE = "<script>alert(1)</script> [x](http://x) |"


def rows(number: int, verdict: str = "worse", family: str = "gaps of protected and privileged", **columns: object) -> pd.DataFrame:
    place = {"task": "trust", "model": "minilm", "attributes": "gender+race", "order": 2, "group": "protected/privileged", "metric": "adi"}
    place |= {
        "convention": "crossbias",
        "family": family,
        "value_a": 0.9,
        "value_b": 0.5,
        "difference": 0.59,
        "ci_low": 0.2,
        "ci_high": 0.9,
    }
    return pd.DataFrame([place | {"q_value": 0.01, "verdict": verdict, "reason": None} | columns] * number)


def cell(status: str = "compared", **columns: object) -> dict:
    found = {"task": "trust", "model": "minilm", "status": status, "reasons": [], "documents": {"compared": 1200}, "selection": (0.5, 0.4)}
    return found | columns


def told(found: pd.DataFrame, cells: list[dict]) -> tuple[str, str]:
    about = {
        "notes": ["a note"],
        "changes": {"parameters": [("x", 1, None)] * 80},
        "method": ["how"],
        "gates": ("worse-fairness",),
        "untested": {},
    }
    return compared.render(found, cells, ("main", "workspace"), about, found.head(2).assign(gate="worse-fairness"))


def test_sentences_count_each_kind():
    found = pd.concat(
        [rows(2), rows(1, "better"), rows(3, "no evidence", "performance"), rows(1, "worse", "gaps of protected and privileged, x")]
    )
    cells = [cell(), cell("identical", documents={}, selection=None)]
    assert compared.sentences(found, cells) == [
        "1 of 2 cells is identical to the byte.",
        "Fairness: of 3 figures 2 worse, 1 better, 0 no evidence, 0 not comparable.",
        "Performance: of 3 figures 0 worse, 0 better, 3 no evidence, 0 not comparable.",
        "Fairness by other conventions: of 1 figure 1 worse, 0 better, 0 no evidence, 0 not comparable.",
    ]
    assert compared.sentences(found.head(0), cells[1:]) == ["All 1 cell is identical to the byte."]
    nothing = "Nothing could be compared: of 1 cell none has results on both sides."
    assert compared.sentences(found.head(0), [cell("only in B")]) == [nothing]


def test_the_comment_is_short_however_much_there_is():
    found = pd.concat(
        [rows(500), *(rows(3, "not comparable", reason=f"reason {i}", difference=None) for i in range(40))], ignore_index=True
    )
    page, comment = told(found, [cell(model=f"m{i}") for i in range(65)])
    assert len(comment.splitlines()) <= 60
    assert "492 more in rows.parquet" in comment
    assert "59 more" in comment
    assert "Gate worse-fairness: failed by 2 figures." in comment
    assert "Parameters that differ: x (1 → none)" in comment
    assert page.count("<table>") > 4
    assert not re.search(r"(src|href)=", page)


def test_a_gate_of_which_nothing_could_be_tested_did_not_pass():
    failed = rows(2).assign(gate="one")
    assert compared.gates(failed, ("one", "two", "three"), {"two": "collapsed model: B selects no text"}) == [
        "Gate one: failed by 2 figures.",
        "Gate two: nothing could be tested, which is no pass (collapsed model: B selects no text).",
        "Gate three: passed.",
    ]


def test_hostile_names_are_only_shown():
    found = rows(2, attributes=HOSTILE, reason=HOSTILE, task=HOSTILE)
    page, comment = told(found, [cell(task=HOSTILE, reasons=[HOSTILE])])
    assert "<script" not in page
    assert not re.search(r"(?<!\\)<script", comment)
    assert not re.search(r"(?<!\\)\]\(", comment)


def test_undefined_and_unnamed_values_have_words():
    line = compared.figures("x", rows(1, "not comparable", value_b=None, difference=None, q_value=None, reason="undefined in B"), 5).rows[0]
    assert line[3:] == ["0.900", "undefined", "", "", "not comparable (undefined in B)"]
    everyone = compared.figures("x", rows(1, attributes="", group="everyone", metric="f1", convention="naacl2022"), 5).rows[0]
    assert everyone[1:3] == ["everyone", "F1 (naacl2022)"]
    assert everyone[5] == "+0.590 [+0.200, +0.900]"


@pytest.mark.parametrize(
    ("number", "key", "job"), [(0, "jobs", "compare"), (1, "compare", "compare"), (2, "jobs", "audit"), (3, "audit", "audit")]
)
def test_examples_for_continuous_integration_are_yaml(number, key, job):
    blocks = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "ci.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 4
    example = yaml.safe_load(blocks[number])
    assert key in example
    steps = [step.get("run", "") for step in example["jobs"][job]["steps"]] if key == "jobs" else example[job]["script"]
    (command,) = (step for step in steps if step.startswith(f"crossbias {job}"))
    rule = command.split("--fail-on ")[1].split()[0]
    assert compare_gate.parsed(rule) if job == "compare" else gate.parsed(rule)

"""The section on relations: verdicts in words that the tests allow, thresholds told from gains, everything drawn and escaped."""

import math
from xml.etree import ElementTree

import jinja2
import pytest

from stages.reporting import baselines, effects_figure, related
from stages.reporting.effects_figure import Effect
from tests.conftest import ROOT
from tests.reporting import relations
from tests.reporting.relations import EFFECTS, MATCHED, PROBES, cut, effect


def parts(effects=EFFECTS, matched=MATCHED, probes=PROBES):
    return related.parts(*relations.related(effects, matched, probes), 0.95, 0.05)


def test_without_effects_there_is_no_section():
    assert parts([], [], []) is None


def test_growth_with_the_number_of_demographics_is_told_against_chance():
    adi, fv = parts()["orders"]
    assert adi == (
        "Each further demographic puts ADI 1.11 times as far from 1; in groups of these sizes chance alone gives 1.05 to 1.14 times: "
        "no more and no less than by chance (p = 0.700)."
    )
    assert fv == (
        "Each further demographic adds +0.040 to FV; in groups of these sizes chance alone gives +0.005 to +0.015: "
        "more than by chance (p = 0.001)."
    )
    fewer = effect("di", "order", "order", 0.01, null_mean=0.09, null_low=0.05, null_high=0.13, p_value=0.01)
    assert "less than by chance" in parts([fewer])["orders"][0]
    assert parts([effect("di", "order", "order", None, reason="one order")])["orders"] == ["DI: cannot tell: one order."]


def test_every_term_has_a_row_with_its_verdict():
    rows = parts()["terms"].rows
    assert [row[7] for row in rows] == [
        "no more and no less than by chance",
        "fairer",
        "cannot tell: the models decide alike",
        "more than by chance",
        "no evidence of a difference",
    ]
    assert rows[1][3] == "x 0.95 [x 0.92, x 0.98]"
    assert rows[2][3] == "undefined"
    assert rows[0][8] == "128 (3 undefined)"


@pytest.mark.parametrize(
    ("value", "q_value", "word"),
    [
        (-0.1, 0.05, "fairer"),
        (0.1, 0.05, "less fair"),
        (-0.1, 0.06, "no evidence of a difference"),
        (0.0, 0.01, "no evidence of a difference"),
    ],
)
def test_a_verdict_needs_a_small_q_and_a_direction(value, q_value, word):
    assert baselines.verdict(effect("adi", "debiaser", "b - a", value, p_value=0.001, q_value=q_value), 0.05) == word


def test_a_gain_is_more_than_a_threshold_only_against_the_cut_baseline():
    adi, fv = parts()["matched"].rows
    # The median over the two sets of which all three are known: 0.8 and 0.5 are 1.25 and 2 times away, 1.58 between them.
    assert adi[4:7] == [f"x {math.sqrt(1 / 0.8 / 0.5):.2f}", f"x {math.sqrt(1 / 0.8):.2f}", "x 1.58"]
    assert adi[:3] == ["b\nbeside a", "t", "ADI"]
    assert adi[3] == "yes: fairer than the cut baseline in 2 of 2 sets"
    assert adi[7:9] == ["50.0 → 40.0 %", "72.0 → 70.0 % (71.0 %)"]
    # Half the baseline's gap, and all of that is the threshold.
    assert fv[4:7] == ["0.100", "0.050", "0.050"]
    assert fv[3] == "no evidence in any of 1 set"


def test_gains_and_losses_are_counted_apart():
    better, worse = (cut("adi", name, (0.5, 0.6, 0.5), by, 0.01) for name, by in (("gender", -0.2), ("race", 0.2)))
    assert baselines.more([better, worse], 0.05) == "mixed: fairer than the cut baseline in 1, less fair in 1 of 2 sets"
    assert baselines.more([worse], 0.05) == "no: less fair than the cut baseline in 1 of 1 set"
    assert baselines.more([MATCHED[2]], 0.05) == "cannot tell: undefined in one of the models"


def test_every_set_has_its_row_and_what_is_undefined_its_reason():
    (table,) = parts()["every"]
    assert table.caption == "t, b: beside its baseline at equal selection rates"
    assert table.rows[0] == [*("gender", "ADI", "0.80", "1.00", "0.80", "x 0.80 [x 0.78, x 0.82]", "0.010", "fairer")]
    assert table.rows[2][4:] == ["undefined", "undefined", "-", "cannot tell: undefined in one of the models"]


def test_probes_are_told_by_q_and_too_few_embeddings_tell_nothing():
    rows = parts()["probes"].rows
    assert rows[0][2:] == ["0.40 [-0.30, 0.90]", "0.30", "0.200", "0.600", "8", "no evidence that they go together"]
    assert rows[1][2] == "undefined"
    assert rows[1][-1] == "cannot tell: fewer than 5 embeddings"
    found = {"value": 0.9, "q_value": 0.01, "reason": None}
    assert related.along_with(found, 0.05) == "more biased representations, wider gaps"
    assert related.along_with(found | {"value": -0.9}, 0.05) == "more biased representations, narrower gaps"


def section(found):
    """The included template within a page of nothing but its macros."""
    loader = jinja2.FileSystemLoader(ROOT / "stages" / "reporting")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, loader=loader)
    macros = environment.loader.get_source(environment, "page.html.jinja")[0].split("<!DOCTYPE")[0]
    return environment.from_string(macros + '{% include "related.html.jinja" %}').render(relate=found)


def test_the_section_shows_all_and_names_have_no_markup():
    text = section(parts())
    assert text.count("<svg") == 1
    assert text.count("<h3>") == 3
    assert "&lt;b&gt;rnd" in text
    hostile = [row | {"term": "<script>alert(1)</script>"} for row in EFFECTS[:1]]
    assert "<script" not in section(parts(hostile))
    assert "More than another threshold" not in section(parts(matched=[], probes=[]))


def test_every_effect_is_drawn_with_its_interval_and_the_same_every_time():
    effects = [
        Effect("adi", "order", "number of demographics", 0.1, None, None, 0.05, 0.13),
        Effect("adi", "b - a", "fairer", -0.05, -0.08, -0.02, None, None),
        Effect("fv", "b - a", "no evidence of a difference", 0.01, -0.01, 0.03, None, None),
    ]
    svg = effects_figure.draw(effects)
    root = ElementTree.fromstring(svg)  # noqa: S314 - our own
    counts = {
        kind: sum(len(group) for group in root.iter() if f"mark-{kind} role-mark" in group.get("class", "")) for kind in ("symbol", "rule")
    }
    # An interval or a null bar each, and the line at parity in two panels.
    assert counts == {"symbol": 3, "rule": 3 + 2}
    assert svg == effects_figure.draw(effects)
    assert "NaN" not in svg
    assert "Infinity" not in svg

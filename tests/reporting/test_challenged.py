"""The section on challenges: the paper's test beside ours, conventions, what is undefined, what stands out, all escaped."""

from types import SimpleNamespace
from xml.etree import ElementTree

import jinja2
import pyarrow as pa
import pytest

from stages.reporting import challenged
from stages.reporting.breakdown import COLUMNS
from tests.conftest import ROOT
from tests.reporting.contrasts import BLACK, LATINO, METHODS, OTHER, REFERENCES, contrasted, design, fit, row, rows

WHY = "all scores of 4 of 4 groups are at one end of [0, 1]"
SETTINGS = SimpleNamespace(confidence=0.95)


def item(kind, name, difference, **rest):
    about = {"challenge": "black_white", "task": "joy_en", "model": "m", "kind": kind, "item": name, "people": "female", "beside": "male"}
    about |= {"mean": 0.5 + difference, "mean_beside": 0.5, "difference": difference, "ci_low": None, "ci_high": None}
    return about | {"names": 20, "names_beside": 19, "sentences": 400, "reason": None} | rest


ITEMS = [item("template", "feels", 0.01, ci_low=-0.01, ci_high=0.03), item("template", "said", -0.2), item("name", "Ana", 0.1)]


def parts(found=None, fits=None, items=ITEMS, standing_out=5):
    found = rows(BLACK) + rows(LATINO, **OTHER) if found is None else found
    fits = [fit(), fit(**OTHER, precision=None)] if fits is None else fits
    broken = pa.Table.from_pylist(items, schema=pa.schema(COLUMNS))
    return challenged.parts(*contrasted(found, fits), broken, REFERENCES, design(), SETTINGS, 0.05, standing_out)


def test_without_challenges_there_is_no_section():
    assert parts([], [], []) is None


def test_it_is_said_how_many_terms_differ_and_how_many_the_paper_would_have():
    counts = {"terms": "6", "regressions": "2 regressions", "sentences": "2,800"}
    widest = "black_white, joy_en, m: female beside male, +0.050 [+0.030, +0.070] of the labels' range"
    assert parts()["said"] == counts | {"differ": "1", "none": "5", "untold": "0", "paper": "1", "kept": "1", "widest": widest}


def test_the_papers_coefficients_are_set_beside_coefficients_and_not_effects():
    found = [one | {"q_value": 0.9} if one["method"] == "mixed" else one for one in rows(BLACK)]
    told = parts(found, [fit()])["said"]
    assert (told["differ"], told["paper"], told["kept"]) == ("1", "1", "0")
    none = parts(rows(dict.fromkeys(BLACK, 0.01)), [fit()])["said"]
    assert (none["differ"], none["widest"]) == ("0", "")


def test_a_precision_by_attribute_has_a_table_of_its_own_and_changes_no_verdict():
    log_phi = {"scale": "log precision", "estimate": -0.5, "ci_low": -0.7, "ci_high": -0.3}
    own = [row("gender[female]", f"{method}_precision", None, 0.002, **log_phi) for method in ("beta_expected", "beta_cluster")]
    plain, asked = parts(rows(BLACK), [fit()]), parts(rows(BLACK) + own, [fit(precision=None)])
    assert asked["said"] == plain["said"]
    assert [table.caption for table in plain["challenges"][0]["tables"]] == [
        table.caption for table in asked["challenges"][0]["tables"] if not table.caption.startswith("Precision of")
    ]
    table = next(table for table in asked["challenges"][0]["tables"] if table.caption.startswith("Precision of"))
    assert table.rows == [["joy_en, m", "female beside male", "0.61 [0.50, 0.74]", "0.002", "0.002", "0.002"]]
    assert "by attribute" in asked["challenges"][0]["tables"][-1].rows[0]
    lost = [row("gender[female]", "beta_expected_precision", None, None, scale="log precision", reason=WHY)]
    assert parts(rows(BLACK) + lost, [fit()])["undefined"].rows[0][2] == "the paper's test, precision"


def test_the_summary_has_verdict_and_stars_side_by_side():
    first, second = parts()["challenges"]
    assert first["references"] == "gender male, group white"
    (line,) = first["summary"].rows
    assert line[:5] == ["joy_en", "m", "joy", "1,400", "7"]
    assert line[5] == "scores differ by who is named: female beside male +0.050 [+0.030, +0.070]"
    assert line[6].startswith("female beside male ***; Black beside white ***")
    assert second["summary"].rows[0][5] == "no evidence that scores differ by who is named"


def test_effects_and_coefficients_stand_apart_each_beside_its_own_p_and_q():
    found = [one | {"p_value": 0.3, "q_value": 0.4} for one in rows(BLACK)]
    effects, tested, conventions, goodness = parts(found, [fit()])["challenges"][0]["tables"]
    ends = "+0.050 [+0.030, +0.070]"
    assert effects.rows[0] == ["joy_en, m", "female beside male", "scores differ", *[ends, "0.001", "0.001"] * 2]
    assert tested.rows[0] == ["joy_en, m", "female beside male", "+0.200 ***", "0.300", "0.300", "0.400", "+0.200", "0.300", "0.400"]
    assert conventions.columns[-2] == "ols_as_published: score"
    assert conventions.rows[1][2:] == ["+0.040", "0.300", "+0.040", "0.300"]
    assert goodness.rows == [["joy_en, m", "1,400", "7", "34.500", "0.100", "139.97 (3), < 0.001", "2.20 (1), 0.138", "fitted"]]


def test_what_is_undefined_says_so_by_method_and_the_page_still_tells_the_rest():
    terms = list(BLACK)
    found = [row(term, method, None, None, reason=WHY) for method in METHODS[:3] for term in terms]
    found += [row(term, "mixed", 0.0, None, reason="the mixed model does not converge") for term in terms]
    told = parts(found, [fit(reason=WHY, precision=None)])
    assert told["undefined"].rows == [
        ["black_white", "joy_en, m", "the paper's test; the paper's test, observed information; cluster-robust", ", ".join(terms), WHY],
        ["black_white", "joy_en, m", "mixed model", ", ".join(terms), "the mixed model does not converge"],
    ]
    goodness = told["challenges"][0]["tables"][-1]
    assert goodness.rows[0][-1] == f"undefined: {WHY}"
    assert told["said"]["untold"] == "0", "scores that are the same are told, by whatever method has an effect"
    nothing = parts([one | {"response_effect": None} for one in found], [fit()])["challenges"][0]
    assert nothing["figures"] == []
    assert nothing["tables"][0].rows[0][2:4] == ["cannot tell", "undefined"]
    assert nothing["tables"][1].rows[0][2] == "undefined"


def test_a_design_may_ask_for_the_papers_test_alone():
    told = parts([row(term, "beta_expected") for term in BLACK], [fit()])["challenges"][0]
    assert told["summary"].rows[0][5].startswith("cannot tell: the design asks for neither")
    assert told["tables"][0].rows[0][2] == "not asked"
    assert told["tables"][2].rows[0][2:] == ["-"] * 4


def test_the_furthest_templates_and_names_are_shown():
    templates, names = parts(standing_out=1)["challenges"][0]["standing_out"]
    assert templates.rows == [["joy_en, m", "said", "female beside male", "0.300", "0.500", "-0.200 no interval", "20, 19"]]
    assert names.rows == [["joy_en, m", "Ana", "female", "0.600", "0.500", "+0.100"]]
    assert parts()["challenges"][0]["standing_out"][0].rows[1][5] == "+0.010 [-0.010, +0.030]"


def section(found):
    """The included template within a page of nothing but its macros."""
    loader = jinja2.FileSystemLoader(ROOT / "stages" / "reporting")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, loader=loader)
    macros = environment.loader.get_source(environment, "page.html.jinja")[0].split("<!DOCTYPE")[0]
    return environment.from_string(macros + '{% include "challenged.html.jinja" %}').render(challenges=found)


def test_the_section_shows_all_and_names_have_no_markup():
    text = section(parts())
    assert text.count("<svg") == 2
    assert "no group is described" in text
    assert "Do challenges agree?" in text
    hostile = "<script>alert(1)</script>"
    found = rows({f"gender[{hostile}]": 0.05})
    text = section(parts(found, [fit()], [item("name", hostile, 0.1), item("template", hostile, 0.1)]))
    assert "<script" not in text
    assert text.count("alert(1)") > 5
    assert "Do challenges agree?" not in text


@pytest.mark.parametrize(("terms", "figures"), [(3, 1), (4, 2), (7, 3)])
def test_every_effect_is_drawn_once_on_one_axis_with_its_interval(terms, figures):
    found = parts(rows({f"group[g{number}]": 0.01 * number for number in range(terms)}), [fit()])["challenges"][0]["figures"]
    roots = [ElementTree.fromstring(figure["svg"]) for figure in found]  # noqa: S314 - our own
    assert len(roots) == figures
    marks = sum(len(group) for root in roots for group in root.iter() if "mark-symbol role-mark" in group.get("class", ""))
    assert marks == terms

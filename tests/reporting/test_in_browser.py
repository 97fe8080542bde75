"""The page as a reader meets it, in headless Chromium: it draws, filters and sorts what the tables say, and asks the network nothing."""

import json
import shutil

import pytest

from stages import evaluate, subgroup
from stages.reporting import explorer, page
from stages.reporting import groups as as_they_are
from tests.reporting.browser import Browser
from tests.reporting.conftest import NAMES, benchmark, table_of_groups
from tests.reporting.relations import related
from tests.stages.test_report import design

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
ROWS = "[...document.querySelectorAll('#explorer_rows tr')].map((row) => [...row.cells].map((cell) => cell.innerText))"


def choose(name: str, value: str) -> str:
    """The script of somebody who sets a control."""
    event = "input" if name in ("find", "least") else "change"
    control = f"document.getElementById('explorer_{name}')"
    return f"{control}.value = {json.dumps(value)}; {control}.dispatchEvent(new Event('{event}')); {ROWS}"


@pytest.fixture(scope="module")
def program():
    found = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(PROGRAMS)} is on the path")
    return found


@pytest.fixture(scope="module")
def browser(program, tmp_path_factory):
    made = Browser(program, tmp_path_factory.mktemp("browser"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def text():
    """The page of the small benchmark."""
    found, groups = benchmark(), table_of_groups()
    matched = related()[1]
    sections = {"subgroup": subgroup.Params(), "evaluate": evaluate.Params()}
    shown = {"explorer": explorer.parts(found, groups, matched, 0.05)}
    return page.render(found, as_they_are.read(groups, found, 5), design(["t"], ["a", "b"]), sections, "Small", 3, **shown)


@pytest.fixture
def opened(browser, text, tmp_path):
    """The page, just opened."""
    path = tmp_path / "page.html"
    path.write_text(text, encoding="utf-8")
    browser.problems.clear()
    browser.requests.clear()
    browser.open(path)
    return browser


def test_it_draws_without_a_complaint_and_asks_for_nothing_but_itself(opened):
    assert opened.get("document.getElementById('explorer_app').hidden") is False
    assert opened.get("document.querySelectorAll('#explorer_rows svg line').length") > 0
    assert opened.problems == []
    assert [url.rsplit("/", 1)[1] for url in opened.requests] == ["page.html"]
    assert opened.get("document.documentElement.scrollWidth <= window.innerWidth"), "the page itself does not scroll sideways"


def test_every_number_shown_is_that_of_the_tables(opened):
    table = table_of_groups().to_pandas()
    own = table[(table["comparison"] == "none") & (table["model"] == "b") & (table["metric"] == "tpr")]
    opened.get(choose("model", "1"))
    shown = opened.get(choose("metric", "tpr"))
    wanted = {
        f"{row.group}\n{row.attributes.replace('+', ' + ')}": f"{row.value:.3f} [{row.ci_low:.3f}, {row.ci_high:.3f}]"
        for row in own.itertuples()
    }
    assert {row[0]: row[2] for row in shown} == wanted
    assert {row[0]: row[5] for row in shown}["Black\nrace"] == "disparity (q = 0.020)"
    assert {(row[3], row[4]) for row in shown} == {("0.750", "40 (20)")}


def test_filters_leave_what_they_say(opened):
    assert len(opened.get(ROWS)) == 7
    assert {row[0].split("\n")[0] for row in opened.get(choose("find", "  WOMAN, b"))} == {"woman, Black"}
    opened.get(choose("find", ""))
    assert {row[0] for row in opened.get(choose("set", "race"))} == {"Black\nrace", "white\nrace"}
    assert {row[0] for row in opened.get(choose("verdict", "disparity"))} == {"Black\nrace"}
    assert opened.get("document.getElementById('explorer_count').textContent") == "1 of 7 groups."
    assert opened.get(choose("least", "21")) == []
    opened.get(choose("least", "0"))
    opened.get(choose("verdict", ""))
    assert len(opened.get(choose("set", "order 2"))) == len(NAMES["gender+race"])
    assert opened.problems == []


def test_heads_sort_both_ways_and_say_so(opened):
    opened.get(choose("metric", "tpr"))
    head = "document.querySelectorAll('#explorer_head button')[1]"
    for way, sign in (("ascending", 1), ("descending", -1)):
        opened.get(f"{head}.click()")
        values = [sign * float(row[2].split()[0]) for row in opened.get(ROWS)]
        assert values == sorted(values)
        assert opened.get(f"{head}.parentNode.getAttribute('aria-sort')") == way
        assert opened.get(f"document.activeElement === {head}"), "whoever sorts by keyboard stays where they are"


def test_arrows_go_through_the_rows_and_tell_what_each_rests_on(opened):
    opened.get(choose("metric", "tpr"))
    opened.get("document.querySelector('#explorer_rows button').focus()")
    said = "document.getElementById('explorer_detail').textContent"
    assert opened.get(said) == (
        "Black (race): TPR 0.400 [0.300, 0.500]; disparity (q = 0.020). n: 40 texts with a favourable label by 20 people. Everyone: 0.750."
    )
    opened.press("ArrowDown")
    second = opened.get("document.activeElement.textContent")
    assert second == opened.get("document.querySelectorAll('#explorer_rows button')[1].textContent") != "Black"
    assert opened.get(said).startswith(second)
    opened.press("ArrowUp")
    assert opened.get("document.activeElement.textContent") == "Black"
    assert opened.get("document.querySelectorAll('#explorer_rows [tabindex=\"0\"]').length") == 1, "one stop for Tab, however many rows"


def test_gaps_and_pairs_have_their_own_denominators_and_verdicts(opened):
    shown = {row[0]: row for row in opened.get(choose("view", "gaps"))}
    assert shown["race"][2:] == ["0.600 [0.400, 0.900]", "not computed", "12 / 34", "disparity (q = 0.004)"]
    assert shown["gender + race"][2] == "0.000, no interval"
    opened.get(choose("model", "1"))
    assert opened.get(ROWS)[-1][2] == "undefined: no text in the protected group", "what is undefined comes last"
    pairs = {row[0]: row for row in opened.get(choose("view", "pairs"))}
    assert pairs["gender"][2:] == ["1.000", "0.800; cut 0.800", "x 0.80 [x 0.78, x 0.82]", "fairer (q = 0.010)"]
    opened.get(choose("model", "0"))
    assert "no baseline" in opened.get("document.getElementById('explorer_count').textContent")
    assert opened.problems == []


def test_another_model_can_stand_beside(opened):
    opened.get(choose("metric", "tpr"))
    before = opened.get("document.querySelectorAll('#explorer_rows circle').length")
    shown = opened.get(choose("beside", "1"))
    assert {row[0]: row[3] for row in shown}["Black\nrace"] == "0.400"
    assert opened.get("document.querySelectorAll('#explorer_head button')[2].textContent") == "Of b"
    assert opened.get("document.querySelectorAll('#explorer_rows circle').length") == before + len(shown), "a ring a row"


def test_without_javascript_the_tables_are_there_and_the_explorer_says_what_it_needs(opened, text, tmp_path):
    (tmp_path / "plain.html").write_text(text, encoding="utf-8")
    opened.ask("Emulation.setScriptExecutionDisabled", value=True)
    try:
        opened.open(tmp_path / "plain.html")
        hidden, words = opened.get("document.getElementById('explorer_app').offsetHeight"), opened.get("document.body.innerText")
    finally:
        opened.ask("Emulation.setScriptExecutionDisabled", value=False)
    assert hidden == 0
    assert "The explorer needs JavaScript, which is off." in words
    assert "0.60\ndisparity" in words, "the heat map"
    assert "Black\n(race)" in words, "groups that stand out"

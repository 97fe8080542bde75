"""The report: one page that tells the whole benchmark, the same every time, fetching nothing and trusting no text."""

import base64
import functools
import hashlib
import html
import re
import socket
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pytest
import yaml

from stages import evaluate, ingest, reaudit, report, subgroup
from stages.contract import tables
from stages.contract.bad_input import BadInput
from stages.contract.challenges import Responses
from stages.contract.command import perform
from stages.contract.contrasts import ContrastFits, Contrasts
from stages.contract.findings import Findings, KnownProblems
from stages.contract.params import Design
from stages.contract.probes import Associations, NameGroups, Probes
from stages.contract.relations import Effects, Matched, ProbesAndOutcomes
from stages.contract.schemas import AttributeSets, Groups, Scores
from stages.reporting import figures as gap_figures
from stages.reporting import forest
from tests.conftest import ROOT, make_documents
from tests.reporting.contrasts import BLACK, contrasted, fit, rows
from tests.reporting.probed import probed
from tests.reporting.relations import related
from tests.reporting.test_breakdown import responses

TASKS, MODELS = ["literacy", "trust"], ["reader", "coin"]
RULES = {"gender": {"privileged": ["man"]}, "race": {"privileged": ["white"]}, "age": {"privileged_at_most": 55}}
NO_REAUDIT = reaudit.run(reaudit.Params(included=False))
NO_RELATION = related([], [], [])
NO_CHALLENGES = tuple(hint.__metadata__[0].empty() for hint in (Contrasts, ContrastFits, Responses))
NO_PROBES = tuple(
    hint.__metadata__[0].empty().append_column("model", pa.array([], pa.string())) for hint in (Probes, Associations, NameGroups)
)
REST = (*NO_RELATION, *NO_REAUDIT, *NO_CHALLENGES, *NO_PROBES)
NOBODY = {"mass": pa.float64(), "favourable": pa.bool_(), "decision": pa.bool_(), "gender": pa.string(), "race": pa.string()}
VOID = {"meta", "br", "img", "input", "hr", "link", "col"}


def design(tasks=TASKS, models=MODELS, **sections) -> Design:
    part = {"use": "identity"}
    dataset = {"use": "simulated", "source": "stages/datasets/simulated_survey.yaml", "people": 80}
    raw = {
        "tasks": {task: {"dataset": dataset | {"trait": task}, "label": task} for task in tasks},
        "models": {model: {"base": {"source": "vectors.txt"}, "debiaser": part, "family": part} for model in models},
        "subgroup": {"attributes": RULES},
        "debias": {"seed": 2},
        "finetune": {"seed": 3},
        "evaluate": {"replicates": 200, "permutations": 500},
        "reaudit": {"included": False},
    }
    return Design.model_validate(raw | sections)


def evaluated(documents: pa.Table, population: pa.Table, rules: dict, chosen: Design, decide) -> tuple[list, list, pa.Table]:
    """The scores and groups of every model and the sets of one task; ``decide`` maps documents and a model to decisions."""
    subgroups, kinds, sets = subgroup.run(documents, population, subgroup.Params(attributes=rules))
    parts: tuple[list, list] = [], []
    for model in chosen.models:
        columns = [documents["doc_id"], documents["fold"], pc.cast(documents["favourable"], pa.float64())]
        decision = decide(documents, model)
        predictions = pa.table([*columns, decision.astype(float), decision], names=["doc_id", "fold", "y_true", "y_score", "y_pred"])
        params = evaluate.Params(**chosen.section("evaluate"))
        for part, found, hint in zip(
            parts, evaluate.run(documents, subgroups, kinds, sets, predictions, params), (Scores, Groups), strict=False
        ):
            table = tables.check(found, hint.__metadata__[0], "table")
            part.append(table.append_column("model", pa.array([model] * table.num_rows)))
    return *parts, tables.check(sets, AttributeSets.__metadata__[0], "sets")


def stacked(cells: dict[str, tuple[list, list, pa.Table]]) -> tuple[pa.Table, pa.Table, pa.Table]:
    def named(table: pa.Table, task: str) -> pa.Table:
        return table.append_column("task", pa.array([task] * table.num_rows))

    scores, groups = (pa.concat_tables([named(table, task) for task, cell in cells.items() for table in cell[part]]) for part in (0, 1))
    return scores, groups, pa.concat_tables([named(cell[2], task) for task, cell in cells.items()])


def guess(documents: pa.Table, model: str) -> np.ndarray:
    """The first model reads the label, a tenth of the time wrongly; the others toss a coin."""
    random = np.random.default_rng(len(model))
    truth = documents["favourable"].to_numpy(zero_copy_only=False)
    return np.where(random.random(len(truth)) < (0.1 if model == "reader" else 0.5), ~truth, truth).astype(int)


@pytest.fixture(scope="module")
def survey() -> tuple[pa.Table, pa.Table, pa.Table]:
    """A small simulated survey, two tasks x two models."""
    chosen, cells = design(), {}
    for task, entry in chosen.tasks.items():
        source = str(ROOT / entry.dataset.source)
        here = entry.model_copy(update={"dataset": entry.dataset.model_copy(update={"source": source})})
        documents, population = ingest.run(here, ingest.Params(folds=2))
        cells[task] = evaluated(documents, population, RULES, chosen, guess)
    return stacked(cells)


def laid_out(scores: pa.Table, groups: pa.Table, folder: Path) -> Path:
    """Scores and groups of each cell as files, as evaluate leaves them."""
    for task, model in set(zip(scores["task"].to_pylist(), scores["model"].to_pylist(), strict=True)):
        for name, table in (("scores", scores), ("groups", groups)):
            cell = table.filter(pc.and_(pc.equal(table["task"], task), pc.equal(table["model"], model))).drop_columns(["task", "model"])
            tables.write_whole(folder / task / model / f"{name}.parquet", lambda path, cell=cell: tables.write_parquet(cell, path))
    return folder


def once(draw: Callable[..., str]) -> Callable[..., str]:
    """Draws the same figure once in all tests, as drawing takes most of a page's time."""
    drawn: dict[str, str] = {}

    @functools.wraps(draw)
    def kept(*given: object) -> str:
        if (key := repr(given)) not in drawn:
            drawn[key] = draw(*given)
        return drawn[key]

    return kept


DRAWN = {"gaps": once(gap_figures.gaps), "forest": once(forest.draw)}
AFRESH = {"gaps": gap_figures.gaps, "forest": forest.draw}


def reported(*given, figures: Path | None = None, drawn: dict[str, Callable[..., str]] = DRAWN):
    """What the stage returns; it draws files only where there is a folder for them, as that takes long."""
    *found, chosen, params = given
    with (
        TemporaryDirectory() as folder,
        patch.object(gap_figures, "gaps", drawn["gaps"]),
        patch.object(forest, "draw", drawn["forest"]),
        patch.object(report.drawings, "write", **({} if figures is None else {"new": report.drawings.write})),
    ):
        return report.run(*found, laid_out(found[0], found[1], Path(folder)), chosen, params, figures or Path(folder))


@pytest.fixture(scope="module")
def page(survey) -> str:
    return reported(*survey, *REST, design(), report.Params())[0]


class Outline(HTMLParser):
    """Checks that tags nest, and gathers the identifiers and the links of a page."""

    def __init__(self, text: str):
        super().__init__()
        self.open, self.ids, self.links, self.tags = [], [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.ids += [value for name, value in attrs if name == "id"]
        self.links += [value for name, value in attrs if name in ("href", "src")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def visible(text: str) -> str:
    """The words of a page, on one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())


def test_the_sections_come_in_order_and_the_links_lead_to_them(page):
    outline = Outline(page)
    sections = [
        "summary",
        "explorer",
        "lattice",
        "design",
        "data",
        "performance",
        "gaps",
        "paper",
        "groups",
        "worst",
        "planted",
        "conventions",
        "undefined",
        "limits",
        "versions",
        "words",
    ]
    assert [name for name in outline.ids if not name.startswith("explorer_")] == sections
    assert {link.removeprefix("#") for link in outline.links} == {*sections, "figures/", "../assess/index.html"}
    assert outline.tags.count("svg") == 9


def test_the_page_says_which_interval_a_mean_has(page):
    """It said Student's t by person, which would leave the possible values: see benchmarks/means.py."""
    words = visible(page)
    assert "Means (Brier score, calibration, errors, scores): Wilson's on the scale" in words
    assert "Student's t by person" not in words


def test_findings_of_the_reaudit_make_a_section_of_their_own(survey, page):
    found = reaudit.run(reaudit.Params(counts=str(ROOT / "data" / "raw" / "naacl2022"), draws=100))
    text = reported(*survey, *NO_RELATION, *found, *NO_CHALLENGES, *NO_PROBES, design(), report.Params())[0]
    outline = Outline(text)
    assert [name for name in outline.ids if name not in Outline(page).ids] == ["reaudit"]
    assert outline.ids[outline.ids.index("reaudit") + 1] == "undefined"
    assert "#reaudit" in outline.links
    assert outline.tags.count("svg") == 10
    assert set(re.findall(r"https?://[^\"'<\s]*", text)) == {"http://www.w3.org/2000/svg"}


def test_relations_make_a_section_of_their_own(survey, page):
    text = reported(*survey, *related(), *NO_REAUDIT, *NO_CHALLENGES, *NO_PROBES, design(), report.Params())[0]
    outline = Outline(text)
    assert [name for name in outline.ids if name not in Outline(page).ids] == ["relate"]
    assert outline.ids[outline.ids.index("relate") - 1] == "paper"
    assert outline.tags.count("svg") == Outline(page).tags.count("svg") + 1
    assert "Each further demographic adds +0.040 to FV" in visible(text)


def test_representations_make_a_section_of_their_own(survey, page):
    part = {"use": "identity"}
    models = {"reader": {"base": {"source": "v.txt"}, "debiaser": part, "family": part}}
    models["coin"] = models["reader"] | {"debiaser": {"use": "hard_debias"}}
    raw = design().model_dump() | {"models": models}
    text = reported(*survey, *REST[: -len(NO_PROBES)], *probed("reader", "coin"), Design.model_validate(raw), report.Params())[0]
    assert "embeddings" in Outline(text).ids
    assert "Bias in representations, and in what is decided with them" in text
    assert "WEAT 6" in text
    assert "embeddings" not in Outline(page).ids


def test_challenges_make_a_section_of_their_own(survey, page):
    about = {"task": "trust", "model": "reader"}
    tested = contrasted(rows(BLACK, **about), [fit(**about)])
    text, *_, items = reported(
        *survey,
        *NO_RELATION,
        *NO_REAUDIT,
        *tested,
        responses(challenge="black_white", **about),
        *NO_PROBES,
        design(),
        report.Params(standing_out=1),
    )
    outline = Outline(text)
    assert [name for name in outline.ids if name not in Outline(page).ids] == ["challenges"]
    assert outline.ids[outline.ids.index("challenges") + 1] == "planted"
    assert outline.tags.count("svg") == Outline(page).tags.count("svg") + 1
    words = visible(text)
    assert "trust reader joy 1,400 7 scores differ by who is named: female beside male +0.050 [+0.030, +0.070]" in words
    assert words.count("femaleBlack0") == 1, "the one name that stands out"
    assert items.num_rows == 2 * 3 + 12, "two templates x (women, Black people, Black women), and twelve names"
    assert "#challenges" in outline.links


def test_nothing_is_fetched_and_nothing_runs_but_the_explorer(page):
    assert set(re.findall(r"https?://[^\"'<\s]*", page)) == {"http://www.w3.org/2000/svg"}
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert Outline(page).tags.count("script") == 2, "the script and its data, which is none"
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in page
    assert not re.search(r"@import|url\(|<link|<iframe|<img", page)


def test_the_same_inputs_give_the_same_bytes_wherever_they_are(survey, page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert reported(*survey, *REST, design(), report.Params(), drawn=AFRESH)[0] == page
    assert str(ROOT) not in page
    assert not re.search(rf"\b{re.escape(socket.gethostname())}\b", page)
    assert not re.search(r"\b20\d\d-\d\d-\d\d\b", page)


def test_the_summary_names_a_disparity_before_what_is_further_from_parity(survey, page):
    frame = survey[0].to_pandas()
    rows = frame[
        (frame["metric"] == "adi") & (frame["convention"] == "crossbias") & (frame["task"] == "trust") & (frame["model"] == "coin")
    ].dropna(subset="value")
    rows = rows[rows["group"] == "protected/privileged"]
    ranks = rows["verdict"].map({"disparity": 0, "no evidence of disparity": 1}).fillna(2)
    first = rows.loc[np.abs(np.log(rows["value"]))[ranks == ranks.min()].idxmax()]
    words = visible(page)
    assert f"{first['attributes'].replace('+', ' + ')} {first['value']:.2f} [" in words
    assert f"{int(first['n_protected'])} / {int(first['n_privileged'])} {first['verdict']}" in words
    assert "literacy: 160 texts by 80 people; 7 attribute sets of 1 to 3 demographics." in words


def test_every_cell_says_of_how_many_groups_a_test_can_tell_and_shows_single_ones_and_pairs(survey, page):
    frame, words = survey[1].to_pandas(), visible(page)
    for task in TASKS:
        for model in MODELS:
            cell = frame[(frame["task"] == task) & (frame["model"] == model)]
            assert f"{task}, {model} : {len(cell.groupby(['attributes', 'group'])):,} groups in all" in words
            assert f"{task}, {model}: groups of single demographics and of pairs" in words
            small = cell[(cell["order"] <= 2) & (cell["metric"] == "base_rate") & (cell["comparison"] == "none")]
            row = small.iloc[-1]
            assert f"{row['group']} {row['attributes'].replace('+', ' + ')} {row['n']} ({row['people']})" in words


def test_a_group_that_is_passed_over_stands_out_by_name():
    """Of 200 women nobody is selected: the summary counts them, and the section has their rate beside everyone's."""
    gender, race = ["man", "woman"] * 200, ["white", "white", "Black", "Black"] * 100
    documents = make_documents(["text"] * 400, [True, True, False, False, True, True, True, True] * 50, gender=gender, race=race)
    population = pa.table({name: pa.array([], kind) for name, kind in NOBODY.items()})
    chosen = design(["t"], ["a"], subgroup={"attributes": {name: RULES[name] for name in ("gender", "race")}})
    men = lambda table, _: np.array([value == "man" for value in table["gender"].to_pylist()]).astype(int)  # noqa: E731
    cells = {"t": evaluated(documents, population, {name: RULES[name] for name in ("gender", "race")}, chosen, men)}
    text = reported(*stacked(cells), *REST, chosen, report.Params())[0]
    words = visible(text)
    assert "woman (gender) selection rate 0.00 [0.00, 0.02] 0.50 200 (200)" in words
    assert "of 8 (8 in all)" in words
    assert re.search(r"t, a : 8 groups in all, 8 of which have enough people for a test to tell; [1-8] stand out from everyone\.", words)


def test_a_simulation_is_called_one_and_real_data_is_not(survey, page):
    assert "no evidence about any real group" in visible(page)
    scores, groups, sets = survey
    index = scores.column_names.index("planted")
    real = scores.set_column(index, "planted", pa.nulls(scores.num_rows, pa.float64()))
    text = reported(real, groups, sets, *REST, design(), report.Params())[0]
    assert "imulated" not in visible(text).replace("simulated (source stages/datasets/simulated_survey.yaml", "")
    assert "planted" not in Outline(text).ids


def test_the_report_walks_the_design_and_not_what_else_lies_there(survey):
    text, rows, *_ = reported(*survey, *REST, design(tasks=["trust"], models=["coin"]), report.Params())
    assert "reader" not in visible(text).replace("ideal reader", "").replace("The reader", "")
    assert set(rows["task"].to_pylist()) == {"trust"}
    assert rows.num_rows == 7
    reordered = reported(*survey, *REST, design(tasks=TASKS[::-1]), report.Params())[1]
    assert reordered["task"].to_pylist()[0] == "trust"
    with pytest.raises(BadInput, match="model new: scores"):
        reported(*survey, *REST, design(models=[*MODELS, "new"]), report.Params())


def test_hostile_texts_stay_text(survey):
    hostile = "</td><script>alert('x')</script>\"onload=\"&"
    scores, groups, sets = (table.to_pandas() for table in survey)
    groups["group"] = groups["group"].str.replace("woman", hostile)
    for frame in (scores, groups, sets):
        frame["attributes"] = frame["attributes"].str.replace("race", hostile)
    scores["reason"] = scores["reason"].str.replace("no interval", hostile)
    rules = {"gender": {"privileged": [hostile]}}
    raw = design(subgroup={"attributes": rules}).model_dump()
    raw["tasks"]["trust"]["label"] = hostile
    raw["tasks"]["trust"]["dataset"]["source"] = hostile
    raw["models"]["coin"]["base"]["source"] = hostile
    raw["models"]["coin"]["family"]["note"] = hostile
    back = [
        pa.Table.from_pandas(frame, schema=table.schema, preserve_index=False)
        for frame, table in zip((scores, groups, sets), survey, strict=True)
    ]
    text, rows, *_ = reported(*back, *REST, Design.model_validate(raw), report.Params(title=hostile))
    assert text.count("<script") == text.count("</script") == Outline(text).tags.count("script") == 2
    assert set(Outline(text).tags).isdisjoint({"img", "iframe"})
    assert visible(text).count("alert('x')") > 20
    assert f"gender+{hostile}" in rows["attributes"].to_pylist()


def test_what_is_undefined_is_empty_in_the_table_and_explained_on_the_page():
    """Nobody in the privileged group is selected, and one attribute and one model are all there is."""
    gender = ["man", "woman", "woman", "man"] * 10
    documents = make_documents(["text"] * 40, [True, True, False, False] * 10, gender=gender)
    nobody = documents.select(["gender"]).slice(0, 0)
    population = pa.table(
        {"mass": pa.array([], pa.float64()), "favourable": pa.array([], pa.bool_()), "decision": pa.array([], pa.bool_())}
    )
    population = population.append_column("gender", nobody["gender"])
    chosen = design(["t"], ["a"], subgroup={"attributes": {"gender": RULES["gender"]}})
    women = lambda table, _: np.array([value == "woman" for value in table["gender"].to_pylist()]).astype(int)  # noqa: E731
    cells = {"t": evaluated(documents, population, {"gender": RULES["gender"]}, chosen, women)}
    text, rows, *_ = reported(*stacked(cells), *REST, chosen, report.Params())
    words = visible(text)
    assert rows.to_pylist() == [
        {"task": "t", "model": "a", "attributes": "gender", "order": 1, "adi": None, "ci_low": None, "ci_high": None}
        | {"n_protected": 20, "n_privileged": 20}
    ]
    assert "undefined: nobody in the privileged group is selected" in words
    assert "number ADI protected/privileged nobody in the privileged group is selected 1 gender, in 1 cell" in words
    assert "1 task x 1 model = 1 cell" in words
    assert "t: 40 texts by 40 people; 1 attribute set of 1 demographic." in words
    assert Outline(text).tags.count("svg") == 2


def test_without_our_convention_the_page_says_what_is_not_there(survey):
    scores, groups, sets = survey
    kept = scores.filter(pc.or_(pc.equal(scores["convention"], "naacl2022"), pc.not_equal(scores["group"], "protected/privileged")))
    text, rows, *_ = reported(
        kept, groups, sets, *REST, design(evaluate={"conventions": ["naacl2022"], "replicates": 200}), report.Params()
    )
    assert rows.num_rows == 0
    assert "the design does not ask for it" in visible(text)
    assert "conventions" in Outline(text).ids


def test_the_command_writes_a_page_and_a_table_that_read_back(survey, page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    scores, groups, sets = survey
    laid_out(scores, groups, tmp_path / "data/evaluate")
    for task in TASKS:
        part = sets.filter(pc.equal(sets["task"], task)).drop_columns("task")
        tables.write_whole(tmp_path / f"data/subgroup/{task}/sets.parquet", lambda path, part=part: tables.write_parquet(part, path))
        for model in MODELS:
            place = tmp_path / f"data/respond/{task}/{model}.parquet"
            tables.write_whole(place, lambda path: tables.write_parquet(NO_CHALLENGES[-1], path))
    for model, (hint, table) in product(MODELS, zip((Probes, Associations, NameGroups), NO_PROBES, strict=True)):
        place = tmp_path / hint.__metadata__[0].path.format(model=model)
        tables.write_whole(place, lambda path, table=table: tables.write_parquet(table.drop_columns("model"), path))
    hints = (Effects, Matched, ProbesAndOutcomes, Findings, KnownProblems, Contrasts, ContrastFits)
    for table, hint in zip((*NO_RELATION, *NO_REAUDIT, *NO_CHALLENGES[:-1]), hints, strict=True):
        at = hint.__metadata__[0]
        checked = tables.check(table, at, at.path)
        tables.write_whole(tmp_path / at.path, lambda path, checked=checked: tables.write_parquet(checked, path))
    perform(report.run, "report", design(), {})
    assert (tmp_path / "data/report/index.html").read_text(encoding="utf-8") == page
    assert (tmp_path / "data/report/challenges.csv").read_text(encoding="utf-8").startswith('"challenge","task","model","kind","item"')
    assert len(list((tmp_path / "data/report/figures").glob("*.svg"))) == 9
    assert "report: open data/report/index.html" in capsys.readouterr().out
    rows = pyarrow.csv.read_csv(tmp_path / "data/report/adi_by_order.csv")
    adi = scores.filter(pc.and_(pc.equal(scores["metric"], "adi"), pc.equal(scores["convention"], "crossbias")))
    adi = adi.filter(pc.equal(adi["group"], "protected/privileged"))
    assert rows.num_rows == adi.num_rows == 28
    assert sorted(rows["adi"].to_pylist()) == sorted(adi["value"].to_pylist())
    violations = pyarrow.csv.read_csv(tmp_path / "data/report/fv_by_order.csv")
    assert violations.column_names == [name if name != "adi" else "fv" for name in rows.column_names]
    fv = scores.filter(pc.and_(pc.equal(scores["metric"], "fv"), pc.equal(scores["convention"], "crossbias")))
    assert sorted(violations["fv"].to_pylist()) == sorted(fv.filter(pc.equal(fv["group"], "protected/privileged"))["value"].to_pylist())
    lines = pyarrow.csv.read_csv(tmp_path / "data/report/paper_tables.csv").to_pylist()
    assert len(lines) == 2 * 2 * 3 * 3 * 2, "tasks, models, orders, metrics, conventions"
    pairs = {row["attributes"]: row["adi"] for row in rows.to_pylist() if (row["task"], row["model"], row["order"]) == ("trust", "coin", 2)}
    names = {"task": "trust", "model": "coin", "demographics": 2, "metric": "adi", "convention": "crossbias"}
    line = next(line for line in lines if names.items() <= line.items())
    assert line["mean"] == pytest.approx(np.mean(list(pairs.values())))
    assert line["furthest_set"] == max(pairs, key=lambda name: abs(np.log(pairs[name])))
    assert "\\label{tab:fv-naacl2022-1}" in (tmp_path / "data/report/paper_tables.tex").read_text(encoding="utf-8")


def test_dvc_lists_the_settings_that_the_page_states():
    stanza = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]["report"]
    assert {entry.split(".")[0] for entry in stanza["params"]} >= {"tasks", "models", "report", *report.SHOWN}

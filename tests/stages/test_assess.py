"""The assessment: seven requirements with what was measured, what was not and why, and what only people can answer; safe with any text."""

import functools
import html
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from stages import assess, evaluate, subgroup
from stages.contract import tables
from stages.contract.command import inputs_of, perform
from stages.contract.params import Design
from stages.contract.schemas import AttributeSets, Groups, Scores, Subgroups
from tests.conftest import make_documents
from tests.reporting.assessed import everything, identity, measured

NOBODY_COLUMNS = {"mass": pa.float64(), "favourable": pa.bool_(), "decision": pa.bool_(), "gender": pa.string(), "race": pa.string()}
NOBODY = pa.table({name: pa.array([], kind) for name, kind in NOBODY_COLUMNS.items()})
REQUIREMENTS = [
    "Human agency and oversight",
    "Technical robustness and safety",
    "Privacy and data governance",
    "Transparency",
    "Diversity, non-discrimination and fairness",
    "Societal and environmental well-being",
    "Accountability",
]
VOID = {"meta", "br", "input", "hr", "link"}
HOSTILE = {
    "html": "<script>alert(1)</script><img src=x onerror=alert(2)>",
    "attribute": "\"' onmouseover=alert(3) x=",
    "template": "{{ 7 * 7 }}{% raw %}",
    "markdown": "| a | b |\n# [click](javascript:alert(4)) ![i](http://evil.example/x.png) `code` <b>",
    "right to left": "abc\u202egnp.exe\u202c\u2066x",
    "hebrew": "\u05e0\u05e9\u05d9\u05dd",
    "long": "a" * 100_000,
    "emoji": "\U0001f469\U0001f3fe\u200d\U0001f680\U0001f3f3\ufe0f\u200d\u26a7\ufe0f",
    "controls": "a\x00b\x1b[31mc\x7f\u200b\ufeff",
    "stacked": "o" + "\u0301" * 500,
}


def design(dataset: str = "simulated", **sections) -> Design:
    part = {"use": "identity"}
    source = {"use": dataset, "source": "stages/datasets/simulated_survey.yaml"}
    return Design.model_validate(
        {
            "tasks": {"trust": {"dataset": source, "label": "trust"}},
            "models": {"reader": {"base": {"source": "vectors.txt"}, "debiaser": part, "family": part}},
            "subgroup": {"attributes": {"gender": {"privileged": ["man"]}, "race": {"privileged": ["white"]}}},
            "finetune": {"seed": 3},
            "evaluate": {"replicates": 200, "permutations": 200},
        }
        | sections
    )


def cell(women: str = "woman", grouped: bool = True) -> list[pa.Table]:
    """The tables of ``evaluated``, women having another name."""
    found = []
    for table in evaluated(grouped):
        for place, field in enumerate(table.schema):
            if pa.types.is_string(field.type):
                renamed = [None if text is None else text.replace("woman", women) for text in table.column(place).to_pylist()]
                table = table.set_column(place, field.name, pa.array(renamed, pa.string()))  # noqa: PLW2901
        found.append(table)
    return found


@functools.cache
def evaluated(grouped: bool) -> list[pa.Table]:
    """What assess reads of one cell: women's favourable labels are found half of the time, men's always; race goes along with nothing."""
    chosen, women = design(), "woman"
    random = np.random.default_rng(7)
    gender = np.repeat(["man", women], 120)
    favourable = np.tile([True, True, False], 80)
    decided = favourable & ((gender == "man") | (np.arange(240) % 2 == 0))
    attributes = {"gender": gender.tolist(), "race": random.choice(["white", "Black"], 240).tolist()} if grouped else {}
    documents = make_documents([f"text {i}" for i in range(240)], favourable.tolist(), **attributes)
    subgroups, population, sets = subgroup.run(documents, NOBODY, subgroup.Params(**chosen.section("subgroup")))
    score = np.where(decided, 0.9, 0.2)
    ids = documents["doc_id"].to_pylist()
    predictions = pa.table(
        {"doc_id": ids, "fold": ["0"] * 240, "y_true": favourable.astype(float), "y_score": score, "y_pred": decided.astype(int)}
    )
    scores, groups, *_ = evaluate.run(documents, subgroups, population, sets, predictions, evaluate.Params(**chosen.section("evaluate")))
    authors = documents.select(["doc_id", "author_id", "fold", "favourable"])
    found = [authors, tables.check(subgroups, Subgroups.__metadata__[0], "subgroups"), predictions]
    found += [tables.check(one, hint.__metadata__[0], "table") for one, hint in ((scores, Scores), (groups, Groups), (sets, AttributeSets))]
    names = [["task"], ["task"], ["task", "model"], ["task", "model"], ["task", "model"], ["task"]]
    for place, keys in enumerate(names):
        for key in keys:
            found[place] = found[place].append_column(
                key, pa.array([{"task": "trust", "model": "reader"}[key]] * found[place].num_rows, pa.string())
            )
    return found


@pytest.fixture(scope="module")
def whole() -> tuple[str, str, str, pa.Table]:
    return assess.run(*cell(), *everything(), design(), assess.Params())


@pytest.fixture(scope="module")
def bare() -> tuple[str, str, str, pa.Table]:
    chosen = design()
    return assess.run(*cell(grouped=False), *measured(), chosen, assess.Params())


class Outline(HTMLParser):
    """Tags nest; which there are, with their attributes."""

    def __init__(self, text: str):
        super().__init__()
        self.open, self.tags, self.ids, self.fors = [], [], [], []
        self.names = set()
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.names |= {name for name, _ in attrs}
        self.ids += [value for name, value in attrs if name == "id"]
        self.fors += [value for name, value in attrs if name == "for"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def visible(text: str) -> str:
    return " ".join(html.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", text, flags=re.DOTALL)).split())


def section(page: str, number: int) -> str:
    return visible(page.partition(f'id="requirement_{number}"')[2].partition("</section>")[0])


def test_the_seven_requirements_come_in_order_each_heading_with_a_form_field(whole):
    outline = Outline(whole[0])
    assert [
        re.search(rf"^{number} (.*?) (?=Human|Resil|Privacy|Trace|Avoid|Envir|Audit)", section(whole[0], number).lstrip("> "))[1]
        for number in range(1, 8)
    ] == REQUIREMENTS
    assert len(outline.ids) == len(set(outline.ids))
    assert set(outline.fors) <= set(outline.ids)
    assert outline.tags.count("textarea") == whole[1].count("- [ ]") >= 17
    for number in range(1, 8):
        assert "Not measured." in section(whole[0], number)
        assert "For people to answer" in section(whole[0], number)


def test_what_was_measured_stands_under_its_requirement_with_interval_and_verdict(whole):
    fairness = section(whole[0], 5)
    for said in ("Bias of the data", "Bias of embeddings", "Bias of decisions", "Impact ratios", "Identity swaps", "Made-up sentences"):
        assert said in fairness
    assert "-1.35 [-2.10, -0.60] disparity (q = 0.001)" in fairness
    assert "-0.0123 [-0.0200, -0.0050]" in fairness
    assert "Accuracy" in section(whole[0], 2)
    assert "-0.0500 [-0.0100, 0.0300] disparity (q = 0.010)" in section(whole[0], 4)
    assert "crossbias footprint" in section(whole[0], 6)


def test_a_planted_gap_is_a_disparity_of_equal_opportunity(whole):
    """Women: half of the favourable labels found, men all: -0.5 from the reference group, -0.25 from everyone."""
    fairness = section(whole[0], 5)
    assert re.search(r"woman gender Equal opportunity \(TPR\) 80 \(80\) -0\.25 \[[^]]*\] disparity \(q", fairness)
    assert re.search(r"woman gender -0\.50 \[", fairness)


def test_support_is_the_number_of_texts_with_the_label(whole):
    """160 of 240 labels are favourable, whatever the model says; precision's own denominator is 120."""
    rows = re.findall(r"\| trust, reader \| (\w+) \|.*\| (\d+) \|\n", whole[1])
    assert rows[:4] == [("favourable", "160"), ("unfavourable", "80"), ("macro", "240"), ("weighted", "240")]


def test_people_are_those_whose_texts_a_model_decided_on():
    authors, subgroups, predictions, *others = cell()
    some = predictions.slice(0, 100)
    page = assess.run(authors, subgroups, some, *others, *everything(), design(), assess.Params())[0]
    assert "trust 240 100 100 yes" in section(page, 3)


def test_impact_ratios_are_those_of_the_counts(whole):
    """Men: 80 of 120 selected; women 40 of 120: a ratio of one half. Both attributes met are there too."""
    rows = {(row["attributes"], row["category"]): row for row in whole[3].to_pylist()}
    assert rows["gender", "woman"]["impact_ratio"] == pytest.approx(0.5)
    assert (rows["gender", "man"]["rate"], rows["gender", "man"]["impact_ratio"]) == (pytest.approx(2 / 3), 1)
    assert {attributes for attributes, _ in rows} == {"gender", "race", "gender+race"}
    assert "below 0.8" in section(whole[0], 5)


def test_a_design_without_any_of_it_still_says_what_was_not_measured_and_why(bare):
    page = visible(bare[0])
    for said in (
        "no group or word was looked for",
        "no task has attributes, declared or mined",
        "none were asked of any cell",
        "explanations were asked of no cell",
    ):
        assert said in page
        assert said in bare[1].replace("\\", "")
    assert bare[3].num_rows == 0
    assert 'id="published"' not in bare[0]


def test_the_page_runs_nothing_and_fetches_nothing(whole):
    assert not re.findall(r"(?:https?:)?//[a-z]", whole[0])
    outline = Outline(whole[0])
    assert not {"script", "iframe", "img", "object", "link"} & set(outline.tags)
    assert "default-src 'none'" in whole[0]


def test_the_same_tables_give_the_same_bytes(whole):
    again = assess.run(*cell(), *everything(), design(), assess.Params())
    assert again[:3] == whole[:3]
    assert again[3].equals(whole[3])


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_text_is_shown_and_nothing_of_it_acts(kind, whole):
    """Names of groups, words and categories that somebody wrote to break the page: the tags are those of the harmless page."""
    text = HOSTILE[kind]
    page, markdown, card, _ = assess.run(*cell(text), *everything(text), design(), assess.Params())
    harmless, outline = Outline(whole[0]), Outline(page)
    assert outline.tags == harmless.tags
    assert outline.names == harmless.names
    for shown in (page, markdown, card):
        assert len(shown) < 400_000
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u200b\u202a-\u202e\u2060-\u2067\ufeff]", shown)
        assert shown.count("\u2068") == shown.count("\u2069")
    for line in (line for line in markdown.split("\n") if line.startswith("|")):
        assert len(re.findall(r"(?<!\\)\|", line)) in {
            len(re.findall(r"(?<!\\)\|", other)) for other in whole[1].split("\n") if other.startswith("|")
        }
    assert not re.search(r"(?<!\\)<(script|img|b)\b", markdown)
    assert not re.search(r"(?<!\\)\]\(", markdown)
    assert markdown.count("\n#") == whole[1].count("\n#")


def test_what_is_hidden_is_named_and_what_is_cut_tells_its_length():
    page = assess.run(*cell(), *everything(HOSTILE["right to left"]), design(), assess.Params())[0]
    assert "abc[U+202E]gnp.exe[U+202C][U+2066]x" in page
    page = assess.run(*cell(), *everything(HOSTILE["long"]), design(), assess.Params())[0]
    assert "a" * 80 + "\u2026 (100,000 characters)" in page
    page = assess.run(*cell(), *everything(HOSTILE["hebrew"]), design(), assess.Params())[0]
    assert f"\u2068{HOSTILE['hebrew']}\u2069" in page
    page = assess.run(*cell(), *everything(HOSTILE["emoji"]), design(), assess.Params())[0]
    assert HOSTILE["emoji"] in page


def test_the_model_card_has_the_sections_of_mitchell_and_the_same_numbers(whole):
    sections = ["Model details", "Intended use", "Factors", "Metrics", "Evaluation data", "Training data", "Quantitative analyses"]
    assert re.findall("^## (.*)$", whole[2], re.MULTILINE) == [*sections, "Ethical considerations", "Caveats and recommendations"]
    accuracy = re.search(r"\| trust \| reader \| 240 \| (\S+ \[[^]]*\])", whole[1])[1]
    assert accuracy in whole[2]
    assert whole[2].count("- [ ]") >= 6
    assert "| --- |" in whole[2]


def test_the_papers_figures_stand_beside_ours_for_its_own_data_alone(whole):
    assert 'id="published"' not in whole[0]
    chosen = design("hate_speech")
    rows = everything()
    means = [identity("women", "mean_favourable", 0.8), identity("women", "mean_unfavourable", 0.3)]
    paper = measured([], [rows[1].to_pylist()[0] | {"convention": "assessment2021"}], means, [], [], [])
    page = visible(assess.run(*cell(), *paper, chosen, assess.Params())[0])
    assert "published 55.9 % 43.4 % 0.7 %" in page
    assert "reader 200 30.0 % 65.0 % 5.0 %" in page
    assert "reader identities women 20.0 [10.0, 30.0] 70.0 [60.0, 80.0]" in page, "Tables 8 and 9"
    missing = page.partition("Not beside ours.")[2]
    assert "Table 4: texts that hold a word" in missing


def test_footprint_is_a_sentence_that_the_design_may_give(bare):
    chosen = design()
    page = assess.run(*cell(grouped=False), *measured(), chosen, assess.Params(footprint="0.004 kWh (estimate)"))[0]
    assert "0.004 kWh (estimate)" in section(page, 6)
    assert "0.004 kWh" not in bare[0]


def test_columns_of_the_frame_are_those_of_the_file(whole):
    frame: pd.DataFrame = whole[3].to_pandas()
    assert list(frame.columns[:4]) == ["task", "model", "attributes", "category"]


def test_the_stage_reads_its_files_and_writes_all_four(whole, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for (name, at), table in zip(inputs_of(assess.run).items(), [*cell(), *everything()], strict=True):
        kept = table.drop_columns([key for key in ("task", "model") if f"{{{key}}}" in at.path and key in table.column_names])
        place = tmp_path / at.path.format(task="trust", model="reader")
        place.parent.mkdir(parents=True, exist_ok=True)
        if name != "authors":  # columns of documents
            kept = tables.check(kept, at, name)
        tables.write_parquet(kept, place)
    perform(assess.run, "assess", design(), {})
    written = [(tmp_path / "data" / "assess" / name).read_text(encoding="utf-8") for name in ("index.html", "index.md", "model_card.md")]
    assert tuple(written) == whole[:3]
    assert pd.read_csv(tmp_path / "data/assess/impact_ratios.csv").shape == (whole[3].num_rows, whole[3].num_columns)

"""Tasks that know nothing of their authors: the page has how well each model predicts, and no groups."""

import functools

import pyarrow as pa
import pytest

from stages import report
from tests.conftest import make_documents
from tests.reporting.contrasts import BLACK, contrasted, fit, rows
from tests.reporting.test_breakdown import responses
from tests.stages.test_report import NO_PROBES, NO_REAUDIT, NO_RELATION, REST, RULES, TASKS, Outline, design, evaluated, guess, reported

PEOPLE = {"gender": ["woman", "man"] * 40, "race": ["white"] * 40 + ["Black"] * 40, "age": [30.0, 70.0, 60.0, 40.0] * 20}


def cells(chosen, grouped: tuple[str, ...]) -> list[pa.Table]:
    """Scores, groups and sets of all tasks, stacked as the command stacks them; those ``grouped`` know their authors."""
    parts: list[list[pa.Table]] = [[], [], []]
    for task in chosen.tasks:
        people = PEOPLE if task in grouped else {}
        documents = make_documents([f"text {i}" for i in range(80)], [i % 3 == 0 for i in range(80)], **people)
        numbers = {"mass": pa.array([], pa.float64()), "favourable": pa.array([], pa.bool_()), "decision": pa.array([], pa.bool_())}
        empty = documents.slice(0, 0)
        population = pa.table({name: empty[name] for name in people} | numbers)
        scores, groups, sets = evaluated(documents, population, RULES if people else {}, chosen, guess)
        for part, tables in zip(parts, (scores, groups, [sets]), strict=True):
            part += [table.append_column("task", pa.array([task] * table.num_rows, pa.string())) for table in tables]
    return [pa.concat_tables(part, promote_options="default") for part in parts]


@functools.cache
def page_of(*grouped: str) -> str:
    chosen = design()
    return reported(*cells(chosen, grouped), *REST, chosen, report.Params())[0]


@pytest.mark.parametrize("grouped", [["literacy"], []])
def test_the_page_has_their_performance(grouped):
    page = page_of(*grouped)
    Outline(page)
    performance = page.split('id="performance"')[1].split("</section>")[0]
    assert performance.count('<th scope="row">trust</th>') == 2, "one row a model"
    assert performance.count('<th scope="row">literacy</th>') == 2


@pytest.mark.parametrize("grouped", [["literacy", "trust"], ["literacy"], []])
def test_the_head_counts_every_task_and_says_which_know_their_authors(grouped):
    page = page_of(*grouped)
    summary = page.split('id="summary"')[1].split("</section>")[0]
    assert "2 tasks x 2 models = 4 cells" in summary
    for task in TASKS:
        assert (f"{task}: 80 texts by 80 people" in summary) == (task in grouped)
        assert (f"{task}: 80 texts judged; of the people who wrote them no demographics are known" in summary) == (task not in grouped)
    assert ("can be compared with another" in summary) == (len(grouped) < 2)


def test_without_any_groups_there_are_no_empty_sections_and_no_words_for_them():
    """Of challenges the summary says what they found."""
    chosen = design(tasks=["trust"])
    cell = {"task": "trust", "model": "coin"}
    challenges = *contrasted(rows(BLACK, **cell), [fit(**cell)]), responses(challenge="black_white", **cell)
    page = reported(*cells(chosen, ()), *NO_RELATION, *NO_REAUDIT, *challenges, *NO_PROBES, chosen, report.Params())[0]
    outline = Outline(page)
    assert {"data", "gaps", "paper", "groups", "worst"}.isdisjoint(outline.ids)
    assert {"summary", "design", "performance", "challenges", "undefined", "limits", "words"} <= set(outline.ids)
    assert {link[1:] for link in outline.links if link.startswith("#")} <= set(outline.ids)
    for word in ("ADI", "protected", "privileged"):
        assert word not in page, word
    summary = page.split('id="summary"')[1].split("</section>")[0]
    assert "differ by who is named in 1 of 3 comparisons" in " ".join(summary.split())

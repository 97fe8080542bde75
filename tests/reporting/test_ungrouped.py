"""Tasks that know nothing of their authors: the page has how well each model predicts, and no groups."""

import pyarrow as pa
import pytest

from stages import report
from tests.conftest import make_documents
from tests.stages.test_report import REST, RULES, design, evaluated, guess

PEOPLE = {"gender": ["woman", "man"] * 40, "race": ["white"] * 40 + ["Black"] * 40, "age": [30.0, 70.0, 60.0, 40.0] * 20}


def cells(chosen, grouped: list[str]) -> list[pa.Table]:
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


@pytest.mark.parametrize("grouped", [["literacy"], []])
def test_the_page_has_their_performance(grouped):
    chosen = design()
    page = report.run(*cells(chosen, grouped), *REST, chosen, report.Params())[0]
    performance = page.split('id="performance"')[1].split("</section>")[0]
    assert performance.count('<th scope="row">trust</th>') == 2, "one row a model"
    assert performance.count('<th scope="row">literacy</th>') == 2

"""Every metric of a real table has its heading, every data set its card with the licence that sources.yaml states."""

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import yaml

from stages import evaluate
from stages.contrasts.identities import identities
from stages.metrics.group_scores import FROM_EVERYONE, FROM_REFERENCE, OVER_EVERYONE, OVER_REFERENCE
from stages.metrics.group_tests import GAPS
from tests.conftest import ROOT

CARD = ("Texts", "People", "Labels", "Licence", "Favourable", "Known faults", "Does not show")
PAGES = sorted((ROOT / "docs/metrics").glob("*.md"))
DATASETS = sorted(
    path.stem for path in (ROOT / "stages/datasets").glob("*.py") if re.search(r"^def load(_apart)?\(", path.read_text(), re.MULTILINE)
)


def headings() -> set[str]:
    """Everything that headings of the metrics' pages name in code."""
    lines = [line for page in PAGES for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("##")]
    return {name for line in lines for name in re.findall(r"`(\w+)`", line)}


def tables(kind: str) -> list[pa.Table]:
    """Scores and groups of eighty people by one attribute: of probabilities, or of a regression."""
    draw, people = np.random.default_rng(1), 80
    output = draw.random(people)
    favourable = draw.random(people) < output
    names = [f"d{number}" for number in range(people)]
    group = np.where(draw.random(people) < 0.5, "woman", "man")
    documents = pa.table({"doc_id": names, "author_id": names, "fold": ["0"] * people, "favourable": favourable})
    status = np.where(group == "man", "privileged", "protected")
    subgroups = pa.table({"doc_id": names, "gender": status, "gender_value": group})
    true = favourable.astype(float) if kind == "binary" else output + draw.normal(0, 0.1, people)
    predictions = pa.table({"doc_id": names, "y_true": true, "y_score": output, "y_pred": (output >= 0.5).astype(int)})
    sets = pa.table({"attributes": ["gender"]})
    population = pa.table({"mass": pa.array([], pa.float64())})
    scores, groups, *_ = evaluate.run(
        documents, subgroups, population, sets, predictions, evaluate.Params(replicates=100, permutations=100)
    )
    return [scores, groups]


@pytest.mark.parametrize("kind", ["binary", "regression"])
def test_every_metric_of_scores_and_groups_has_a_heading(kind: str) -> None:
    metrics = {name for table in tables(kind) for name in table.column("metric").to_pylist()}
    assert ("brier" if kind == "binary" else "output_q50") in metrics
    assert metrics <= headings(), f"no page in docs/metrics has a heading for {sorted(metrics - headings())}"


def test_every_comparison_is_explained() -> None:
    page = (ROOT / "docs/metrics/gaps.md").read_text(encoding="utf-8")
    names = {FROM_EVERYONE, OVER_EVERYONE, FROM_REFERENCE, OVER_REFERENCE, *(name for gaps in GAPS.values() for name in gaps)}
    assert not [name for name in names if f"| `{name}` |" not in page]


def test_every_metric_of_identities_has_a_heading() -> None:
    said = pd.DataFrame({"template": list("aabb"), "gender": ["men", "women"] * 2, "favourable": [True, True, False, False]})
    said["unit_score"] = said["y_score"] = [0.9, 0.8, 0.3, 0.1]
    found = identities(said.assign(challenge="c", task="t", model="m", emotion_word=None, person=None), 1, 0.95)
    assert set(found["metric"]) <= headings()


def test_the_index_links_every_page() -> None:
    linked = set(re.findall(r"\]\((\w+\.md)\)", (ROOT / "docs/metrics/index.md").read_text(encoding="utf-8")))
    assert {page.name for page in PAGES} == linked | {"index.md"}


def cards() -> dict[str, str]:
    parts = re.split(r"^## `(\w+)`\n", (ROOT / "docs/datasets.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_data_set_has_a_card_and_no_card_is_of_another() -> None:
    assert sorted(cards()) == DATASETS


@pytest.mark.parametrize("name", DATASETS)
def test_a_card_says_all_there_is_to_say_and_the_licence_is_the_publishers(name: str) -> None:
    said = re.findall(r"^- \*\*(.+?)\*\*: (.*)", cards()[name], flags=re.MULTILINE)
    assert [field for field, _ in said] == list(CARD)
    assert all(len(text) > 10 for _, text in said)
    sources = yaml.safe_load((ROOT / "stages/datasets/sources.yaml").read_text(encoding="utf-8"))
    if name in sources:
        stated = sources[name]["licence"].removesuffix(" (repository)")
        assert stated.casefold() in dict(said)["Licence"].casefold()

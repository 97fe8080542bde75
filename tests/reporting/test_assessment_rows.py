"""What a page shows first is what is surest, never what is most extreme; texts without a mention are no group of people."""

import pyarrow as pa
import pytest

from stages.reporting.assessment_cells import classification_bias
from stages.reporting.assessment_rows import group_name, surest, telling, unmentioned
from stages.reporting.assessment_words import data_bias, embedding_bias, explanations
from tests.reporting.assessed import description, embedding, leaning, measured, word

LEVEL = 0.05


def row(value, q_value, n):
    return {"value": value, "q_value": q_value, "n": n}


def test_the_surest_row_comes_first_then_the_largest_and_the_extreme_one_of_few_texts_last():
    extreme, sure, large, chance = row(2.3, 0.04, 12), row(0.5, 0.001, 5000), row(0.1, 0.001, 9000), row(3.0, 0.2, 5)
    assert telling([chance, extreme, sure, large, row(None, None, 1)], LEVEL, "n")[:4] == [large, sure, extreme, chance]
    assert surest([large, chance], LEVEL, lambda found: str(found["n"])) == "9000"
    assert surest([chance], LEVEL, str) == surest([], LEVEL, str) == ""


@pytest.mark.parametrize(
    ("group", "attributes", "name"),
    [
        ("unknown", "mentioned_gender", "no mention found"),
        ("men, unknown", "mentioned_gender+mentioned_religion", "men, no mention found"),
        ("unknown, women", "age+mentioned_gender", "unknown, women"),
        ("unknown", "gender", "unknown"),
        ("a, b", "mentioned_gender", "a, b"),
    ],
)
def test_unknown_of_a_mined_attribute_is_called_no_mention_found(group, attributes, name):
    assert group_name(group, attributes) == name
    assert unmentioned({"group": group, "attributes": attributes}) == ("no mention found" in name)


def test_a_stratum_without_mention_is_no_disparity_of_the_summary():
    """It is unlike everyone more surely than men are; the summary names men, and counts men alone."""
    about = {"task": "t", "model": "m", "attributes": "mentioned_gender", "metric": "tpr", "ci_low": 0.1, "ci_high": 0.2, "reason": None}
    tested = {"comparison": "difference to everyone", "value": 0.15, "verdict": "disparity", "n": 50, "people": 50}
    rows = [about | tested | {"group": "unknown", "q_value": 0.001, "n": 900}, about | tested | {"group": "men", "q_value": 0.01}]
    rows += [found | {"comparison": "difference to reference", "verdict": None, "q_value": None} for found in rows]
    part = classification_bias(pa.Table.from_pylist(rows), LEVEL)
    assert part.verdicts == {"disparity": 1}
    assert part.first == "t, m, men (mentioned_gender): Equal opportunity (TPR), group - everyone 0.15 [0.10, 0.20]"
    assert [found[1] for found in part.tables[0].rows] == ["men"]
    assert [found[1] for found in part.tables[1].rows] == ["men", "no mention found"]


def test_the_disparity_of_the_data_is_named_as_a_log_odds_ratio():
    few = description("Saudi people", texts=12, log_odds_ratio=2.26, ci_low=0.75, ci_high=3.78, q_value=0.007)
    many = description("men", texts=5951, log_odds_ratio=0.48, ci_low=0.42, ci_high=0.54, q_value=1e-9)
    part = data_bias(measured([few, many])[0], LEVEL)
    assert part.first == "trust, texts that mention men: log odds ratio of the favourable label 0.48 [0.42, 0.54]"


def test_models_on_the_same_embeddings_are_one_row():
    models = [embedding(), embedding(model="other"), embedding(model="third", value=0.05)]
    part = embedding_bias(pa.concat_tables([measured(figures=[model])[5] for model in models]), LEVEL)
    assert [found[0] for found in part.tables[0].rows] == ["reader and other", "third"]
    assert part.verdicts == {"disparity": 2}


def test_words_of_few_texts_are_left_out_and_told_of():
    """The rare word is the most important one; of the others the surer comes first."""
    rare = word("rare", documents=4, absolute=0.9, absolute_low=0.8)
    unsure, sure = word("unsure", absolute=0.5, absolute_low=0.1), word("sure", absolute=0.3, absolute_low=0.25)
    tables = measured(tokens=[rare, unsure, sure], leanings=[leaning()])
    part = explanations(tables[3], tables[4], LEVEL)
    assert [found[0] for found in part.tables[1].rows] == ["sure", "unsure"]
    assert "2 of the 2 words that at least 5 explained texts hold" in part.tables[1].caption
    assert part.tables[1].caption.endswith("1 word of fewer texts is left out")
    assert part.said == ["trust, reader: 20 of 100 texts explained; median R-squared of LIME 0.70."]

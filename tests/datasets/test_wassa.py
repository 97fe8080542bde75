"""The WASSA essays as published (where they are at hand), and the same format in rows of our own."""

import pandas as pd
import pytest

from stages.contract.bad_input import BadInput
from stages.datasets import wassa


@pytest.fixture
def source(tmp_path):
    train = {name: ["1", "2"] for name in [*wassa.TRAIN_COLUMNS.values(), "emotion", "article_id"]}
    train |= {"message_id": ["m1", "m2"], "response_id": ["r1", "r1"], "essay": ["One essay.", 'Another "quoted" one.']}
    train |= {"gender": ["1", "2"], "education": ["6", "unknown"], "race": ["1", "5"], "age": ["33", "20"], "income": ["50000", ""]}
    pd.DataFrame(train).to_csv(tmp_path / wassa.TRAIN, sep="\t", index=False)
    dev = {"message_id": ["m3"], "response_id": ["r2"], "article_id": ["7"], "essay": ["A third."]}
    dev |= {"gender": ["5.0"], "education": ["7.0"], "race": ["3.0"], "age": ["41.0"], "income": ["60000.0"]}
    pd.DataFrame(dev).to_csv(tmp_path / wassa.DEV, sep="\t", index=False)
    gold = [[str(number) for number in range(12)]]
    pd.DataFrame(gold).to_csv(tmp_path / wassa.DEV_GOLD, sep="\t", index=False, header=False)
    return tmp_path


def test_codes_are_decoded_and_unknown_stays_unknown(source):
    documents = wassa.load(source, "stability", wassa.Params())
    assert documents["gender"].tolist() == ["man", "woman", "another gender"]
    assert documents["education"].isna().tolist() == [False, True, False]
    assert documents["income"].isna().tolist() == [False, True, False]
    assert documents["label"].tolist() == [1, 2, 7]  # stability is the gold file's eighth column
    assert documents["text"].iloc[1] == 'Another "quoted" one.'


def test_every_label_has_its_gold_column(source):
    """empathy, distress, (emotion,) five traits, four reactivity scales: columns 0, 1, 3, ..., 11 of the gold file."""
    found = [wassa.load(source, label, wassa.Params())["label"].iloc[2] for label in wassa.LABELS]
    assert found == [0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11]


def test_bad_files_are_named(source):
    with pytest.raises(BadInput, match="label 'anger' is not one of WASSA's"):
        wassa.load(source, "anger", wassa.Params())
    with pytest.raises(BadInput, match=r"messages_train_ready_for_WS.tsv is missing"):
        wassa.load(source / "elsewhere", "empathy", wassa.Params())
    (source / wassa.DEV_GOLD).write_text("1\t2\n")
    with pytest.raises(BadInput, match=r"has 1 rows of 2 columns; 1 of 12 are needed"):
        wassa.load(source, "empathy", wassa.Params())


def test_the_published_files(shared):
    """Row, person and group counts as SOURCES.md and spec/benchmark.md section 4 give them."""
    documents = wassa.load(shared / "data" / "wassa", "empathy", wassa.Params())
    assert len(documents) == 2130
    assert documents["author_id"].nunique() == 426
    assert documents["gender"].value_counts().to_dict() == {"man": 1140, "woman": 975, "another gender": 15}
    assert documents["age"].median() == 33
    assert documents.drop(columns="label").notna().all(axis=None)
    train = documents["label"][:1860]
    assert train.median() == pytest.approx(3.833)

"""PANDORA in rows of our own: comments joined to profiles by name, the first few of each author, and the paper's coding."""

import numpy as np
import pandas as pd
import pytest

from stages.contract.bad_input import BadInput
from stages.datasets import mbti

Params = mbti.Params


def profiles() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "author": ["ann", "ben", "cal", "dee", "eve"],
            "gender": ["f", "m", "m", "", "f"],
            "age": ["30.0", "55", "54", "20", "60"],
            "perceiving": ["1.0", "0.0", "1", "0", ""],
            "thinking": ["0", "1", "1", "0", "1"],
        }
    )


def comments() -> pd.DataFrame:
    """Seven comments of each author in turns, one of them deleted, one in French, and one of a stranger."""
    rows = [(author, f'{author} says "{number}",\nand more', "en") for number in range(7) for author in profiles()["author"]]
    rows[0] = ("ann", "[deleted]", "en")
    rows[6] = ("ben", "bonjour", "fr")
    return pd.DataFrame([*rows, ("zoe", "hello", "en")], columns=["author", "body", "lang"])


def write(folder, people=None, texts=None):
    (profiles() if people is None else people).to_csv(folder / mbti.PROFILES, index=False)
    (comments() if texts is None else texts).to_csv(folder / mbti.COMMENTS, index=False)
    return folder


@pytest.mark.parametrize("rows", [3, 1000])
def test_the_first_comments_of_each_author_in_parts_or_at_once(tmp_path, monkeypatch, rows):
    monkeypatch.setattr(mbti, "ROWS", rows)
    documents = mbti.load(write(tmp_path), "perceiving", Params(texts=3)).sort_values("doc_id")
    assert documents["doc_id"].tolist() == [f"{author}_{number}" for author in ("ann", "ben", "cal", "dee") for number in (1, 2, 3)]
    assert documents["text"].iloc[:2].tolist() == ['ann says "1",\nand more', 'ann says "2",\nand more']
    assert documents["text"][documents["author_id"] == "ben"].str[10].tolist() == ["0", "2", "3"]
    assert documents.groupby("author_id")["label"].first().tolist() == [1, 0, 1, 0]


def test_the_papers_coding_gives_the_papers_groups(tmp_path, binary):
    """Gender = (x1 == "m"), Age = x2 < 55, of the users with both."""
    documents = mbti.load(write(tmp_path), "thinking", Params(coding="naacl2022"))
    people = documents.assign(**binary(documents)).groupby("author_id")[["gender", "age_group"]].first()
    assert people["gender"].to_dict() == {"ann": 0, "ben": 1, "cal": 1, "eve": 0}
    assert people["age_group"].to_dict() == {"ann": 1, "ben": 0, "cal": 1, "eve": 0}


def test_our_coding_keeps_who_is_unknown_unless_asked(tmp_path):
    documents = mbti.load(write(tmp_path), "thinking", Params())
    assert documents["author_id"].nunique() == 5
    assert documents.groupby("author_id")["gender"].first().isna().tolist() == [False, False, False, True, False]
    assert len(documents) == 25
    assert np.isfinite(documents["age"]).all()
    assert mbti.load(tmp_path, "thinking", Params(known_only=True))["author_id"].nunique() == 4


@pytest.mark.parametrize(
    ("people", "texts", "label", "sentence"),
    [
        (profiles().replace("m", "t"), None, "thinking", "column 'gender' holds codes that are not known in 2 of 5 rows (first: 't')"),
        (profiles().replace("ben", "ann"), None, "thinking", "1 authors are described twice (first: 'ann')"),
        (profiles().drop(columns="thinking"), None, "thinking", "column 'thinking' is missing"),
        (profiles().assign(thinking="2"), None, "thinking", "column 'thinking' holds codes that are not known"),
        (None, comments().drop(columns="lang"), "thinking", "column 'lang' is missing"),
        (None, comments().assign(lang="fr"), "thinking", "no English comment is by an author of author_profiles.csv"),
        (None, None, "sensing", "label 'sensing' is not one of PANDORA's"),
    ],
)
def test_bad_files_are_named(tmp_path, people, texts, label, sentence):
    with pytest.raises(BadInput) as refusal:
        mbti.load(write(tmp_path, people, texts), label, Params())
    assert sentence in str(refusal.value)


def test_a_third_gender_code_can_be_described(tmp_path):
    write(tmp_path, profiles().replace("", "t"))
    documents = mbti.load(tmp_path, "thinking", Params(genders={"m": "man", "f": "woman", "t": "another gender"}))
    assert "another gender" in documents["gender"].tolist()


def test_files_in_another_encoding_or_missing(tmp_path):
    with pytest.raises(BadInput, match=r"author_profiles\.csv is missing"):
        mbti.load(tmp_path, "thinking", Params())
    write(tmp_path)
    comments().replace("bonjour", "ça va").assign(lang="en").to_csv(tmp_path / mbti.COMMENTS, index=False, encoding="latin-1")
    with pytest.raises(BadInput, match="is not utf-8"):
        mbti.load(tmp_path, "thinking", Params())

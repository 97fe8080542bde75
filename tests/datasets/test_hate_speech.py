"""The merged hate-speech set: two published formats, one label, and the paper's counts."""

import pytest

from stages.contract.bad_input import BadInput
from stages.datasets import hate_speech
from stages.datasets.hate_speech import Params

DAVIDSON = """,count,hate_speech,offensive_language,neither,class,tweet
0,3,0,0,3,2,"good morning, ""all"" of you"
1,3,2,1,0,0,first bad thing
4,3,0,3,0,1,"second
bad thing"
"""
OLID = 'id\ttweet\tsubtask_a\tsubtask_b\tsubtask_c\n86426\t@USER "third bad thing\tOFF\tUNT\tNULL\n90194\tNA\tNOT\tNULL\tNULL\n'
REPEATS = "5\ta nice day\tNOT\tNULL\tNULL\n6\ta nice day\tNOT\tNULL\tNULL\n7\tboth\tNOT\tNULL\tNULL\n8\tboth\tOFF\tUNT\tNULL\n"


def write(folder, davidson=DAVIDSON, olid=OLID):
    for name, text in ((hate_speech.DAVIDSON, davidson), (hate_speech.OLID, olid)):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_classes_zero_and_one_and_off_are_hateful(tmp_path):
    documents = hate_speech.load(write(tmp_path), "hateful", Params(split="drawn")).set_index("doc_id")
    assert documents["label"].to_dict() == {"davidson-0": 0, "davidson-1": 1, "davidson-4": 1, "olid-86426": 1, "olid-90194": 0}
    assert documents.loc["davidson-0", "text"] == 'good morning, "all" of you'
    assert documents.loc["olid-86426", "text"] == '@USER "third bad thing'  # a quotation mark that is never closed
    assert documents.loc["olid-90194", "text"] == "NA"
    assert (documents["author_id"] == documents.index).all()
    assert "fold" not in documents


def test_repeated_texts_are_told_and_left_out_on_request(tmp_path, capsys):
    write(tmp_path, olid=OLID + REPEATS)
    assert len(hate_speech.load(tmp_path, "hateful", Params(split="drawn"))) == 9
    assert "2 of 9 texts repeat another and are kept; 2 stand there with both labels" in capsys.readouterr().out
    once = hate_speech.load(tmp_path, "hateful", Params(split="drawn", repeated="left_out"))
    assert once["text"].tolist()[-2:] == ["NA", "a nice day"]


def test_a_tenth_is_test_and_the_seed_draws_it(tmp_path):
    rows = "".join(f"{i}\ttext {i}\t{'OFF' if i % 3 else 'NOT'}\tNULL\tNULL\n" for i in range(295))
    write(tmp_path, olid=OLID + rows)
    documents = hate_speech.load(tmp_path, "hateful", Params())
    test = documents[documents["fold"] == "test"]
    assert len(test) == 30
    assert test["label"].mean() == pytest.approx(documents["label"].mean(), abs=0.02)
    assert documents["fold"].tolist() == hate_speech.load(tmp_path, "hateful", Params())["fold"].tolist()
    assert documents["fold"].tolist() != hate_speech.load(tmp_path, "hateful", Params(seed=1))["fold"].tolist()


@pytest.mark.parametrize(
    ("damaged", "label", "sentence"),
    [
        ({"davidson": DAVIDSON.replace(",0,first", ",9,first")}, "hateful", "column 'class' holds codes that are not known in 1 of 3"),
        ({"davidson": DAVIDSON.replace("class", "label")}, "hateful", "column 'class' is missing"),
        ({"olid": OLID.replace("OFF", "off")}, "hateful", "column 'subtask_a' holds codes that are not known in 1 of 2"),
        ({}, "toxic", "label 'toxic' is not one of the merged hate-speech set's: hateful"),
    ],
)
def test_bad_files_are_named(tmp_path, damaged, label, sentence):
    with pytest.raises(BadInput) as refusal:
        hate_speech.load(write(tmp_path, **damaged), label, Params())
    assert sentence in str(refusal.value)


def test_the_published_files(shared):
    """Singh et al. 2021, appendix B: 34,220 + 3,803 tweets; golden: 25,020 hateful, test support 1,301 and 2,502."""
    documents = hate_speech.load(shared / "data", "hateful", Params())
    assert (len(documents), int(documents["label"].sum())) == (38023, 25020)
    assert documents.groupby("fold")["label"].agg(["size", "sum"]).to_numpy().tolist() == [[3803, 2502], [34220, 22518]]
    assert documents["doc_id"].is_unique
    assert documents["doc_id"].str.startswith("olid").sum() == 13240
    assert documents["text"].duplicated().sum() == 33
    once = hate_speech.load(shared / "data", "hateful", Params(repeated="left_out"))
    assert once["text"].is_unique
    assert len(once) == 38023 - 33 - 5  # 28 texts repeat, five of them with both labels

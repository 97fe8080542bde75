"""The Multilingual Twitter Corpus as published (where it is at hand), and both its forms in rows of our own."""

import json
from pathlib import Path

import pandas as pd
import pytest

from stages import ingest
from stages.contract.bad_input import BadInput
from stages.contract.params import Task
from stages.datasets import multilingual_twitter as twitter

COLUMNS = ["tid", "uid", "text", "date", "gender", "age", "city", "state", "country", "ethnicity", "label"]
WORDS = {"1": "user", "2": "url", "3": "ciao", "4": "mondo"}


def Params(**changed):  # noqa: N802
    return twitter.Params(**({"language": "Italian"} | changed))


def tweet(tid, text, codes, label="0", uid=None):
    gender, age, country, ethnicity = codes
    return [tid, uid or f"u{tid}", text, "2017-4-3", gender, age, "x", "x", country, ethnicity, label]


PARTS = {
    "train": [tweet("1", "0 0 3 4", "1111", "1"), tweet("2", "0 4 3 2", "0000"), tweet("3", '0 1 3 "', "xxxx")],
    "valid": [tweet("4", "0 0 0 3", "1000")],
    "test": [tweet("5", "3 1 1 1", "0111"), tweet("1", "0 0 3 4", "1111", "1", uid="u1")],
}


def write(folder: Path, form="indices", parts=PARTS, words=WORDS) -> Path:
    where = folder / form / "Italian"
    where.mkdir(parents=True, exist_ok=True)
    for part, rows in parts.items():
        (where / f"{part}.tsv").write_text("\n".join("\t".join(row) for row in [COLUMNS, *rows]).replace('"', "4") + "\n")
    (folder / "word_index").mkdir(exist_ok=True)
    (folder / "word_index" / "Italian.json").write_text(json.dumps(words))
    return folder


def test_ids_are_spelt_codes_decoded_and_no_tweet_is_in_two_parts(tmp_path, capsys):
    documents = twitter.load(write(tmp_path), "hate", Params()).set_index("doc_id")
    assert documents["text"].to_dict() == {
        "1": "ciao mondo",
        "2": "mondo ciao url",
        "3": "user ciao mondo",
        "4": "ciao",
        "5": "ciao user user user",
    }
    assert documents["fold"].to_dict() == {"1": "test", "2": "train", "3": "train", "4": "dev", "5": "test"}
    assert "1 tweets stand in two parts" in capsys.readouterr().out
    assert documents["gender"].fillna("").to_dict() == {"1": "woman", "2": "man", "3": "", "4": "woman", "5": "man"}
    assert documents.loc["2", ["race", "age_group", "country_group"]].tolist() == ["White", "over the median age", "another country"]
    assert documents.loc["1", ["race", "age_group", "country_group"]].tolist() == [
        "another race or ethnicity", "at most the median age", "most frequent country",
    ]  # fmt: skip
    assert set(documents["lang"]) == {"it"}
    assert "fold" not in twitter.load(tmp_path, "hate", Params(folds="drawn"))


def test_a_repeated_tweet_is_one_document_by_the_stated_rule(tmp_path, capsys):
    """Within a part, in two parts (and never both learned and tested), with two labels, with a code that one row lacks."""
    train = [
        tweet("1", "3", "1111"), tweet("1", "3", "1111"), tweet("2", "3", "1111", "1"), tweet("2", "3", "1111", "0"),
        tweet("3", "3", "1111", "0"), tweet("3", "3", "1111", "0"), tweet("3", "3", "1111", "1"), tweet("4", "3", "x000"),
        tweet("5", "3", "1111"), tweet("6", "3", "1111", "x"), tweet("6", "3", "1111", "1"), tweet("8", "3", "1111"),
    ]  # fmt: skip
    valid = [tweet("5", "3", "1111", "1"), tweet("7", "3", "0000"), tweet("8", "3", "1111", uid="another")]
    source = write(tmp_path, parts={"train": train, "valid": valid, "test": [tweet("4", "3", "xx11"), tweet("4", "3", "1xxx")]})
    documents = twitter.load(source, "hate", Params()).set_index("doc_id")
    assert documents["fold"].to_dict() == {
        "4": "test",
        "5": "dev",
        "7": "dev",
        "8": "dev",
        "1": "train",
        "2": "train",
        "3": "train",
        "6": "train",
    }
    assert documents["label"].to_dict() == {"4": 0, "5": 1, "7": 0, "8": 0, "1": 0, "2": 1, "3": 0, "6": 1}
    known = documents.loc["4", ["gender", "age_group", "country_group", "race"]].tolist()
    assert known == ["woman", "over the median age", "most frequent country", "another race or ethnicity"]
    assert documents.loc["8", "author_id"] == "another"
    told = capsys.readouterr().out
    assert (
        "9 of 17 rows repeat a tweet: 5 tweets stand more than once in one part, 3 tweets stand in two parts, 3 have two labels, 1 two"
        in told
    )
    assert "fold" not in twitter.load(source, "hate", Params(folds="drawn"))
    write(tmp_path, parts={"train": [tweet("", "3", "1111")], "valid": valid, "test": valid})
    assert "1 of 7 tweets have no tid" in refusal(tmp_path)


def test_a_file_as_the_polish_one_is_gives_its_documents(tmp_path, capsys, monkeypatch):
    """10,919 rows of which 635 stand twice in one part and 9 in two parts, four of them with another label: 10,275 documents."""
    rows = {
        part: [tweet(f"{part}{i}", "3", "1010", uid=f"u{i % 86}", label=str(i % 2)) for i in range(count)]
        for part, count in (("train", 7325), ("valid", 1475), ("test", 1475))
    }
    for place in range(635):
        rows["train"].append(rows["train"][place].copy())
    for place in range(9):
        rows["test" if place < 5 else "valid"].append(rows["train"][2000 + place].copy())
    for place in (0, 2, 4, 6):
        rows["train"][7325 + place][-1] = "1"
    source = write(tmp_path, parts=rows)
    for name in ("indices/{}", "word_index/{}.json"):
        (source / name.format("Italian")).rename(source / name.format("Polish"))
    assert sum(map(len, rows.values())) == 10_919
    monkeypatch.chdir(tmp_path)
    dataset = {"use": "multilingual_twitter", "source": str(source), "language": "Polish"}
    ingested, _ = ingest.run(Task.model_validate({"dataset": dataset, "label": "hate", "favourable": "low"}), ingest.Params())
    documents = ingested.to_pandas()
    assert len(documents) == 10_275
    assert documents["fold"].value_counts().to_dict() == {"train": 7316, "dev": 1479, "test": 1480}
    assert (
        "644 of 10919 rows repeat a tweet: 635 tweets stand more than once in one part, 9 tweets stand in two parts, 4 have two"
        in capsys.readouterr().out
    )


def test_the_raw_form_needs_no_word_index(tmp_path):
    raw = {part: [[row[0], row[1], 'so "raw', *row[3:]] for row in rows] for part, rows in PARTS.items()}
    write(tmp_path, "split")
    for part, rows in raw.items():
        (tmp_path / "split" / "Italian" / f"{part}.tsv").write_text("\n".join("\t".join(row) for row in [COLUMNS, *rows]) + "\n")
    (tmp_path / "word_index" / "Italian.json").unlink()
    assert set(twitter.load(tmp_path, "hate", Params(form="raw"))["text"]) == {'so "raw'}


def test_the_papers_coding_reads_one_as_privileged_throughout(tmp_path, binary):
    """Gender, age and ethnicity as they stand; unknown, "user user user" and repeated texts are left out."""
    documents = twitter.load(write(tmp_path), "hate", Params(coding="naacl2022", folds="drawn"))
    coded = binary(documents).set_index(documents["doc_id"])
    assert sorted(coded.index) == ["1", "2", "4"]
    assert coded.loc["1"].tolist() == [1, 1, 1]
    assert coded.loc["4"].tolist() == [1, 0, 0]
    ours = twitter.load(tmp_path, "hate", Params(folds="drawn"))
    assert binary(ours)[ours["doc_id"].to_numpy() == "1"].iloc[0].tolist() == [0, 0, 1]


def refusal(source, label="hate", **params):
    with pytest.raises(BadInput) as refused:
        twitter.load(source, label, Params(**params))
    return str(refused.value)


def test_bad_files_are_named(tmp_path):
    assert "Polish.json is missing; it spells the word ids" in refusal(write(tmp_path), language="Polish")
    assert "label 'spam' is not one of the Multilingual Twitter Corpus's" in refusal(tmp_path, "spam")
    assert "parts test are no published split; say folds: drawn" in refusal(tmp_path, parts=("test",))
    assert "holds the id '7', which the word index lacks" in refusal(write(tmp_path, parts={"train": [tweet("1", "0 7", "1111")]}))
    wrong = {"train": [tweet("1", "3", "1112")]}
    assert "column 'ethnicity' holds codes that are not known in 1 of 1 rows (first: '2')" in refusal(
        write(tmp_path, parts=wrong), parts=("train",), folds="drawn"
    )
    (tmp_path / "indices" / "Italian" / "train.tsv").write_bytes(
        "\t".join(COLUMNS).encode() + b"\n" + "\t".join(tweet("1", "\xe8", "1111")).encode("latin-1")
    )
    assert "is not utf-8" in refusal(tmp_path)
    assert "does not map ids to words" in refusal(write(tmp_path, words=["user"]))
    (tmp_path / "word_index" / "Italian.json").write_text("{")
    assert "is not JSON in UTF-8" in refusal(tmp_path)
    (tmp_path / "indices" / "Italian" / "valid.tsv").unlink()
    write(tmp_path, parts={"train": PARTS["train"], "test": PARTS["test"]})
    assert "valid.tsv is missing; put the file there" in refusal(tmp_path)


@pytest.fixture
def published(shared, tmp_path):
    """The publisher's folders, made of the files at hand."""
    for file in sorted((shared / "data" / "mtc" / "indices").glob("*.tsv")):
        language, part = file.stem.split(".")
        (tmp_path / "indices" / language).mkdir(parents=True, exist_ok=True)
        (tmp_path / "indices" / language / f"{part}.tsv").symlink_to(file)
    (tmp_path / "word_index").symlink_to(shared / "data" / "mtc" / "word_index")
    return tmp_path


@pytest.mark.parametrize(("language", "tweets"), [("Spanish", 4926), ("Italian", 5778)])
def test_the_published_languages(published, language, tweets):
    """Row counts as spec/benchmark.md section 3 gives them; three Spanish tweets stand in two parts."""
    documents = twitter.load(published, "hate", Params(language=language))
    assert len(documents) == tweets - 3 * (language == "Spanish")
    assert documents["doc_id"].is_unique
    assert set(documents["fold"]) == {"train", "dev", "test"}
    test = documents[documents["fold"] == "test"]
    shares = test["author_id"].isin(documents["author_id"][documents["fold"] == "train"]).mean()
    assert shares == pytest.approx({"Spanish": 0.047, "Italian": 0.319}[language], abs=0.002)


def test_the_english_test_split_is_the_papers_population(published, binary):
    """Section 2.3: by the notebook's own filter 6,728 tweets are left, in the groups of which the paper's counts are a few rows off."""
    documents = twitter.load(published, "hate", Params(language="English", parts=("test",), folds="drawn", coding="naacl2022"))
    assert len(documents) == 6728
    coded: pd.DataFrame = binary(documents)
    assert abs(coded["gender"].value_counts() - pd.Series({0.0: 2969, 1.0: 3763})).max() <= 2
    for attributes, protected, privileged in ((["gender", "age_group"], 1582, 2920), (["gender", "race", "age_group"], 717, 1608)):
        assert abs((coded[attributes] == 0).all(axis=1).sum() - protected) <= 3
        assert abs((coded[attributes] == 1).all(axis=1).sum() - privileged) <= 3


def test_the_english_base_rates(published):
    """Complete in gender, age and ethnicity: test 8,336 with 77 % positive, valid 6,355 with 19 % (section 3); one has no words."""
    documents = twitter.load(published, "hate", Params(language="English", parts=("valid", "test"), folds="drawn"))
    complete = documents.dropna(subset=["gender", "race", "age_group"])
    assert len(documents) == 12_681 + 12_682 - 1
    assert len(complete) == 8336 + 6355
    assert complete["label"].mean() == pytest.approx((0.767 * 8336 + 0.194 * 6355) / (8336 + 6355), abs=1e-3)

"""The intensity files as published (where they are at hand), and the same format in rows of our own."""

import pytest

from stages import ingest
from stages.contract.bad_input import BadInput
from stages.contract.params import Task
from stages.datasets import semeval_affect
from tests.datasets.stand_ins import write_intensities

Params = semeval_affect.Params
# spec/margins.md 2.3: train, dev, test
COUNTS = {
    "En": {"anger": (1701, 388, 1002), "fear": (2252, 389, 986), "joy": (1616, 290, 1105), "sadness": (1533, 397, 975)},
    "Es": {"anger": (1166, 193, 627), "fear": (1166, 202, 618), "joy": (1058, 202, 730), "sadness": (1154, 196, 641)},
    "Ar": {"anger": (877, 150, 373), "fear": (882, 146, 372), "joy": (728, 224, 448), "sadness": (889, 141, 370)},
}


def test_tweets_stand_as_published_or_as_the_authors_prepared_them(tmp_path):
    write_intensities(tmp_path)
    plain, prepared = (
        semeval_affect.load(tmp_path, "intensity", Params(language="Es", affect="joy", cleaning=c)) for c in ("none", "authors")
    )
    assert plain["fold"].value_counts().to_dict() == {"train": 30, "dev": 15, "test": 15}
    assert plain["lang"].unique().tolist() == ["es"]
    assert plain["author_id"].nunique() == 60
    assert set(plain.columns) == {"doc_id", "author_id", "text", "lang", "fold", "label"}, "nothing is known of the writers"
    assert plain["text"][7] in (f'@user {word} people &amp; "tweet"  7 @friend' for word in ("kind", "rude"))
    assert prepared["text"][7] in (f'{word} people & "tweet" 7 @friend' for word in ("kind", "rude"))
    assert ((plain["label"] * 1000).round() // 10 / 100).tolist() == prepared["label"].tolist(), "two decimals, cut and not rounded"


def test_valence_is_read_from_files_of_its_own(tmp_path):
    write_intensities(tmp_path, "Ar", "valence")
    assert semeval_affect.files(Params(language="Ar", affect="valence"))[2] == "2018-Valence-reg-Ar-test-gold.txt"
    assert len(semeval_affect.load(tmp_path, "intensity", Params(language="Ar", affect="valence"))) == 60


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("\tjoy\t", "\tfear\t", "column 'Affect Dimension' is not joy in 15 of 15 rows (first: 'fear'); put the file of that affect there"),
        ("\tjoy\t0", "\tjoy\t7", "column 'Intensity Score' is outside 0 to 1 in 15 of 15 rows"),
        ("\tjoy\t0", "\tjoy\tx", "column 'Intensity Score' is not a number in 15 of 15 rows"),
        ("Tweet", "Text", "column 'Tweet' is missing"),
    ],
)
def test_bad_files_are_named(tmp_path, old, new, sentence):
    write_intensities(tmp_path)
    path = tmp_path / "2018-EI-reg-Es-joy-dev.txt"
    path.write_bytes(path.read_bytes().replace(old.encode(), new.encode()))
    with pytest.raises(BadInput) as refusal:
        semeval_affect.load(tmp_path, "intensity", Params(language="Es", affect="joy"))
    assert sentence in str(refusal.value)
    assert path.name in str(refusal.value)


@pytest.mark.parametrize("cleaning", ["none", "authors"])
@pytest.mark.parametrize("language", list(COUNTS))
def test_the_published_files(shared, language, cleaning):
    for affect, counts in COUNTS[language].items():
        dataset = {"use": "semeval_affect", "language": language, "affect": affect, "cleaning": cleaning}
        dataset["source"] = str(shared / "data" / "semeval2018_ei")
        task = Task.model_validate({"dataset": dataset, "label": "intensity", "kind": "regression"})
        documents = ingest.run(task, ingest.Params())[0].to_pandas()
        assert tuple(documents["fold"].value_counts()[["train", "dev", "test"]]) == counts
        assert documents["label"].between(0, 1).all()
        assert documents["doc_id"].str.match(rf"201[78]-{language}-\d{{5}}").all()
    if (language, cleaning) == ("En", "none"):
        everything = [
            semeval_affect.load(shared / "data" / "semeval2018_ei", "intensity", Params(language="En", affect=a)) for a in ("joy", "fear")
        ]
        assert (everything[0]["label"].min(), everything[1]["label"].max()) == (0, 1), "both ends occur, contrary to the paper's remark"

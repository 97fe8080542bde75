"""`crossbias check` finds a design right, or says in one sentence what is not, and touches nothing."""

import functools

import pytest
import yaml

from flows import command
from tests.conftest import ROOT

pytestmark = pytest.mark.filterwarnings("ignore:_NoneStep.value:DeprecationWarning")


def test_the_default_design_is_right(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    assert command.main(["check"]) == 0
    assert capsys.readouterr().out == "params.yaml is right: 2 tasks x 4 models, 2 challenges.\n"


def test_a_model_that_is_a_path_is_refused_before_dvc_empties_it(tmp_path, monkeypatch, capsys):
    """With `dvc repro` alone, DVC would remove data/debias/../raw before it runs the command that refuses the name."""
    monkeypatch.chdir(ROOT)
    design = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    design["models"]["../raw"] = design["models"]["minilm"]
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(design))
    assert command.main(["check", str(tmp_path / "params.yaml")]) == 2
    said = capsys.readouterr().err
    assert said.startswith("check: ")
    assert "names are lower-case letters, digits and _ only" in said
    assert said.count("\n") == 1


LOST = object()
COUNTS = {"use": "delimited", "source": "data/raw/naacl2022/counts.csv", "text": "task", "attributes": {}}
LOOKUP = {"use": "lookup", "attributes": ["gendr"]}
# What only a run said, after minutes or hours, or with a traceback.
LATE = [
    ("challenges", LOST, "'challenges' is missing, and DVC watches it: write it out; its default is {}"),
    ("probe.words", LOST, "'probe.words' is missing, and DVC watches it: write it out; its default is \"stages/probes/words\""),
    ("explain.ambiguous", LOST, "'explain.ambiguous' is missing, and DVC watches it: write it out; its default is true"),
    ("report", LOST, "'report' is missing, and DVC watches it: write it out; its default is {}"),
    ("finetune.processes", "2", "cpus is '2' and must be a number from 1 on"),
    ("explain.identities", "stages/no", "explain: 'identities': stages/no is not there"),
    ("explain.identities", "flows", "flows holds no word list"),
    ("probe.words", "flows", "flows holds no word sets"),
    ("reaudit.counts", "data/raw", "data/raw/counts.csv is not there"),
    ("tasks.trust.dataset.source", "", "'tasks.trust.dataset.source': it names no file or folder"),
    ("models.minilm.base.source", "/etc", "'models.minilm.base.source': a path is relative, has no .. in it"),
    ("challenges.en_black_white.source", "../x", "'challenges.en_black_white.source': a path is relative, has no .. in it"),
    ("models.minilm.debiaser", {"use": "counterfactual", "corpus": "/etc/hosts"}, "'corpus': a path is relative, has no .. in it"),
    ("debias.seed", -1, "debias: 'seed': Input should be greater than or equal to 0"),
    ("ingest.seed", 2**32, "ingest: 'seed': Input should be less than 4294967296"),
    ("finetune.processes", 10**18, "finetune: processes is 1000000000000000000, and numbers end at 9,007,199,254,740,991"),
    ("evaluate.level", float("nan"), "evaluate: 'level': Input should be a finite number"),
    ("debias.threads", 10**6, "debias: 'threads': Input should be less than or equal to 1024"),
    ("evaluate", "fast", "'evaluate' must be a section of keys and values, and it is 'fast'"),
    ("swap", ["gender"], "'swap' must be a section of keys and values, and it is ['gender']"),
    ("describe.attributes", ["gendr"], "describe: attribute 'gendr' has no word list; there are"),
    ("describe.attributes", ["age", "age"], "describe: attributes: 'age' stands twice; leave one"),
    ("ingest.mentions", [LOOKUP], "attribute 'gendr' has no word list; there are"),
    ("swap.attributes.gender", ["women", "mem"], "swap.attributes.gender: 'mem' is no group of it"),
    ("probe.tests", [{"use": "weat", "only": ["weat_99"]}], "'weat_99' is no test of the word sets"),
    ("probe.tests", [{"use": "weat"}, {"use": "weat"}], "probe.tests: 'weat' stands twice; leave one"),
    ("probe.enumeration.names", "last_names", "'last_names' is no table of names"),
    ("tasks.trust.dataset.trait", "thrust", "trait 'thrust' is not among literacy"),
    ("challenges.en_black_white.emotions", ["rage"], "has no sentence about 'rage'; it has"),
    ("challenges.en_black_white.tasks", ["thrust"], "challenges.en_black_white.tasks: 'thrust' is not among the tasks"),
    ("subgroup.containing", "gendr", "subgroup.containing: 'gendr' is none of the attributes, age, "),
    ("models.minilm.base.vocabulary", 9, "models.minilm: vocabulary is for a base of word vectors"),
    ("tasks.trust.dataset", COUNTS | {"text": "txt"}, "counts.csv: column 'txt' is missing"),
    ("tasks.trust.dataset", COUNTS | {"encoding": "utf-99"}, "'encoding': no such encoding; say e.g. utf-8"),
    ("tasks.trust.dataset", COUNTS | {"encoding": "zip"}, "'encoding': no encoding of text; say e.g. utf-8"),
    ("tasks.trust.dataset", COUNTS | {"delimiter": ""}, "'delimiter': String should match pattern"),
    ("tasks.trust.dataset", {"use": "wassa", "source": "data/raw"}, " is missing; `crossbias data` says where it is to be had"),
]


@pytest.mark.parametrize(("key", "value", "sentence"), LATE)
def test_what_a_run_would_find_late_is_said_at_once(tmp_path, monkeypatch, capsys, key, value, sentence):
    monkeypatch.chdir(ROOT)
    design = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    *before, last = key.split(".")
    part = functools.reduce(lambda part, key: part[key], before, design)
    if value is LOST:
        del part[last]
    else:
        part[last] = value
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(design))
    assert command.main(["check", str(tmp_path / "params.yaml")]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1


PINS = {
    "": "must hold keys and their values, and it is None",
    "kind: [": "is not valid YAML",
    "kind: vectors\nkind: text": "the key 'kind' stands twice; leave one in line 2, column 1",
}


@pytest.mark.parametrize(("pin", "sentence"), PINS.items())
def test_a_pin_that_is_none(tmp_path, monkeypatch, capsys, pin, sentence):
    monkeypatch.chdir(ROOT)
    design = (ROOT / "params.yaml").read_text(encoding="utf-8").replace("stages/pretrained/minilm_l6.yaml", "pin.yaml")
    (tmp_path / "stages").symlink_to(ROOT / "stages")
    (tmp_path / "data" / "raw").mkdir(parents=True)
    (tmp_path / "data" / "raw" / "naacl2022").symlink_to(ROOT / "data" / "raw" / "naacl2022")
    (tmp_path / "dvc.yaml").symlink_to(ROOT / "dvc.yaml")
    (tmp_path / "params.yaml").write_text(design)
    (tmp_path / "pin.yaml").write_text(pin)
    monkeypatch.chdir(tmp_path)
    assert command.main(["check"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("check: pin.yaml")
    assert sentence in said
    assert said.count("\n") == 1


def test_a_key_that_stands_twice_is_named_with_its_line(tmp_path, monkeypatch, capsys):
    """Of a task named twice, PyYAML took the second without a word, and DVC refused the file."""
    monkeypatch.chdir(ROOT)
    text = (ROOT / "params.yaml").read_text(encoding="utf-8")
    (tmp_path / "params.yaml").write_text(text.replace("  trust:\n", "  literacy:\n", 1))
    assert command.main(["check", str(tmp_path / "params.yaml")]) == 2
    assert "the key 'literacy' stands twice; leave one in line 8, column 3" in capsys.readouterr().err


def test_check_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert command.main(["check"]) == 0
    assert not list(tmp_path.iterdir())


def test_a_missing_design_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert command.main(["check"]) == 2
    assert capsys.readouterr().err.startswith("check: params.yaml is missing")

"""Weights, vectors, archives and tables are data: nothing that comes with them is ever run, and none of it leaves its place."""

import json
import re
import shutil
import tomllib
import zipfile
from pathlib import Path
from unittest import mock

import pytest

from stages.contract.bad_input import BadInput
from stages.debiasers import sentences
from tests.conftest import ROOT
from tests.models import tiny

CALLS = re.compile(r"\.from_pretrained\((?:[^()]|\([^()]*\))*\)")
EVIL = "import pathlib\npathlib.Path({marker!r}).touch()\nclass Evil:\n    pass\n"


def test_every_call_that_loads_weights_forbids_code():
    """Said in each call: by default transformers asks the user. Ruff's S rules refuse pickle, torch.load, unsafe YAML and eval."""
    calls = []
    for file in [*(ROOT / "stages").rglob("*.py"), *(ROOT / "flows").rglob("*.py")]:
        text = file.read_text(encoding="utf-8")
        assert "allow_pickle=True" not in text, file
        assert "trust_remote_code=True" not in text, file
        said = '"trust_remote_code": False' in text
        calls += [
            (file.name, call)
            for call in CALLS.findall(text)
            if "trust_remote_code=False" not in call and not (said and "**options" in call)
        ]
    assert calls == []
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]["lint"]
    assert "S" in rules["select"]
    assert {rule for rule in rules["ignore"] if rule.startswith("S")} == {"S603", "S607"}, "commands from lists, found on PATH"


@pytest.fixture(scope="module")
def weights(tmp_path_factory) -> Path:
    return tiny.encoder(tmp_path_factory.mktemp("weights") / "encoder")


def with_code(weights: Path, folder: Path, model_type: str) -> Path:
    """A copy of an encoder whose configuration and tokenizer ask for classes of a file of their own, which leaves a mark when run."""
    shutil.copytree(weights, folder)
    (folder / "evil.py").write_text(EVIL.format(marker=str(folder / "ran")))
    for name, classes in (("config.json", ("AutoConfig", "AutoModel")), ("tokenizer_config.json", ("AutoTokenizer",))):
        held = json.loads((folder / name).read_text())
        held["auto_map"] = {each: "evil.Evil" if each != "AutoTokenizer" else ["evil.Evil", "evil.Evil"] for each in classes}
        (folder / name).write_text(json.dumps(held | ({"model_type": model_type} if name == "config.json" else {})))
    return folder


def test_code_beside_weights_is_never_run(weights, tmp_path):
    """A known kind of encoder is built by transformers' own classes, an unknown one is refused in one sentence."""
    from transformers import AutoModel

    from stages.debiasers import pretrained_encoder
    from stages.models import encoder
    from stages.probes import encoded

    known, unknown = (with_code(weights, tmp_path / kind, kind) for kind in ("bert", "evil"))
    assert type(encoder.load(AutoModel, known)).__module__.startswith("transformers.")
    assert type(pretrained_encoder.load(AutoModel, known)).__module__.startswith("transformers.")
    assert len(encoder.tokenise(["the doctor"], known, None).rows.lengths) == 1
    for read in (encoder.config_of, encoded.load, lambda folder: pretrained_encoder.load(AutoModel, folder)):
        with pytest.raises(BadInput) as refusal:
            read(unknown)
        assert "\n" not in str(refusal.value)
    assert not list(tmp_path.rglob("ran"))


ASKING = [
    {"attn_implementation": "evil/kernel"},
    {"_attn_implementation": {"": "evil/kernel"}},
    {"text_config": {"attn_implementation": "evil/kernel"}},
    {"parts": [{"experts_implementation": "evil/kernel"}]},
    {"quantization_config": {"quant_method": "evil"}},
    {"use_kernels": True},
]


@pytest.mark.parametrize("asked", ASKING, ids=[str(asked) for asked in ASKING])
def test_weights_that_ask_for_code_from_elsewhere_are_refused(weights, tmp_path, asked):
    """Today transformers fetches such a kernel, with its code, where the package kernels is installed and the hub is on."""
    from flows.assess_model import classifier
    from flows.assess_options import Options
    from stages.models import pretrained

    folder = shutil.copytree(weights, tmp_path / "asking")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"attn_implementation": "sdpa"}))
    assert pretrained.locate(str(folder)).kind == "encoder"
    (folder / "config.json").write_text(json.dumps(config | asked))
    with pytest.raises(BadInput, match=r"config.json asks for code from elsewhere"):
        pretrained.locate(str(folder))
    with pytest.raises(BadInput, match=r"config.json asks for code from elsewhere"):
        classifier(mock.Mock(spec=Options, model=folder))


def test_archives_are_read_where_they_are_and_unpacked_nowhere(tmp_path):
    """Names in a zip that lead out of it are only names."""
    (tmp_path / "in").mkdir()
    with zipfile.ZipFile(tmp_path / "in" / "corpus.zip", "w") as archive:
        for name in ("../out.txt", "/out.txt", "a/../../out.txt"):
            archive.writestr(name, "She is a doctor. He is a nurse.")
    assert len(list(sentences._texts(tmp_path / "in" / "corpus.zip"))) == 3
    assert {path.name for path in tmp_path.rglob("*")} == {"in", "corpus.zip"}
    assert not Path("/out.txt").exists()

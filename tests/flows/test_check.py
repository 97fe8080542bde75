"""`crossbias check` finds a design right, or says in one sentence what is not, and touches nothing."""

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


def test_a_missing_design_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert command.main(["check"]) == 2
    assert capsys.readouterr().err.startswith("check: params.yaml is missing")

"""`crossbias footprint` adds up the records of the present design, and says what it estimated and by which carbon intensity."""

import json

import pytest

from flows import command, footprint
from stages.contract.footprint import Energy, Footprint, Watts
from tests.conftest import ROOT

RUNS = [
    Footprint("finetune", {"task": "trust", "model": "minilm"}, 90.0, 150.0, 2.0, [], {}),
    Footprint("finetune", {"task": "literacy", "model": "minilm"}, 10.0, 150.0, 1.0, [], {"cpu": 0.001}),
    Footprint("report", {}, 5.0, 5.0, 0.5, [], {}),
]


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "params.yaml").write_bytes((ROOT / "params.yaml").read_bytes())
    for run in [*RUNS, Footprint("predict", {"task": "gone", "model": "minilm"}, 1e6, 1e6, 9.0, [], {})]:
        path = tmp_path.joinpath("data/footprint", run.stage, *run.names.values()).with_suffix(".json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(vars(run)))


def test_stages_add_up_and_the_dearest_is_first():
    lines = footprint.by_stage(RUNS, Watts(core=12, memory=0), 500, pue=2)
    assert [(line.stage, line.runs) for line in lines] == [("finetune", 2), ("report", 1), ("all", 3)]
    assert lines[0].energy == Energy(pytest.approx(2 * (12 * 150 / 3.6e6 + 0.001)), "measured in part")
    assert lines[1].energy.how == "estimate"
    assert lines[2].energy.kwh == pytest.approx(lines[0].energy.kwh + lines[1].energy.kwh)
    assert lines[2].kg == pytest.approx(lines[2].energy.kwh / 2)
    assert (lines[0].seconds, lines[0].cpu_seconds, lines[0].memory) == (100, 300, 2)


def test_the_table_names_its_intensity_and_leaves_out_other_designs(recorded, capsys):
    assert command.main(["footprint", "--region", "fra"]) == 0
    said = capsys.readouterr().out
    assert "56 g/kWh (FRA)" in said
    assert "measured in part" in said
    assert "predict" not in said
    assert "None" not in said
    assert "nan" not in said


def test_json_has_the_same_numbers(recorded, capsys):
    assert footprint.main(["--json", "--grams-per-kwh", "100", "--watts-per-core", "36", "--watts-per-gb", "0"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["total"]["energy"]["kwh"] == pytest.approx(36 * 155 / 3.6e6 + 0.001)
    assert found["total"]["kg"] == pytest.approx(found["total"]["energy"]["kwh"] / 10)
    assert found["region"] == "as given"
    assert found["watts"]["core"] == 36


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--region", "XYZ"], "--region XYZ: no carbon intensity is known"),
        (["--grams-per-kwh", "green"], "--grams-per-kwh: 'green' is no number"),
        (["--watts-per-core", "-3"], "--watts-per-core: '-3' is no number"),
        (["--folder", "elsewhere"], "elsewhere holds no footprint"),
    ],
)
def test_bad_input_is_one_sentence(recorded, capsys, arguments, words):
    assert footprint.main(arguments) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"footprint: {words}")
    assert said.count("\n") == 1

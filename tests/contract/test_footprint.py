"""Energy and CO2 by hand, from facts: what is estimated says so, what is measured is not estimated again."""

import json

import pytest
import yaml

from stages.contract.bad_input import BadInput
from stages.contract.footprint import (
    ESTIMATE,
    MEASURED,
    PARTLY,
    WORLD,
    Energy,
    Footprint,
    Watts,
    intensities,
    kilograms,
    read,
    together,
)
from stages.contract.params import Design
from tests.conftest import ROOT

RUN = Footprint("finetune", {"task": "trust", "model": "minilm"}, 100.0, 150.0, 2.0, [], {})


def test_an_estimate_is_power_times_time():
    parts = RUN.parts(Watts())
    assert parts == {"cpu": Energy(12 * 150 / 3.6e6, ESTIMATE), "memory": Energy(0.3725 * 2 * 100 / 3.6e6, ESTIMATE)}
    total = RUN.energy(Watts(core=36, memory=0))
    assert total == Energy(pytest.approx(0.0015), ESTIMATE)
    assert kilograms(total.kwh, 475) == pytest.approx(0.0015 * 0.475)


def test_an_hour_of_a_gpu_is_its_rated_power():
    """ML CO2 Impact: 1 h of an A100 SXM4 of 400 W is 0.4 kWh, at 432 g/kWh 0.17 kg."""
    hour = Footprint("finetune", {}, 3600.0, 0.0, 0.0, ["NVIDIA A100-SXM4-80GB"], {})
    assert hour.parts(Watts())["gpu"] == Energy(pytest.approx(0.4), ESTIMATE)
    assert kilograms(0.4, 432) == pytest.approx(0.1728)
    for name, watts in (("NVIDIA L40S", 350), ("NVIDIA L4", 72), ("Some GPU of tomorrow", 300), ("NVIDIA H200", 700)):
        other = Footprint("finetune", {}, 3600.0, 0.0, 0.0, [name, name], {})
        assert other.parts(Watts())["gpu"].kwh == pytest.approx(2 * watts / 1000), name
        assert other.parts(Watts(gpu=100))["gpu"].kwh == pytest.approx(0.2)


def test_what_is_measured_stands_in_the_place_of_its_estimate():
    parts = Footprint("predict", {}, 100.0, 150.0, 2.0, [], {"cpu": 0.5}).parts(Watts(core=1000))
    assert parts["cpu"] == Energy(0.5, MEASURED)
    assert parts["memory"].how == ESTIMATE
    assert together(list(parts.values())).how == PARTLY
    assert together([Energy(1, MEASURED), Energy(2, MEASURED)]) == Energy(3, MEASURED)


def test_watts_come_from_the_environment_and_are_numbers():
    assert Watts.of_environment({"CROSSBIAS_WATTS_PER_CORE": "5", "CROSSBIAS_WATTS_PER_GPU": "250"}) == Watts(core=5, gpu=250)
    for text in ("many", "-1", "nan", "inf"):
        with pytest.raises(BadInput, match=r"CROSSBIAS_WATTS_PER_GB: .* is no number from 0 on"):
            Watts.of_environment({"CROSSBIAS_WATTS_PER_GB": text})


def test_carbon_intensities_are_those_of_the_published_tables():
    known = intensities()
    assert known[WORLD] == 475
    assert known["FRA"] < known["DEU"] < known["POL"]
    assert all(len(code) == 3 or code == WORLD for code in known)
    assert all(20 < grams < 900 for grams in known.values())


def test_records_of_the_design_are_read_and_others_are_not(tmp_path):
    for run in (RUN, Footprint("ingest", {"task": "gone"}, 1.0, 1.0, 0.1, [], {}), Footprint("report", {}, 1.0, 1.0, 0.1, [], {})):
        path = tmp_path.joinpath(run.stage, *run.names.values()).with_suffix(".json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(vars(run) | {"energy": {"kwh": 1.0, "how": ESTIMATE}}))
    design = Design.model_validate(yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8")))
    assert {run.stage for run in read(tmp_path)} == {"finetune", "ingest", "report"}
    assert {run.stage for run in read(tmp_path, design)} == {"finetune", "report"}
    assert RUN in read(tmp_path, design)
    assert read(tmp_path / "nothing") == []


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"stage": "x"'])
def test_a_file_that_is_no_record_is_named(tmp_path, text):
    (tmp_path / "report.json").write_text(text)
    with pytest.raises(BadInput, match=r"report\.json is no footprint"):
        read(tmp_path)

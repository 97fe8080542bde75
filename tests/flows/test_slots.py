"""Slots by kind: what dvc.yaml asks for, what this machine has."""

from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from flows import slots
from flows.plan import Step
from flows.slots import Need, Slots
from stages.contract.bad_input import BadInput
from tests.conftest import ROOT

BOX = """\
GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-11111111-aaaa)
  MIG 1g.5gb      Device  0: (UUID: MIG-22222222-bbbb)
  MIG 1g.5gb      Device  1: (UUID: MIG-33333333-cccc)
GPU 1: NVIDIA H200 (UUID: GPU-44444444-dddd)
"""


def need(**meta: Any) -> Need:
    return Need.of(Step("s", "new", frozenset(), SimpleNamespace(meta=meta)))  # type: ignore[arg-type]


def test_a_stage_says_what_it_takes() -> None:
    assert need() == Need(1, False, None)
    assert need(resource="gpu", cpus=3, timeout="2h") == Need(3, True, 7200)


@pytest.mark.parametrize("meta", [{"resource": "tpu"}, {"cpus": 0}, {"cpus": "two"}, {"timeout": "soon"}, {"timeout": "0s"}, {"memory": 3}])
def test_other_wishes_are_refused(meta: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        need(**meta)


def test_a_gpu_stage_takes_cpu_slots_where_there_is_no_gpu() -> None:
    held = Slots(2).take(Need(5, gpu=True))
    assert held is not None
    assert (held.cpus, held.devices) == (2, ())


def test_gpus_and_cores_are_apart_and_all_come_back() -> None:
    box = Slots(1, ["3", "5"])
    first, second, third = box.take(Need(gpu=True)), box.take(Need(gpu=True)), box.take(Need())
    assert first is not None
    assert second is not None
    assert third is not None
    assert {first.devices, second.devices} == {("3",), ("5",)}
    assert box.take(Need(gpu=True)) is None is box.take(Need())
    box.give(second)
    assert box.take(Need(gpu=True), alone=True) is None
    box.give(first)
    box.give(third)
    assert box.take(Need(), alone=True) == slots.Share(1, ("3", "5"))


def test_gpus_are_those_that_one_may_see() -> None:
    assert slots.gpus({"CROSSBIAS_GPUS": "1, GPU-4", "CUDA_VISIBLE_DEVICES": "0"}) == ["1", "GPU-4"]
    assert slots.gpus({"CUDA_VISIBLE_DEVICES": ""}) == slots.gpus({"CUDA_VISIBLE_DEVICES": "-1"}) == []
    assert slots.listed(BOX) == ["MIG-22222222-bbbb", "MIG-33333333-cccc", "GPU-44444444-dddd"]
    assert slots.listed("No devices found.") == []


def test_every_design_has_what_meta_looks_up() -> None:
    """DVC refuses a dvc.yaml whose meta names a parameter that params.yaml leaves to its default."""
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
    metas = [value for stage in stages.values() for value in stage.get("do", stage).get("meta", {}).values()]
    paths = [value.removeprefix("${").removesuffix("}").split(".") for value in metas if value.startswith("${")]
    assert paths
    for design in [ROOT / "params.yaml", *(ROOT / "designs").glob("*.yaml")]:
        params = yaml.safe_load(design.read_text(encoding="utf-8"))
        assert all(key in params[section] for section, key in paths), design.name

"""Whatever the graph, the slots and the failures: no step starts before what it needs, and no slot is given twice."""

import threading
import time
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows import estimates, schedule
from flows.plan import Step
from flows.process import StageFailed
from flows.schedule import Outcome, Queue, Schedule, Silent
from flows.slots import Slots


def step(name: str, *after: str, **meta: Any) -> Step:
    return Step(name, "new", frozenset(after), SimpleNamespace(meta=meta, addressing=name, cmd=f"make {name}"))  # type: ignore[arg-type]


class Heard(Silent):
    """A ``schedule.Watch`` that remembers."""

    def __init__(self) -> None:
        self.ended_: list[Outcome] = []
        self.again_: list[tuple[str, float]] = []

    def again(self, step: Step, error: BaseException, pause: float) -> None:
        self.again_.append((step.name, pause))

    def ended(self, outcome: Outcome) -> None:
        self.ended_.append(outcome)


@st.composite
def graphs(draw: st.DrawFn) -> list[Step]:
    steps: list[Step] = []
    for number in range(draw(st.integers(1, 12))):
        after = draw(st.sets(st.sampled_from([one.name for one in steps]), max_size=3)) if steps else set()
        meta = {"cpus": draw(st.integers(1, 5)), "resource": draw(st.sampled_from(["cpu", "gpu"]))}
        steps.append(step(f"s{number}", *after, **meta))
    return steps


@settings(max_examples=60)
@given(graphs(), st.integers(1, 4), st.integers(0, 2), st.sets(st.integers(0, 11), max_size=3), st.booleans())
def test_order_slots_and_failures(steps: list[Step], jobs: int, gpus: int, bad: set[int], fail_fast: bool) -> None:
    devices = [f"gpu{number}" for number in range(gpus)]
    failing = {f"s{number}" for number in bad}
    lock, finished, running, used = threading.Lock(), set[str](), dict[str, tuple[int, str | None]](), Counter[str]()

    def work(one: Step, device: str | None) -> str:
        meta = one.stage.meta
        with lock:
            assert one.after <= finished, "a step starts after all that it needs"
            assert (device is not None) == (meta["resource"] == "gpu" and bool(devices))
            running[one.name] = (0 if device else min(meta["cpus"], jobs), device)
            assert sum(cpus for cpus, _ in running.values()) <= jobs
            taken = [device for _, device in running.values() if device]
            assert len(taken) == len(set(taken)) <= gpus
            used[one.name] += 1
        time.sleep(0.0005)
        with lock:
            del running[one.name]
            if one.name in failing:
                raise StageFailed(one.name, 1)
            finished.add(one.name)
        return "ran"

    with ThreadPoolExecutor(12) as pool:
        queue = Queue(steps, estimates.longest(steps, {"s0": 3.0, "s3": 1.0}))
        plan = Schedule(queue, Slots(jobs, devices), lambda one, device: pool.submit(work, one, device), Heard(), fail_fast)
        outcomes = {outcome.step.name: outcome for outcome in plan.run(lambda: None)}
    for outcome in outcomes.values():
        assert not isinstance(outcome.error, AssertionError), outcome.error
    assert outcomes.keys() == {one.name for one in steps}
    assert all(count == 1 for count in used.values())
    needs_bad: set[str] = set()
    for one in steps:
        if one.after & (failing | needs_bad):
            needs_bad.add(one.name)
            assert outcomes[one.name].state == "not run"
        elif one.name in failing:
            assert outcomes[one.name].state == ("failed" if used[one.name] else "not run")
        elif not fail_fast or not failing & used.keys():
            assert outcomes[one.name].state == "ran"


@given(graphs(), st.integers(1, 4), st.data())
def test_an_estimate_lies_between_the_longest_path_and_all_in_turn(steps: list[Step], jobs: int, data: st.DataObject) -> None:
    known = {one.name: float(data.draw(st.integers(1, 50))) for one in steps}
    found = estimates.total(steps, known, Slots(jobs))
    assert max(estimates.longest(steps, known).values()) <= found <= sum(known.values())
    assert estimates.total(steps, known, Slots(1)) == sum(known.values())


def test_the_longest_path_counts_what_follows() -> None:
    steps = [step("a"), step("b"), step("c", "b"), step("d", "a", "c")]
    assert estimates.longest(steps, {"a": 4.0, "b": 1.0, "c": 2.0, "d": 5.0}) == {"a": 9.0, "b": 8.0, "c": 7.0, "d": 5.0}
    assert [one.name for one in Queue(steps, estimates.longest(steps, {})).waiting] == ["b", "a", "c", "d"], "unknown: all alike"


def run(steps: list[Step], work: Any, **options: Any) -> tuple[dict[str, Outcome], Heard]:
    heard = Heard()
    with ThreadPoolExecutor(4) as pool:
        queue = Queue(steps, dict.fromkeys([one.name for one in steps], 0.0))
        plan = Schedule(queue, Slots(2), lambda one, device: pool.submit(work, one), heard, **options)
        return {outcome.step.name: outcome for outcome in plan.run(lambda: None)}, heard


def test_downloads_and_memory_have_another_try_and_nothing_else_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "PAUSES", {"temporary": (0.01, 0.02), "memory": (0.03,)})
    monkeypatch.setattr(schedule, "TICK", 0.005)
    started: list[tuple[str, int, bool]] = []

    def work(one: Step) -> str:
        started.append((one.name, one.attempt, one.alone))
        if (one.name, one.attempt) in (("download", 1), ("big", 1), ("lost", 1), ("lost", 2), ("lost", 3), ("wrong", 1)):
            raise StageFailed(one.name, why={"big": "memory", "wrong": ""}.get(one.name, "temporary"))
        return "ran"

    outcomes, heard = run([step(name) for name in ("download", "big", "lost", "wrong")], work)
    assert {name: outcome.state for name, outcome in outcomes.items()} == {
        "download": "ran",
        "big": "ran",
        "lost": "failed",
        "wrong": "failed",
    }
    assert sorted(heard.again_) == [("big", 0.03), ("download", 0.01), ("lost", 0.01), ("lost", 0.02)]
    assert Counter(name for name, *_ in started) == {"download": 2, "big": 2, "lost": 3, "wrong": 1}
    assert ("big", 2, True) in started


def test_a_step_alone_has_the_machine_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "PAUSES", {"memory": (0.0,)})
    at_work: set[str] = set()

    def work(one: Step) -> str:
        at_work.add(one.name)
        time.sleep(0.005)
        assert not one.alone or at_work == {one.name}
        at_work.discard(one.name)
        if one.name == "s3" and not one.alone:
            raise StageFailed("s3", why="memory")
        return "ran"

    outcomes, _ = run([step(f"s{number}") for number in range(20)], work)
    assert {outcome.state for outcome in outcomes.values()} == {"ran"}
    assert len(outcomes) == 20


def test_a_stop_ends_what_runs_before_it_is_passed_on() -> None:
    stopped, waited = threading.Event(), []

    def work(one: Step) -> str:
        if one.name == "b":
            raise KeyboardInterrupt
        stopped.wait(5)
        waited.append(one.name)
        return "ran"

    class Interrupted(Heard):
        def ended(self, outcome: Outcome) -> None:
            raise KeyboardInterrupt

    with ThreadPoolExecutor(4) as pool:
        queue = Queue([step("a"), step("b")], {"a": 0.0, "b": 0.0})
        plan = Schedule(queue, Slots(2), lambda one, device: pool.submit(work, one), Interrupted())
        with pytest.raises(KeyboardInterrupt):
            plan.run(stopped.set)
    assert waited == ["a"]


def test_wide_steps_are_not_passed_by_narrow_ones_for_ever() -> None:
    steps = [step("narrow"), step("wide", cpus=2), *(step(f"n{number}") for number in range(5))]
    queue, slots = Queue(steps, {one.name: 0.0 for one in steps}), Slots(2)
    ((first, share),) = queue.pick(slots)
    assert first.name == "narrow"
    slots.give(share)
    assert [one.name for one, _ in queue.pick(slots)] == ["wide"]


def test_futures_of_any_kind_will_do() -> None:
    done: Future[str] = Future()
    done.set_result("restored")
    heard = Heard()
    Schedule(Queue([step("a")], {"a": 0.0}), Slots(1), lambda one, device: done, heard).run(lambda: None)
    assert [(outcome.step.name, outcome.state) for outcome in heard.ended_] == [("a", "restored")]

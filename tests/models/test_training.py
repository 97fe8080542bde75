"""The training loop on a linear network, where the right answer is known."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from stages.contract.bad_input import BadInput
from stages.models.folds import Lesson
from stages.models.training import Course, Learner, answers, loss_sum, train

FEATURES = torch.randn(64, 3, generator=torch.Generator().manual_seed(0))
LENGTHS = np.ones(64)


def linear(rate=0.05, lengths=LENGTHS):
    torch.manual_seed(1)
    network = nn.Linear(3, 1)
    learner = Learner(network, lambda index: network(FEATURES[torch.from_numpy(index)]).squeeze(1), lengths, network)
    return network, learner, torch.optim.SGD(network.parameters(), lr=rate)


def lesson(targets, validation=True, kind="regression"):
    index = np.arange(64)
    parts = (index[:48], index[48:]) if validation else (index, index[:0])
    return Lesson(kind, targets.astype(np.float32), *parts, seed=2)


TARGETS = (FEATURES @ torch.tensor([1.0, -2.0, 0.5]) + 0.3).numpy()


def test_a_linear_target_is_recovered():
    network, learner, optimiser = linear()
    history = train(learner, optimiser, lesson(TARGETS), Course(epochs=40, batch=8))
    assert network.weight.detach().numpy().ravel() == pytest.approx([1.0, -2.0, 0.5], abs=1e-3)
    assert history["epochs"][-1]["validation_loss"] < 1e-4 < history["epochs"][0]["validation_loss"]


def test_the_network_is_left_as_after_its_best_epoch():
    _, learner, optimiser = linear()
    flipped = TARGETS.copy()
    flipped[48:] *= -1
    work = lesson(flipped)
    history = train(learner, optimiser, work, Course(epochs=5, batch=8))
    losses = [epoch["validation_loss"] for epoch in history["epochs"]]
    assert history["best_epoch"] == 1 + int(np.argmin(losses)) < 5, "validation texts that contradict make later epochs worse"
    left = answers(learner, work.validation, 16)
    assert np.mean((left - flipped[48:]) ** 2) == pytest.approx(min(losses), abs=1e-5)


def test_without_validation_the_last_epoch_is_kept():
    _, learner, optimiser = linear()
    history = train(learner, optimiser, lesson(TARGETS, validation=False), Course(epochs=3, batch=8))
    assert history["best_epoch"] == 3
    assert [epoch["validation_loss"] for epoch in history["epochs"]] == [None] * 3


def test_accumulated_batches_step_as_one_large_batch_does():
    weights = []
    for course in (Course(epochs=1, batch=48), Course(epochs=1, batch=5, accumulation=10)):
        network, learner, optimiser = linear(lengths=np.arange(64))
        train(learner, optimiser, lesson(TARGETS), course)
        weights.append(network.weight.detach().numpy().copy())
    assert weights[0] == pytest.approx(weights[1], abs=1e-6), "ten batches of five, the last of three, weigh every text the same"


@pytest.mark.parametrize("accumulation", [1, 3])
def test_where_memory_runs_out_fewer_texts_at_once_end_at_the_same_weights(accumulation, capsys):
    """The fifth text is one too many beside two others, so that gradients of earlier parts are there to be undone."""
    course, weights, histories = Course(epochs=2, batch=8, accumulation=accumulation), [], []
    for scarce in (False, True):
        network, learner, optimiser = linear(lengths=np.arange(64))

        def outputs(index, plain=learner.outputs, scarce=scarce, network=network):
            if scarce and network.training and len(index) > 2 and 5 in index:
                torch.empty(2**60, dtype=torch.uint8)
            return plain(index)

        histories.append(train(replace(learner, outputs=outputs), optimiser, lesson(TARGETS), course))
        weights.append(network.weight.detach().numpy().copy())
    assert weights[0] == pytest.approx(weights[1], abs=1e-6)
    assert histories[1].pop("texts_at_once") == 2
    assert "memory ran out with 4 texts at once: now 2" in capsys.readouterr().out
    assert histories[1]["best_epoch"] == histories[0]["best_epoch"]
    for plain, halved in zip(histories[0]["epochs"], histories[1]["epochs"], strict=True):
        assert halved == pytest.approx(plain, abs=2e-6)


def test_decay_takes_the_rate_to_nearly_nothing_and_clip_bounds_a_step():
    network, learner, optimiser = linear(rate=1.0)
    train(learner, optimiser, lesson(TARGETS, False), Course(epochs=1, batch=16, clip=0.01, decay=True))
    assert optimiser.param_groups[0]["lr"] == pytest.approx(0.25), "the fourth of four steps has a quarter of the rate"
    before = linear()[0].weight.detach()
    assert (network.weight - before).norm() <= 0.01 * (1 + 0.75 + 0.5 + 0.25) + 1e-6


def test_penalty_shrinks_weights_but_is_no_part_of_the_history():
    sizes, first = [], []
    for strength in (0.0, 1.0):
        network, learner, optimiser = linear()
        history = train(learner, optimiser, lesson(TARGETS), Course(20, 8), lambda n=network, s=strength: s * n.weight.square().sum())
        sizes.append(network.weight.norm().item())
        first.append(history["epochs"][0]["train_loss"])
    assert sizes[1] < 0.7 * sizes[0]
    assert first[1] < 3 * first[0]


def test_a_loss_that_is_no_number_is_refused():
    _, learner, optimiser = linear(rate=1e30)
    with pytest.raises(BadInput, match="lower learning_rate"):
        train(learner, optimiser, lesson(TARGETS), Course(5, 8))


def test_losses_are_the_textbook_ones():
    logits, wanted = torch.tensor([0.3, -2.0]), torch.tensor([1.0, 0.0])
    probability = torch.sigmoid(logits)
    expected = -(probability[0].log() + (1 - probability[1]).log()).item()
    assert loss_sum(logits, wanted, "classification").item() == pytest.approx(expected, abs=1e-6)
    assert loss_sum(logits, wanted, "regression").item() == pytest.approx(0.7**2 + 2.0**2)


def test_answers_come_in_the_order_asked():
    _, learner, _ = linear(lengths=np.random.default_rng(0).integers(1, 9, 64))
    index = np.array([5, 60, 3, 17])
    assert answers(learner, index, 2) == pytest.approx(learner.outputs(index).detach().numpy(), abs=1e-6)

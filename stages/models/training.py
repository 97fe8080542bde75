"""One way to train for every family: batches of similar length, the task's loss, the epoch of lowest validation loss kept."""

import dataclasses
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from stages.contract.bad_input import BadInput
from stages.models.batches import by_length, shuffled
from stages.models.folds import Lesson
from stages.models.memory import Portion


@dataclass(frozen=True)
class Learner:
    """A network and the texts it reads: ``outputs`` gives one output for each position of a text; ``lengths`` has one a text.

    ``head`` is the network's last linear layer, whose input is its representation of the texts. ``also`` is a further loss of the
    texts just read, summed over them, whose gradient is added to the task's.
    """

    network: nn.Module
    outputs: Callable[[np.ndarray], Tensor]
    lengths: np.ndarray
    head: nn.Module
    also: Callable[[np.ndarray], Tensor] | None = None


@dataclass(frozen=True)
class Course:
    """How long to train and in what portions.

    An optimiser step looks at ``accumulation`` batches of ``batch`` texts; ``clip`` bounds its gradient's norm; with ``decay``
    the learning rate falls linearly to 0 over the whole course.
    """

    epochs: int
    batch: int
    accumulation: int = 1
    clip: float | None = None
    decay: bool = False


def device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def train(
    learner: Learner, optimiser: torch.optim.Optimizer, lesson: Lesson, course: Course, penalty: Callable[[], Tensor] | None = None
) -> dict[str, Any]:
    """Train the network in place, leave it as it was after its best epoch, and return the history.

    The loss is binary cross-entropy of logits (classification) or squared error (regression), a mean over texts, each with the
    lesson's weight in training and all alike in validation; ``penalty`` is added to it for the gradient only. Best = lowest
    validation loss, or the last epoch where there are no validation texts.
    Where memory runs out, fewer texts are looked at at once and a step sees the same; the history then says ``texts_at_once``.
    BadInput: the loss is no longer finite, or one text is too much for memory.
    """
    generator = np.random.default_rng(lesson.seed)
    texts = len(lesson.texts_of(epoch=1))
    rates = _rates(optimiser, texts, course)
    if lesson.adversary is not None:
        learner = dataclasses.replace(learner, also=lesson.adversary(learner.head, optimiser, lesson.seed))
    portion = Portion(course.batch)
    epochs: list[dict[str, float | None]] = []
    best, lowest, kept = 0, math.inf, {}
    for epoch in range(1, course.epochs + 1):
        learner.network.train()
        batches = shuffled(lesson.texts_of(epoch), learner.lengths, course.batch, generator)
        groups = [batches[start : start + course.accumulation] for start in range(0, len(batches), course.accumulation)]
        loss = sum(_step(learner, optimiser, next(rates), group, lesson, course, portion, penalty) for group in groups) / texts
        validation = _validation_loss(learner, lesson, 2 * portion.texts)
        if not math.isfinite(loss) or not math.isfinite(validation or 0.0):
            raise BadInput(f"the loss is not finite after epoch {epoch}; lower learning_rate (or set precision: fp32).")
        epochs.append({"train_loss": round(loss, 6), "validation_loss": None if validation is None else round(validation, 6)})
        if validation is None or validation < lowest:
            best, lowest = epoch, math.inf if validation is None else validation
            kept = {name: tensor.detach().clone() for name, tensor in learner.network.state_dict().items()}
    learner.network.load_state_dict(kept)
    halved = {"texts_at_once": portion.texts} if portion.texts < course.batch else {}
    return {"best_epoch": best, "epochs": epochs} | halved


def answers(learner: Learner, index: np.ndarray, batch: int) -> np.ndarray:
    """The network's outputs for the texts at ``index``, in that order, without dropout or gradients: float32 [texts]."""
    learner.network.eval()
    found, portion = np.empty(len(index), dtype=np.float32), Portion(batch)

    def look(batches: list[np.ndarray]) -> None:
        for positions in batches:
            found[positions] = learner.outputs(index[positions]).float().cpu().numpy()

    with torch.inference_mode():
        for positions in by_length(np.arange(len(index)), learner.lengths[index], batch):
            portion.within([positions], look, lambda: None)
    return found


def loss_sum(found: Tensor, wanted: Tensor, kind: str, weights: Tensor | None = None) -> Tensor:
    """The loss of raw outputs, (weighted) summed over texts: cross-entropy of logits (classification) or squared error (regression)."""
    of = functional.binary_cross_entropy_with_logits if kind == "classification" else functional.mse_loss
    losses: Tensor = of(found, wanted, reduction="none")
    return (losses if weights is None else losses * weights).sum()


def _rates(optimiser: torch.optim.Optimizer, texts: int, course: Course) -> Iterator[float]:
    """The learning rate of each step, in order."""
    first = optimiser.param_groups[0]["lr"]
    steps = math.ceil(math.ceil(texts / course.batch) / course.accumulation) * course.epochs
    return (first * (1 - step / steps) if course.decay else first for step in range(steps))


def _step(
    learner: Learner,
    optimiser: torch.optim.Optimizer,
    rate: float,
    batches: list[np.ndarray],
    lesson: Lesson,
    course: Course,
    portion: Portion,
    penalty: Callable[[], Tensor] | None,
) -> float:
    """One optimiser step over the mean of all texts of ``batches``, however they are cut; their summed loss."""
    texts = sum(len(batch) for batch in batches)

    def gradients(parts: list[np.ndarray]) -> float:
        total = 0.0
        for part in parts:
            found = learner.outputs(part).float()
            weights = None if lesson.weights is None else torch.from_numpy(lesson.weights[part]).to(found)
            loss = loss_sum(found, torch.from_numpy(lesson.targets[part]).to(found), lesson.kind, weights)
            total += loss.item()
            if learner.also is not None:
                loss = loss + learner.also(part)
            (loss / texts).backward()
        return total

    total = portion.within(batches, gradients, optimiser.zero_grad)
    if penalty is not None:
        penalty().backward()
    if course.clip is not None:
        nn.utils.clip_grad_norm_(learner.network.parameters(), course.clip)
    for group in optimiser.param_groups:
        group["lr"] = group.get("own_rate", rate)
    optimiser.step()
    optimiser.zero_grad(set_to_none=True)
    return total


def _validation_loss(learner: Learner, lesson: Lesson, batch: int) -> float | None:
    if not len(lesson.validation):
        return None
    found = torch.from_numpy(answers(learner, lesson.validation, batch))
    wanted = torch.from_numpy(lesson.targets[lesson.validation])
    return loss_sum(found, wanted, lesson.kind).item() / len(wanted)

"""The training of context_debias: attribute vectors anew in each epoch, one class of sentences a step, the best weights kept."""

import copy
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from transformers import AutoModel

from stages.contract.bad_input import BadInput
from stages.debiasers.attribute_sentences import Example, Examples
from stages.debiasers.context_debias import Params
from stages.debiasers.context_losses import Batch, debiasing_loss, preservation_loss, word_means
from stages.debiasers.pretrained_encoder import autocast, device, load, most_tokens, save, tokenizer_of


class Parts(NamedTuple):
    """Examples by class, to train on or held out."""

    feminine: list[Example]
    masculine: list[Example]
    neutral: list[Example]


def train(folder: Path, examples: Examples, params: Params, seed: int) -> None:
    """Debias the encoder in ``folder`` in place; same inputs, seed and thread count give the same bytes on a CPU."""
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        torch.manual_seed(seed)
        network, tokenizer = load(AutoModel, folder).to(device()), tokenizer_of(folder)
        most = most_tokens(network, tokenizer)
        if params.max_tokens > most:
            raise BadInput(f"context_debias: max_tokens {params.max_tokens} is more than the {most} that the encoder takes; lower it.")
        original = copy.deepcopy(network).eval().requires_grad_(False)
        learned, held_out = zip(*(split(part, params.development) for part in examples), strict=True)
        Training(network, original, tokenizer, params).run(Parts(*learned), Parts(*held_out))
        save(folder, network)


def split(examples: list[Example], development: int) -> tuple[list[Example], list[Example]]:
    """Examples to train on and ``development`` to hold out (a fifth where there are fewer than five times as many), drawn."""
    order = torch.randperm(len(examples)).tolist()
    held_out = max(1, min(development, len(examples) // 5))
    return [examples[row] for row in order[held_out:]], [examples[row] for row in order[:held_out]]


@dataclass
class Best:
    """The lowest held-out loss, its step and its weights."""

    loss: float = math.inf
    step: int = 0
    weights: dict[str, Tensor] = field(default_factory=dict)

    def consider(self, network: nn.Module, loss: float, step: int) -> None:
        if not math.isfinite(loss):
            raise BadInput(f"context_debias: the loss is not finite after step {step}; lower learning_rate.")
        if loss < self.loss:
            self.loss, self.step = loss, step
            self.weights = {name: tensor.detach().clone() for name, tensor in network.state_dict().items()}


@dataclass(frozen=True)
class Training:
    """The network that learns, its frozen original, and how both read sentences."""

    network: Any
    original: Any
    tokenizer: Any
    params: Params

    def run(self, learned: Parts, held_out: Parts) -> None:
        """Train for all epochs and leave the weights of the lowest loss on what is held out."""
        params = self.params
        batches = min(len(learned.feminine), len(learned.masculine)) // params.batch
        steps, step = 3 * batches * params.epochs, 0
        optimiser = torch.optim.AdamW(self.network.parameters(), lr=params.learning_rate, eps=1e-8, weight_decay=0.0, fused=True)
        best = Best()
        for epoch in range(1, params.epochs + 1):
            vectors = self.attribute_vectors(learned)
            for name, chosen in self._portions(learned, batches):
                for group in optimiser.param_groups:
                    group["lr"] = params.learning_rate * (1 - step / steps)
                self._step(optimiser, self.loss(name, self.batch(chosen), vectors))
                step += 1
                if step % params.check_every == 0 or step % (3 * batches) == 0:
                    losses = self.held_out_losses(held_out, vectors)
                    print(f"epoch {epoch}, step {step} of {steps}: held-out losses", *(f"{loss:.6f}" for loss in losses), flush=True)
                    best.consider(self.network, sum(losses), step)
        print(f"kept step {best.step}, of the lowest held-out loss {best.loss:.6f}", flush=True)
        self.network.load_state_dict(best.weights)

    def batch(self, examples: list[Example]) -> Batch:
        """Examples tokenised and padded; a word beyond ``max_tokens`` has no tokens and weighs nothing."""
        said = self.tokenizer(
            [example.sentence for example in examples],
            truncation=True,
            max_length=self.params.max_tokens,
            padding=True,
            return_offsets_mapping=True,
            return_tensors="pt",
        )
        places = torch.tensor([[example.start, example.end] for example in examples])
        begins, ends = said["offset_mapping"].unbind(dim=2)
        word = (begins < places[:, 1:]) & (ends > places[:, :1]) & (ends > begins)
        return Batch(*(tensor.to(device()) for tensor in (said["input_ids"], said["attention_mask"], word)))

    def states(self, network: Any, batch: Batch) -> Tensor:
        """Hidden states of the embeddings and of every layer: [layers, sentences, tokens, width]."""
        with autocast(self.params.precision):
            found = network(input_ids=batch.numbers, attention_mask=batch.attention, output_hidden_states=True).hidden_states
        return torch.stack(found).float()

    @torch.no_grad()
    def attribute_vectors(self, learned: Parts) -> Tensor:
        """Mean states of the attribute words: [2, layers, width] by set, or [words, layers, width] by word."""
        self.network.eval()
        sums: dict[str, Tensor] = {}
        counts: dict[str, int] = {}
        for name in ("feminine", "masculine"):
            listed = getattr(learned, name)
            for start in range(0, len(listed), self.params.batch):
                chosen = listed[start : start + self.params.batch]
                batch = self.batch(chosen)
                means = word_means(self.states(self.network, batch), batch.word)
                for row, example in enumerate(chosen):
                    key = name if self.params.attribute_vectors == "set" else example.word
                    if batch.word[row].any():
                        sums[key] = sums.get(key, torch.zeros(())) + means[:, row]
                        counts[key] = counts.get(key, 0) + 1
        if len(sums) < 2:
            raise BadInput(f"context_debias: no attribute word stands among the first {self.params.max_tokens} tokens; raise max_tokens.")
        return torch.stack([sums[key] / counts[key] for key in sorted(sums)])

    def loss(self, name: str, batch: Batch, vectors: Tensor) -> Tensor:
        """alpha x the debiasing loss of neutral sentences, or beta x the preservation loss of attribute sentences."""
        self.network.train(torch.is_grad_enabled())
        states = self.states(self.network, batch)
        if name == "neutral":
            return self.params.alpha * debiasing_loss(states, batch, vectors, self.params)
        with torch.no_grad():
            original = self.states(self.original, batch)
        return self.params.beta * preservation_loss(states, original, batch.attention)

    @torch.no_grad()
    def held_out_losses(self, held_out: Parts, vectors: Tensor) -> tuple[float, float]:
        """Mean losses of the held-out sentences, neutral and attribute (those of women and of men summed)."""
        means = {}
        for name, listed in held_out._asdict().items():
            total = 0.0
            for start in range(0, len(listed), self.params.batch):
                chosen = listed[start : start + self.params.batch]
                total += self.loss(name, self.batch(chosen), vectors).item() * len(chosen)
            means[name] = total / len(listed)
        return means["neutral"], means["feminine"] + means["masculine"]

    def _portions(self, learned: Parts, batches: int) -> list[tuple[str, list[Example]]]:
        """The epoch's steps: as many batches of each class (with fewer neutral sentences, those again), in random order."""
        portions = []
        for name, listed in learned._asdict().items():
            rows = [row for _ in range(-(-batches * self.params.batch // len(listed))) for row in torch.randperm(len(listed)).tolist()]
            for start in range(0, batches * self.params.batch, self.params.batch):
                portions.append((name, [listed[row] for row in rows[start : start + self.params.batch]]))
        return [portions[row] for row in torch.randperm(len(portions)).tolist()]

    def _step(self, optimiser: torch.optim.Optimizer, loss: Tensor) -> None:
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), self.params.clip)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)

"""Masked-language-model training of a pretrained encoder on given sentences (Devlin et al. 2019, doi:10.18653/v1/N19-1423)."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import AutoModelForMaskedLM

from stages.contract.bad_input import BadInput
from stages.debiasers.pretrained_encoder import autocast, device, load, most_tokens, save, tokenizer_of
from stages.debiasers.pretraining import Pretraining

IGNORED = -100


def train(folder: Path, texts: Sequence[str], params: Pretraining, seed: int, **changes: float) -> None:
    """Continue to train the encoder in ``folder`` in place on ``texts``, with ``changes`` to its configuration while it learns.

    Same inputs, seed and thread count give the same bytes on a CPU. BadInput: the encoder or its tokenizer knows no masked words,
    the texts are too few for a sequence, or the loss diverges.
    """
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        torch.manual_seed(seed)
        network, report = load(AutoModelForMaskedLM, folder, output_loading_info=True, **changes)
        tokenizer = tokenizer_of(folder)
        if tokenizer.mask_token_id is None:
            raise BadInput(f"{folder}: its tokenizer has no mask token, so masked words cannot be trained; use another base or debiaser.")
        network.to(device()).train()
        rows = sequences(texts, tokenizer, min(params.block or most_tokens(network, tokenizer), most_tokens(network, tokenizer)), params)
        new_head = _new_head(network, report["missing_keys"])
        print(f"{len(rows)} sequences; {'a new head' if new_head else 'the head of the file'}", flush=True)
        batches = _batches(rows, params.batch, tokenizer.pad_token_id)
        if new_head:
            _learn("head", network, new_head, batches, tokenizer, params, params.head_steps)
        _learn("encoder", network, list(network.parameters()), batches, tokenizer, params, params.steps)
        save(folder, network)


def sequences(texts: Sequence[str], tokenizer: Any, block: int, params: Pretraining) -> list[list[int]]:
    """Token numbers: a row a text, or with ``params.block`` rows of ``block`` tokens cut from the texts laid end to end."""
    numbers = tokenizer(list(texts), truncation=True, max_length=block, return_attention_mask=False)["input_ids"]
    if params.block is None:
        return [list(row) for row in numbers]
    joined = [number for row in numbers for number in row]
    rows = [joined[start : start + block] for start in range(0, len(joined), block)]
    return rows if len(rows) == 1 or len(rows[-1]) == block else rows[:-1]


def hide(numbers: Tensor, tokenizer: Any, share: float) -> tuple[Tensor, Tensor]:
    """``numbers`` with a ``share`` of its words hidden, and what stood there (elsewhere ``IGNORED``): int64 [sequences, tokens].

    Of the hidden 80 % show the mask token, 10 % any other token, 10 % themselves. Special tokens are never hidden.
    """
    special = torch.isin(numbers, torch.tensor(tokenizer.all_special_ids))
    hidden = (torch.rand(numbers.shape) < share) & ~special
    if not hidden.any() and not special.all():
        hidden.view(-1)[(~special).view(-1).nonzero()[0]] = True
    wanted = torch.where(hidden, numbers, IGNORED)
    draw = torch.rand(numbers.shape)
    shown = torch.where(hidden & (draw < 0.8), tokenizer.mask_token_id, numbers)
    others = torch.randint(len(tokenizer), numbers.shape)
    return torch.where(hidden & (draw >= 0.9), others, shown), wanted


def _new_head(network: Any, missing: Sequence[str]) -> list[nn.Parameter]:
    """The parameters outside the encoder that the file lacks; none when it has them all."""
    encoder = {id(parameter) for parameter in network.base_model.parameters()}
    return [value for name, value in network.named_parameters() if id(value) not in encoder and name in set(missing)]


def _batches(rows: list[list[int]], batch: int, padding: int) -> Iterator[Tensor]:
    """Batches without end, all rows once in a random order before any comes again."""
    waiting: list[int] = []
    while True:
        while len(waiting) < batch:
            waiting += torch.randperm(len(rows)).tolist()
        chosen, waiting = [torch.tensor(rows[row]) for row in waiting[:batch]], waiting[batch:]
        yield nn.utils.rnn.pad_sequence(chosen, batch_first=True, padding_value=padding)


def _learn(
    what: str, network: Any, trained: list[nn.Parameter], batches: Iterator[Tensor], tokenizer: Any, params: Pretraining, steps: int
) -> None:
    """``steps`` steps of AdamW with linear decay on the parameters ``trained``, each over ``accumulation`` batches."""
    network.requires_grad_(False)
    for parameter in trained:
        parameter.requires_grad_(True)
    optimiser = torch.optim.AdamW(trained, lr=params.learning_rate, weight_decay=0.0, fused=True)
    recent: list[float] = []
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = params.learning_rate * (1 - step / steps)
        for _ in range(params.accumulation):
            loss = _loss(network, next(batches), tokenizer, params)
            (loss / params.accumulation).backward()
            recent.append(loss.item())
        nn.utils.clip_grad_norm_(trained, params.clip)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        if (step + 1) % max(steps // 10, 1) == 0:
            mean = sum(recent) / len(recent)
            if not math.isfinite(mean):
                raise BadInput(f"masked words: the loss is not finite after step {step + 1}; lower learning_rate.")
            print(f"{what}: step {step + 1} of {steps}, loss {mean:.4f}", flush=True)
            recent = []


def _loss(network: Any, numbers: Tensor, tokenizer: Any, params: Pretraining) -> Tensor:
    """Mean cross-entropy of the hidden words. A head of one module sees them alone, as scores of all words would double the work."""
    shown, wanted = hide(numbers, tokenizer, params.masked)
    shown, wanted, attention = (tensor.to(device()) for tensor in (shown, wanted, (numbers != tokenizer.pad_token_id).long()))
    heads = [module for module in network.children() if module is not network.base_model]
    hidden = wanted != IGNORED
    with autocast(params.precision):
        if len(heads) == 1:
            scores = heads[0](network.base_model(input_ids=shown, attention_mask=attention).last_hidden_state[hidden])
        else:
            scores = network(input_ids=shown, attention_mask=attention).logits[hidden]
    return functional.cross_entropy(scores.float(), wanted[hidden])

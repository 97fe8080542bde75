"""The networks of gender_preserving and their three trainings: autoencoder, gender classifiers, and both together."""

import copy
import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from stages.contract.bad_input import BadInput
from stages.debiasers.gender_preserving import Params

# What an epoch begins with: its batches, and the loss of a batch as its weighted terms, which are to be summed.
Begin = Callable[[], tuple[Iterable[Tensor], Callable[[Tensor], Tensor]]]


class Words(NamedTuple):
    """Vectors by class: pairs (feminine, masculine) [pairs, 2, dimensions], stereotype and neutral words [words, dimensions]."""

    pairs: Tensor
    stereotype: Tensor
    neutral: Tensor


def encode(
    matrix: NDArray[np.float32], pairs: list[list[int]], stereotype: list[int], neutral: list[int], params: Params, seed: int
) -> NDArray[np.float32]:
    """E(w) for every row of ``matrix`` after all three trainings; same inputs, seed and thread count give the same bytes."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        vectors = torch.from_numpy(np.array(matrix, dtype=np.float32))
        shuffled = [vectors[torch.tensor(rows)[torch.randperm(len(rows))]] for rows in (pairs, stereotype, neutral)]
        train = Words(*(part[params.development_words :] for part in shuffled))
        held_out = Words(*(part[: params.development_words] for part in shuffled))
        encoder, decoder = pretrain_autoencoder(vectors, params)
        classifiers = pretrain_classifiers(encoder, train, held_out, params)
        train_jointly(encoder, decoder, classifiers, train, held_out, params)
        with torch.no_grad():
            encoded: NDArray[np.float32] = encoder(vectors).numpy()
    return encoded


def pretrain_autoencoder(vectors: Tensor, params: Params) -> tuple[nn.Sequential, nn.Sequential]:
    """Encoder (dropout of inputs, Linear, tanh) and decoder (Linear, tanh), fitted to all vectors but those held out."""
    width = vectors.shape[1]
    encoder = nn.Sequential(nn.Dropout(params.autoencoder_dropout), nn.Linear(width, width), nn.Tanh())
    decoder = nn.Sequential(nn.Linear(width, width), nn.Tanh())
    held_out = min(params.autoencoder_development, len(vectors) // 10 + 1)
    shuffled = vectors[torch.randperm(len(vectors))]
    train = shuffled[held_out:]

    def begin() -> tuple[Iterable[Tensor], Callable[[Tensor], Tensor]]:
        batches = torch.split(train[torch.randperm(len(train))], params.autoencoder_batch)
        return batches, lambda batch: functional.mse_loss(decoder(encoder(batch)), batch)[None]

    both = nn.ModuleList([encoder, decoder])
    optimizer = torch.optim.Adam(both.parameters(), lr=params.pretraining_rate, fused=True)
    fit("autoencoder", both, optimizer, begin, shuffled[:held_out], params.autoencoder_epochs, params.patience)
    return encoder, decoder


def pretrain_classifiers(encoder: nn.Sequential, train: Words, held_out: Words, params: Params) -> nn.Linear:
    """The feminine and the masculine classifier, the two outputs of one layer, each with its best epoch's weights.

    They share no weight, so one Adam over both and the sum of their squared errors train them as two Adams would.
    """
    inputs, targets = labelled(encoder, train)
    development, expected = labelled(encoder, held_out)
    classifiers = nn.Linear(inputs.shape[1], 2)
    optimizer = torch.optim.Adam(classifiers.parameters(), lr=params.pretraining_rate, fused=True)
    best = torch.full((2,), math.inf)
    weight, bias = classifiers.weight.detach().clone(), classifiers.bias.detach().clone()
    for _ in range(params.classifier_epochs):
        for row in torch.randperm(len(inputs)).tolist():
            step(optimizer, (torch.sigmoid(classifiers(inputs[row])) - targets[row]).square().sum())
        with torch.no_grad():
            losses = (torch.sigmoid(classifiers(development)) - expected).square().mean(dim=0)
            better = losses < best
            best[better], weight[better], bias[better] = losses[better], classifiers.weight[better], classifiers.bias[better]
    with torch.no_grad():
        classifiers.weight.copy_(weight)
        classifiers.bias.copy_(bias)
    print(f"classifiers: best development loss {best[0]:.4f} feminine, {best[1]:.4f} masculine", flush=True)
    return classifiers


def labelled(encoder: nn.Sequential, words: Words) -> tuple[Tensor, Tensor]:
    """Encoded feminine, masculine and neutral words, and what the two classifiers shall say of each."""
    with torch.no_grad():
        encoded = encoder(torch.cat([words.pairs[:, 0], words.pairs[:, 1], words.neutral]))
    pairs, neutral = len(words.pairs), len(words.neutral)
    return encoded, torch.tensor([[1.0, 0.0]] * pairs + [[0.0, 1.0]] * pairs + [[0.0, 0.0]] * neutral)


def train_jointly(
    encoder: nn.Sequential, decoder: nn.Sequential, classifiers: nn.Linear, train: Words, held_out: Words, params: Params
) -> None:
    """Joint training, a quadruple a step, with the gender direction v_g, the mean of E(masculine) - E(feminine), anew in each epoch."""
    weights = torch.tensor([params.weight_reconstruction, params.weight_classifiers, params.weight_stereotype, params.weight_neutral])

    def begin() -> tuple[Iterable[Tensor], Callable[[Tensor], Tensor]]:
        with torch.no_grad():
            encoded = encoder(train.pairs)
        direction = (encoded[:, 1] - encoded[:, 0]).mean(dim=0)
        return torch.split(quadruples(train), 1), lambda batch: weights * losses(encoder, decoder, classifiers, batch, direction)

    encoder[0] = nn.Dropout(params.dropout)
    modules = nn.ModuleList([encoder, decoder, classifiers])
    optimizer = torch.optim.SGD(modules.parameters(), lr=params.learning_rate)
    fit("joint training", modules, optimizer, begin, quadruples(held_out), params.epochs, params.epochs)


def quadruples(words: Words) -> Tensor:
    """[quadruples, 4, dimensions]: feminine, masculine, stereotype, neutral; larger classes are sampled down to the smallest."""
    count = min(len(part) for part in words)
    pairs, stereotype, neutral = (part[torch.randperm(len(part))[:count]] for part in words)
    return torch.stack([pairs[:, 0], pairs[:, 1], stereotype, neutral], dim=1)


def losses(encoder: nn.Sequential, decoder: nn.Sequential, classifiers: nn.Linear, batch: Tensor, direction: Tensor) -> Tensor:
    """Mean losses: squared error of D(E(w)), L_f + L_m (cross-entropy), (v_g . E(stereotype))^2 and (v_g . E(neutral))^2."""
    encoded = encoder(batch)
    said = classifiers(encoded)
    expected = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]]).expand_as(said)
    gendered = (encoded[:, 2:] @ direction).square().mean(dim=0)
    both = 2 * functional.binary_cross_entropy_with_logits(said, expected)
    return torch.stack([functional.mse_loss(decoder(encoded), batch), both, *gendered])


def fit(
    what: str, modules: nn.Module, optimizer: torch.optim.Optimizer, begin: Begin, development: Tensor, epochs: int, patience: int
) -> None:
    """Train for ``epochs``, or until ``patience`` of them bring nothing better, and leave the weights of the best development loss."""
    best, best_epoch, kept = math.inf, 0, copy.deepcopy(modules.state_dict())
    for epoch in range(1, epochs + 1):
        modules.eval()
        batches, loss = begin()
        modules.train()
        for batch in batches:
            step(optimizer, loss(batch).sum())
        modules.eval()
        with torch.no_grad():
            terms = loss(development)
        total = float(terms.sum())
        if not math.isfinite(total):
            raise BadInput(f"gender_preserving: {what} diverged in epoch {epoch} (loss {total}): lower its learning rate or the weights.")
        if total < best:
            best, best_epoch, kept = total, epoch, copy.deepcopy(modules.state_dict())
        if epoch == 1 or epoch % max(epochs // 10, 1) == 0:
            print(f"{what} epoch {epoch} of {epochs}: development loss", *(f"{term:.6f}" for term in terms.tolist()), flush=True)
        if epoch - best_epoch >= patience:
            break
    print(f"{what}: best development loss {best:.6f} in epoch {best_epoch}", flush=True)
    modules.load_state_dict(kept)


def step(optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    """One step down the gradient of ``loss``."""
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

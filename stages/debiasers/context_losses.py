"""The two losses of context_debias, on hidden states of shape [layers, sentences, tokens, width]."""

from typing import NamedTuple

import torch
from torch import Tensor

from stages.debiasers.context_debias import Params

LAYERS = {"all": slice(None), "first": slice(0, 1), "last": slice(-1, None)}


class Batch(NamedTuple):
    """Sentences as the encoder reads them, and which of their tokens are their word's: all [sentences, tokens]."""

    numbers: Tensor
    attention: Tensor
    word: Tensor


def word_means(states: Tensor, word: Tensor) -> Tensor:
    """The mean state of each sentence's word: [layers, sentences, width]; zero where the word has no token."""
    weight = word.to(states.dtype)
    return torch.einsum("lstd,st->lsd", states, weight) / weight.sum(dim=1).clamp(min=1)[:, None]


def debiasing_loss(states: Tensor, batch: Batch, vectors: Tensor, params: Params) -> Tensor:
    """Inner products of neutral sentences' states with the attribute vectors, squared by the reading of ``params``, summed over vectors."""
    chosen = LAYERS[params.layers]
    if params.target == "token":
        held = batch.word.any(dim=1, keepdim=True).to(states.dtype)
        states = word_means(states, batch.word)[:, :, None]
    else:
        held = batch.attention.to(states.dtype)
    products = torch.einsum("lstd,ald->alst", states[chosen], vectors[:, chosen])
    squared = params.inner_products == "mean_of_squares"
    means = ((products.square() if squared else products) * held).sum(dim=(1, 2, 3)) / (products.shape[1] * held.sum().clamp(min=1))
    return (means if squared else means.square()).sum()


def preservation_loss(states: Tensor, original: Tensor, attention: Tensor) -> Tensor:
    """Squared distance of the states to the original's, a mean over layers, tokens (without padding) and dimensions."""
    weight = attention.to(states.dtype)
    return torch.einsum("lstd,st->", (states - original).square(), weight) / (weight.sum() * states.shape[0] * states.shape[3])

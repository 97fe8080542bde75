"""The paper's convolutional network as one would write it from its description: every text padded to the longest, nothing shared."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor, nn
from torch.nn import functional

from stages.models import folds, text_cnn


class Network(nn.Module):
    """Convolutions of widths 1, 2 and 3, relu, dropout, the maximum over all positions; dense layers, then one output a text."""

    def __init__(self, table: np.ndarray, params: text_cnn.Params) -> None:
        super().__init__()
        self.words = nn.Embedding.from_pretrained(torch.from_numpy(table))
        self.widths, self.dropout = params.kernels, nn.Dropout(params.dropout)
        convolutions = [nn.Conv1d(table.shape[1], params.filters, width) for width in params.kernels]
        self.convolutions = nn.ModuleList(convolutions)
        self.branches = nn.ModuleList(nn.Linear(params.filters, params.dense) for _ in params.kernels)
        self.joined = nn.Linear(params.dense * len(params.kernels), params.dense)
        self.output = nn.Linear(params.dense, 1)
        self.kernels = [*(convolution.weight for convolution in convolutions), self.output.weight]  # of the L2 penalty
        for layer in (*convolutions, *self.branches, self.joined, self.output):  # as Keras begins
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, numbers: Tensor) -> Tensor:
        words = self.words(numbers).transpose(1, 2)
        ended = [functional.pad(words, (0, width - 1)) for width in self.widths]
        scores = [convolution(part) for convolution, part in zip(self.convolutions, ended, strict=True)]
        pooled = [self.dropout(functional.relu(score)).amax(dim=2) for score in scores]
        parts = [branch(self.dropout(part)) for branch, part in zip(self.branches, pooled, strict=True)]
        found: Tensor = self.output(functional.relu(self.joined(torch.cat(parts, dim=1)))).squeeze(1)
        return found


def lowest_loss(documents: pa.Table, base: Path, fold: folds.Fold, family: dict[str, Any]) -> float:
    """The lowest validation loss of a fold fitted with Adam on every core."""
    torch.set_num_threads(os.cpu_count() or 1)
    torch.manual_seed(fold.seed)
    params = text_cnn.Params.model_validate({name: value for name, value in family.items() if name != "use"})
    inputs = text_cnn.prepare(documents["text"].to_pylist(), base, params)
    numbers, _ = inputs.rows.padded(np.arange(documents.num_rows), fill=0)
    padded = functional.pad(torch.from_numpy(numbers), (0, (params.max_words or 0) - numbers.shape[1]))
    target = torch.tensor(documents["label"].to_pylist())
    network = Network(inputs.table, params)
    optimiser = torch.optim.Adam(network.parameters(), lr=params.learning_rate)
    train, validation = torch.from_numpy(fold.train), torch.from_numpy(fold.validation)
    losses = []
    for _ in range(params.epochs):
        network.train()
        for rows in train[torch.randperm(len(train))].split(params.batch):
            penalty = params.l2 * torch.stack([kernel.square().sum() for kernel in network.kernels]).sum()
            optimiser.zero_grad()
            (functional.binary_cross_entropy_with_logits(network(padded[rows]), target[rows]) + penalty).backward()
            optimiser.step()
        network.eval()
        with torch.no_grad():
            losses.append(functional.binary_cross_entropy_with_logits(network(padded[validation]), target[validation]).item())
    return min(losses)

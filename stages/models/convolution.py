"""The network of ``text_cnn``: parallel convolutions over words, the maximum over positions, dense layers."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

# Far below any score, and a number rather than -inf so that adding it never gives nan.
OUT = -1e30


class Convolution(nn.Module):
    """One filter width: ``relu(words * kernel)``, dropout, the maximum over positions: [texts, positions, dimensions] -> [texts, filters].

    A window starts at every word; beyond the text's end it sees zeros. Positions that only pad are left out, so a text's
    result does not depend on its batch. As relu is monotone the maximum is taken before it, and dropout, which makes a value 0
    and so can only lose against a positive maximum, becomes a set of positions left out: the same numbers for less work.
    """

    def __init__(self, dimensions: int, width: int, filters: int, dropout: float) -> None:
        super().__init__()
        self.width = width
        self.out_of_256 = round(dropout * 256)
        self.weight = nn.Parameter(torch.empty(width * dimensions, filters))
        self.bias = nn.Parameter(torch.zeros(filters))
        # Keras's Glorot bound for Conv1D counts the width in both fans.
        bound = (6 / (width * (dimensions + filters))) ** 0.5
        nn.init.uniform_(self.weight, -bound, bound)

    def forward(self, words: Tensor, held: Tensor) -> Tensor:
        texts, positions = held.shape
        ended = functional.pad(words, (0, 0, 0, self.width - 1))
        windows = torch.cat([ended[:, start : start + positions] for start in range(self.width)], dim=-1)
        scores = torch.addmm(self.bias, windows.flatten(0, 1), self.weight).view(texts, positions, -1)
        pooled = functional.relu((scores + self._left_out(scores, held)).amax(dim=1))
        return pooled * (256 / (256 - self.out_of_256)) if self.training else pooled

    def _left_out(self, scores: Tensor, held: Tensor) -> Tensor:
        """``OUT`` where a score may not win: padding and, in training, dropout (one random byte a score, so in steps of 1/256)."""
        padding = (~held)[..., None] * OUT
        if not self.training or not self.out_of_256:
            return padding
        words = torch.empty((scores.numel() + 7) // 8, dtype=torch.int64, device=scores.device).random_(-(2**63), None)
        noise = words.view(torch.int8)[: scores.numel()].view(scores.shape)
        return torch.addcmul(padding, (noise < self.out_of_256 - 128).to(scores.dtype), padding.new_tensor(OUT))


class Network(nn.Module):
    """Word numbers [texts, positions] -> one output a text. Row 0 of ``table`` is zeros: words without a vector, and padding."""

    table: Tensor

    def __init__(self, table: Tensor, trained: bool, widths: Sequence[int], filters: int, dense: int, dropout: float) -> None:
        super().__init__()
        if trained:
            self.table = nn.Parameter(table)
        else:
            self.register_buffer("table", table, persistent=False)
        self.dropout = dropout
        self.convolutions = nn.ModuleList(Convolution(table.shape[1], width, filters, dropout) for width in widths)
        self.branches = nn.ModuleList(_dense(filters, dense) for _ in widths)
        self.joined = _dense(dense * len(widths), dense)
        self.output = _dense(dense, 1)

    def forward(self, numbers: Tensor, held: Tensor) -> Tensor:
        words = functional.embedding(numbers, self.table, padding_idx=0)
        parts = []
        for convolution, branch in zip(self.convolutions, self.branches, strict=True):
            parts.append(branch(functional.dropout(convolution(words, held), self.dropout, self.training)))
        found: Tensor = self.output(functional.relu(self.joined(torch.cat(parts, dim=1))))
        return found.squeeze(1)

    def squared_kernels(self) -> Tensor:
        """The sum of squares that the L2 penalty multiplies: convolution kernels and the output's, no biases."""
        kernels = [*(convolution.weight for convolution in self.convolutions), self.output.weight]
        return torch.cat([torch.flatten(kernel) for kernel in kernels]).square().sum()  # type: ignore[arg-type]


def _dense(inputs: int, outputs: int) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.xavier_uniform_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer

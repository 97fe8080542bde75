"""What a fold's network says of the texts that it did not learn from, kept in place of its weights: kilobytes, and the same predictions."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stages.contract.bad_input import BadInput

if TYPE_CHECKING:
    from stages.models.folds import Fold


def of(predict: Callable[..., np.ndarray], inputs: Any, tensors: dict[str, Any], fold: "Fold", params: Any) -> dict[str, Any]:
    """``outputs`` of the network of ``tensors`` for ``texts``, positions: those to test, then those that chose the best epoch."""
    from torch import from_numpy

    parts = [part for part in (fold.test, fold.validation) if len(part)]
    outputs = np.concatenate([predict(inputs, tensors, part, params) for part in parts])
    return {"outputs": from_numpy(outputs), "texts": from_numpy(np.concatenate(parts))}


def at(tensors: dict[str, Any], index: np.ndarray, own: bool, file: Path) -> np.ndarray:
    """The outputs that were kept in ``file`` for the texts at ``index``.

    BadInput: the texts are not those of the table that was fitted on (``own``), or some of them were learned from.
    """
    if not own:
        raise BadInput(f"{file} holds outputs and no weights that other texts could be read with: set finetune.keep: weights, fit again.")
    texts, outputs = tensors["texts"].numpy(), tensors["outputs"].numpy()
    unknown = int((~np.isin(index, texts)).sum())
    if unknown:
        raise BadInput(f"{file} holds no outputs for {unknown} of the {len(index)} texts that the fold has now; run finetune again.")
    order = np.argsort(texts)
    found: np.ndarray = outputs[order[np.searchsorted(texts, index, sorter=order)]]
    return found

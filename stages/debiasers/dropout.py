"""Dropout as debiasing: an encoder trained on with more dropout, which loosens associations between words (Webster et al. 2020).

Measuring and Reducing Gendered Correlations in Pre-trained Models (arXiv:2010.06032); settings of bias-bench (Meade et al. 2022).
"""

import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import Field

from stages.contract.bad_input import BadInput
from stages.debiasers.pretraining import Pretraining
from stages.debiasers.sentences import gather

# What configurations call the dropout of hidden states and of attention weights.
NAMES = (("hidden_dropout_prob", "attention_probs_dropout_prob"), ("dropout", "attention_dropout"))


class Params(Pretraining):
    """Dropout of hidden states and of attention weights while training on: the values for BERT, used for RoBERTa as well.

    They hold for this training alone, and fine-tuning has the base's own again; with ``keep`` they are written to the encoder's
    configuration, as bias-bench's saved models have them.
    """

    hidden: float = Field(default=0.20, ge=0, lt=1)
    attention: float = Field(default=0.15, ge=0, lt=1)
    keep: bool = False


def debias_encoder(folder: Path, lexicons: Mapping[str, list[tuple[str, ...]]], params: Params, seed: int) -> None:
    """Train the encoder in ``folder`` on, in place; BadInput: it names no dropout, or cannot be trained on masked words."""
    file = folder / "config.json"
    config = json.loads(file.read_text(encoding="utf-8"))
    named = next((names for names in NAMES if set(names) <= set(config)), None)
    if named is None:
        raise BadInput(f"dropout: {file} has neither of {' and '.join(NAMES[0])}, so this encoder's dropout cannot be set.")
    changes = dict(zip(named, (params.hidden, params.attention), strict=True))
    texts = gather(params, lexicons, seed)
    from stages.debiasers.masked_language import train

    train(folder, texts, params, seed, **changes)
    if params.keep:
        file.write_text(json.dumps(config | changes, indent=2) + "\n", encoding="utf-8")

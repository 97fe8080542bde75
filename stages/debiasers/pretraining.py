"""The settings of continued masked-language-model training, which counterfactual and dropout share."""

from typing import Literal

from pydantic import Field

from stages.debiasers.sentences import Corpus


class Pretraining(Corpus):
    """The settings of bias-bench (Meade et al. 2022): 2,000 steps over 32 x 16 = 512 sequences of 512 tokens, 15 % masked.

    ``block``: sentences, each with its special tokens, are laid end to end and cut into sequences of so many tokens; None: a sentence
    is a sequence. An encoder whose file has no masked-word head (MiniLM, any sentence encoder) gets a new one, with the word embeddings
    as its last layer, which ``head_steps`` steps train alone before the encoder learns, so that a random head does not spoil it. Such
    a head is not saved: the folder stays a plain encoder. A head that is in the file is trained along and saved.
    """

    steps: int = Field(default=2000, ge=1)
    head_steps: int = Field(default=500, ge=1)
    batch: int = Field(default=32, ge=1)
    accumulation: int = Field(default=16, ge=1)
    block: int | None = Field(default=512, ge=8)
    masked: float = Field(default=0.15, gt=0, lt=1)
    learning_rate: float = Field(default=5e-5, gt=0)
    clip: float = Field(default=1.0, gt=0)
    precision: Literal["fp32", "bf16"] = "fp32"

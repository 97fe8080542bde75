"""SentenceDebias: the direction in which sentences about women and the same about men differ is taken out of an encoder's states.

Liang, Li, Zheng, Lim, Salakhutdinov and Morency 2020, Towards Debiasing Sentence Representations
(doi:10.18653/v1/2020.acl-main.488), with the mean of a sentence's tokens as in Meade et al. 2022 (doi:10.18653/v1/2022.acl-long.132).
"""

from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import Field

from stages.contract.params import Section
from stages.debiasers.projections import Affine, away_from, principal, unit


class Params(Section):
    """``sentences``: pairs of template sentences. ``components``: how many principal directions go, one in Meade et al."""

    sentences: int = Field(default=2000, ge=1)
    components: int = Field(default=1, ge=1)
    pooling: Literal["mean", "cls"] = "mean"


def debias_encoder(folder: Path, _lexicons: Any, params: Params, seed: int) -> Affine:
    """h -> h - (h.b) b of each token's last hidden state; b: first principal direction of the pairs' pooled states at length 1.

    BadInput: the pairs differ along fewer than ``components`` directions, or the encoder has no more than so many dimensions.
    """
    from stages.debiasers.gendered_sentences import examples

    vectors, _ = examples(folder, params.sentences, params.pooling, seed, neutral=False)
    feminine, masculine = np.split(unit(vectors), 2)
    weight = away_from(principal(np.stack([feminine, masculine], axis=1), params.components))
    return Affine(weight, np.zeros(len(weight)))

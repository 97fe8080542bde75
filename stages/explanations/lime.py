"""LIME (Ribeiro, Singh and Guestrin 2016): a weighted linear model of what the model says near one text."""

import numpy as np
from pydantic import Field

from stages.contract.params import Section


class Params(Section):
    """The settings of the authors' package for texts, but that every word has a weight and not the ten largest alone.

    ``samples``: how many texts are asked about, the whole one among them. ``width`` of the kernel, for cosine distances x 100;
    ``penalty``: alpha of the ridge regression.
    """

    samples: int = Field(default=5000, ge=10)
    width: float = Field(default=25, gt=0)
    penalty: float = Field(default=1, ge=0)


def asked(words: int, params: Params, seed: int) -> np.ndarray:
    """Which words stay in each text to ask about, bool [samples, words]: all in the first; then 1 to all are left out at random.

    The draws are those of the package lime 0.2.0.1 given ``np.random.RandomState(seed)``.
    """
    random = np.random.RandomState(seed)
    held = np.ones((params.samples, words), dtype=bool)
    for row, number in enumerate(random.randint(1, words + 1, params.samples - 1), start=1):
        held[row, random.choice(words, number, replace=False)] = False
    return held


def explained(held: np.ndarray, said: np.ndarray, params: Params, seed: int) -> tuple[np.ndarray, float | None]:  # noqa: ARG001
    """Each word's importance [words] and the weighted R-squared of the linear model, None where the answers are all the same.

    Ridge regression of ``said`` on ``held``, weights sqrt(exp(-d^2 / width^2)), d = 100 x cosine distance from the whole text, that is
    100 (1 - sqrt(share of words held)). Parity: 0, the word does not matter. Range: that of differences of ``said``.
    """
    from sklearn.linear_model import Ridge

    distance = 100 * (1 - np.sqrt(held.mean(axis=1)))
    weights = np.sqrt(np.exp(-((distance / params.width) ** 2)))
    linear = Ridge(alpha=params.penalty).fit(held.astype(float), said, sample_weight=weights)
    constant = bool((said == said[0]).all())
    return linear.coef_, None if constant else float(linear.score(held.astype(float), said, sample_weight=weights))

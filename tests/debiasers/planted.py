"""Words of a planted gender direction, and one tiny encoder, for the tests of the projecting debiasers."""

import numpy as np


def leaning_words(number=400, width=16, seed=0):
    """she and he, then words that lean to either side or to none: float32 [2 + number, width]."""
    rng = np.random.default_rng(seed)
    lean = np.concatenate([[-3, 3], rng.choice([-1.5, 0, 1.5], number)])
    matrix = 0.5 * rng.normal(size=(number + 2, width))
    matrix[:, 0] += lean
    return ["she", "he", *(f"w{row}" for row in range(number))], matrix.astype(np.float32)

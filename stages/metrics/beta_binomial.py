"""The beta-binomial distribution for counts that may be fractions: its log-likelihood and the slope of that by the logit of the mean.

Hits among n texts are binomial with a rate p ~ Beta(s m, s (1 - m)) of mean m and strength s; arrays broadcast.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, digamma, gammaln

Vector = NDArray[np.float64]


def log_likelihood(hits: Vector, texts: Vector, mean: Vector, strength: float) -> Vector:
    """The logarithm of the probability of ``hits`` in ``texts``, gamma functions standing for factorials of fractions."""
    ways = gammaln(texts + 1) - gammaln(hits + 1) - gammaln(texts - hits + 1)
    a, b = strength * mean, strength * (1 - mean)
    return np.asarray(ways + betaln(a + hits, b + texts - hits) - betaln(a, b))


def slope(hits: Vector, texts: Vector, mean: Vector, strength: float) -> tuple[Vector, Vector]:
    """The first derivative of the log-likelihood by logit m, and the information about logit m for steps uphill.

    That is minus the second derivative, or the quasi-likelihood's n m (1 - m) / (1 + (n - 1) / (s + 1)) (Williams 1982) if larger: the
    latter is above 0 where the likelihood is not concave, the former keeps steps short where all or none of many texts are hits.
    """
    a, b, spread = strength * mean, strength * (1 - mean), mean * (1 - mean)
    first = strength * (digamma(a + hits) - digamma(a) - digamma(b + texts - hits) + digamma(b))
    second = strength**2 * (trigamma(a + hits) - trigamma(a) + trigamma(b + texts - hits) - trigamma(b))
    observed = -spread * (1 - 2 * mean) * first - spread**2 * second
    return spread * first, np.maximum(observed, texts * spread / (1 + (texts - 1) / (strength + 1)))


def trigamma(x: Vector) -> Vector:
    """The second derivative of log gamma for x > 0, to nine digits: recurrence to x + 6, then the asymptotic series.

    Pooling spent most of its time in SciPy's ``polygamma``, which sums a zeta function for every number.
    """
    inverse = 1 / (x + 6)
    square = inverse**2
    series = inverse * (1 + inverse / 2 + square * (1 / 6 - square * (1 / 30 - square / 42)))
    return np.asarray(sum((x + shift) ** -2.0 for shift in range(6)) + series)

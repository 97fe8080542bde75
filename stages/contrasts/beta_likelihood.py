"""The Beta law of scores in (0, 1), row by row, in terms that keep their digits however little the scores vary.

The textbook's log-gammas and digammas of a = mu phi cancel: with a standard deviation of 1e-8 (phi near 1e15) no digit of their
differences is left. Stirling's leading terms are therefore cancelled by hand, which leaves their remainders and a divergence.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gammaln, polygamma, psi

Vector = NDArray[np.float64]
SERIES = 100.0  # from here on the remainders' series are exact to the last digit
SMALL = 1e-3  # differences of logits below which the divergence is taken from its cumulants


@dataclass(frozen=True)
class Rows:
    """Of each row: ``log_likelihood``; its derivatives by logit mu (``mean``) and log phi (``precision``); minus the second ones.

    ``observed`` and ``expected`` [3, rows]: of mean and mean, of mean and precision, of precision and precision.
    """

    log_likelihood: Vector
    mean: Vector
    precision: Vector
    observed: NDArray[np.float64]
    expected: NDArray[np.float64]


def log_likelihood(logits: Vector, apart: Vector, log_phi: Vector) -> Vector:
    """log Beta(y; mu phi, (1 - mu) phi) of y = expit(``logits``) [rows], less the Jacobian -log y (1 - y), which no parameter changes.

    = -phi KL(mu || y) + log(phi mu (1 - mu) / 2 pi) / 2 + r(phi) - r(mu phi) - r((1 - mu) phi), with r Stirling's remainder of log-gamma.
    ``apart`` = logits - logit mu is asked for and not computed: near the maximum it has digits that the two no longer have.
    """
    rare, other, phi = _means(logits, apart, log_phi)
    log_variance = -np.logaddexp(0, logits - apart) - np.logaddexp(0, apart - logits)
    rest = _log_gamma(phi) - _log_gamma(rare * phi) - _log_gamma(other * phi)
    found: Vector = -phi * _divergence(logits, apart) + (log_phi + log_variance - np.log(2 * np.pi)) / 2 + rest
    return found


def rows(logits: Vector, apart: Vector, log_phi: Vector) -> Rows:
    """``log_likelihood`` with its derivatives (Ferrari and Cribari-Neto 2004, appendix A, with log phi in place of phi)."""
    rare, other, phi = _means(logits, apart, log_phi)
    up = logits - apart >= 0
    mean, rest = np.where(up, other, rare), np.where(up, rare, other)
    variance, a, b = mean * rest, mean * phi, rest * phi
    away = apart - _digamma(a) + _digamma(b)  # logit y less its expectation
    by_precision = phi * (_digamma(phi) - mean * _digamma(a) - rest * _digamma(b) - _divergence(logits, apart))
    second = variance**2 * phi**2 * (polygamma(1, a) + polygamma(1, b))
    mixed = variance * phi**2 * (mean * _trigamma(a) - rest * _trigamma(b))
    precise = phi**2 * (mean**2 * _trigamma(a) + rest**2 * _trigamma(b) - _trigamma(phi))
    expected = np.stack([second, mixed, precise])
    observed = expected - np.stack([phi * away * variance * (rest - mean), phi * away * variance, by_precision])
    return Rows(log_likelihood(logits, apart, log_phi), phi * away * variance, by_precision, observed, expected)


def _means(logits: Vector, apart: Vector, log_phi: Vector) -> tuple[Vector, Vector, Vector]:
    """The smaller of mu and 1 - mu, the larger, and phi."""
    size = np.abs(logits - apart)
    return expit(-size), expit(size), np.exp(log_phi)


def _divergence(logits: Vector, apart: Vector) -> Vector:
    """KL(mu || y) = mu log(mu / y) + (1 - mu) log((1 - mu) / (1 - y)) >= 0: log E exp(k d) - E k d of a coin k with the rarer side up."""
    expected = logits - apart
    log_rare, rare = -np.logaddexp(0, np.abs(expected)), expit(-np.abs(expected))
    d = np.where(expected >= 0, -apart, apart)
    variance, skew = rare * (1 - rare), 1 - 2 * rare
    cumulants = variance * d**2 * (1 / 2 + d * (skew / 6 + d * ((1 - 6 * variance) / 24 + d * skew * (1 - 12 * variance) / 120)))
    plain = np.where(d < 1, np.log1p(rare * np.expm1(np.minimum(d, 1))), np.logaddexp(np.log1p(-rare), log_rare + d)) - rare * d
    return np.where(np.abs(d) < SMALL, cumulants, plain)


def _log_gamma(x: Vector) -> Vector:
    """log Gamma(x) less (x - 1/2) log x - x + log(2 pi) / 2."""
    high = np.maximum(x, SERIES)
    low = np.minimum(x, SERIES)
    series = 1 / (12 * high) - 1 / (360 * high**3) + 1 / (1260 * high**5)
    return np.where(x < SERIES, gammaln(low) - (low - 0.5) * np.log(low) + low - np.log(2 * np.pi) / 2, series)


def _digamma(x: Vector) -> Vector:
    """Digamma(x) less log x."""
    high, low = np.maximum(x, SERIES), np.minimum(x, SERIES)
    series = -1 / (2 * high) - 1 / (12 * high**2) + 1 / (120 * high**4) - 1 / (252 * high**6)
    return np.where(x < SERIES, psi(low) - np.log(low), series)


def _trigamma(x: Vector) -> Vector:
    """Trigamma(x) less 1 / x."""
    high, low = np.maximum(x, SERIES), np.minimum(x, SERIES)
    series = 1 / (2 * high**2) + 1 / (6 * high**3) - 1 / (30 * high**5) + 1 / (42 * high**7)
    return np.where(x < SERIES, polygamma(1, low) - 1 / low, series)

"""The WEAT of any number of groups, and what follows from its associations when nobody is named.

Swinger, De-Arteaga, Heffernan, Leiserson and Kalai 2019, What are the Biases in My Word Embedding? (doi:10.1145/3306618.3314270).
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from stages.probes.spaces import Vectors

Numbers = NDArray[np.float64]


def parts(centres: Vectors, words: Vectors, middle: Vectors, mean: Vectors | None = None) -> Numbers:
    """(X_i - mu) . (A_i - ``middle``) of each group i; sum over i: ``g``. 0: the words lean to no group.

    ``centres`` [groups, dimensions] and ``words`` [groups, ..., dimensions] are means of unit vectors, ``middle`` that of all words
    (of the category); mu is the mean of the centres, or ``mean``. A range of [-4, 4]; [groups, ...].
    """
    apart = centres - (centres.mean(axis=0) if mean is None else mean)
    found: Numbers = np.einsum("id,i...d->i...", apart, words - middle)
    return found


def g(names: Sequence[Vectors], words: Sequence[Vectors], all_names: Vectors, all_words: Vectors) -> float:
    """g(X_1, A_1, ..., X_n, A_n) = sum over i of (X_i - mu) . (A_i - A), of unit vectors [names or words, dimensions]; 0 is parity.

    mu is the mean of the groups' means and, of one group, that of all names; A is the mean of all words, and of more groups than one
    changes nothing. Of two groups of one size s = 2 |X_1| g is the S of WEAT (Lemma 1).
    """
    centres, chosen = (np.stack([rows.mean(axis=0) for rows in sets]) for sets in (names, words))
    return float(parts(centres, chosen, all_words.mean(axis=0), all_names.mean(axis=0) if len(names) == 1 else None).sum())


def fourtuples(words: Vectors, significant: NDArray[np.bool_]) -> tuple[int, int]:
    """How many pairs of groups i, i' with pairs of categories j, j' have four significant associations, and how many of these are biases
    that need no name: (A_ij - A_i'j) . (A_ij' - A_i'j') > 0 (eq. 1), the words of one group in j being near those of the same in j'.

    ``words`` [groups, categories, dimensions]: means of unit vectors; ``significant`` [groups, categories].
    """
    number = indirect = 0
    for one, other in combinations(range(len(words)), 2):
        both = significant[one] & significant[other]
        apart = words[one, both] - words[other, both]
        products = (apart @ apart.T)[np.triu_indices(len(apart), 1)]
        number, indirect = number + len(products), indirect + int((products > 0).sum())
    return number, indirect

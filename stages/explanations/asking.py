"""What each method makes of some texts, the model asked about all of their variants at once and never twice about one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from stages.contract.params import Entry
from stages.contract.shelf import take
from stages.explanations.words import Words


@dataclass(frozen=True)
class Explained:
    """A text by one method: ``importance`` [tokens], ``fit`` of the method's linear model, and what is said of it whole and bare."""

    importance: np.ndarray
    fit: float | None
    score: float
    bare: float


def explanations(
    texts: Sequence[Words], seeds: Sequence[int], methods: Sequence[Entry], ask: Callable[[list[str]], np.ndarray]
) -> list[list[Explained]]:
    """For each text one ``Explained`` a method; ``ask`` gives one number a text, and each text's randomness follows from its seed."""
    taken = [take("explanations", method) for method in methods]
    numbers: dict[str, int] = {}
    plans = []
    for words, seed in zip(texts, seeds, strict=True):
        ends = np.repeat([[True], [False]], len(words.tokens), axis=1)
        helds = [ends, *(module.asked(len(words.tokens), options, seed) for module, options in taken)]
        plans.append([(held, [numbers.setdefault(text, len(numbers)) for text in words.kept(held)]) for held in helds])
    said = ask(list(numbers))
    found = []
    for seed, ((_, both), *asked) in zip(seeds, plans, strict=True):
        whole, bare = said[both].tolist()
        each = zip(taken, asked, strict=True)
        parts = [module.explained(held, said[places], options, seed) for (module, options), (held, places) in each]
        found.append([Explained(importance, fit, whole, bare) for importance, fit in parts])
    return found

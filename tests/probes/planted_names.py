"""A space of names and words in which two of four categories of words lean to two of three groups of names, as planted."""

import numpy as np
import pandas as pd

from stages.probes import spaces
from stages.probes.enumeration import Enumeration
from stages.probes.name_tables import Names

WIDTH, GROUPS, KINDS, EACH = 24, 3, 4, 60
SETTINGS = Enumeration(names="made_up", groups=GROUPS, categories=KINDS, words=KINDS * EACH, each=3, rotations=499, least_like_names=0.0)
LEANING = {(0, 0), (1, 1)}


def letters(number: int) -> str:
    return "abcdefghij"[number // 10] + "abcdefghij"[number % 10]


def planted(seed: int = 0, lean: float = 1.5) -> tuple[spaces.Space, Names]:
    """Names Aaa... of three groups of 40, 30 and 20 and words kaaa... of four categories, of which ten each lean to a group."""
    rng = np.random.default_rng(seed)
    axes = np.eye(WIDTH)
    of = np.repeat(np.arange(GROUPS), [40, 30, 20])
    names = ["ABC"[group] + letters(row) for row, group in enumerate(of)]
    people = 1.5 * axes[of] + 0.25 * rng.normal(size=(len(of), WIDTH))
    kind = np.tile(np.arange(KINDS), EACH)
    words = ["klmn"[one] + letters(row // KINDS) for row, one in enumerate(kind)]
    things = 1.5 * axes[10 + kind] + 0.25 * rng.normal(size=(len(kind), WIDTH))
    for group, category in LEANING:
        things[np.flatnonzero(kind == category)[:10], group] += lean
    traits = pd.DataFrame({"female": of / 2, "birth_year": 1960.0 + of}, index=pd.Index(names))
    return spaces.static(names + words, np.concatenate([people, things])), Names(names, traits)

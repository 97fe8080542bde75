"""A grammar of plain sentences, each about one word of the lists: what encoders are debiased on when no corpus is at hand.

``template_sentences.yaml`` holds the frames ("We met the {word} {place} and asked about {matter}."), the words that fill in time, place
and matter, and which words are pronouns, titles, qualities, things or activities. Other gendered words and other stereotype words stand
where a person stands; adjectives and parts of the body are only mentioned ("the word maternal"). The sentences are correct but few and
plain: enough to show a method at work and to test it, no match for a corpus of real text.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from stages.contract import yaml_file

GRAMMAR = Path(__file__).with_suffix(".yaml")
FILLERS = ("time", "place", "matter")


def write(lexicons: Mapping[str, list[tuple[str, ...]]], per_word: int, generator: np.random.Generator) -> list[str]:
    """``per_word`` distinct sentences for each word and role of gender_pairs and gender_stereotypes (fewer where frames run out)."""
    grammar = yaml_file.read(GRAMMAR)
    sentences: dict[str, None] = {}
    for name, usual in (("gender_pairs", "people"), ("gender_stereotypes", "person")):
        for word in dict.fromkeys(word for row in lexicons.get(name, []) for word in row):
            kinds = [kind for kind, words in grammar["words"].items() if word in words] or [usual]
            for kind in kinds:
                sentences |= dict.fromkeys(_about(word, grammar[kind], grammar, per_word, generator))
    return list(sentences)


def _about(word: str, frames: list[str], grammar: dict[str, Any], count: int, generator: np.random.Generator) -> list[str]:
    """Sentences about a word, its frames in turn from a random one on and the fillers drawn."""
    first = int(generator.integers(len(frames)))
    found = []
    for number in range(count):
        fillers = {name: str(generator.choice(grammar[name])) for name in FILLERS}
        values = fillers | {"word": word}
        capitals = {name.capitalize(): value[0].upper() + value[1:] for name, value in values.items()}
        found.append(frames[(first + number) % len(frames)].format(**values, **capitals))
    return found

"""The names of probes' tests and statistics in words."""

import re

# A statistic in words, with the value that means no bias.
STATISTICS = {
    "effect_size": "effect size d (0 is parity)",
    "amae": "AMAE (0 is parity)",
    "armse": "ARMSE (0 is parity)",
    "ect": "ECT (1 is parity)",
    "mac": "MAC (compares no groups)",
    "rnd": "RND (0 is parity)",
    "ripa": "RIPA (0 is parity)",
    "direct_bias": "mean |cos| with she - he (0 is parity)",
    "cluster_accuracy": "feminine from masculine words by two clusters (0.5 is chance)",
    "classification_accuracy": "feminine from masculine words by a classifier (0.5 is chance)",
    "neighbour_correlation": "lean and share of feminine neighbours (0 is parity)",
}
WEAT = {
    "weat_1": "flowers, insects: pleasant, unpleasant",
    "weat_2": "instruments, weapons: pleasant, unpleasant",
    "weat_3": "European, African American names: pleasant, unpleasant",
    "weat_4": "the same, names of a field study: pleasant, unpleasant",
    "weat_5": "the same names: pleasant, unpleasant (short lists)",
    "weat_6": "men's, women's names: career, family",
    "weat_7": "mathematics, arts: male, female terms",
    "weat_8": "science, arts: male, female terms",
    "weat_9": "mental, physical disease: temporary, permanent",
    "weat_10": "young, old people's names: pleasant, unpleasant",
}
# Tests of people met on two attributes: how a name begins, and its words about whoever the rest of it names.
INTERSECTIONAL = {
    "pleasant": "names of European American men, {}: pleasant, unpleasant",
    "career": "names of European American men, {}: career, family",
    "stereotypes": "names of {}, European American men: what is said of the ones, of the others",
    "angry": "names of {}, European American women: angry, even-tempered",
}
PROPER = re.compile(r"\b(african|european|mexican|american|chinese|hispanic|islam|christianity|judaism)\b")


def named(test: str) -> str:
    """A test's words: ``WEAT 6, men's, women's names: career, family`` asks whether the first lean to the third; of others the name."""
    if test in WEAT:
        return f"WEAT {test.removeprefix('weat_')}, {WEAT[test]}"
    words = PROPER.sub(lambda match: match[0].capitalize(), test.replace("_", " "))
    kind, _, who = words.partition(" ")
    return INTERSECTIONAL[kind].format(who) if kind in INTERSECTIONAL and "American" in who else words

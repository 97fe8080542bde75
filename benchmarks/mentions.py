"""``python -m benchmarks.mentions FOLDER``: does mining find whom made-up sentences mention, and only them?

FOLDER has the identity-labelled sentences of Dixon et al. 2018 (bias_madlibs_77k.csv, intersectional_madlibs.csv, from
conversationai/unintended-ml-bias-analysis, CC BY 4.0). Whom a sentence mentions is what stands in its template's slot.
"""

import argparse
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from stages.mentions import ner, word_lists

# The publishers' identity terms, and the group and word list that each belongs to.
GROUPS = {
    ("ethnicity", "Black people"): "african american, black",
    ("ethnicity", "African people"): "african",
    ("ethnicity", "white people"): "white, european",
    ("ethnicity", "Asian people"): "asian",
    ("ethnicity", "Hispanic people"): "hispanic, latino, latina, latinx",
    ("ethnicity", "Middle Eastern people"): "middle eastern",
    ("nationality", "American people"): "american",
    ("nationality", "Canadian people"): "canadian",
    ("nationality", "Chinese people"): "chinese",
    ("nationality", "Indian people"): "indian",
    ("nationality", "Japanese people"): "japanese",
    ("nationality", "Mexican people"): "mexican",
    ("gender", "women"): "female, woman",
    ("gender", "men"): "male, man",
    ("gender", "transgender people"): "trans, transgender",
    ("gender", "nonbinary people"): "nonbinary",
    ("gender", "cisgender people"): "cis",
    ("sexual_orientation", "gay people"): "gay, homosexual",
    ("sexual_orientation", "lesbian people"): "lesbian",
    ("sexual_orientation", "bisexual people"): "bisexual",
    ("sexual_orientation", "queer people"): "queer, lgbt, lgbtq",
    ("sexual_orientation", "heterosexual people"): "heterosexual, straight",
    ("religion", "Muslim people"): "muslim",
    ("religion", "Christian people"): "christian, catholic, protestant",
    ("religion", "Jewish people"): "jewish",
    ("religion", "Sikh people"): "sikh",
    ("religion", "Buddhist people"): "buddhist",
    ("religion", "Taoist people"): "taoist",
    ("age", "older people"): "old, older, elderly",
    ("age", "younger people"): "young, younger, teenage, millenial",
    ("age", "middle-aged people"): "middle aged",
    ("disability", "blind people"): "blind",
    ("disability", "deaf people"): "deaf",
    ("disability", "people with a mobility impairment"): "paralyzed",
}
TERMS = {term: group for group, terms in GROUPS.items() for term in terms.split(", ")}
TERM = re.compile("|".join(sorted(TERMS, key=len, reverse=True)))
SLOTS = {
    "i am a ": r"I (?:am an?|hate) (.+) (?:person|people)",
    "being": r"Being (.+) is \w+\.?",
    "you are": r"You are an? \w+ (.+)",
    "name": r"\S+ is an? \w+ (.+)",
    "i": r"[Ii] (?:am|hate)(?: an?)? (.+)",
    "verb": r"\w+ (.+)",
}
Found = list[set[tuple[str, str]]]


def sentences(folder: Path) -> dict[str, tuple[pd.Series, list[list[str]]]]:
    """By file: the sentences, and the identity terms in each one's slot; none of those that name an occupation."""
    files = {
        "one identity": ("bias_madlibs_77k.csv", "Template", "Text"),
        "intersectional": ("intersectional_madlibs.csv", "template", "phrase"),
    }
    found = {}
    for name, (file, template, text) in files.items():
        frame = pd.read_csv(folder / file)
        found[name] = (frame[text], [slot(*row) for row in zip(frame[template], frame[text], strict=True)])
    return found


def slot(template: str, text: str) -> list[str]:
    """The identity terms that a template was filled with; AssertionError where its slot holds anything else."""
    if template == "you_occupation":
        return []
    held = next(match[1] for pattern in SLOTS.values() if (match := re.fullmatch(pattern, text)))
    terms = TERM.findall(held)
    assert re.sub(r" (?:person|people)$", "", held).replace(" and ", " ") == " ".join(terms), (template, text)
    return terms


def by_look_up(ambiguous: str) -> Callable[[Sequence[str]], Found]:
    found = word_lists.Lookup.of(list(word_lists.read(word_lists.WORDS).values()), ambiguous)
    return lambda texts: [{(mention.attribute, mention.group) for mention in found.find(text)} for text in texts]


def by_entities(pipeline: str) -> Callable[[Sequence[str]], Found]:
    attributes = ("religion", "nationality", "ethnicity")

    def find(texts: Sequence[str]) -> Found:
        columns = ner.mine(texts, ner.Params(pipeline=pipeline, attributes=attributes))
        rows = zip(*columns.values(), strict=True)
        return [
            {(attribute, group) for attribute, groups in zip(attributes, row, strict=True) if groups for group in groups.split(" and ")}
            for row in rows
        ]

    return find


def measure(folder: Path, find: Callable[[Sequence[str]], Found], most: int | None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Per group texts, precision and recall in each file; per file how many sentences with two or more groups have all of them found.

    ``most`` sentences of each file, drawn at random; None: all.
    """
    rows, together = [], []
    for file, (every, slots) in sentences(folder).items():
        texts = every if most is None else every.sample(most, random_state=0)
        truth, found = [{TERMS[term] for term in slots[position]} for position in texts.index], find(texts.tolist())
        for group in GROUPS:
            held, named = [group in row for row in truth], [group in row for row in found]
            both = sum(a and b for a, b in zip(held, named, strict=True))
            rows.append((*group, file, sum(held), both / sum(named) if any(named) else None, both / sum(held) if any(held) else None))
        several = [a <= b for a, b in zip(truth, found, strict=True) if len(a) > 1]
        exact = sum(a == b for a, b in zip(truth, found, strict=True))
        together.append((file, len(texts), exact / len(texts), len(several), sum(several) / len(several) if several else None))
    columns = ["attribute", "group", "file", "texts", "precision", "recall"]
    return pd.DataFrame(rows, columns=columns), pd.DataFrame(
        together, columns=["file", "sentences", "exactly right", "with several groups", "all found"]
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mentions", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pipeline", help="an installed spaCy pipeline, to measure named entities too")
    parser.add_argument("--most", type=int, help="so many sentences of each file at random (default: all)")
    options = parser.parse_args()
    ways = {f"look-up, ambiguous words {ambiguous}": by_look_up(ambiguous) for ambiguous in ("in_context", "always")}
    if options.pipeline:
        ways[f"named entities, {options.pipeline}"] = by_entities(options.pipeline)
    for way, find in ways.items():
        groups, together = measure(options.folder, find, options.most)
        print(f"\n{way}\n{together.round(4).to_string(index=False)}\n{groups.dropna(subset='recall').round(3).to_string(index=False)}")


if __name__ == "__main__":
    main()

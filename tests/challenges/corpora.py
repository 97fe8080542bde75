"""The corpora of the shelf, a small one of a made-up language, and loading what a test writes."""

from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from stages.challenges.eec import Params, load
from tests.conftest import ROOT

FOLDER = ROOT / "stages" / "challenges" / "corpora"
# Three genders and three ages; the verb agrees in number, the adjective in gender and number, "da" takes the dative and elides.
MADE_UP = {
    "about": "A made-up language.",
    "lang": "xx",
    "attributes": {"gender": ["woman", "man", "neither"], "faith": ["sun", "moon"], "age": ["old", "young"]},
    "features": {"number": ["one", "many"]},
    "people": [
        {"are": {"gender": "woman", "faith": "sun", "age": "old", "number": "one"}, "persons": ["ana", {"plain": "olu", "dative": "olur"}]},
        {"are": {"gender": "man", "faith": "moon", "number": "one"}, "persons": [{"plain": "bor", "dative": "boror"}]},
        {"are": {"gender": "neither", "age": "young", "number": "many"}, "persons": [{"plain": "wei", "dative": "eir"}]},
    ],
    "agreement": {"is": {"one": "ta", "many": "tai"}},
    "emotions": {"state": {"joy": [{"one": {"woman": "laha", "man": "laho", "neither": "lahe"}, "many": "lahi"}, "miu"], "fear": ["kri"]}},
    "templates": {"is": "{person.plain} {is.number} {state.number.gender}", "gave": "mi da {person.dative}"},
    "rewrites": [["\\bda (?=[aeiou])", "d'"]],
}


def shelf() -> dict[str, Path]:
    return {file.stem: file for file in sorted(FOLDER.glob("*.yaml"))}


def sentences(name: str) -> pd.DataFrame:
    """The sentences of a corpus on the shelf."""
    return load(FOLDER / f"{name}.yaml", Params()).to_pandas()


def written(folder: Path, corpus: Any) -> pd.DataFrame:
    """The sentences of a corpus that a test puts into a file of its own."""
    file = folder / "corpus.yaml"
    file.write_text(yaml.safe_dump(corpus, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return load(file, Params()).to_pandas()

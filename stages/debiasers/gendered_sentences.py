"""Sentences about a woman, the same about a man and about a person, from a small grammar; and an encoder's vectors of them.

The grammar: OPENING FRAME, where a frame names a person of PEOPLE (feminine, masculine, neutral) and may refer back with a pronoun
of PRONOUNS: "Last week the aunt said that she would be late", "... the uncle said that he ...", "... the relative said that they
...". Verbs stand in the past, so that they agree with all three. What is said fits anybody; there is no stereotype in it.
"""

from itertools import product
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import AutoModel

from stages.contract.bad_input import BadInput
from stages.debiasers import pretrained_encoder
from stages.debiasers.projections import Vectors

PEOPLE = (
    ("woman", "man", "person"),
    ("girl", "boy", "child"),
    ("lady", "gentleman", "guest"),
    ("lass", "lad", "youngster"),
    ("mother", "father", "parent"),
    ("mom", "dad", "parent"),
    ("daughter", "son", "child"),
    ("sister", "brother", "sibling"),
    ("aunt", "uncle", "relative"),
    ("niece", "nephew", "relative"),
    ("grandmother", "grandfather", "grandparent"),
    ("grandma", "grandpa", "grandparent"),
    ("granddaughter", "grandson", "grandchild"),
    ("stepmother", "stepfather", "guardian"),
    ("stepdaughter", "stepson", "child"),
    ("stepsister", "stepbrother", "sibling"),
    ("godmother", "godfather", "guardian"),
    ("goddaughter", "godson", "child"),
    ("wife", "husband", "spouse"),
    ("girlfriend", "boyfriend", "partner"),
    ("bride", "groom", "newlywed"),
    ("widow", "widower", "mourner"),
    ("queen", "king", "ruler"),
    ("princess", "prince", "royal"),
    ("empress", "emperor", "ruler"),
    ("duchess", "duke", "noble"),
    ("baroness", "baron", "noble"),
    ("noblewoman", "nobleman", "noble"),
    ("actress", "actor", "performer"),
    ("comedienne", "comedian", "performer"),
    ("waitress", "waiter", "server"),
    ("barmaid", "barman", "bartender"),
    ("hostess", "host", "organiser"),
    ("stewardess", "steward", "attendant"),
    ("heroine", "hero", "rescuer"),
    ("heiress", "heir", "successor"),
    ("priestess", "priest", "cleric"),
    ("abbess", "abbot", "cleric"),
    ("nun", "monk", "believer"),
    ("sorceress", "sorcerer", "magician"),
    ("masseuse", "masseur", "therapist"),
    ("headmistress", "headmaster", "principal"),
    ("businesswoman", "businessman", "entrepreneur"),
    ("saleswoman", "salesman", "seller"),
    ("chairwoman", "chairman", "chair"),
    ("spokeswoman", "spokesman", "representative"),
    ("congresswoman", "congressman", "lawmaker"),
    ("councilwoman", "councilman", "lawmaker"),
    ("stateswoman", "statesman", "politician"),
    ("policewoman", "policeman", "officer"),
    ("servicewoman", "serviceman", "soldier"),
    ("camerawoman", "cameraman", "filmer"),
    ("anchorwoman", "anchorman", "presenter"),
    ("sportswoman", "sportsman", "athlete"),
    ("horsewoman", "horseman", "rider"),
    ("countrywoman", "countryman", "villager"),
    ("cowgirl", "cowboy", "rider"),
    ("schoolgirl", "schoolboy", "pupil"),
    ("choirgirl", "choirboy", "singer"),
    ("alumna", "alumnus", "graduate"),
)
PRONOUNS = {
    "{subject}": ("she", "he", "they"),
    "{object}": ("her", "him", "them"),
    "{possessive}": ("her", "his", "their"),
    "{reflexive}": ("herself", "himself", "themselves"),
}
OPENINGS = ("", "last week ", "this morning ", "in the end ", "after the meeting ", "as far as we know ")
FRAMES = (
    "the {person} said that {subject} would be late",
    "the {person} read the letter before {subject} went home",
    "the {person} knew what {subject} wanted to eat",
    "the {person} lost the ticket that {subject} had bought",
    "the {person} left {possessive} keys on the table",
    "the {person} opened {possessive} window and looked at the street",
    "the {person} told us about {possessive} journey",
    "the {person} wrote {possessive} name on the list",
    "our neighbours met the {person} and thanked {object}",
    "we asked the {person} what had surprised {object}",
    "nobody called the {person} or wrote to {object}",
    "the {person} bought {reflexive} a cup of tea",
    "the {person} made {reflexive} comfortable near the fire",
    "everybody in the room listened to the {person}",
    "a letter from the {person} came with the mail",
    "the {person} walked along the river for an hour",
)
BATCH = 64


def sentences() -> list[tuple[str, str, str]]:
    """All sentences of the grammar, each about a woman, about a man, and about a person whose gender is not told."""
    found = []
    for opening, frame, people in product(OPENINGS, FRAMES, PEOPLE):
        versions = []
        for gender in range(3):
            text = f"{opening}{frame}.".replace("{person}", people[gender])
            for mark, forms in PRONOUNS.items():
                text = text.replace(mark, forms[gender])
            versions.append(text[0].upper() + text[1:])
        found.append((versions[0], versions[1], versions[2]))
    return found


def examples(folder: Path, count: int, pooling: Literal["mean", "cls"], seed: int, neutral: bool) -> tuple[Vectors, NDArray[np.int64]]:
    """Vectors [examples, width] of ``count`` sentences, drawn by ``seed``, about women, then the same about men (and persons); classes.

    BadInput: the grammar has fewer sentences, or ``folder`` holds an encoder that cannot read them.
    """
    listed = sentences()
    if count > len(listed):
        raise BadInput(f"sentences: {count} of each gender are asked for and the grammar makes {len(listed)}; lower it.")
    drawn = np.random.default_rng(seed).choice(len(listed), count, replace=False)
    genders = 3 if neutral else 2
    texts = [listed[number][gender] for gender in range(genders) for number in drawn]
    return vectors_of(folder, texts, pooling), np.repeat(np.arange(genders), count)


def vectors_of(folder: Path, texts: list[str], pooling: Literal["mean", "cls"]) -> Vectors:
    """The last hidden states [texts, width] of the encoder in ``folder``: the mean over a text's tokens, or those of the first."""
    tokenizer = pretrained_encoder.tokenizer_of(folder)
    device = pretrained_encoder.device()
    network = pretrained_encoder.load(AutoModel, folder).to(device).eval()
    most = pretrained_encoder.most_tokens(network, tokenizer)
    ordered = np.argsort([-len(text) for text in texts], kind="stable")
    found = np.empty((len(texts), network.config.hidden_size))
    with torch.inference_mode():
        for start in range(0, len(texts), BATCH):
            index = ordered[start : start + BATCH]
            chosen = [texts[position] for position in index]
            batch = tokenizer(chosen, padding=True, truncation=True, max_length=most, return_tensors="pt").to(device)
            found[index] = _pooled(network, batch, pooling)
    return found


def _pooled(network: Any, batch: Any, pooling: str) -> NDArray[np.float64]:
    states = network(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).last_hidden_state.double()
    held = batch["attention_mask"][..., None]
    pooled = states[:, 0] if pooling == "cls" else (states * held).sum(1) / held.sum(1)
    found: NDArray[np.float64] = pooled.cpu().numpy()
    return found

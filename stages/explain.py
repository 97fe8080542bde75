"""documents, fitted models -> which words the models of a cell lean on, and whether identity terms more than other words"""

import functools
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
from pydantic import Field

from stages.contract import shelf
from stages.contract.bad_input import BadInput
from stages.contract.command import command
from stages.contract.explanations import Explanations, Leanings, LocalExplanations
from stages.contract.params import Design, Entry, Model, Name, Section, Task
from stages.contract.schemas import Documents
from stages.contract.tables import At, column_names, from_pandas
from stages.contract.values import ON_DISK, Seed, Threads, once, place
from stages.explanations import tables
from stages.explanations.asking import Explained, explanations
from stages.explanations.leaning import Permutations
from stages.explanations.tables import Study
from stages.explanations.words import Words
from stages.mentions import word_lists
from stages.models import folds, frozen_encoder, pretrained, processes
from stages.models.batches import cut

Base = Annotated[Path, At("data/debias/{model}")]
Fitted = Annotated[Path, At("data/finetune/{task}/{model}")]
TEXTS = 50_000  # so many variants are asked about at once


class Params(Section):
    """``cells``: which models of which tasks are explained; ``methods``: how, each an entry of the shelf ``explanations``.

    Explained are ``documents`` texts drawn from those that the models are tested on and that have at most ``most_words`` different
    words, and ``naming`` more of those that hold an identity term; ``shown`` of them are kept whole. ``identities``: a folder of word
    lists; ``ambiguous``: whether their words that also mean other things ("black") count, as a word is looked at by itself.
    """

    cells: dict[Name, tuple[Name, ...]] = Field(default_factory=dict)
    methods: tuple[Entry, ...] = Field(default=(Entry(use="lime"), Entry(use="shap")), min_length=1)
    documents: int = Field(default=200, ge=1)
    naming: int = Field(default=200, ge=0)
    shown: int = Field(default=10, ge=0)
    most_words: int = Field(default=100, ge=1)
    identities: Annotated[str, place(word_lists.read)] = "stages/mentions/words"
    ambiguous: bool = True
    seed: Seed = 0
    draws: int = Field(default=10_000, ge=100)
    confidence: float = Field(default=0.95, gt=0, lt=1)
    processes: int = Field(default=1, ge=1)
    threads: Threads = 1


def check(design: Design, params: Params) -> None:
    """BadInput where a cell is none of the design, a method is none, or is asked twice."""
    once([method.use for method in params.methods], "params.yaml: explain.methods")
    for method in params.methods:
        shelf.take("explanations", method, ON_DISK)
    for task, models in params.cells.items():
        unknown = {task} - set(design.tasks) | set(models) - set(design.models)
        if unknown:
            raise BadInput(f"params.yaml: explain.cells: {min(unknown)!r} is no task or model of this design.")


def run(
    documents: Documents, base: Base, fitted: Fitted, task: Task, model: Model, names: dict[str, str], params: Params
) -> tuple[Explanations, Leanings, LocalExplanations]:
    """Explain a cell's texts, each by the model that did not train on it, and compare its identity terms with other words.

    No rows where ``cells`` does not name the cell. BadInput: no text is short enough; see ``folds``.
    """
    outputs: list[Any] = [Explanations, Leanings, LocalExplanations]
    if names["model"] not in params.cells.get(names["task"], ()):
        none: Any = tuple(output.__metadata__[0].empty() for output in outputs)
        return none
    words = [Words.of(text) for text in documents["text"].to_pylist()]
    attributes = _identities(params) if set(documents["lang"].to_pylist()) == {"en"} else {}
    tested = folds.tested(documents["fold"].to_pylist())
    folds.refuse_outputs(fitted, list(tested))
    candidates = [place for places in tested.values() for place in places.tolist() if 0 < len(words[place].tokens) <= params.most_words]
    if not candidates:
        raise BadInput(f"no text of {names['task']} has 1 to {params.most_words} different words; raise explain.most_words.")
    naming = {place for place in candidates if attributes.keys() & set(words[place].tokens)}
    drawn = _drawn(candidates, naming, params)
    print(f"{len(drawn)} of {len(candidates)} texts are explained, {len(naming & set(drawn))} of them with an identity term", flush=True)
    found = _explained(drawn, words, tested, pretrained.in_language(base, documents["lang"].to_pylist()), fitted, task, model, params)
    doc_ids = documents["doc_id"].take(pa.array(drawn)).to_pylist()
    frequency = Counter(token for each in words for token in each.tokens)
    methods = [method.use for method in params.methods]
    study = Study(methods, doc_ids, [words[place] for place in drawn], found, attributes, frequency, len(candidates))
    by_token = tables.by_token(study, params.confidence)
    leanings = tables.leanings(study, by_token, Permutations(params.draws, params.seed, params.confidence))
    local = tables.whole(study, _shown(drawn, naming, params.shown))
    frames = zip((by_token, leanings, local), outputs, strict=True)
    return tuple(from_pandas(frame[column_names(output)]) for frame, output in frames)


def _identities(params: Params) -> dict[str, str]:
    """The attribute of every identity term that is one word; of a word in two lists, the first list's."""
    found: dict[str, str] = {}
    for each in word_lists.read(Path(params.identities)).values():
        for _, _, form, unsure in each.forms():
            if "_" not in form and (params.ambiguous or not unsure):
                found.setdefault(form.casefold(), each.attribute)
    return found


def _drawn(candidates: list[int], naming: set[int], params: Params) -> list[int]:
    """Texts at random, then more of those that hold an identity term, in the documents' order."""
    mixed = np.random.default_rng(params.seed).permutation(candidates).tolist()
    more = [place for place in mixed[params.documents :] if place in naming]
    return sorted(mixed[: params.documents] + more[: params.naming])


def _shown(drawn: list[int], naming: set[int], number: int) -> list[int]:
    """Which of the drawn texts are kept whole, half of them with an identity term where there are so many."""
    first = [i for i, place in enumerate(drawn) if place in naming][: number // 2]
    rest = [i for i in range(len(drawn)) if i not in first]
    return sorted(first + rest[: number - len(first)])


def _explained(
    drawn: list[int], words: list[Words], tested: dict[str, np.ndarray], base: Path, fitted: Path, task: Task, model: Model, params: Params
) -> list[list[Explained]]:
    """What ``explanations`` gives for each drawn text, portions of a fold's texts in processes."""
    each = sum(shelf.take("explanations", method)[1].samples for method in params.methods)
    portions = []
    for name, places in tested.items():
        parts = cut(np.intersect1d(drawn, places), max(1, TEXTS // each))
        portions += [(name, [(place, words[place]) for place in part.tolist()]) for part in parts]
    family, _ = shelf.take("models", model.family)
    beside = " ".join(token for place in drawn for token in words[place].tokens)
    work = functools.partial(_portion, beside=beside, base=base, fitted=fitted, task=task, model=model, params=params)
    at_once = processes.affordable(params.processes, len(portions), family.memory(base))
    found = dict(pair for pairs in processes.each(work, portions, at_once, params.threads) for pair in pairs)
    return [found[place] for place in drawn]


def _portion(
    part: tuple[str, list[tuple[int, Words]]], beside: str, base: Path, fitted: Path, task: Task, model: Model, params: Params
) -> list[tuple[int, list[Explained]]]:
    """The texts of a portion explained; ``beside`` is read along, as a family refuses texts of which it knows no word."""
    name, texts = part
    family, options = shelf.take("models", model.family)
    upwards = -1 if task.kind == "regression" and task.favourable == "low" else 1

    def ask(variants: list[str]) -> np.ndarray:
        with frozen_encoder.unkept():
            inputs = family.prepare([*variants, beside], base, options)
        _, said = folds.predict_fold(family.predict, inputs, options, task.kind, fitted, (name, np.arange(len(variants))))
        return np.round(upwards * said, 6)

    seeds = [int(np.random.SeedSequence([params.seed, place]).generate_state(1)[0]) for place, _ in texts]
    return list(zip([place for place, _ in texts], explanations([words for _, words in texts], seeds, params.methods, ask), strict=True))


if __name__ == "__main__":
    command(run)

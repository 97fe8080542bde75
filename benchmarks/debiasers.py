"""``python -m benchmarks.debiasers``: what each debiaser changed in GloVe 6B 50d and MiniLM-L6, and what it left as it was.

The first row is the base as it is. "rescaled only" is WordED's autoencoder without its debiasing losses, "trained on" the masked-word
training of CDA and dropout on plain sentences: what a method does beyond these is its own. Minutes on two cores; more with ``--steps``.
``docs/debiasers.md`` holds both tables.
"""

import argparse
import contextlib
import io
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml

from benchmarks import encoder_states, gender_left
from benchmarks.encoder_states import Texts
from benchmarks.gender_left import Figure, Lexicons
from stages import debias
from stages.contract.params import Model
from stages.debiasers import gendered_sentences, template_sentences
from stages.debiasers.attribute_sentences import Example, Examples
from stages.debiasers.context_debias import Params as ContextDebias
from stages.debiasers.context_debias import examples_of
from stages.debiasers.sentences import gather

UNSEEN, PAIRS, MASK = 3, 400, "[MASK]"
NO_DEBIASING = {"weight_classifiers": 0.0, "weight_stereotype": 0.0, "weight_neutral": 0.0}
# At the paper's learning rate, .1, weights of 1 and more make the training diverge.
STRONGER = {"weight_stereotype": 10.0, "weight_neutral": 10.0, "learning_rate": 0.001}
# MiniLM's own rates of dropout: training on with these is training on and nothing else.
OWN_RATES = {"use": "dropout", "hidden": 0.1, "attention": 0.1}
# Those that map an encoder's last hidden states, and the sentences of each gender they are fitted to: LEACE gains by more of them.
PROJECTING: dict[str, dict[str, Any]] = {
    "SentenceDebias (hard)": {"use": "sentence_debias", "sentences": 500},
    "INLP": {"use": "inlp", "sentences": 500},
    "LEACE": {"use": "leace", "sentences": 2000},
}


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.debiasers", description=__doc__)
    parser.add_argument("--only", choices=("vectors", "encoder"), help="one of the two bases")
    parser.add_argument("--folders", type=Path, nargs="+", help="encoders that a design debiased (data/debias/NAME), the first as it was")
    parser.add_argument("--seed", type=int, default=2, help="of every debiaser")
    parser.add_argument("--vocabulary", type=int, default=50_000, help="words of GloVe")
    parser.add_argument("--epochs", type=int, default=50, help="WordED's, 50 in the NAACL 2022 benchmark")
    parser.add_argument("--sentences", type=int, default=1200, help="of ContextED's corpus")
    parser.add_argument("--steps", type=int, default=60, help="CDA's and dropout's; bias-bench has 2,000 of 16 times the sequences")
    parser.add_argument("--corpus", help="a file, folder or zip of sentences; without it the template sentences")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    lexicons = debias.read_lexicons(debias.LEXICONS)
    with tempfile.TemporaryDirectory() as name:
        if options.only != "encoder" and not options.folders:
            print(_table(of_vectors(Path(name), options, lexicons)), flush=True)
        if options.only != "vectors":
            trained = {folder.name: folder for folder in options.folders or ()} or trained_encoders(Path(name), options)
            print(_table(of_encoders(trained | projected(trained, Path(name), options.seed), options.seed, lexicons)), flush=True)


def of_vectors(folder: Path, options: Any, lexicons: Lexicons) -> dict[str, dict[str, Figure]]:
    """Measures of each debiaser of word vectors, by its name."""
    base = {"source": "stages/pretrained/glove_6b_50d.yaml", "vocabulary": options.vocabulary}
    worded = {"use": "gender_preserving", "epochs": options.epochs}
    leaning = min(7500, options.vocabulary // 4)
    debiasers = {
        "before": {"use": "identity"},
        "rescaled only": worded | NO_DEBIASING,
        "WordED": worded,
        "WordED, stronger": worded | STRONGER,
        "hard": {"use": "hard_debias"},
        "INLP": {"use": "inlp", "words_per_class": leaning},
        "LEACE": {"use": "leace", "words_per_class": leaning},
    }
    made = _debiased(base, debiasers, folder / "vectors", options.seed)
    return {name: gender_left.in_vectors(output, made["before"], lexicons) for name, output in made.items()}


def trained_encoders(folder: Path, options: Any) -> dict[str, Path]:
    """MiniLM-L6 as it is and after each debiaser that trains it."""
    contexted = {"use": "context_debias", "sentences": options.sentences, "epochs": 1, "max_tokens": 64, "corpus": options.corpus}
    trained = {"steps": options.steps, "head_steps": 50, "accumulation": 1, "block": 64, "corpus": options.corpus}
    debiasers = {
        "before": {"use": "identity"},
        "ContextED, token": contexted | {"target": "token", "inner_products": "mean_of_squares"},
        "ContextED, sentence": contexted,
        "trained on": trained | OWN_RATES,
        "CDA": trained | {"use": "counterfactual"},
        "dropout": trained | {"use": "dropout"},
    }
    return _debiased({"source": "stages/pretrained/minilm_l6.yaml"}, debiasers, folder / "encoders", options.seed)


def projected(trained: dict[str, Path], folder: Path, seed: int) -> dict[str, Path]:
    """The first encoder after each debiaser that maps its last hidden states; hard debiasing of an encoder is SentenceDebias."""
    return _debiased({"source": str(next(iter(trained.values())))}, PROJECTING, folder / "projected", seed)


def of_encoders(made: dict[str, Path], seed: int, lexicons: Lexicons) -> dict[str, dict[str, Figure]]:
    """Measures of encoders by name, the first the one before."""
    texts = _quietly("sentences", unseen, lexicons, seed)
    known: dict[bytes, encoder_states.States] = {}
    states = {name: _quietly(f"states of {name}", encoder_states.states_of, folder, texts, known) for name, folder in made.items()}
    before = next(iter(states.values()))
    return {name: gender_left.in_encoder(found, before, texts, lexicons) for name, found in states.items()}


def unseen(lexicons: Lexicons, seed: int) -> Texts:
    """Sentences that no debiaser of this ``seed`` was trained on or fitted to."""
    seen = set(gather(ContextDebias(), lexicons, seed))
    found = examples_of(lexicons, ContextDebias(per_word=2), UNSEEN)
    examples = Examples(*([example for example in part if example.sentence not in seen] for part in found))
    listed = gendered_sentences.sentences()
    counts = [entry["sentences"] for entry in PROJECTING.values()]
    fitted = [np.random.default_rng(seed).choice(len(listed), count, replace=False) for count in counts]
    others = np.setdiff1d(np.arange(len(listed)), np.concatenate(fitted))
    drawn = np.random.default_rng(UNSEEN).choice(others, PAIRS, replace=False)
    women, men = ([listed[number][gender] for number in drawn] for gender in (0, 1))
    people = gendered_sentences.PEOPLE
    masked = [example for gender in (0, 1) for versions in people for example in _masked(versions[gender])]
    return Texts(
        examples=examples,
        women=women,
        men=men,
        people=drawn % len(people),
        frames=drawn // len(people),
        masked=masked,
        masked_people=np.tile(np.repeat(np.arange(len(people)), len(masked) // len(people) // 2), 2),
        masked_jobs=[example for word in _persons(lexicons) for example in _masked(word)],
    )


def _masked(person: str) -> list[Example]:
    """Sentences in which a masked token stands for a person, named by the word."""
    texts = [frame.format(person=person, subject=MASK) + "." for frame in gendered_sentences.FRAMES if "{subject}" in frame]
    return [Example(text, text.index(MASK), text.index(MASK) + len(MASK), person) for text in texts]


def _persons(lexicons: Lexicons) -> list[str]:
    """The stereotype words that are persons, not qualities, things or activities."""
    kinds = yaml.safe_load(template_sentences.GRAMMAR.read_text(encoding="utf-8"))["words"].values()
    others = {word for words in kinds for word in words}
    return sorted({word for row in lexicons["gender_stereotypes"] for word in row} - others)


def _debiased(base: dict[str, Any], debiasers: Mapping[str, dict[str, Any]], folder: Path, seed: int) -> dict[str, Path]:
    """Each debiaser's output by name."""
    for name, entry in debiasers.items():
        model = Model.model_validate({"base": base, "debiaser": entry, "family": {"use": "none"}})
        _quietly(name, debias.run, model, debias.Params(seed=seed), folder / name)
    return {name: folder / name for name in debiasers}


def _quietly(name: str, work: Callable[..., Any], *arguments: Any) -> Any:
    print(f"{name} ...", file=sys.stderr, flush=True)
    with contextlib.redirect_stdout(io.StringIO()):
        return work(*arguments)


def _table(rows: dict[str, dict[str, Figure]]) -> str:
    columns = list(next(iter(rows.values())))
    lines = [["", *columns], ["---", *["---:"] * len(columns)]]
    lines += [[name, *(_cell(figures[column]) for column in columns)] for name, figures in rows.items()]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def _cell(figure: Figure) -> str:
    return f"{figure.value:.3f}" if np.isnan(figure.half) else f"{figure.value:.3f} ± {figure.half:.3f}"


if __name__ == "__main__":
    main(sys.argv[1:])

"""``python -m benchmarks.debiasers``: what each debiaser changed in GloVe 6B 50d and MiniLM-L6, and what it left as it was.

The first row is the base as it is. "rescaled only" is WordED's autoencoder without its debiasing losses, "trained on" the masked-word
training of CDA and dropout on plain sentences: what a method does beyond these is its own. Minutes on two cores; more with ``--steps``.
"""

import argparse
import contextlib
import io
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from benchmarks import gender_left
from stages import debias
from stages.contract.params import Model
from stages.debiasers import masked_language
from stages.debiasers.attribute_sentences import Examples
from stages.debiasers.context_debias import Params as ContextDebias
from stages.debiasers.context_debias import examples_of
from stages.debiasers.pretraining import Pretraining
from stages.debiasers.sentences import gather

SEED, UNSEEN = 2, 3
NO_DEBIASING = {"weight_classifiers": 0.0, "weight_stereotype": 0.0, "weight_neutral": 0.0}
# At the paper's learning rate, .1, weights of 1 and more make the training diverge.
STRONGER = {"weight_stereotype": 10.0, "weight_neutral": 10.0, "learning_rate": 0.001}


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.debiasers", description=__doc__)
    parser.add_argument("--only", choices=("vectors", "encoder"), help="one of the two bases")
    parser.add_argument("--folders", type=Path, nargs="+", help="encoders that a design debiased (data/debias/NAME), the first as it was")
    parser.add_argument("--vocabulary", type=int, default=50_000, help="words of GloVe")
    parser.add_argument("--epochs", type=int, default=50, help="WordED's, 50 in the NAACL 2022 benchmark")
    parser.add_argument("--sentences", type=int, default=1200, help="of ContextED's corpus")
    parser.add_argument("--steps", type=int, default=60, help="CDA's and dropout's; bias-bench has 2,000 of 16 times the sequences")
    parser.add_argument("--head", type=int, default=200, help="steps of the new head by which masked pronouns are told; 0: none")
    parser.add_argument("--corpus", help="a file, folder or zip of sentences; without it the template sentences")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        if options.only != "encoder" and not options.folders:
            print(_table(of_vectors(Path(name), options)), flush=True)
        if options.only != "vectors":
            made = {folder.name: folder for folder in options.folders or ()} or debiased_encoders(Path(name), options)
            print(_table(of_encoders(made, options)), flush=True)


def of_vectors(folder: Path, options: Any) -> dict[str, dict[str, float]]:
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
    lexicons = debias.read_lexicons(debias.LEXICONS)
    made = {name: _quietly(name, _debias, base, entry, folder / f"v {name}") for name, entry in debiasers.items()}
    return {name: gender_left.in_vectors(output, made["before"], lexicons) for name, output in made.items()}


def debiased_encoders(folder: Path, options: Any) -> dict[str, Path]:
    """MiniLM-L6 as it is and after each debiaser of an encoder."""
    base = {"source": "stages/pretrained/minilm_l6.yaml"}
    contexted = {"use": "context_debias", "sentences": options.sentences, "epochs": 1, "max_tokens": 64, "corpus": options.corpus}
    trained: dict[str, Any] = {"steps": options.steps, "head_steps": 50, "accumulation": 1, "block": 64, "corpus": options.corpus}
    debiasers = {
        "before": {"use": "identity"},
        "ContextED, token": contexted | {"target": "token", "inner_products": "mean_of_squares"},
        "ContextED, sentence": contexted,
        "CDA": trained | {"use": "counterfactual"},
        "dropout": trained | {"use": "dropout"},
        "SentenceDebias": {"use": "sentence_debias"},
        "INLP": {"use": "inlp", "sentences": 500},
        "LEACE": {"use": "leace"},
    }
    lexicons = debias.read_lexicons(debias.LEXICONS)
    made = {name: _quietly(name, _debias, base, entry, folder / f"e {name}") for name, entry in debiasers.items()}
    made["trained on"] = shutil.copytree(made["before"], folder / "trained on")
    plain = Pretraining.model_validate(trained)
    _quietly("trained on", lambda: masked_language.train(made["trained on"], gather(plain, lexicons, SEED), plain, SEED))
    return made


def of_encoders(made: dict[str, Path], options: Any) -> dict[str, dict[str, float]]:
    """Measures of encoders by name, the first the one before; inner products as shares of those before."""
    lexicons = debias.read_lexicons(debias.LEXICONS)
    before = next(iter(made.values()))
    unseen = _quietly("unseen sentences", _unseen, lexicons, options)
    head = Pretraining(block=None, accumulation=1, learning_rate=1e-3, head_steps=options.head) if options.head else None
    found = {
        name: _quietly(f"measures of {name}", gender_left.in_encoder, output, before, unseen, lexicons, head)
        for name, output in made.items()
    }
    first = next(iter(found.values()))["squared product"]
    for measures in found.values():
        measures["squared product"] /= first
    return found


def _debias(base: dict[str, Any], entry: dict[str, Any], output: Path) -> Path:
    model = Model.model_validate({"base": base, "debiaser": entry, "family": {"use": "none"}})
    debias.run(model, debias.Params(seed=SEED), output)
    return output


def _unseen(lexicons: dict[str, list[tuple[str, ...]]], options: Any) -> Examples:
    """Sentences of the lists' words that no debiaser was trained on: drawn by another seed, those of the first left out."""
    params = ContextDebias(corpus=options.corpus)
    seen = set(gather(ContextDebias(corpus=options.corpus, sentences=options.sentences if options.corpus else None), lexicons, SEED))
    found = examples_of(lexicons, params, UNSEEN)
    return Examples(*([example for example in part if example.sentence not in seen][:1000] for part in found))


def _quietly(name: str, work: Callable[..., Any], *arguments: Any) -> Any:
    print(f"{name} ...", file=sys.stderr, flush=True)
    with contextlib.redirect_stdout(io.StringIO()):
        return work(*arguments)


def _table(rows: dict[str, dict[str, float]]) -> str:
    columns = list(next(iter(rows.values())))
    lines = [["", *columns], ["---", *["---:"] * len(columns)]]
    lines += [[name, *(f"{measures[column]:.3f}" for column in columns)] for name, measures in rows.items()]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])

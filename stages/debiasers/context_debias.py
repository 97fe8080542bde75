"""ContextED: an encoder fine-tuned until what it says of stereotype words, in context, is orthogonal to the gendered words' vectors.

Kaneko and Bollegala 2021, Debiasing Pre-trained Contextualised Embeddings (doi:10.18653/v1/2021.eacl-main.107). With E_i(t, x) the hidden
state of token t of sentence x in layer i, the loss is alpha times the squared inner products of stereotype sentences' states with the
attribute vectors v_i(a), plus beta times the squared distance of the attribute sentences' states to those of the frozen original.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field

from stages.contract.bad_input import BadInput
from stages.debiasers.attribute_sentences import Examples, extract
from stages.debiasers.sentences import Corpus, gather

Lexicons = Mapping[str, list[tuple[str, ...]]]


class Params(Corpus):
    """The settings of the authors' script: alpha .2 weighs the debiasing, beta .8 the preservation (the NAACL 2022 summary swaps them).

    ``layers`` and ``target`` are the paper's six modes; first is the layer of embeddings, as in the code. Target token: the states of
    the stereotype word's tokens, their mean; sentence: those of every token. Where paper and code differ, the code is the default:
    ``attribute_vectors`` set: two vectors, the means over all sentences of women and of men; word: one for each attribute word, as in
    the paper. ``inner_products`` square_of_mean: the mean over tokens and layers, squared, in which opposite signs cancel;
    mean_of_squares: each squared, as in the paper. Preservation is a mean over tokens, layers and dimensions in both readings (the
    paper sums, which only changes beta's scale). Other than the code: padding is masked, the mean over a word's tokens is over its own
    tokens, an epoch draws no sentence twice, the learning rate falls to 0 over the steps really made, and no more than a fifth of each
    class of sentences is held out. ``attributes`` and ``targets`` name word lists.
    """

    layers: Literal["all", "first", "last"] = "all"
    target: Literal["token", "sentence"] = "sentence"
    attribute_vectors: Literal["set", "word"] = "set"
    inner_products: Literal["square_of_mean", "mean_of_squares"] = "square_of_mean"
    alpha: float = Field(default=0.2, ge=0)
    beta: float = Field(default=0.8, ge=0)
    epochs: int = Field(default=3, ge=1)
    batch: int = Field(default=32, ge=1)
    learning_rate: float = Field(default=5e-5, gt=0)
    clip: float = Field(default=1.0, gt=0)
    max_tokens: int = Field(default=128, ge=4)
    development: int = Field(default=1000, ge=1)
    check_every: int = Field(default=500, ge=1)
    attributes: str = "gender_pairs"
    targets: str = "gender_stereotypes"
    precision: Literal["fp32", "bf16"] = "fp32"


def debias_encoder(folder: Path, lexicons: Lexicons, params: Params, seed: int) -> None:
    """Debias the encoder in ``folder`` in place.

    BadInput: a word list is missing, the corpus has too few sentences of a class, the encoder cannot be used, or the loss diverges.
    """
    examples = examples_of(lexicons, params, seed)
    # torch is imported only now: this module is also imported to validate a design.
    from stages.debiasers.context_training import train

    train(folder, examples, params, seed)


def examples_of(lexicons: Lexicons, params: Params, seed: int) -> Examples:
    """The training examples; words that are in both attribute sets, or in one and among the targets, count as neither."""
    for name in (params.attributes, params.targets):
        if not lexicons.get(name):
            raise BadInput(f"context_debias: there is no word list {name}; those there are {', '.join(sorted(lexicons))}.")
    pairs = lexicons[params.attributes]
    feminine, masculine = {row[0] for row in pairs}, {row[-1] for row in pairs}
    targets = {word for row in lexicons[params.targets] for word in row} - feminine - masculine
    found = extract(gather(params, lexicons, seed), feminine - masculine, masculine - feminine, targets)
    print(", ".join(f"{len(part)} {name}" for name, part in found._asdict().items()), "sentences", flush=True)
    least = params.batch + params.batch // 4 + 1
    for name, part in found._asdict().items():
        if len(part) < least:
            words = f"words of {params.targets} alone" if name == "neutral" else f"{name} words of {params.attributes} alone"
            raise BadInput(
                f"context_debias: {params.corpus or 'the template corpus'} has {len(part)} sentences with {words}, and a batch of "
                f"{params.batch} takes {least}: use a larger corpus or a smaller batch."
            )
    return found

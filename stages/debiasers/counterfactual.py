"""Counterfactual data augmentation: an encoder trained on with sentences and their gender-swapped versions, so that both are as likely.

Zmigrod et al. 2019 (doi:10.18653/v1/P19-1161); as continued pretraining Webster et al. 2020 (arXiv:2010.06032) and Meade et al. 2022
(bias-bench, doi:10.18653/v1/2022.acl-long.132).
"""

from collections.abc import Mapping
from pathlib import Path

from stages.contract.bad_input import BadInput
from stages.debiasers.pretraining import Pretraining
from stages.debiasers.sentences import gather
from stages.language.swap import Counts, Swap, counterfactuals, first_names

Lexicons = Mapping[str, list[tuple[str, ...]]]


class Params(Pretraining):
    """Two-sided augmentation with the words of the list ``pairs`` and, with ``names``, first names.

    Each sentence with something to swap is kept and its swap added; sentences with nothing to swap, or with a word whose role cannot
    be decided, are left out and counted. bias-bench swaps 57 pairs token by token instead, so that "his" becomes "her", but "her"
    always "his" and sentences lose their grammar.
    """

    pairs: str = "gender_pairs"
    names: bool = True


def debias_encoder(folder: Path, lexicons: Lexicons, params: Params, seed: int) -> None:
    """Train the encoder in ``folder`` on, in place.

    BadInput: the word list is missing, no sentence of the corpus can be swapped, or the encoder cannot be trained on masked words.
    """
    texts = augmented(lexicons, params, seed)
    # torch is imported only now: this module is also imported to validate a design.
    from stages.debiasers.masked_language import train

    train(folder, texts, params, seed)


def augmented(lexicons: Lexicons, params: Params, seed: int) -> list[str]:
    """The corpus's sentences whose swap is clear, each followed by its swap."""
    if not lexicons.get(params.pairs):
        raise BadInput(f"counterfactual: there is no word list {params.pairs}; those there are {', '.join(sorted(lexicons))}.")
    swap, counts = Swap.of(lexicons[params.pairs], first_names() if params.names else ()), Counts()
    texts = [text for both in counterfactuals(gather(params, lexicons, seed), swap, counts) for text in both]
    print(f"{counts.clear} sentences swapped, {counts.ambiguous} ambiguous, {counts.unchanged} with nothing to swap", flush=True)
    if not texts:
        raise BadInput(f"counterfactual: {params.corpus or 'the template corpus'} holds no sentence with a word of {params.pairs} to swap.")
    return texts

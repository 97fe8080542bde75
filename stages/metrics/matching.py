"""Which model another is compared with, and that baseline cut to the other's selection rate: is a gain more than a threshold?"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stages.contract.params import Model

Numbers = NDArray[np.float64]
REPRESENTATION, DEBIASER, MITIGATION, MATCHED = "representation", "debiaser", "mitigation", "matched"


class Comparison(NamedTuple):
    """A model and its reference, by name; ``kind`` is what the two differ in, ``differs`` the family's options that differ besides.

    Of kind ``matched``, the reference is cut to the model's selection rate. ``representation``: the model's, in words.
    """

    model: str
    reference: str
    kind: str
    representation: str
    differs: tuple[str, ...] = ()


def comparisons(models: dict[str, Model]) -> list[Comparison]:
    """A comparison of each model but the first that has no baseline, which is what all others without one are compared with.

    The baseline of a mitigated model has its base, debiaser and family but no mitigation; that of a debiased one its base and family
    and the debiaser identity. Where no family is equal in all options, the first of the same name serves, and the options are listed.
    """
    found = {name: _baseline(name, models) for name in models}
    plain = [name for name in models if found[name] is None]
    return [found[name] or Comparison(name, plain[0], REPRESENTATION, representation(models[name])) for name in models if name != plain[0]]


def representation(model: Model) -> str:
    """A base and the family fitted on it, in words: "minilm_l6 transformer"."""
    return f"{Path(model.base.source).stem} {model.family.use}"


def cut_to(scores: Numbers, number: float) -> Numbers:
    """The share [texts] to which each text is selected when the ``number`` with the highest scores are.

    Texts that tie at the cut are selected to the same share, so that the number is met exactly and no order of texts matters.
    """
    if number <= 0:
        return np.zeros(len(scores))
    cut = np.sort(scores)[::-1][min(int(np.ceil(number)), len(scores)) - 1]
    above, tied = scores > cut, scores == cut
    return above + tied * (number - above.sum()) / tied.sum()


def follows(scores: Numbers, selected: NDArray[np.bool_]) -> bool:
    """Whether one cut of the scores gives these decisions: thresholds that differ by group or are drawn by lot do not."""
    return not selected.any() or bool(selected.all()) or bool(scores[selected].min() > scores[~selected].max())


def _baseline(name: str, models: dict[str, Model]) -> Comparison | None:
    model = models[name]
    mitigated = getattr(model.family, "mitigation", None) is not None
    if not mitigated and model.debiaser.use == "identity":
        return None
    fitting = {
        other: _differing(model, entry)
        for other, entry in models.items()
        if entry.base == model.base
        and entry.family.use == model.family.use
        and getattr(entry.family, "mitigation", None) is None
        and (entry.debiaser == model.debiaser if mitigated else entry.debiaser.use == "identity")
    }
    if not fitting:
        return None
    nearest = min(fitting, key=lambda other: bool(fitting[other]))
    kind = MITIGATION if mitigated else DEBIASER
    return Comparison(name, nearest, kind, representation(model), fitting[nearest])


def _differing(model: Model, other: Model) -> tuple[str, ...]:
    """The options of the two families that are not equal, but for the mitigation."""
    one, two = (entry.family.model_dump(exclude={"mitigation"}) for entry in (model, other))
    return tuple(sorted(key for key in one.keys() | two.keys() if one.get(key) != two.get(key)))

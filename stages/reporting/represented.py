"""The benchmark's bases, each before and after its debiasers, and beside them the fairness of the models built on them."""

from pathlib import PurePath

import numpy as np

from stages.contract.params import Base, Design
from stages.reporting.embeddings import Figures
from stages.reporting.findings import defined, disparities, distance
from stages.reporting.results import Results
from stages.reporting.tables import Table, entry
from stages.reporting.wording import number

AS_GIVEN = "as given"
# What stands for a representation: the probe, its word sets and its statistic; of effect sizes the mean over all.
COLUMNS = {
    "WEAT: mean size of d (0 is parity)": ("weat", None, "effect_size"),
    "gender AMAE (0 is parity)": ("association", "gender", "amae"),
    "feminine from masculine words by a classifier (0.5 is chance)": ("clusters", "gender", "classification_accuracy"),
}


def bases_of(design: Design) -> list[tuple[str, dict[str, str]]]:
    """Each base's name and one model for each of its debiasers, none at all first: models that share both have one representation."""
    found: dict[str, tuple[str, dict[str, str]]] = {}
    for name, model in sorted(design.models.items(), key=lambda item: item[1].debiaser.use != "identity"):
        _, models = found.setdefault(repr(model.base), (_title(model.base), {}))
        heading = AS_GIVEN if model.debiaser.use == "identity" else entry(model.debiaser)
        if heading not in models.values():
            models[name] = heading
    order = dict.fromkeys(repr(model.base) for model in design.models.values())
    return [found[base] for base in order]


def beside(figures: Figures, bases: list[tuple[str, dict[str, str]]], results: Results, design: Design) -> Table | None:
    """One row a model; None where no task has groups. Of several kinds of vectors the first is taken."""
    if not results.orders:
        return None
    probed = {(base, heading): model for base, models in bases for model, heading in models.items()}
    rows = []
    for name in results.models:
        model = design.models[name]
        heading = AS_GIVEN if model.debiaser.use == "identity" else entry(model.debiaser)
        source = probed[_title(model.base), heading]
        told = [_figure(figures, source, *wanted) for wanted in COLUMNS.values()]
        rows.append([name, _title(model.base), heading, *told, *(_fairness(results, task, name) for task in results.orders)])
    columns = ["Model", "Base", "Debiaser", *COLUMNS, *(f"{task}: disparities by ADI, mean distance" for task in results.orders)]
    return Table("Bias in representations, and in what is decided with them", columns, rows, (0, 1, 2))


def _title(base: Base) -> str:
    return PurePath(base.source).stem + (f", {base.vocabulary:,} words" if base.vocabulary else "")


def _figure(figures: Figures, model: str, probe: str, test: str | None, statistic: str) -> str:
    found = [
        (key[3], of[model]["value"])
        for key, of in figures.items()
        if key[0] == probe and key[1] == (test or key[1]) and key[2] == statistic and model in of and of[model]["value"] is not None
    ]
    values = [abs(value) for space, value in found if space == found[0][0]]
    return number(float(np.mean(values)), 3) if values else "-"


def _fairness(results: Results, task: str, model: str) -> str:
    """``3 of 15, 0.21``: sets with a disparity of those with an ADI; the mean of |log ADI| over those it is finite of."""
    gaps = defined(results, task, model, "adi")
    far = [away for gap in gaps.values() if np.isfinite(away := distance("adi", gap.known))]
    told = f"{disparities(results, task, model, 'adi')} of {len(gaps)}"
    return f"{told}, {number(float(np.mean(far)))}" if far else told

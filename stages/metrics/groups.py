"""The groups that people are in, as they are: what is measured of each, and how many independent texts each number is worth."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stages.metrics import fairness, numeric, placements, ranking
from stages.metrics.comparisons import Moments, Scale, moments
from stages.metrics.contingency import counted
from stages.metrics.fairness import add_up, ratio
from stages.metrics.lattice import Lattice, Persons, lattice, persons

Numbers = NDArray[np.float64]
Sets = list[tuple[str, ...]]
RATES = ("base_rate", "selection_rate", "tpr", "fpr", "fnr", "tnr", "ppv", "npv", "accuracy", "f1")
OF_OUTPUTS = ("mean_label", "mean_output", "mean_error", "mae", "mse")
QUANTILES = {"output_q10": 0.1, "output_q50": 0.5, "output_q90": 0.9}


@dataclass(frozen=True)
class Groups:
    """The groups of a cell of the benchmark, and its texts.

    ``counts`` [texts, 4] as in ``contingency.counted``; ``score``, ``true``, ``favourable``, ``authors`` [texts]; ``reference`` [groups]
    is whether a group belongs to those privileged on every attribute of its set.
    """

    people: Persons
    counts: Numbers
    favourable: NDArray[np.bool_]
    score: Numbers
    true: Numbers
    authors: NDArray[np.int64]
    reference: NDArray[np.bool_]

    @property
    def lattice(self) -> Lattice:
        return self.people.lattice

    @property
    def decides(self) -> bool:
        """Whether labels are 0 and 1; else the model's outputs are numbers on the labels' scale."""
        return bool(np.isin(self.true, (0, 1)).all())

    @property
    def ranks(self) -> bool:
        """Whether the scores are more than decisions."""
        return self.decides and not np.isin(self.score, (0, 1)).all()

    def means(self) -> tuple[str, ...]:
        """The means that say something of these labels and outputs: probabilities have a Brier score and a calibration."""
        if not self.decides:
            return OF_OUTPUTS
        return ("brier", "calibration") if self.ranks and self.score.min() >= 0 and self.score.max() <= 1 else ()

    def parts(self, metric: str) -> tuple[Numbers, Numbers]:
        """What each text adds to the numerator and the denominator of a rate or mean [texts]."""
        if metric in fairness.PARTS:
            return fairness.counts(self.counts, metric)
        error = self.score - self.true
        values = {"brier": error**2, "calibration": error, "mean_label": self.true, "mean_output": self.score, "mean_error": error}
        return (values | {"mae": np.abs(error), "mse": error**2})[metric], np.ones(len(error))

    def alike(self, metric: str) -> float:
        """How correlated two texts of a person are in a rate: 0 with one text a person, more where authors lean one way."""
        everyone = self.everyone(metric)
        return everyone.alike(everyone.value() * (1 - everyone.value()))

    def scale(self, metric: str) -> Scale:
        """The scale of a mean."""
        values, everyone = self.parts(metric)[0], self.everyone(metric)
        least, most, spread = float(values.min()), float(values.max()), np.array([values.var()])
        each = float(ratio((everyone.value() - least) * (most - everyone.value()), spread)[0])
        return Scale(least, most, each, everyone.alike(spread))

    def everyone(self, metric: str) -> Moments:
        """Moments [1] of all people."""
        hits, texts = (add_up(self.authors, values, int(self.authors.max()) + 1) for values in self.parts(metric))
        return moments(hits, texts, np.zeros(len(hits), dtype=np.int64), 1)


@dataclass(frozen=True)
class Estimate:
    """A metric of every group [groups], NaN where undefined, on a scale from ``least`` to ``most``, and of ``everyone``.

    It is worth as many independent texts as a rate would be that has its variance on this scale. ``texts`` and ``people`` count.
    """

    value: Numbers
    worth: Numbers
    texts: Numbers
    people: Numbers
    everyone: float
    least: float = 0.0
    most: float = 1.0

    @property
    def varies(self) -> bool:
        """Whether texts differ at all."""
        return self.most > self.least

    def scaled(self, values: Numbers | float) -> Numbers:
        """Values on the scale from 0 to 1; 0 where texts do not differ."""
        if not self.varies:
            return np.where(np.isnan(values), np.nan, 0.0)
        return np.clip((np.asarray(values) - self.least) / (self.most - self.least), 0, 1)


@dataclass(frozen=True)
class Tested:
    """Tests of a metric's groups [groups]: ``p_values`` adjusted for the groups of a set, ``q_values`` for all sets too."""

    p_values: Numbers
    q_values: Numbers


def gather(frame: pd.DataFrame, sets: Sets) -> Groups:
    """The groups of ``sets``, from a frame with favourable, y_true, y_score, y_pred, author_id and subgroups a text."""
    attributes = sorted({name for names in sets for name in names})
    values = frame[[f"{name}_value" for name in attributes]].set_axis(attributes, axis=1)
    found = lattice(values, sets)
    first = np.zeros(len(found.group), dtype=np.int64)
    first[found.cell[::-1]] = np.arange(len(frame))[::-1]
    privileged = np.stack([(frame[name] == "privileged").to_numpy()[first] for name in attributes], axis=1)
    reference = np.zeros(len(found.names), dtype=bool)
    for index, chosen in enumerate(found.sets):
        inside = privileged[:, [attributes.index(name) for name in chosen]].all(axis=1)
        reference[found.group[inside, index]] = True
    authors = pd.factorize(frame["author_id"])[0]
    favourable, selected = frame["favourable"].to_numpy(), frame["y_pred"].to_numpy() == 1
    score, true = (frame[name].to_numpy(dtype=float) for name in ("y_score", "y_true"))
    return Groups(persons(found, authors), counted(favourable, selected), favourable, score, true, authors, reference)


def estimates(groups: Groups) -> dict[str, Estimate]:
    """Everything that is measured of a group: rates; of scores AUCs, Brier score and calibration; of outputs means, errors, quantiles.

    subgroup_auc, bpsn_auc, bnsp_auc as in ``ranking``; brier = mean (score - label)^2; calibration = mean score - base rate, parity 0;
    mean_error = mean (output - label); mae, mse its absolute and square; pearson_r of labels and outputs; output_q50 the median output.
    """
    found = {metric: _rate(groups, metric) for metric in RATES} | {metric: _mean(groups, metric) for metric in groups.means()}
    if groups.ranks:
        found |= _aucs(groups)
    return found if groups.decides else found | _spread(groups)


def _rate(groups: Groups, metric: str) -> Estimate:
    own = groups.people.moments(*groups.parts(metric))
    worth = own.worth(groups.alike(metric))
    return Estimate(own.value(), worth, own.texts, own.people, float(groups.everyone(metric).value()[0]))


def _mean(groups: Groups, metric: str) -> Estimate:
    own, scale = groups.people.moments(*groups.parts(metric)), groups.scale(metric)
    everyone = float(groups.everyone(metric).value()[0])
    return Estimate(own.value(), scale.worth(own), own.texts, own.people, everyone, scale.least, scale.most)


def _aucs(groups: Groups) -> dict[str, Estimate]:
    # Set by set and in the order of scores: arrays that stay in the processor's cache.
    order = np.argsort(groups.score, kind="stable")
    score, favourable, authors = groups.score[order], groups.favourable[order], groups.authors[order]
    whole = placements.of_everyone(score, favourable, authors)
    members = (groups.lattice.membership(index, order) for index in range(len(groups.lattice.sets)))
    sets = [placements.auc_worth(score, favourable, membership, authors, whole) for membership in members]
    own, everyone = groups.people.moments(*groups.parts("base_rate")), ranking.auc(score, favourable)
    found = {}
    for metric in ("subgroup_auc", "bpsn_auc", "bnsp_auc"):
        value, worth = (np.concatenate(part) for part in zip(*(of_set[metric] for of_set in sets), strict=True))
        found[metric] = Estimate(value, worth, own.texts, own.people, everyone)
    return found


def _spread(groups: Groups) -> dict[str, Estimate]:
    """Correlation and quantiles of outputs, worth the people of a group: Fisher's z and order statistics know of no texts together."""
    own = groups.people.moments(*groups.parts("mean_output"))
    rows, sets = np.arange(len(groups.score)), range(len(groups.lattice.sets))
    members = [groups.lattice.membership(index, rows) for index in sets]
    correlation = np.concatenate([numeric.figures(groups.true, groups.score, part)["pearson_r"] for part in members])
    varies = np.ptp(groups.true) > 0 and np.ptp(groups.score) > 0
    of_all = float(np.corrcoef(groups.true, groups.score)[0, 1]) if varies else np.nan
    found = {"pearson_r": Estimate(correlation, ratio(own.people, 1 - correlation**2), own.texts, own.people, of_all, -1.0, 1.0)}
    least, most = float(groups.score.min()), float(groups.score.max())
    ordered = np.concatenate([np.lexsort((groups.score, groups.lattice.group[groups.lattice.cell, index])) for index in sets])
    for metric, level in QUANTILES.items():
        half = np.sqrt(level * (1 - level) / np.maximum(own.people, 1))  # one standard error of the rank, as a share
        low, value, high = (_at(groups.score[ordered], own.texts, np.clip(level + sign * half, 0, 1)) for sign in (-1, 0, 1))
        share = ratio(value - least, np.array(most - least))
        worth = ratio(share * (1 - share), ((high - low) / 2 / (most - least or 1.0)) ** 2)
        everyone = float(np.quantile(groups.score, level, method="inverted_cdf"))
        found[metric] = Estimate(value, np.where(np.isnan(worth), own.people, worth), own.texts, own.people, everyone, least, most)
    return found


def _at(ordered: Numbers, texts: Numbers, levels: Numbers) -> Numbers:
    """The value at each group's level, from values in order within groups that lie one after another."""
    starts = (np.cumsum(texts) - texts).astype(np.int64)
    return ordered[starts + np.clip(np.ceil(levels * texts).astype(np.int64) - 1, 0, None)]

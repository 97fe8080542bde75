"""What is measured of each group of people: its value, and how many independent texts that is worth."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stages.metrics import group_gini, numeric
from stages.metrics.fairness import ratio
from stages.metrics.groups import GINI, RATES, Groups

Numbers = NDArray[np.float64]
QUANTILES = {"output_q10": 0.1, "output_q50": 0.5, "output_q90": 0.9}


@dataclass(frozen=True)
class Estimate:
    """A metric of every group [groups], NaN where undefined, on a scale from ``least`` to ``most``, and of ``everyone``.

    It is worth as many independent texts as a rate would be that has its variance on this scale. ``texts`` and ``people`` count;
    ``effective`` is how many people with equally many texts each would be worth as much (Kish 1965).
    """

    value: Numbers
    worth: Numbers
    texts: Numbers
    people: Numbers
    effective: Numbers
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
    """Tests of a metric's groups [groups]: ``p_values`` adjusted for the groups of a set, ``q_values`` for all sets too.

    ``p_family`` are p-values adjusted for all groups of all sets at once. NaN where a group is not tested.
    """

    p_values: Numbers
    q_values: Numbers
    p_family: Numbers


def estimates(groups: Groups) -> dict[str, Estimate]:
    """Everything that is measured of a group: rates; of scores AUCs, Brier score, calibration, means; of outputs means, errors, quantiles.

    subgroup_auc, bpsn_auc, bnsp_auc as in ``ranking``; brier = mean (score - label)^2; calibration = mean score - base rate, parity 0;
    treatment_equality = (misses - false alarms) / (misses + false alarms), in [-1, 1]; gini as in ``group_gini``, in [0, 1);
    mean_score_selected, _rejected, _favourable, _unfavourable = mean score of texts so decided or labelled, in [0, 1];
    mean_error = mean (output - label); mae, mse its absolute and square; pearson_r of labels and outputs; output_q50 the median output.
    """
    found = {metric: _rate(groups, metric) for metric in RATES} | {metric: _mean(groups, metric) for metric in groups.means()}
    found |= {GINI: _gini(groups)}
    if groups.ranks:
        found |= _aucs(groups)
    return found if groups.decides else found | _spread(groups)


def _rate(groups: Groups, metric: str) -> Estimate:
    own = groups.moments(metric)
    worth = own.worth(groups.alike(metric))
    return Estimate(own.value(), worth, own.texts, own.people, own.effective(), float(groups.everyone(metric).value()[0]))


def _mean(groups: Groups, metric: str) -> Estimate:
    own, scale = groups.moments(metric), groups.scale(metric)
    everyone = float(groups.everyone(metric).value()[0])
    return Estimate(own.value(), scale.worth(own), own.texts, own.people, own.effective(), everyone, scale.least, scale.most)


def _gini(groups: Groups) -> Estimate:
    own, (everyone, scale) = groups.benefits, groups.all_benefits
    counted = own.missed
    worth, of_all = group_gini.worth(own, scale), float(everyone.value()[0])
    return Estimate(own.value(), worth, counted.texts, counted.people, counted.effective(), of_all)


def _aucs(groups: Groups) -> dict[str, Estimate]:
    sets, everyone = groups.aucs()
    own = groups.moments("base_rate")
    found = {}
    for metric in ("subgroup_auc", "bpsn_auc", "bnsp_auc"):
        value, worth = (np.concatenate(part) for part in zip(*(of_set[metric] for of_set in sets), strict=True))
        found[metric] = Estimate(value, worth, own.texts, own.people, own.effective(), everyone)
    return found


def _spread(groups: Groups) -> dict[str, Estimate]:
    """Correlation and quantiles of outputs, worth a group's effective people: Fisher's z and order statistics know of no texts together."""
    own = groups.moments("mean_output")
    effective = own.effective()
    rows, sets = np.arange(len(groups.score)), range(len(groups.lattice.sets))
    members = [groups.lattice.membership(index, rows) for index in sets]
    correlation = np.concatenate([numeric.figures(groups.true, groups.score, part)["pearson_r"] for part in members])
    varies = np.ptp(groups.true) > 0 and np.ptp(groups.score) > 0
    of_all = float(np.corrcoef(groups.true, groups.score)[0, 1]) if varies else np.nan
    counted = own.texts, own.people, effective
    found = {"pearson_r": Estimate(correlation, ratio(effective, 1 - correlation**2), *counted, of_all, -1.0, 1.0)}
    least, most = float(groups.score.min()), float(groups.score.max())
    ordered = np.concatenate([np.lexsort((groups.score, groups.lattice.group[groups.lattice.cell, index])) for index in sets])
    for metric, level in QUANTILES.items():
        half = np.sqrt(level * (1 - level) / np.maximum(effective, 1))  # one standard error of the rank, as a share
        low, value, high = (_at(groups.score[ordered], own.texts, np.clip(level + sign * half, 0, 1)) for sign in (-1, 0, 1))
        share = ratio(value - least, np.array(most - least))
        worth = ratio(share * (1 - share), ((high - low) / 2 / (most - least or 1.0)) ** 2)
        everyone = float(np.quantile(groups.score, level, method="inverted_cdf"))
        found[metric] = Estimate(value, np.where(np.isnan(worth), effective, worth), *counted, everyone, least, most)
    return found


def _at(ordered: Numbers, texts: Numbers, levels: Numbers) -> Numbers:
    """The value at each group's level, from values in order within groups that lie one after another."""
    starts = (np.cumsum(texts) - texts).astype(np.int64)
    return ordered[starts + np.clip(np.ceil(levels * texts).astype(np.int64) - 1, 0, None)]

"""The groups that people are in, as they are: what is measured of each, and how many independent texts each number is worth."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from stages.metrics import fairness, group_gini, placements, ranking
from stages.metrics.comparisons import Scale
from stages.metrics.contingency import SELECTED, counted
from stages.metrics.effective_sizes import Clustered
from stages.metrics.fairness import add_up, ratio
from stages.metrics.group_gini import Benefits
from stages.metrics.lattice import Lattice, Persons, lattice, persons
from stages.metrics.moments import Moments, moments
from stages.metrics.permutation import Seed, deal_people

Numbers = NDArray[np.float64]
Sets = list[tuple[str, ...]]
RATES = ("base_rate", "selection_rate", "tpr", "fpr", "fnr", "tnr", "ppv", "npv", "accuracy", "f1")
OF_OUTPUTS = ("mean_label", "mean_output", "mean_error", "mae", "mse")
# Of decided texts alone; in the assessment of 2021 the first is positive class balance, the last two are its Table 3.
OF_SOME = ("mean_score_selected", "mean_score_rejected", "mean_score_favourable", "mean_score_unfavourable")
TREATMENT, GINI = "treatment_equality", "gini"


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
        """The means that say something of these labels and outputs: probabilities have a Brier score, a calibration and mean scores."""
        if not self.decides:
            return (*OF_OUTPUTS, TREATMENT)
        probable = self.ranks and self.score.min() >= 0 and self.score.max() <= 1
        return ("brier", "calibration", TREATMENT, *OF_SOME) if probable else (TREATMENT,)

    def parts(self, metric: str) -> tuple[Numbers, Numbers]:
        """What each text adds to the numerator and the denominator of a rate or mean [texts]."""
        if metric in fairness.PARTS:
            return fairness.counts(self.counts, metric)
        if metric == TREATMENT:
            missed, alarmed = group_gini.parts(self.counts)
            return missed - alarmed, missed + alarmed
        if metric in OF_SOME:
            some = dict(zip(OF_SOME, self._some(), strict=True))[metric]
            return np.where(some, self.score, 0), some.astype(float)
        error = self.score - self.true
        values = {"brier": error**2, "calibration": error, "mean_label": self.true, "mean_output": self.score, "mean_error": error}
        return (values | {"mae": np.abs(error), "mse": error**2})[metric], np.ones(len(error))

    def moments(self, metric: str) -> Moments:
        """Moments [groups] of the people of each group, by a rate or mean."""
        return self.people.moments(*self.parts(metric))

    def clustered(self, metric: str) -> Clustered:
        """Sums [groups] over the authors of each group, by a tested rate or mean (of GINI, of what texts add to it)."""
        return clustered(self.benefit_parts if metric == GINI else self.moments(metric))

    def all_clustered(self, metric: str) -> Clustered:
        """The same [1] of all people."""
        return clustered(self.all_benefit_parts if metric == GINI else self.everyone(metric))

    def is_rate(self, metric: str) -> bool:
        return metric in fairness.PARTS

    def each(self, metric: str) -> float:
        """What a text of everyone is worth to a rate or mean, in texts of a rate of the same value on its scale."""
        return 1.0 if self.is_rate(metric) else (self.all_benefits[1] if metric == GINI else self.scale(metric)).each

    def all_people(self, metric: str) -> Numbers:
        """How many people [1] have a text that counts."""
        return (self.all_benefit_parts if metric == GINI else self.everyone(metric)).people

    def deals(self, metric: str, draws: int, seed: Seed) -> Iterator[Numbers]:
        """Sums [permutations, cells, columns] of people's ``outcomes`` in ``draws`` permutations of demographics across authors.

        People keep their own texts and outcomes. Only those with a text that counts take part (for TPR: with a favourable label), so
        that every group keeps its number of them.
        """
        quantities = self.quantities(metric)
        outcomes = self.outcomes(metric, [self.people.records(part) for part in quantities])
        counting = outcomes[:, len(quantities) - 1] > 0
        cells, cell = len(self.lattice.group), self.people.cell[counting]
        return deal_people(cell, outcomes[counting], cells, draws, seed, len(quantities))

    def quantities(self, metric: str) -> tuple[Numbers, ...]:
        """What each text adds to a metric's numerators and last to its denominator [texts]."""
        return (*group_gini.parts(self.counts), np.ones(len(self.counts))) if metric == GINI else self.parts(metric)

    def outcomes(self, metric: str, records: list[Numbers]) -> Numbers:
        """What permutations add up of people [records, columns]: their quantities, and the products whose sums are ``Clustered``."""
        hits, texts = records[0], records[-1]
        if metric == GINI:
            missed, alarmed = self.all_benefits[0].shares()
            hits = group_gini.linear(records[0], records[1], texts, missed, alarmed)
            records = [*records, hits]
        return np.stack([*records, hits**2, hits * texts, texts**2], axis=1)

    def dealt(self, metric: str, by_cell: Numbers, members: sparse.csr_array) -> tuple[Numbers, Clustered]:
        """Values and sums over authors [permutations, groups] of groups with ``members`` [cells, groups], from sums by cell."""
        sums = [by_cell[:, :, part] @ members for part in range(by_cell.shape[2])]
        if metric != GINI:
            found = Clustered(*sums)
            return found.value(), found
        missed, alarmed, texts, hits, *products = sums
        return group_gini.gini(ratio(missed, texts), ratio(alarmed, texts)), Clustered(hits, texts, *products)

    def aucs(self) -> tuple[list[dict[str, tuple[Numbers, Numbers]]], float]:
        """The AUCs of each set's groups with the independent texts they are worth, as in ``placements.auc_worth``, and everyone's AUC."""
        # Set by set and in the order of scores: arrays that stay in the processor's cache.
        order = np.argsort(self.score, kind="stable")
        score, favourable, authors = self.score[order], self.favourable[order], self.authors[order]
        whole = placements.of_everyone(score, favourable, authors)
        members = (self.lattice.membership(index, order) for index in range(len(self.lattice.sets)))
        return [placements.auc_worth(score, favourable, part, authors, whole) for part in members], ranking.auc(score, favourable)

    def _some(self) -> tuple[NDArray[np.bool_], ...]:
        """Which texts are selected, rejected, favourable and unfavourable."""
        selected = self.counts[:, SELECTED] > 0
        return selected, ~selected, self.favourable, ~self.favourable

    @cached_property
    def benefits(self) -> Benefits:
        """Misses and false alarms of every group."""
        missed, alarmed = group_gini.parts(self.counts)
        return Benefits(*(self.people.moments(part, np.ones(len(part))) for part in (missed, alarmed, missed + alarmed)))

    @cached_property
    def influence(self) -> Numbers:
        """What each text adds to everyone's Gini coefficient [texts]."""
        return group_gini.influence(self.counts)

    @cached_property
    def benefit_parts(self) -> Moments:
        """Moments [groups] of what people's texts add to everyone's Gini coefficient."""
        return self.people.moments(self.influence, np.ones(len(self.counts)))

    @cached_property
    def all_benefit_parts(self) -> Moments:
        return self._all(self.influence, np.ones(len(self.counts)))

    @cached_property
    def all_benefits(self) -> tuple[Benefits, Scale]:
        """The same [1] of all people, and what a text of theirs is worth to a Gini coefficient."""
        missed, alarmed = group_gini.parts(self.counts)
        whole = Benefits(*(self._all(part, np.ones(len(part))) for part in (missed, alarmed, missed + alarmed)))
        spread = np.array([self.influence.var()])
        each = float(ratio(whole.value() * (1 - whole.value()), spread)[0])
        return whole, Scale(0.0, 1.0, each, self.all_benefit_parts.alike(spread))

    def alike(self, metric: str) -> float:
        """How correlated two texts of a person are in a rate: 0 with one text a person, more where authors lean one way."""
        everyone = self.everyone(metric)
        return everyone.alike(everyone.value() * (1 - everyone.value()))

    def scale(self, metric: str) -> Scale:
        """The scale of a mean."""
        values, texts = self.parts(metric)
        values, everyone = values[texts > 0], self.everyone(metric)
        if not len(values):  # nobody to count
            return Scale(0.0, 0.0, np.nan, 0.0)
        least, most, spread = float(values.min()), float(values.max()), np.array([values.var()])
        each = float(ratio((everyone.value() - least) * (most - everyone.value()), spread)[0])
        return Scale(least, most, each, everyone.alike(spread))

    @cached_property
    def everyone(self) -> Callable[[str], Moments]:
        """Moments [1] of all people, by metric; each is asked for several times."""
        return cache(lambda metric: self._all(*self.parts(metric)))

    def _all(self, values: Numbers, counting: Numbers) -> Moments:
        hits, texts = (add_up(self.authors, part, int(self.authors.max()) + 1) for part in (values, counting))
        return moments(hits, texts, np.zeros(len(hits), dtype=np.int64), 1)


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


def clustered(own: Moments) -> Clustered:
    """The sums over authors among moments."""
    return Clustered(own.hits, own.texts, own.squares, own.products, own.text_squares)

"""``python -m benchmarks.contrasts [STUDIES]`` prints the tables of docs/margins.md: level, coverage and power of contrasts.

Scores are those of an Equity Evaluation Corpus: every name in every template, names nested in race x gender. Their logits are normal,
with parts in common to a template, to a name, and to a template's sentences about one gender, whose words may agree with it. Every
study has a seed of its own.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing import get_context

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from scipy.special import expit

from stages.contrasts import beta_regression
from stages.contrasts.methods import Rules
from stages.contrasts.rows import contrasts

Vector = NDArray[np.float64]
REFERENCES = {"race": "white", "gender": "male"}
TERMS = ("race[Black]", "gender[female]", "race[Black]:gender[female]")
REST = 0.3  # standard deviation of a sentence's own part
EQUAL, PLANTED = (0.0, 0.0, 0.0), (0.2, -0.1, 0.15)
QUANTILES = (np.arange(2000) + 0.5) / 2000


@dataclass(frozen=True)
class World:
    """Standard deviations, on the logit scale, of what templates, names, and a template's sentences about a gender have in common."""

    template: float = 0.0
    name: float = 0.0
    agreement: float = 0.0
    templates: int = 35
    names: int = 10  # of each group
    effects: tuple[float, float, float] = EQUAL  # of race, gender and both
    intercept: float = -0.2

    @property
    def means(self) -> Vector:
        """Mean logits of white men, white women, Black men and Black women."""
        race, gender, both = self.effects
        return self.intercept + np.array([0, gender, race, race + gender + both])

    def draw(self, random: np.random.Generator) -> tuple[Vector, pd.DataFrame, pd.DataFrame]:
        """Scores, attributes and clusters of all sentences."""
        name, template = (part.ravel() for part in np.indices((4 * self.names, self.templates)))
        group = name // self.names
        logits = self.means[group] + random.normal(0, self.template, self.templates)[template]
        logits += random.normal(0, self.name, 4 * self.names)[name] + random.normal(0, REST, len(name))
        logits += random.normal(0, self.agreement, (self.templates, 2))[template, group % 2]
        attributes = {"race": np.array(["white", "Black"])[group // 2], "gender": np.array(["male", "female"])[group % 2]}
        return expit(logits), pd.DataFrame(attributes), pd.DataFrame({"template": template, "name": name})

    def truth(self) -> dict[str, Vector]:
        """The three coefficients that each method would give of all templates and names there could be.

        Scores are not of the Beta law, so that its coefficients are not quite the planted ones; the mixed model's are.
        """
        spread = np.sqrt(self.template**2 + self.name**2 + self.agreement**2 + REST**2)
        scores = expit(self.means[:, None] + spread * stats.norm.ppf(QUANTILES))
        matrix = np.repeat(np.array([[1, 0, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0], [1, 1, 1, 1]], dtype=float), len(QUANTILES), axis=0)
        beta, cells = beta_regression.fit(scores.ravel(), matrix).mean[1:], scores.mean(axis=1)
        ordinary = np.array([cells[2] - cells[0], cells[1] - cells[0], cells[3] - cells[2] - cells[1] + cells[0]])
        return {"beta_expected": beta, "beta_cluster": beta, "mixed": np.array(self.effects), "ols_as_published": ordinary}


WORLDS = {
    "nothing alike": World(),
    "templates": World(template=0.5),
    "names": World(name=0.1),
    "templates, names": World(template=0.5, name=0.1),
    "templates, names, genders within templates": World(template=0.5, name=0.1, agreement=0.1),
    "the same, 7 templates, 4 names a group": World(template=0.5, name=0.1, agreement=0.1, templates=7, names=4),
}


def study(world: World, ways: Sequence[str], rules: Rules, seed: Sequence[int]) -> pd.DataFrame:
    """One corpus scored: a row a method and term."""
    scores, attributes, clusters = world.draw(np.random.default_rng(seed))
    rows, _ = contrasts(scores, attributes, clusters[list(ways)], rules, {})
    return rows[rows["term"] != "intercept"]


def measured(world: World, ways: Sequence[str], rules: Rules, seeds: Sequence[Sequence[int]]) -> pd.DataFrame:
    """Share of terms with p <= .05 and of 95 % intervals that hold the truth [methods, (found, held)]."""
    rows = pd.concat([study(world, ways, rules, seed) for seed in seeds])
    truth = world.truth()
    true = np.array([truth[method][TERMS.index(term)] for method, term in zip(rows["method"], rows["term"], strict=True)])
    rows["found"], rows["held"] = rows["p_value"] <= 0.05, (rows["ci_low"] <= true) & (rows["ci_high"] >= true)
    return rows.groupby("method")[["found", "held"]].mean()


def main(studies: int) -> None:
    rules = Rules(REFERENCES, methods=("beta_expected", "ols_as_published", "beta_cluster", "mixed"))
    by_name = {correction: Rules(REFERENCES, methods=("beta_cluster",), correction=correction) for correction in ("jackknife", "degrees")}
    variants = {"": (("template", "name"), rules), " by name": (("name",), by_name["jackknife"])}
    variants[" by name, CV1"] = ("name",), by_name["degrees"]
    work = [
        (replace(world, effects=effects), *variant, [(place, i) for i in range(studies)])
        for place, world in enumerate(WORLDS.values())
        for effects in (EQUAL, PLANTED)
        for variant in variants.values()
    ]
    with get_context("spawn").Pool(2) as pool:
        found = iter(pool.starmap(measured, work, chunksize=1))
    tables = {name: {effects: _joined(variants, found) for effects in (EQUAL, PLANTED)} for name in WORLDS}
    _print("p <= .05 at equality", tables, EQUAL, "found")
    _print("95 % intervals that hold the planted truth", tables, PLANTED, "held")
    _print("p <= .05 where effects of .2, -.1 and .15 are planted", tables, PLANTED, "found")


def _joined(variants: Iterable[str], found: Iterator[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat([next(found).rename(index=lambda method, variant=variant: method + variant) for variant in variants])


def _print(title: str, tables: dict, effects: tuple[float, ...], column: str) -> None:
    frame = pd.DataFrame({name: both[effects][column] for name, both in tables.items()}).T
    lines = [["alike", *frame.columns], ["---"] * (1 + len(frame.columns))]
    lines += [[name, *(f"{value:.3f}" for value in row)] for name, row in zip(frame.index, frame.to_numpy(), strict=True)]
    print(f"\n{title}\n", *("| " + " | ".join(line) + " |" for line in lines), sep="\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 300)

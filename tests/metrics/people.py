"""Made people with two texts each, three attributes and three models: the third as good as the first, the second with less bias."""

import numpy as np
import pandas as pd

from stages.metrics.panel import Panel, gather

SETS = [("gender",), ("gender", "race"), ("age", "gender"), ("age", "gender", "race")]
ATTRIBUTES = ["age", "gender", "race"]


def statuses(people: int, random: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame({name: random.choice(["privileged", "protected", None], people, p=[0.5, 0.45, 0.05]) for name in ATTRIBUTES})


def decisions(status: pd.DataFrame, random: np.random.Generator, biases: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Who wrote each text, its label, and each model's decisions: right at 80 %, but each protected attribute lowers the odds."""
    owner = np.repeat(np.arange(len(status)), 2)
    protected = (status == "protected").sum(axis=1).to_numpy()[owner]
    favourable = random.random(len(owner)) < 0.5
    seen = 1.6 * favourable - 0.8 + 0.5 * random.normal(size=len(status))[owner] + 0.5 * random.normal(size=len(owner))
    own = 0.5 * random.normal(size=(len(owner), len(biases)))
    return owner, favourable, (seen[:, None] + own - np.outer(protected, biases) > 0).astype(float)


def panels(people: int, seed: int, biases: tuple[float, ...], tasks: int = 2) -> list[Panel]:
    """The same people in several tasks."""
    random = np.random.default_rng(seed)
    status = statuses(people, random)
    found = []
    for _ in range(tasks):
        owner, favourable, decided = decisions(status, random, biases)
        found.append(gather(status.iloc[owner].reset_index(drop=True), favourable, decided, owner, people, SETS))
    return found

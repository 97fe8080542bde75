"""Made people, two texts each, and what two models decide on them, with known rates: the truth of every paired change is known."""

import numpy as np
import pandas as pd

from stages.metrics.shared_documents import Shared

SETS = [("gender",), ("gender", "race")]
TPR, FPR, BASE = 0.8, 0.2, 0.5


def shared(
    people: int, seed: int, lowered: tuple[float, float] = (0.0, 0.0), where: tuple[str, ...] = ("gender",), alike: float = 0.5
) -> Shared:
    """Both models have TPR .8 and FPR .2, but the TPR of those protected on all of ``where`` is lower by ``lowered`` (first, second).

    With probability ``alike`` the two decide by the same draw; two texts of a person are decided by the same draw half of the time.
    """
    random = np.random.default_rng(seed)
    status = pd.DataFrame({name: random.choice(["privileged", "protected"], people) for name in ("gender", "race")})
    favourable = random.random(2 * people) < BASE
    owner = np.repeat(np.arange(people), 2)
    protected = (status[list(where)] == "protected").all(axis=1).to_numpy()[owner]
    draws = []
    for _ in range(3):
        of_author, of_text = random.random(people)[owner], random.random(2 * people)
        draws.append(np.where(random.random(people)[owner] < 0.5, of_author, of_text))
    common = random.random(2 * people) < alike
    selected, scores = [], []
    for side in (0, 1):
        rate = np.where(favourable, TPR - lowered[side] * protected, FPR)
        seen = np.where(common, draws[0], draws[1 + side])
        selected.append(seen < rate)
        scores.append(np.clip(0.5 + (rate - seen) / 2, 0, 1))
    status = status.iloc[owner].reset_index(drop=True)
    return Shared(owner, favourable, favourable.astype(float), status, status.copy(), (scores[0], scores[1]), (selected[0], selected[1]))

"""One whole audit a study, at complete equality: is any disparity called anywhere, and does the gate fail?"""

import numpy as np

from benchmarks.calibration import authors
from benchmarks.calibration.audited import AGAINST, DISPARITY, Tables, contradictions, placed
from benchmarks.calibration.heavy import LONGEST, SKIPPED, crossed
from benchmarks.calibration.shares import Share, shares
from benchmarks.calibration.writers import Writers
from flows.notebook import Audited, audit

PEOPLE = 300
FIVE, MORE, PARETO = "5 texts each", "11 of one group, 1 of another", "Pareto 1.1"
ESSAYS, RIGHT = "WASSA essays", "always right, base rates .6, .4"
SCENARIOS = [(name,) for name in (FIVE, MORE, PARETO, ESSAYS, RIGHT)]
ANY, OF_SCORES, OF_GROUPS, FAILS = "any disparity", "any of a gap", "any of a group", "the gate fails"
REPLICATES = 200


def study(seed: int, name: str, studies: int) -> dict[str, Share] | dict[str, str]:
    """Shares of audits that call a disparity anywhere, and that fail the gate; or why it was skipped."""
    random = np.random.default_rng([8, seed])
    real = authors.essays(("gender", "education", "race")) if name == ESSAYS else None
    if isinstance(real, str):
        return {SKIPPED: real}
    return shares([once(Writers(*real) if real else writers(name, random), name, random) for _ in range(studies)])


def writers(name: str, random: np.random.Generator) -> Writers:
    """People of three attributes; whatever differs between their groups, TPR and FPR do not."""
    groups = crossed(PEOPLE, random)
    texts = np.full(PEOPLE, 5)
    if name == MORE:
        texts = np.where(groups[:, 0] == 0, 11, 1)
    elif name == PARETO:
        texts = np.minimum(np.floor(random.pareto(1.1, PEOPLE) + 1), LONGEST).astype(np.int64)
    return Writers(groups, texts, base=np.where(groups[:, 0] == 0, 0.6, 0.4) if name == RIGHT else 0.4)


def once(world: Writers, name: str, random: np.random.Generator) -> dict[str, float]:
    """One audit in a notebook, as anyone runs it."""
    frame = world.draw(random)
    columns = {"label": frame["favourable"].astype(int), "writer": np.char.mod("w%d", frame["author_id"])}
    columns |= {f"of_{part}": frame[f"{part}_value"] for part in world.names}
    output = {"decision": columns["label"]} if name == RIGHT else {"score": frame["y_score"]}
    options = {what: what for what in output} | {"author": "writer", "replicates": REPLICATES}
    asked = [f"of_{part}" for part in world.names]
    return outcome(audit(frame[[]].assign(**columns, **output), label="label", attributes=asked, **options))


def outcome(found: Audited) -> dict[str, float]:
    """What an audit calls, and whether its gate fails."""
    tables = Tables(found.audit.scores.to_pandas(), found.audit.groups.to_pandas())
    gaps, groups = ((part["verdict"] == DISPARITY).any() for part in tables)
    said = {ANY: gaps | groups, OF_SCORES: gaps, OF_GROUPS: groups, FAILS: len(found.failures()) > 0}
    return {what: float(value) for what, value in said.items()} | {AGAINST: float(contradictions(placed(tables)).mean())}

"""Tables of contrast made by hand: two challenges, with terms that differ, terms that do not, and tasks of several languages."""

from typing import Any

import pyarrow as pa

from stages.contract import tables
from stages.contract.contrasts import ContrastFits, Contrasts
from stages.contract.params import Design

REFERENCES = {"black_white": {"gender": "male", "group": "white"}, "anglo_latino": {"gender": "male", "group": "Anglo"}}
METHODS = ("beta_expected", "beta_observed", "beta_cluster", "mixed", "ols_as_published")


def design(tasks: tuple[str, ...] = ("joy_en",), models: tuple[str, ...] = ("m",)) -> Design:
    """Tasks named ``emotion_language``, alike but for the two."""
    data = {"use": "semeval_affect", "source": "x"}
    parts = {task: dict(zip(("affect", "language"), task.split("_"), strict=True)) for task in tasks}
    model = {"base": {"source": "x"}, "debiaser": {"use": "identity"}, "family": {"use": "text_cnn"}}
    raw = {task: {"dataset": data | part, "label": "intensity"} for task, part in parts.items()}
    return Design.model_validate({"tasks": raw, "models": dict.fromkeys(models, model)})


def row(
    term: str, method: str, effect: float | None = 0.05, q: float | None = 0.001, half: float | None = 0.02, **rest: Any
) -> dict[str, Any]:
    """One term by one method, with its effect on the score, q (of coefficient and effect) and half the width of the interval."""
    ends = (None, None) if effect is None or half is None else (effect - half, effect + half)
    found = {"corpus": "black_white", "task": "joy_en", "model": "m", "emotion": "joy", "method": method, "term": term, "scale": "logit"}
    found |= {"estimate": None if effect is None else 4 * effect, "standard_error": None, "statistic": None, "degrees": None}
    found |= {"p_value": q, "q_value": q, "stars": "***" if method == "beta_expected" else "", "ci_low": None, "ci_high": None}
    found |= {"response_effect": effect, "response_low": ends[0], "response_high": ends[1], "response_p_value": q, "response_q_value": q}
    return found | {"n": 1400, "squeezed": 7, "reason": None} | rest


def rows(effects: dict[str, float], **rest: Any) -> list[dict[str, Any]]:
    """Terms by every method; an effect of more than .02 has a small q."""
    known = {term: 0.001 if abs(effect) > 0.02 else 0.6 for term, effect in effects.items()}
    intercepts = [row("intercept", method, 0.5, None, **rest) for method in METHODS]
    return intercepts + [row(term, method, effect, known[term], **rest) for method in METHODS for term, effect in effects.items()]


def fit(**rest: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"corpus": "black_white", "task": "joy_en", "model": "m", "emotion": "joy", "n": 1400, "squeezed": 7}
    found |= {"precision": 34.5, "log_likelihood": 900.0, "pseudo_r2": 0.1, "lr_any": 139.97, "lr_any_degrees": 3, "lr_any_p": 1e-9}
    return found | {"lr_interaction": 2.2, "lr_interaction_degrees": 1, "lr_interaction_p": 0.138, "reason": None} | rest


BLACK = {"gender[female]": 0.05, "group[Black]": 0.01, "gender[female]:group[Black]": -0.004}
LATINO = {"gender[female]": 0.01, "group[Latino]": 0.0, "gender[female]:group[Latino]": -0.01}
OTHER = {"corpus": "anglo_latino", "task": "joy_en"}


def contrasted(found: list[dict[str, Any]], fits: list[dict[str, Any]]) -> tuple[pa.Table, pa.Table]:
    """The two tables as the stage reads them."""
    checked = []
    for part, hint in ((found, Contrasts), (fits, ContrastFits)):
        at = hint.__metadata__[0]
        schema = pa.schema([(name, at.type_of(name)) for name, _ in at.columns])
        checked.append(tables.check(pa.Table.from_pylist(part, schema=schema), at, "table"))
    return checked[0], checked[1]

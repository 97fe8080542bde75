"""Numbers as the words and figures a reader sees, never more certain than the interval."""

from pathlib import PurePosixPath
from typing import Any

from stages.reporting.results import Score

METRICS = {"di": "DI", "di_star": "DI*", "adi": "ADI", "fv": "FV", "tpr": "TPR", "fpr": "FPR", "f1": "F1", "auc": "AUC", "mse": "MSE"}
METRICS |= {"pearson_r": "Pearson r", "base_rate": "base rate", "selection_rate": "selection rate", "accuracy": "accuracy"}
METRICS |= {"ppv": "PPV", "npv": "NPV", "fnr": "FNR", "tnr": "TNR", "brier": "Brier score", "calibration": "calibration", "mae": "MAE"}
METRICS |= {"subgroup_auc": "subgroup AUC", "bpsn_auc": "BPSN AUC", "bnsp_auc": "BNSP AUC", "equalised_odds": "equalised odds"}
METRICS |= {f"output_q{level}": f"{level} % quantile of outputs" for level in (10, 50, 90)}
ROUNDING = 1e-9  # a difference this small is none
# Not rates: on a scale of their own, or near 0 where all is well.
FINE = ("mse", "brier", "calibration", "mae", "mean_label", "mean_output", "mean_error", "output_q10", "output_q50", "output_q90")


def number(value: float, decimals: int = 2) -> str:
    """``value`` with so many decimals; up to three more where it would read as exactly 0 or 1, the parities, and is not."""
    texts = [f"{value:,.{places}f}" for places in range(decimals, decimals + 4)]
    if value in (0.0, 1.0):
        return texts[0]
    return next((text for text in texts if float(text.replace(",", "")) not in (0.0, 1.0)), texts[-1])


def signed(value: float, decimals: int = 3) -> str:
    """``+0.031``, ``-0.002``: a difference that says which way it points; what is nothing but rounding points nowhere."""
    value = 0.0 if abs(value) < ROUNDING else value
    return f"{'+' if value > 0 else ''}{number(value, decimals)}"


def measure(score: Score | None, decimals: int = 2) -> str:
    """``0.71 [0.58, 0.86]``, or what is missing of it."""
    if score is None:
        return "not computed"
    if score.value is None:
        return undefined(score)
    if score.ci_low is not None and score.ci_high is None:
        return f"{number(score.value, decimals)} [{number(score.ci_low, decimals)}, no upper end]"
    if score.ci_low is None or score.ci_high is None:
        return f"{number(score.value, decimals)}, no interval"
    return f"{number(score.value, decimals)} [{number(score.ci_low, decimals)}, {number(score.ci_high, decimals)}]"


def undefined(score: Score) -> str:
    """Why there is no number; some reasons begin with the word themselves."""
    return f"undefined: {(score.reason or 'no reason was recorded').removeprefix('undefined: ')}"


def metric_name(metric: str) -> str:
    return METRICS.get(metric, metric.replace("_", " "))


def decimals_of(metric: str) -> int:
    """How many decimals a metric is shown with."""
    return 3 if metric in FINE else 2


def verdict(gap: Score) -> str:
    """The verdict on a gap with its q-value, and its flag."""
    if gap.value is None:
        return undefined(gap)
    tested = f" (q {probability(gap.q_value)})" if gap.q_value is not None else ""
    return f"{gap.verdict or 'not tested'}{tested}{', flagged' if gap.flagged else ''}"


def verdict_of_adi(adi: Score) -> str:
    """The same, and of a disparity its direction."""
    return f"{verdict(adi)}{f'; selected {direction(adi.known)}' if adi.verdict == 'disparity' else ''}"


def probability(value: float) -> str:
    """``= 0.034``; what rounds to nothing is ``< 0.001``."""
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"


def direction(adi: float) -> str:
    """Which way an ADI other than 1 points: how often the protected group is selected, in comparison with the privileged group."""
    return f"{'less' if adi < 1 else 'more'} often than its base rate suggests"


def set_name(attributes: str) -> str:
    return attributes.replace("+", " + ")


def listed(names: list[str], last: str = "and") -> str:
    """``a, b and c``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"


def count(how_many: int, one: str, many: str | None = None) -> str:
    """``1 text``, ``1,200 texts``."""
    return f"{how_many:,} {one if how_many == 1 else many or one + 's'}"


def percent(share: float) -> str:
    return f"{100 * share:g} %"


def option(value: Any) -> str:
    """A setting's value in words; of an absolute path only the name, as the page must not depend on where it was made."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(option(part) for part in value)
    if isinstance(value, dict):
        return ", ".join(f"{key} {option(part)}" for key, part in value.items())
    if isinstance(value, float):
        return f"{value:g}"
    text = str(value)
    return PurePosixPath(text).name if text.startswith("/") else text

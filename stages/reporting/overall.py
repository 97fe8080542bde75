"""Gaps over all groups of an attribute set, under the names they are known by, and the group that differs most: scores -> rows of words."""

from stages.contract.vocabulary import ANY_OF_SET
from stages.reporting.findings import RANKS
from stages.reporting.groups import AsTheyAre
from stages.reporting.results import EVERY, HIGHEST, OURS, RATIO, Key, Results, Score
from stages.reporting.tables import Table
from stages.reporting.wording import decimals_of, measure, probability, set_name

# What each table asks, and its columns: a name, a metric and how its groups are compared. The first column says which set is worst.
Columns = dict[str, tuple[str, str]]
ASKED: dict[str, Columns] = {
    "who is selected": {
        "Statistical parity (selection rate, highest - lowest)": ("selection_rate", HIGHEST),
        "Impact ratio (selection rate, lowest / highest)": ("selection_rate", RATIO),
        "Differential fairness (epsilon)": ("differential_fairness", EVERY),
    },
    "who is judged rightly": {
        "Equal opportunity (TPR, highest - lowest)": ("tpr", HIGHEST),
        "Equalised odds (TPR or FPR, the wider gap)": ("equalised_odds", HIGHEST),
        "Accuracy (highest - lowest)": ("accuracy", HIGHEST),
        "Subgroup AUC (highest - lowest)": ("subgroup_auc", HIGHEST),
    },
    "outputs and their errors, highest - lowest": {
        "Mean output": ("mean_output", HIGHEST),
        "Mean error": ("mean_error", HIGHEST),
        "MAE": ("mae", HIGHEST),
        "MSE": ("mse", HIGHEST),
    },
    "correlation and quantiles of outputs, highest - lowest": {
        "Pearson r": ("pearson_r", HIGHEST),
        "10 % quantile": ("output_q10", HIGHEST),
        "Median": ("output_q50", HIGHEST),
        "90 % quantile": ("output_q90", HIGHEST),
    },
}

# By the first metric of a table: the group, its difference to everyone, the verdict on it.
EXTREME = "Most extreme group"


def worst(results: Results, groups: dict[tuple[str, str], AsTheyAre], task: str) -> list[Table]:
    """A table a question with one row for each model and order: the set whose groups differ most surely, then most widely."""
    found = []
    for asked, columns in _asked(results, task).items():
        rows = []
        for model in results.models:
            for order in sorted(set(results.orders[task].values())):
                sets = [name for name, of in results.orders[task].items() if of == order]
                first = next(iter(columns.values()))
                name = min(
                    sets, key=lambda name: _rank(_extreme(results, task, model, name, first), _gap(results, task, model, name, first))
                )
                rows.append([model, *_row(results, groups[task, model], (task, model, name), columns)])
        caption = (
            f"{task}: {asked}; of each number of demographics the set whose most extreme group differs most surely by the first metric"
        )
        found.append(Table(caption, ["Model", "Attribute set", "Groups", EXTREME, *columns], rows, (0, 1)))
    return found


def every(results: Results, groups: AsTheyAre, task: str, model: str) -> list[Table]:
    """The same with one row a set, all of them."""
    return [
        Table(
            f"{task}, {model}: {asked}",
            ["Attribute set", "Groups", EXTREME, *columns],
            [_row(results, groups, (task, model, name), columns) for name in results.orders[task]],
        )
        for asked, columns in _asked(results, task).items()
    ]


def flags(results: Results, task: str, model: str) -> tuple[int, int]:
    """How many sets have an impact ratio that is flagged, and how many one that could be."""
    ratios = [_gap(results, task, model, name, ("selection_rate", RATIO)) for name in results.orders[task]]
    known = [ratio.flagged for ratio in ratios if ratio is not None and ratio.flagged is not None]
    return sum(known), len(known)


def _asked(results: Results, task: str) -> dict[str, Columns]:
    """The tables and columns of which a model of the task has anything: outputs are no probabilities, decisions no scores."""
    known = {(key.metric, key.group) for key in results.scores if key.task == task}
    kept = {asked: {name: gap for name, gap in columns.items() if gap in known} for asked, columns in ASKED.items()}
    return {asked: columns for asked, columns in kept.items() if columns}


def _gap(results: Results, task: str, model: str, name: str, gap: tuple[str, str]) -> Score | None:
    metric, group = gap
    return results.scores.get(Key(task, model, name, group, metric, OURS))


def _extreme(results: Results, task: str, model: str, name: str, gap: tuple[str, str]) -> Score | None:
    return results.scores.get(Key(task, model, name, ANY_OF_SET, gap[0], OURS))


def _rank(extreme: Score | None, gap: Score | None) -> tuple[float, float, float]:
    width = 0.0 if gap is None or gap.value is None else -gap.value
    if extreme is None or extreme.value is None:
        return 3, 1, width
    return RANKS.get(extreme.verdict or "", 2), 1 if extreme.q_value is None else extreme.q_value, width


def _row(results: Results, groups: AsTheyAre, place: tuple[str, str, str], columns: Columns) -> list[str]:
    name, first = place[2], next(iter(columns.values()))
    number = f"{groups.numbers[name]:,}" if name in groups.numbers else "too many"
    extreme = _differs(_extreme(results, *place, first), first[0])
    return [set_name(name), number, extreme, *(_words(_gap(results, *place, gap), gap[0]) for gap in columns.values())]


def _differs(score: Score | None, metric: str) -> str:
    """The most extreme group by the first metric of a table, its difference to everyone, verdict and q."""
    if score is None:
        return "not tested"
    if score.value is None or score.q_value is None:
        return score.reason or ""
    group = (score.reason or "").removeprefix("most extreme: ")
    signed = f"{'+' if score.value > 0 else ''}{measure(score, decimals_of(metric))}"
    return "\n".join([group, signed, str(score.verdict), f"q {probability(score.q_value)}"])


def _words(score: Score | None, metric: str) -> str:
    """The value with its interval, and below it the flag: such gaps have no verdict, which belongs to the group that differs."""
    return measure(score, decimals_of(metric)) + ("\nflagged" if score is not None and score.value is not None and score.flagged else "")

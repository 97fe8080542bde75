"""Groups that stand out from everyone, and what was measured of the single ones and of pairs: tables and sentences."""

from stages.contract.vocabulary import COLLAPSED
from stages.reporting.groups import AsTheyAre, Measured, Standing
from stages.reporting.results import EVERYONE, OURS, Key, Results, Score
from stages.reporting.tables import Table, texts_people
from stages.reporting.wording import count, decimals_of, measure, metric_name, number, probability, set_name

COLUMNS = (
    *("base_rate", "selection_rate", "tpr", "fpr", "ppv", "accuracy", "subgroup_auc", "bpsn_auc", "bnsp_auc", "brier", "calibration"),
    *("mean_label", "mean_output", "mean_error", "mae", "mse", "pearson_r", "output_q10", "output_q50", "output_q90"),
)


def counted(groups: AsTheyAre) -> str:
    """How many stand out, of how many of which a test can tell, of how many in all."""
    return f"{groups.found:,} of {groups.told:,} ({groups.number:,} in all)"


def sentence(groups: AsTheyAre) -> str:
    """The same in words."""
    found = f"{groups.found:,} stand out" if groups.found != 1 else "1 stands out"
    if groups.collapsed:
        by = f"by its scores {found} from everyone" if groups.told else "nothing could be tested"
        why = f"{COLLAPSED.capitalize()}: every text is selected, or none, which tells no groups apart"
        return f"{count(groups.number, 'group')} in all. {why}; {by}."
    return (
        f"{count(groups.number, 'group')} in all, {groups.told:,} of which have enough people for a test to tell; {found} from everyone. "
        f"By the ratio of a group's selection rate to the reference group's, {groups.flagged:,} of {groups.compared:,} are flagged."
    )


def table(groups: AsTheyAre, task: str, model: str, level: str) -> Table:
    """One row a group that stands out, furthest first."""
    shown = groups.standing
    more = f", the first {len(shown)} of {groups.found:,}" if groups.found > len(shown) else ""
    columns = ["Group", "By", f"Measured, {level} interval", "Everyone", "Texts (people)", "Pooled estimate"]
    columns += ["Ratio to the reference group", "q", "Also by"]
    return Table(f"{task}, {model}: groups that stand out{more}", columns, [_row(standing) for standing in shown], (0, 8))


def _row(standing: Standing) -> list[str]:
    measured, decimals = standing.measured, decimals_of(standing.metric)
    return [
        f"{standing.group.name}\n({set_name(standing.group.attributes)})",
        metric_name(standing.metric),
        measure(measured.own, decimals),
        number(standing.everyone, decimals),
        f"{measured.own.n:,} ({measured.people:,}{measured.effectively()})",
        "-" if measured.pooled is None else measure(measured.pooled, decimals),
        _ratio(standing.ratio),
        probability(standing.q_value).removeprefix("= "),
        ", ".join(map(metric_name, standing.also)) or "nothing else",
    ]


def _ratio(ratio: Score | None) -> str:
    return "-" if ratio is None else measure(ratio) + ("\nflagged" if ratio.flagged else "")


def line(standing: Standing) -> str:
    """``woman, Black: TPR 0.45 [0.37, 0.54], everyone 0.86, n 119 (79 people)`` for the terminal."""
    decimals, measured = decimals_of(standing.metric), standing.measured
    value = f"{metric_name(standing.metric)} {measure(measured.own, decimals)}, everyone {number(standing.everyone, decimals)}"
    people = count(measured.people, "person", "people")
    return f"{set_name(standing.group.attributes)}: {standing.group.name}: {value}, n {measured.own.n:,} ({people}{measured.effectively()})"


def everything(results: Results, groups: AsTheyAre, task: str, model: str) -> Table:
    """What was measured of each group of a single attribute or pair, everyone first where that is among the scores."""
    names = [name for name in COLUMNS if any(name in measured for measured in groups.shown.values())]
    of_all = [results.scores.get(Key(task, model, EVERYONE, "everyone", name, OURS)) for name in names]
    everyone = ["-" if score is None else measure(score, decimals_of(name)) for name, score in zip(names, of_all, strict=True)]
    rows = [["Everyone", "", texts_people(results.total(task)), *everyone]]
    for group, measured in groups.shown.items():
        rows.append([group.name, set_name(group.attributes), texts_people(groups.size(group)), *(_cell(measured, name) for name in names)])
    left_out = f"; the {len(groups.shown)} largest, {groups.left_out:,} left out" if groups.left_out else ""
    heads = [metric_name(name)[:1].upper() + metric_name(name)[1:] for name in names]
    caption = f"{task}, {model}: groups of single demographics and of pairs{left_out}"
    return Table(caption, ["Group", "Attribute set", "Texts (people)", *heads], rows, (0, 1))


def _cell(measured: dict[str, Measured], name: str) -> str:
    return measure(measured[name].own, decimals_of(name)) if name in measured else "not computed"

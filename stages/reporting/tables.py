"""The page's tables of the design and of the data: settings and group sizes -> rows of words."""

from dataclasses import dataclass
from typing import Any

from stages.contract.params import Design, Entry, Section
from stages.reporting.results import GROUPS, Results, Size
from stages.reporting.wording import listed, option, set_name

COLUMNS = ["Model", "Base", "Debiaser", "Family", "Mitigation"]


@dataclass(frozen=True)
class Table:
    """``words`` are the columns that hold words, set to the left; the others hold numbers."""

    caption: str
    columns: list[str]
    rows: list[list[str]]
    words: tuple[int, ...] = (0,)


def tasks(design: Design) -> Table:
    rows = []
    for name, task in design.tasks.items():
        options = option({"source": task.dataset.source} | task.dataset.options)
        cut = "the median of all labels" if task.threshold == "median" else f"{task.threshold:g}"
        favourable = f"labels and outputs {'of at least' if task.favourable == 'high' else 'below'} {cut}"
        rows.append([name, f"{task.dataset.use} ({options})", task.label, task.kind, favourable])
    return Table("Tasks", ["Task", "Data set", "Label", "Learned as", "Favourable decision"], rows, (0, 1, 2, 3, 4))


def models(design: Design) -> Table:
    rows = [
        [
            name,
            option(model.base.model_dump(exclude_none=True)),
            entry(model.debiaser),
            entry(model.family),
            "none" if model.family.mitigation is None else entry(model.family.mitigation),
        ]
        for name, model in design.models.items()
    ]
    return Table("Models; an option not named has its file's default", COLUMNS, rows, (0, 1, 2, 3, 4))


def entry(chosen: Entry) -> str:
    """An item of a shelf with the options that were given."""
    return f"{chosen.use} ({option(chosen.options)})" if chosen.options else chosen.use


def settings(sections: dict[str, Section]) -> Table:
    """The settings of the stages, defaults included, but for the rules, which have a table of their own, and what changes no number."""
    other = {"attributes", "datasets", "processes"}
    rows = [[stage, option(section.model_dump(exclude=other, exclude_none=True))] for stage, section in sections.items()]
    return Table("Settings of the stages", ["Stage", "Settings"], rows, (0, 1))


def rules(subgroup: Any) -> Table:
    """Who counts as privileged, by the rules of the section subgroup, those of a data set's own below the general ones."""
    everywhere = [[name, "all", *_sides(rule), "not given"] for name, rule in subgroup.attributes.items()]
    own = [
        [name, dataset, *_sides(rule), "not given"]
        for dataset, of_dataset in subgroup.datasets.items()
        for name, rule in of_dataset.items()
    ]
    columns = ["Attribute", "Data sets", "Privileged", "Protected", "Unknown"]
    return Table("Who is privileged and who is protected", columns, everywhere + own, (0, 1, 2, 3, 4))


def _sides(rule: Any) -> tuple[str, str]:
    if rule.privileged is not None:
        return listed(list(rule.privileged), "or"), "every other known category"
    if rule.privileged_at_most is not None:
        return f"{rule.privileged_at_most:,g} or lower", f"above {rule.privileged_at_most:,g}"
    return f"{rule.privileged_at_least:,g} or higher", f"below {rule.privileged_at_least:,g}"


def sizes(results: Results, task: str) -> Table:
    rows = [
        [set_name(attributes), str(order), *(texts_people(results.sizes[task, attributes, group]) for group in GROUPS)]
        for attributes, order in results.orders[task].items()
    ]
    columns = ["Attribute set", "Order", *map(str.capitalize, GROUPS)]
    return Table(f"{task}: texts (people) in each group of each attribute set", columns, rows)


def texts_people(size: Size) -> str:
    return f"{size.texts:,} ({size.people:,})"

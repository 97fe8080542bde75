"""What was assessed and how it can be made again: the design -> parts of the assessment."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from stages.contract.params import Design, Section
from stages.reporting import tables
from stages.reporting.assessment import Part
from stages.reporting.results import Results
from stages.reporting.tables import Table
from stages.reporting.wording import count, listed, option, percent

DRAWN = {"seed", "threads"}
NOBODY = "Data and labels are described on all texts, models on those they decided on. A text without an author counts as another person's."
WHERE = "Who collected and labelled the texts stands with each data set in the code, and in the model card where its owner filled it in."
RECORDED = (
    "Every number follows from the data, the design and the code by a recorded pipeline, whose lock file holds the checksum of every "
)
RECORDED += "input, setting and output of every stage."
SAME = (
    "With the same data, design and versions of libraries every stage writes the same bytes on a CPU. Intervals cover the draw of people "
)
SAME += "and texts. They do not cover another run of the training with another seed."


class Sizes(NamedTuple):
    """Texts of a task, those of them that models decided on, and the people who wrote these."""

    texts: int
    decided: int
    people: int


def parts(
    design: Design, results: Results, sizes: Mapping[str, Sizes], sections: Mapping[str, Section], footprint: str | None
) -> dict[str, Part | None]:
    """By figure of altai.yaml what the design itself tells; ``sizes`` by task; ``footprint`` is a sentence on an earlier run."""
    return {
        "data": Part([texts(design, results, sizes), tables.tasks(design)], said=[WHERE, NOBODY]),
        "traceability": Part([tables.models(design)], said=[RECORDED]),
        "reproducibility": Part([seeds(sections)], said=[SAME]),
        "auditability": Part(),
        "footprint": None if footprint is None else Part(said=[footprint]),
    }


def about(design: Design, results: Results) -> list[str]:
    """What was assessed, in a few sentences."""
    cells = count(len(list(results.performed())), "classifier")
    tasks = f"{count(len(design.tasks), 'task')} ({listed(list(design.tasks))})"
    models = f"{count(len(design.models), 'model')} ({listed(list(design.models))})"
    said = [
        f"{cells}: {tasks} by {models}.",
        *(f"{row[0]}: favourable are {row[4]} (label {row[2]})." for row in tables.tasks(design).rows),
    ]
    simulated = [name for name, task in design.tasks.items() if task.dataset.use == "simulated"]
    made_up = "simulated people and texts, whose figures test the program and are no evidence about any real group."
    return [*said, f"{listed(simulated)}: {made_up}"] if simulated else said


def rules(evaluate: Any) -> str:
    """How figures are made, in sentences for the model card."""
    held = f"Intervals hold the true value in about {percent(evaluate.confidence)} of studies."
    corrected = f"Verdicts are corrected (Benjamini and Hochberg) at {percent(evaluate.level)}."
    what = "Accuracy, AUC, precision, recall and F1; seven differences between each group and its reference group; impact ratios."
    return f"{held} {corrected} {what}"


def texts(design: Design, results: Results, sizes: Mapping[str, Sizes]) -> Table:
    """How many texts each task has, and how many by how many people the models decided on."""
    rows = [[task, *(f"{number:,}" for number in sizes[task]), "yes" if task in results.orders else "no"] for task in design.tasks]
    return Table("Texts that the figures rest on", ["Task", "Texts", "Of which models decided on", "By people", "Has groups"], rows)


def seeds(sections: Mapping[str, Section]) -> Table:
    """The seed and the threads of every stage that has them."""
    held = {stage: section.model_dump(include=DRAWN, exclude_none=True) for stage, section in sections.items()}
    return Table("Seeds and threads", ["Stage", "Settings"], [[stage, option(found)] for stage, found in held.items() if found], (0, 1))

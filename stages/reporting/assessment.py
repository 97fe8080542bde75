"""The assessment: what was measured of a classifier, arranged by the seven requirements of ALTAI -> a page, as HTML and as Markdown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stages.contract import yaml_file
from stages.contract.vocabulary import COLLAPSED
from stages.reporting import assessment_text, filled
from stages.reporting.assessment_rows import CANNOT_TELL, DISPARITY, NO_EVIDENCE
from stages.reporting.tables import Table

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Part:
    """What was measured of one figure of altai.yaml.

    ``verdicts``: how many of each; ``first``: the disparity with the strongest evidence; ``said``: what is not said of every design.
    """

    tables: Sequence[Table] = ()
    verdicts: Mapping[str, int] | None = None
    said: Sequence[str] = ()
    first: str = ""


# By figure: what was measured, None where nothing was.
Parts = Mapping[str, Part | None]


@dataclass(frozen=True)
class Figure:
    """A part with the words around it; ``section`` of the report tells more."""

    name: str
    title: str
    said: list[str]
    tables: Sequence[Table]
    verdicts: Mapping[str, int]
    section: str
    first: str


@dataclass(frozen=True)
class Heading:
    """A sub-heading of a requirement; ``key`` names its form fields, ``missing`` says what was not measured."""

    key: str
    name: str
    measured: list[Figure]
    missing: list[str]
    questions: list[str]


@dataclass(frozen=True)
class Requirement:
    number: int
    name: str
    headings: list[Heading]


def arranged(parts: Parts) -> list[Requirement]:
    """The requirements with what was measured under each of their headings. ``parts`` has every figure that altai.yaml names."""
    shown, missing = figures(parts)
    found = []
    for number, row in enumerate(_yaml("altai"), 1):
        headings = []
        for place, part in enumerate(row["headings"], 1):
            named = part.get("figures", [])
            absent = [missing[name] for name in named if name in missing]
            own = [shown[name] for name in named if name in shown]
            headings.append(Heading(f"{number}_{place}", part["heading"], own, [*absent, part["why"]], part["questions"]))
        found.append(Requirement(number, row["requirement"], headings))
    return found


def figures(parts: Parts) -> tuple[dict[str, Figure], dict[str, str]]:
    """The figures that were measured with the words around them, and of the others the sentence why they were not."""
    words = _yaml("assessment_figures")
    shown = {}
    for name, part in parts.items():
        if part is not None:
            said = [*words[name].get("said", []), *part.said]
            section = words[name].get("section", "")
            shown[name] = Figure(name, words[name]["title"], said, part.tables, part.verdicts or {}, section, part.first)
    return shown, {name: words[name]["absent"] for name, part in parts.items() if part is None}


def _yaml(name: str) -> Any:
    return yaml_file.read(FOLDER / f"{name}.yaml")


def coverage(requirements: Sequence[Requirement]) -> Table:
    """How much of each requirement was measured."""
    rows = [
        [
            f"{one.number} {one.name}",
            f"{sum(bool(heading.measured) for heading in one.headings)} of {len(one.headings)}",
            ", ".join(figure.title for heading in one.headings for figure in heading.measured) or "nothing",
            str(sum(len(heading.questions) for heading in one.headings)),
        ]
        for one in requirements
    ]
    columns = ["Requirement", "Headings with figures", "Measured", "Questions left to people"]
    return Table("What this assessment covers", columns, rows, (0, 2))


def verdicts(requirements: Sequence[Requirement]) -> Table:
    """What was tested, with how many of each verdict and the disparity with the strongest evidence."""
    tested = [figure for one in requirements for heading in one.headings for figure in heading.measured if figure.verdicts]
    collapsed = [COLLAPSED] * any(COLLAPSED in figure.verdicts for figure in tested)
    names = (DISPARITY, NO_EVIDENCE, CANNOT_TELL, *collapsed)
    rows = [[one.title, *(f"{one.verdicts.get(name, 0):,}" for name in names), one.first or "none"] for one in tested]
    columns = ["What was tested", "Disparities", "No evidence of disparity", "Cannot tell", *(name.capitalize() for name in collapsed)]
    columns.append("The disparity with the strongest evidence")
    return Table("What was found", columns, rows, (0, len(columns) - 1))


def render(parts: Parts, title: str, about: Sequence[str], report: str, published: Part | None, beside: Sequence[str]) -> tuple[str, str]:
    """The page as HTML that needs nothing else, and as Markdown.

    ``about``: what was assessed and how to read it; ``report``: where the report lies, from here; ``published``: the paper's tables
    beside ours, and which have none; ``beside``: names of the files that lie beside the page.
    """
    requirements = arranged(parts)
    shown = {
        "title": title,
        "about": about,
        "requirements": requirements,
        "coverage": coverage(requirements),
        "verdicts": verdicts(requirements),
    }
    shown |= {"report": report, "published": published, "beside": beside}
    return filled.fill("assessment.html.jinja", shown), markdown("assessment.md.jinja", shown)


def markdown(template: str, shown: Mapping[str, Any]) -> str:
    """A Markdown template filled in, each value escaped, with runs of empty lines made one."""
    import jinja2
    import markupsafe

    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        loader=jinja2.FileSystemLoader(FOLDER),
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=assessment_text.in_markdown,
        autoescape=False,  # noqa: S701 - Markdown, not HTML: in_markdown escapes every value
    )
    environment.globals["grid"] = lambda table: markupsafe.Markup(grid(table))  # noqa: S704 - its cells are escaped
    lines = environment.get_template(template).render(shown).split("\n")
    return "\n".join(line for place, line in enumerate(lines) if line or (place and lines[place - 1])).strip("\n") + "\n"


def grid(table: Table) -> str:
    """A table in Markdown: its caption in bold, then the rows."""
    escape = assessment_text.in_markdown
    ruler = ["---" if place in table.words else "---:" for place in range(len(table.columns))]
    lines = [[escape(cell) or " " for cell in row] for row in (table.columns, *table.rows)]
    lines.insert(1, ruler)
    return f"**{escape(table.caption)}**\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines)

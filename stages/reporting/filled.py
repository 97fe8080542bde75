"""The HTML templates of this folder, filled in so that no value can act, hide, reorder or drown what stands around it."""

from pathlib import Path
from typing import Any

from stages.reporting import assessment_text


def fill(template: str, shown: dict[str, Any]) -> str:
    """The page that ``template`` makes of ``shown``: every value escaped, its hidden characters named, and cut where it is very long.

    Names, categories and words come from data or a design that somebody else may have written.
    """
    import jinja2

    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=assessment_text.in_html,
    )
    return environment.get_template(template).render(shown) + "\n"

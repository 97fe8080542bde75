"""The page of an audit of vectors: the benchmark's section on representations, alone."""

from pathlib import Path
from typing import Any

from stages.contract.params import Section
from stages.reporting import tables


def render(embeddings: dict[str, Any], title: str, notes: list[str], settings: Section) -> str:
    """One page that needs nothing else. ``embeddings`` is what ``embeddings.parts`` gives; ``notes`` say what was read."""
    import jinja2

    # Autoescape: words come from a file that anybody may have written.
    loader = jinja2.FileSystemLoader(Path(__file__).parent)
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, loader=loader, trim_blocks=True, lstrip_blocks=True)
    shown = {"title": title, "notes": notes, "settings": tables.settings({"probe": settings})}
    return environment.get_template("embedding_page.html.jinja").render(shown | {"embeddings": embeddings}) + "\n"

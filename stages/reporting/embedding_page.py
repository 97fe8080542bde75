"""The page of an audit of vectors: the benchmark's section on representations, alone."""

from typing import Any

from stages.contract.params import Section
from stages.reporting import filled, tables


def render(embeddings: dict[str, Any], title: str, notes: list[str], settings: Section) -> str:
    """One page that needs nothing else. ``embeddings`` is what ``embeddings.parts`` gives; ``notes`` say what was read."""
    shown = {"title": title, "notes": notes, "settings": tables.settings({"probe": settings})}
    return filled.fill("embedding_page.html.jinja", shown | {"embeddings": embeddings})

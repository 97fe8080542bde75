"""The page's figures as files beside it: SVG of each, and PNG of all but the many figures of groups."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

SCALE = 2.0  # pixels of a PNG for one of the drawing


def of(page: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Name and SVG of every figure among what the page shows."""
    for task, pair in page["figures"].items():
        yield from ((f"{figure['metric'].lower()}.{task}", figure["svg"]) for figure in pair if figure["svg"])
    yield from ((f"paper.{figure['name']}", figure["svg"]) for figure in page["paper"]["figures"])
    for part in page["groups"].values():
        yield from ((cell["figure"]["file"], cell["figure"]["svg"]) for cell in part["cells"] if cell["figure"])
    yield from ((name, page[name]["svg"]) for name in ("relate", "reaudit") if page[name] and page[name]["svg"])
    for challenge in page["challenges"]["challenges"] if page["challenges"] else []:
        for place, figure in enumerate(challenge["figures"]):
            yield f"challenge.{challenge['name']}.{place + 1}", figure["svg"]


def write(page: dict[str, Any], folder: Path) -> None:
    """Every figure into ``folder``."""
    import vl_convert

    for name, svg in of(page):
        (folder / f"{name}.svg").write_text(f"{svg}\n", encoding="utf-8")
        if not name.startswith("groups."):
            (folder / f"{name}.png").write_bytes(vl_convert.svg_to_png(str(svg), scale=SCALE))

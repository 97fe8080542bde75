"""``python -m benchmarks.calibration.page TABLES.md ...`` puts printed tables into docs/calibration.md, each section in its place.

A section that the page has is replaced, a new one comes last; what no file names stays, and so does all before the first of them.
"""

import re
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "calibration.md"
BY_HAND = "## What it shows"


def sections(text: str) -> dict[str, str]:
    """Each section of a page by its heading, with what follows it up to the next; "" is what comes before the first."""
    head, *parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    return {"": head} | {part.partition("\n")[0]: part for part in parts}


def merged(page: str, *printed: str) -> str:
    """The page with its sections from what was printed. ValueError: there is none, or one of what people wrote."""
    found = {heading: part.rstrip("\n") + "\n\n" for heading, part in sections(page).items()}
    for text in printed:
        new = sections(text)
        if new.pop("").strip() or not new or BY_HAND in new:
            raise ValueError("no tables as python -m benchmarks.calibration prints them; it begins with '## '.")
        found |= {heading: part.rstrip("\n") + "\n\n" for heading, part in new.items()}
    return "".join(found.values()).rstrip("\n") + "\n"


if __name__ == "__main__":
    PAGE.write_text(merged(PAGE.read_text("utf-8"), *(Path(name).read_text("utf-8") for name in sys.argv[1:])), "utf-8")

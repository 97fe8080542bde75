"""Values that options of several commands take."""


def commas(text: str) -> tuple[str, ...]:
    """Names with commas between them; none of an empty text."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def whole(text: str) -> int:
    """A number from 1 on; argparse says so of what raises ValueError."""
    if int(text) < 1:
        raise ValueError(text)
    return int(text)

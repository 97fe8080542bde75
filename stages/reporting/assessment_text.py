"""Text that anyone may have written, shown safely: nothing in it can act, hide, reorder or drown what stands around it."""

import re
import unicodedata
from typing import Any

import markupsafe

MOST = 600  # characters of one value; the longest sentences of ours are shorter
SHORT = 80  # of a name or a token
# Marks that reorder or hide what follows them, and control characters but tab and line feed; lone surrogates are no text at all.
HIDDEN = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
ISOLATE, END = "\u2068", "\u2069"  # first strong isolate, pop directional isolate
RIGHT_TO_LEFT = {"R", "AL", "AN"}
COMBINING = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
NUMBERED = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")  # would begin a list
STACKED = re.compile(f"({COMBINING}{{4}}){COMBINING}+")
# What marks something up in Markdown, GitHub's links and mentions too; an interval such as [0.58, 0.86] does not.
MARKS = re.compile(
    r"(?P<interval>\[-?[\d.,]+, (?:-?[\d.,]+|no upper end)\](?!\())"
    r"|[\\`*{}\[\]<>#|~&$@!]|(?<!\w)_|_(?!\w)|(?<=www)\.|:(?=//)|^[-+=]"
)


def visible(text: str) -> str:
    """``text`` with each hidden character as its number (``[U+202E]``), and no more than four marks on a letter."""
    return HIDDEN.sub(lambda match: f"[U+{ord(match[0]):04X}]", STACKED.sub(r"\1", text))


def plain(text: str, most: int = MOST) -> str:
    """``text`` made ``visible``, cut after ``most`` characters with its whole length told.

    Text with letters that run from right to left is isolated, so that they do not reorder what stands beside them.
    """
    cut = text[:most]
    shown = visible(cut)
    if any(unicodedata.bidirectional(character) in RIGHT_TO_LEFT for character in cut):
        shown = f"{ISOLATE}{shown}{END}"
    return shown if len(text) <= most else f"{shown}\u2026 ({len(text):,} characters)"


def short(text: str) -> str:
    """A name or a token of somebody's data on one line, for a cell or the middle of a sentence."""
    line = " ".join(text.split()) or repr(text)
    return line if len(line) <= SHORT else f"{line[:SHORT]}\u2026 ({len(text):,} characters)"


def in_html(value: Any) -> Any:
    """What a template shows; Jinja escapes it afterwards."""
    return value if isinstance(value, markupsafe.Markup) else plain(str(value))


def in_markdown(value: Any) -> str:
    """The same in Markdown: no character of it marks up anything, and it stays on its line and in its cell."""
    if isinstance(value, markupsafe.Markup):
        return str(value)
    line = MARKS.sub(lambda match: match["interval"] or f"\\{match[0]}", " ".join(plain(str(value)).split()))
    return NUMBERED.sub(r"\1\\\2", line)

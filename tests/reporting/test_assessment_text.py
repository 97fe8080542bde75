"""Anyone's text shown safely: a Markdown parser reads back the very text and no markup, and nothing hidden stays hidden."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.reporting.assessment_text import HIDDEN, MOST, in_markdown, plain, short

MARKUP = st.text(alphabet="\\`*_{}[]<>()#+-.!|&~$@:/ahw1 \n=\u05d0\u0301\u202e", max_size=40)


def read_back(text: str) -> list[tuple[str, str]]:
    """The type and content of what CommonMark with tables sees in a cell that holds ``text``."""
    parser = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable(["table", "strikethrough"])
    tokens = parser.parse(f"| a | b |\n| --- | --- |\n| x | {in_markdown(text)} |\n")
    cells = [token for token in tokens if token.type == "inline"]
    assert len(cells) == 4
    return [(token.type, token.content) for token in cells[3].children]


@given(MARKUP)
def test_markdown_says_the_text_and_marks_up_nothing(text):
    found = read_back(text)
    assert {kind for kind, _ in found} <= {"text", "text_special"}
    assert "".join(content for _, content in found) == " ".join(plain(text).split())


@given(MARKUP)
def test_a_line_of_its_own_stays_a_paragraph(text):
    parser = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable(["table", "strikethrough"])
    kinds = {token.type for token in parser.parse(in_markdown(text))}
    assert kinds <= {"paragraph_open", "inline", "paragraph_close"}


def test_an_interval_is_left_as_it_is_and_a_link_is_not():
    assert in_markdown("0.71 [0.58, 0.86]") == "0.71 [0.58, 0.86]"
    assert in_markdown("1986. A year") == r"1986\. A year"
    assert in_markdown("[0.58, 0.86](javascript:x)") == r"\[0.58, 0.86\](javascript:x)"
    assert in_markdown("http://a www.b @c glove_cnn") == r"http\://a www\.b \@c glove_cnn"


@given(st.text(max_size=60))
def test_nothing_that_hides_or_reorders_is_left(text):
    shown = plain(text)
    assert not HIDDEN.search(shown.strip("\u2068\u2069"))
    assert (shown[:1] == "\u2068") == (shown[-1:] == "\u2069")


def test_what_is_cut_tells_its_length():
    assert plain("x" * (MOST + 1)) == "x" * MOST + f"\u2026 ({MOST + 1:,} characters)"
    assert plain("x" * MOST) == "x" * MOST
    assert short("a\n b") == "a b"
    assert short(" \n") == r"' \n'"


def test_marks_stacked_on_a_letter_stay_within_four():
    assert re.fullmatch("o\u0301{4}", plain("o" + "\u0301" * 100))

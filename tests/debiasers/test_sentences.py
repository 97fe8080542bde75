"""Sentences come from files, folders and zips by a stated rule, or from a grammar whose every sentence speaks of one word."""

import zipfile
from pathlib import Path

import numpy as np
import pytest

from stages.contract.bad_input import BadInput
from stages.debias import LEXICONS, read_lexicons
from stages.debiasers import template_sentences
from stages.debiasers.attribute_sentences import extract
from stages.debiasers.sentences import Corpus, gather, prose

LEXICON = read_lexicons(LEXICONS)


def test_running_text_ends_at_full_stops_but_not_at_abbreviations() -> None:
    text = 'Mr. J. Smith left\nthe U.S. Army at 5 p.m. on Monday. "Why?" she\nasked. No one knew!\n\nA headline\n\nIt cost 3.50. End'
    assert [" ".join(sentence.split()) for sentence in prose(text)] == [
        "Mr. J. Smith left the U.S. Army at 5 p.m. on Monday.",
        '"Why?" she asked.',
        "No one knew!",
        "A headline",
        "It cost 3.50.",
        "End",
    ]


def test_files_folders_and_zips_are_read_in_order_and_each_sentence_once(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_bytes("Zwei Häuser.\nOne line. Still it.\n".encode("latin-1"))
    (tmp_path / "a.txt").write_text("First.\n\n  One line.   Still it. \n", encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        archive.writestr("c/README", "Not this.")
        archive.writestr("c/ca01", "\n\tThe/at jury/nn-tl said/vbd ``/`` no/at ''/'' ,/, and/or/cc left/vbd ./.\n")
    assert gather(Corpus(corpus=str(tmp_path)), {}, 0) == ["First.", "One line. Still it.", "Zwei Häuser."]
    assert gather(Corpus(corpus=str(tmp_path / "b.txt"), split="prose"), {}, 0) == ["Zwei Häuser.", "One line.", "Still it."]
    assert gather(Corpus(corpus=str(tmp_path / "c.zip")), {}, 0) == ['The jury said "no", and/or left.']


def test_so_many_sentences_are_drawn_by_the_seed() -> None:
    whole = gather(Corpus(), LEXICON, 1)
    drawn = gather(Corpus(sentences=50), LEXICON, 1)
    assert len(drawn) == 50
    assert set(drawn) < set(whole)
    assert drawn == gather(Corpus(sentences=50), LEXICON, 1)
    assert drawn != gather(Corpus(sentences=50), LEXICON, 2)


@pytest.mark.parametrize(("content", "sentence"), [(b"\n \n", "holds no sentence"), (b"a\0b", "is no text file"), (None, "is missing")])
def test_a_corpus_that_is_none_is_refused(content: bytes | None, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "corpus.txt"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(BadInput, match=sentence):
        gather(Corpus(corpus=str(file)), {}, 0)


def test_every_sentence_of_the_grammar_is_an_example_of_its_word() -> None:
    """None has words of both sets, none is without any, and each listed word (but those of both sets) has its sentences."""
    sentences = template_sentences.write(LEXICON, 6, np.random.default_rng(0))
    feminine, masculine = ({row[side] for row in LEXICON["gender_pairs"]} for side in (0, 1))
    targets = {word for row in LEXICON["gender_stereotypes"] for word in row}
    found = extract(sentences, feminine, masculine, targets)
    assert sum(len(part) for part in found) == len(sentences) > 4000
    for part, words in zip(found, (feminine, masculine, targets), strict=True):
        assert {example.word for example in part} == {word.removesuffix(".") for word in words}
    assert len(found.neutral) == 6 * len(targets)


def test_a_word_that_the_grammar_does_not_know_stands_where_a_person_does() -> None:
    found = template_sentences.write({"gender_stereotypes": [("juggler", "yoga")]}, 6, np.random.default_rng(0))
    assert len(found) == 12
    assert sum("juggler" in sentence for sentence in found) == 6

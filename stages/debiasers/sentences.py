"""The sentences that encoders are debiased on: from texts at hand, or from a small grammar of ours when there are none."""

import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field

from stages.contract.bad_input import BadInput
from stages.contract.params import Section
from stages.contract.values import Place
from stages.debiasers import template_sentences

Lexicons = Mapping[str, list[tuple[str, ...]]]
# What the archives of NLTK hold beside their texts.
NO_TEXTS = re.compile(r"(?:^|/)(?:readme|contents|license|licence|cats\.txt)[^/]*$", re.IGNORECASE)
END = re.compile(r"[.!?]+[\"'”’)\]]*\s+(?=[\"'“‘(\[]*[A-Z0-9])")
ABBREVIATION = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|St|Prof|Sen|Rep|Gov|Gen|Col|Lt|Capt|Sgt|Jr|Sr|Rev|Hon|vs|No|a\.m|p\.m|e\.g|i\.e|(?:[A-Z]\.)*[A-Z])\.\s+$"
)


class Corpus(Section):
    """Which sentences a debiaser trains on.

    ``corpus`` is a text file, a folder of ``*.txt`` files or a zip of text files (UTF-8, else Latin-1; tags as in the Brown corpus,
    word/TAG, are taken off), which the repository does not hold: put it under data/raw/corpora. None: the sentences of
    ``template_sentences``, ``per_word`` for each word of the lists. ``split`` lines: a line is a sentence. ``split`` prose: an empty
    line ends a paragraph, and inside one a sentence ends at . ! or ? before white space and a capital letter or digit, but not after
    an initial or a usual abbreviation. Of more than ``sentences`` so many are drawn at random.
    """

    corpus: Place | None = None
    split: Literal["lines", "prose"] = "lines"
    sentences: int | None = Field(default=None, ge=1)
    per_word: int = Field(default=6, ge=1)


def gather(params: Corpus, lexicons: Lexicons, seed: int) -> list[str]:
    """The distinct sentences that ``params`` names, in a fixed order.

    BadInput: the corpus is missing, is no text, or holds no sentence.
    """
    generator = np.random.default_rng(seed)
    if params.corpus is None:
        found = template_sentences.write(lexicons, params.per_word, generator)
    else:
        texts = _texts(Path(params.corpus))
        parts = (sentence for text in texts for sentence in (text.splitlines() if params.split == "lines" else prose(text)))
        found = list(dict.fromkeys(" ".join(sentence.split()) for sentence in parts if sentence.strip()))
    if not found:
        raise BadInput(f"corpus {params.corpus} holds no sentence: name a text file, a folder of *.txt files or a zip of text files.")
    if params.sentences is not None and params.sentences < len(found):
        found = [found[row] for row in sorted(generator.choice(len(found), params.sentences, replace=False))]
    print(f"{len(found)} sentences from {params.corpus or 'templates'}", flush=True)
    return found


def prose(text: str) -> Iterator[str]:
    """The sentences of running text, by the rule that ``Corpus`` states."""
    for paragraph in re.split(r"\n\s*\n", text):
        start = 0
        for match in END.finditer(paragraph):
            if not ABBREVIATION.search(paragraph[start : match.end()]):
                yield paragraph[start : match.end()]
                start = match.end()
        yield paragraph[start:]


def _texts(path: Path) -> Iterator[str]:
    """The texts in a file, a folder or a zip, in the order of their names."""
    if path.is_dir():
        for file in sorted(path.rglob("*.txt")):
            yield _plain(file.read_bytes(), str(file))
    elif path.suffix == ".zip" and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for name in sorted(archive.namelist()):
                if not name.endswith("/") and not NO_TEXTS.search(name):
                    yield _plain(archive.read(name), f"{path}: {name}")
    elif path.is_file():
        yield _plain(path.read_bytes(), str(path))
    else:
        raise BadInput(f"corpus {path} is missing: put the texts there, or leave the key out for the template sentences.")


def _plain(content: bytes, where: str) -> str:
    if b"\0" in content:
        raise BadInput(f"corpus {where} is no text file: convert it to plain text in UTF-8.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return _untagged(text) if _is_tagged(text) else text


def _is_tagged(text: str) -> bool:
    words = text[:20_000].split()
    return bool(words) and sum("/" in word[1:-1] for word in words) > 0.9 * len(words)


def _untagged(text: str) -> str:
    """``The/at jury/nn said/vbd ,/,`` as ``The jury said,``."""
    words = re.sub(r"(\S+)/[^\s/]+", r"\1", text)
    words = re.sub(r" ([.,;:?!])(?= |\n|$)", r"\1", words)
    return re.sub(r"`` ?| ?''", '"', words)

"""Equity Evaluation Corpora: sentences about people, alike but for whom they name and how that person feels; identity corpora too.

Kiritchenko and Mohammad 2018 (doi:10.18653/v1/S18-2005); in Spanish and Arabic Camara et al. 2022 (doi:10.18653/v1/2022.ltedi-1.11).
"""

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from stages.challenges.checks import check_corpus
from stages.challenges.corpus import read_corpus
from stages.challenges.grammar import sentences
from stages.challenges.released import read_released
from stages.contract.bad_input import BadInput
from stages.contract.challenges import Challenge
from stages.contract.params import Section
from stages.contract.tables import check, from_pandas


class Params(Section):
    """``emotions``: the sentences about these alone, a part of the corpus where asking about all takes too long.

    Of a corpus of ours how many ``modifiers`` stand together, if not as many as it says. Of a released CSV file its language, and which
    column holds which attribute.
    """

    emotions: tuple[str, ...] | None = Field(default=None, min_length=1)
    together: int | None = Field(default=None, ge=0)
    lang: str | None = None
    attributes: dict[str, str] = Field(default={"gender": "gender", "group": "race"})


def load(source: Path, params: Params) -> pa.Table:
    """The sentences of a corpus: ``source`` is a YAML file (``stages/challenges/corpora``) or a CSV file as its authors released it."""
    if source.suffix == ".csv":
        if params.together is not None:
            raise BadInput(f"{source} is as its authors released it; remove together.")
        if params.lang is None:
            raise BadInput(f"{source} does not say its language; give it (lang: es).")
        table = from_pandas(read_released(source, params.lang, params.attributes))
    else:
        if own := sorted(params.model_fields_set - {"together", "emotions"}):
            raise BadInput(f"{source} says its language and attributes itself; remove {', '.join(own)}.")
        corpus = read_corpus(source)
        if params.together is not None:
            corpus = corpus.model_copy(update={"together": params.together})
        check_corpus(corpus, source)
        rows = sentences(corpus, source)
        types = {name: pa.bool_() if name == "favourable" else pa.string() for name in rows[0]}
        table = pa.Table.from_pylist(rows, schema=pa.schema(list(types.items())))
    return check(_about(table, params.emotions, source), Challenge.__metadata__[0], str(source))


def _about(table: pa.Table, emotions: tuple[str, ...] | None, source: Path) -> pa.Table:
    there = set(table["emotion"].to_pylist()) - {None}
    if missing := sorted(set(emotions or ()) - there):
        raise BadInput(f"{source} has no sentence about {missing[0]!r}; it has {', '.join(sorted(there)) or 'no emotions'}.")
    return table if emotions is None else table.filter(pc.is_in(table["emotion"], pa.array(emotions)))

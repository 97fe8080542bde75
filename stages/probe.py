"""pretrained base before and after its debiaser, word sets -> how its words lean towards groups of people, and what debiasing left"""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import pyarrow as pa
from pydantic import Field
from scipy import stats
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from stages.contract.command import command
from stages.contract.params import Design, Entry, Model, Section
from stages.contract.probes import Associations, NameGroups, Probes
from stages.contract.shelf import take
from stages.contract.tables import At, column_names, from_pandas
from stages.contract.values import ON_DISK, Seed, Threads, once, place
from stages.debiasers import sentences
from stages.models import pretrained, projection, vectors
from stages.probes import encoded, enumeration, enumeration_tables, name_tables, spaces, weat, word_sets
from stages.probes.base import Base
from stages.probes.enumeration import Enumeration
from stages.probes.figures import Figure

CACHE = Path(".cache/probes")


class Params(Section):
    """``tests``: the probes and their options; ``words``: the folder of word sets. Probes that do not fit a base give it no rows.

    ``enumeration``: the settings of the search for names and words that lean to each other.
    """

    seed: Seed = 6
    threads: Threads = 1
    words: Annotated[str, place(word_sets.read)] = "stages/probes/words"
    tests: tuple[Entry, ...] = Field(default=(Entry(use="weat"), Entry(use="association"), Entry(use="clusters"), Entry(use="seat")))
    enumeration: Enumeration = Enumeration()


def check(_design: Design, params: Params) -> None:
    """BadInput where a probe is none, is asked twice, or asks for a test or a table of names that there is not."""
    words = word_sets.read(Path(params.words))
    once([entry.use for entry in params.tests], "params.yaml: probe.tests")
    for entry in params.tests:
        _, options = take("probes", entry, ON_DISK)
        weat.tests_of(words, getattr(options, "only", None))
    if params.enumeration.included:
        name_tables.pinned(params.enumeration.names)


def run(
    model: Model, base: Annotated[Path, At("data/debias/{model}")], params: Params, cache: Path = CACHE
) -> tuple[Probes, Associations, NameGroups]:
    """Every figure of every probe, of the model's base after its debiaser: of its English weights, as the word sets are English;
    and what the enumeration found. What an encoder says is kept in ``cache``, as models may share one.

    A base without any, such as plain text, has no figures. BadInput: a word set, table of names or probe is not as it must be.
    """
    words = word_sets.read(Path(params.words))
    chosen = [(entry.use, *take("probes", entry)) for entry in params.tests]
    with threadpool_limits(params.threads):
        opened = _open(model, base, params, words, cache)
        if opened is None:
            print("no English weights, nothing to probe", flush=True)
            return _empty(Probes), _empty(Associations), _empty(NameGroups)
        rows = [
            _row(use, space, figure)
            for use, probe, options in chosen
            for space, figure in probe.measure(opened, words, options, params.seed)
        ]
        print(f"{len(rows)} figures of {len(chosen)} probes", flush=True)
        more, cells, groups = enumerated(opened, params)
    return from_pandas(tabled(pd.DataFrame(rows + more))) if rows or more else _empty(Probes), cells, groups


def enumerated(opened: Base, params: Params) -> tuple[list[dict[str, Any]], pa.Table, pa.Table]:
    """Rows of figures, cells and groups of names of every space that the enumeration looks at; nothing when it is left out."""
    settings = params.enumeration
    rows, cells, groups = [], [_empty(Associations)], [_empty(NameGroups)]
    for space, found in enumeration.measure(opened, settings, params.seed, params.threads) if settings.included else ():
        rows += [_row("enumeration", space, figure) for figure in enumeration.figures(found, settings)]
        if not isinstance(found, str):
            cells.append(from_pandas(enumeration_tables.associations(space, found, settings)))
            groups.append(from_pandas(enumeration_tables.name_groups(space, found)))
            print(f"{int((found.q <= settings.alpha).sum())} associations of names and words ({space.name})", flush=True)
    return rows, *(pa.concat_tables(parts, promote_options="permissive") for parts in (cells, groups))


def tabled(rows: pd.DataFrame) -> pd.DataFrame:
    """The figures as ``Probes`` has them; q-values (Benjamini, Hochberg): within a probe's tests of one statistic and kind of vectors."""
    for name in ("ci", "null"):
        rows[[f"{name}_low", f"{name}_high"]] = rows[name].tolist()
    rows["n"] = rows["n"].astype("Int64")
    known = rows.dropna(subset="p_value")
    rows["q_value"] = known.groupby(["probe", "statistic", "vectors"])["p_value"].transform(stats.false_discovery_control)
    return rows[column_names(Probes)]


def _row(use: str, space: spaces.Space, figure: Figure) -> dict[str, Any]:
    return {"probe": use, "vectors": space.name, "pooling": space.pooling, "casing": space.casing} | asdict(figure)


def _empty(table: Any) -> pa.Table:
    found: pa.Table = table.__metadata__[0].empty()
    return found


def _open(model: Model, folder: Path, params: Params, words: word_sets.WordSets, cache: Path) -> Base | None:
    """The English weights in ``folder`` and, where a debiaser changed them, those it was given; None when there are none."""
    located = pretrained.locate_all(model.base.source)
    language = "en" if "en" in located else ""
    source = located.get(language)
    changed = model.debiaser.use != "identity"

    def read(corpus: str, split: str) -> list[str]:
        return sentences.gather(sentences.Corpus.model_validate({"corpus": corpus, "split": split}), {}, params.seed)

    if source is None or source.kind == "text":
        return None
    if source.kind == "vectors":
        after = vectors.load(folder / language)
        found = [spaces.static(after.words, after.matrix)]
        if not changed:
            return Base(found, found, None, read)
        given = vectors.read(source.files, 0, frozenset(after.words))
        return Base(found, [spaces.static(given.words, given.matrix)], None, read)
    import torch

    torch.set_num_threads(params.threads)
    listed, encoder = words.of(words.sets), _encoder(folder / language, cache)
    found = encoded.spaces(encoder, listed)
    return Base(found, encoded.spaces(_encoder(source.path, cache), listed) if changed else found, encoder, read)


def _encoder(folder: Path, cache: Path) -> encoded.Encoder:
    encoder = encoded.load(folder, cache)
    projection.follow(encoder.network, folder)
    return encoder


if __name__ == "__main__":
    command(run)

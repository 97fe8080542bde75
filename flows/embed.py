"""`crossbias embed`: what word vectors or an encoder hold of bias, before and after debiasers, without a pipeline, DVC or Git."""

import argparse
import os
import sys
import tempfile
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from flows import embed_report
from flows.arguments import commas, whole
from stages import debias, probe
from stages.contract.bad_input import BadInput
from stages.contract.command import HUB
from stages.contract.params import Model, fill
from stages.contract.shelf import ROOT, items
from stages.models import pretrained, vectors
from stages.probes import word_sets

ENUMERATION = "enumeration"
TESTS = ("weat", "association", "clusters", "seat", ENUMERATION)


@dataclass(frozen=True)
class Options:
    """What is audited, and how; the command's options have the same names."""

    file: Path
    words: Path | None = None
    vocabulary: int = 50_000
    tests: tuple[str, ...] = TESTS
    debias: tuple[str, ...] = ()
    word_sets: Path = ROOT / "probes" / "words"
    names: str = "first_names"
    groups: int = 12
    categories: int = 64
    rotations: int = 10_000
    uncensored: bool = False
    seed: int = 6
    threads: int = 1
    out: Path | None = None


def main(arguments: Sequence[str] | None = None, program: str = "crossbias embed") -> int:
    """Exit code 0: done; 2: bad input, in one sentence, and nothing written."""
    given: dict[str, Any] = vars(_parser(program).parse_args(arguments))
    debug = given.pop("debug")
    options = Options(**given)
    os.environ |= HUB | os.environ
    try:
        folder = embed_report.folder_of(options.file, options.out)
        embed_report.publish(embed(options), options.file, folder)
    except (BadInput, OSError) as error:
        if debug:
            traceback.print_exc()
        print(f"embed: {error}", file=sys.stderr)
        return 2
    return 0


def embed(options: Options) -> embed_report.Audit:
    """Probe the vectors as they are and after each debiaser, which sees the same words. BadInput: see ``vectors.read`` and the stages."""
    params = _params(options)
    uses = list(dict.fromkeys(_debiaser(given) for given in options.debias))
    weights = _located(options)
    with tempfile.TemporaryDirectory(prefix="crossbias_embed_") as temporary:
        folder, source, note = Path(temporary), weights.path, "an encoder"
        if weights.kind == "vectors":
            source = folder / embed_report.AS_GIVEN
            note = _read(weights.files, options, source)
        for use in uses:  # before anything is probed, which takes longer, as a debiaser may refuse the vectors
            print(f"{use}:", flush=True)
            debias.run(_model(source, use), debias.Params(seed=options.seed, threads=options.threads), folder / use)
        given = {embed_report.AS_GIVEN: ("identity", source)} | {use: (use, folder / use) for use in uses}
        found = {name: probe.run(_model(source, use), base, params, folder / "kept") for name, (use, base) in given.items()}
    named = ([_named(model, table) for table in tables] for model, tables in found.items())
    probes, associations, names = (pa.concat_tables(tables, promote_options="permissive") for tables in zip(*named, strict=True))
    return embed_report.Audit(probes, associations, names, note, params)


def _params(options: Options) -> probe.Params:
    unknown = sorted(set(options.tests) - set(TESTS))
    if unknown:
        raise BadInput(f"--tests: {unknown[0]!r} is no probe of this command; there are {', '.join(TESTS)}.")
    settings: dict[str, Any] = {name: getattr(options, name) for name in ("names", "groups", "categories", "rotations")}
    settings |= {"included": ENUMERATION in options.tests, "censored": not options.uncensored}
    tests = [{"use": name} for name in options.tests if name != ENUMERATION]
    chosen = {"seed": options.seed, "threads": options.threads, "words": str(options.word_sets), "tests": tests, ENUMERATION: settings}
    return fill(probe.Params, chosen, "embed")


def _debiaser(given: str) -> str:
    """The debiaser whose name this is, or the only one whose name begins with it."""
    names = [name for name in items("debiasers") if name != "identity"]
    found = [name for name in names if name == given] or [name for name in names if given and name.startswith(given)]
    if len(found) != 1:
        raise BadInput(f"--debias: {given!r} names {'no' if not found else 'more than one'} debiaser; there are {', '.join(names)}.")
    return found[0]


def _located(options: Options) -> pretrained.Weights:
    file = options.file
    if (file.suffix.lower() == ".npy") != (options.words is not None):
        raise BadInput(f"{file}: --words FILE, one word a line, belongs to an .npy matrix and to nothing else.")
    if options.words is None:
        found = pretrained.locate(str(file))
    else:
        missing = [path for path in (file, options.words) if not path.is_file()]
        if missing:
            raise BadInput(f"{missing[0]} is no file; name the matrix and the list of its words.")
        found = pretrained.Weights("vectors", file, (file, options.words))
    if found.kind == "text":
        raise BadInput(f"{file} is plain text without weights, so there is nothing to probe.")
    return found


def _read(files: tuple[Path, ...], options: Options, output: Path) -> str:
    """Keep the most frequent words and all that probes and debiasers ask for in ``output``; what was kept, in words."""
    sets, asked = word_sets.read(options.word_sets), debias.read_probed(options.word_sets)
    listed = {word for rows in debias.read_lexicons(debias.LEXICONS).values() for row in rows for word in row}
    found = vectors.read(files, options.vocabulary, asked | listed)
    if not asked & set(found.words):
        first = ", ".join(map(repr, found.words[:3]))
        raise BadInput(f"{files[0]} has none of the {len(sets.of(sets.sets))} words of the probes, which are English (it begins {first}).")
    broken = int((~np.isfinite(found.matrix).all(axis=1)).sum())
    if broken:
        raise BadInput(f"{files[0]}: {broken:,} of {len(found.words):,} vectors hold a value that is not finite; remove their words.")
    vectors.save(found, output)
    return f"{len(found.words):,} words of {found.matrix.shape[1]} dimensions: the {options.vocabulary:,} first and those asked for"


def _model(source: Path, use: str) -> Model:
    """A design's model without what would be fitted on it."""
    return Model.model_validate({"base": {"source": str(source)}, "debiaser": {"use": use}, "family": {"use": "none"}})


def _named(model: str, table: pa.Table) -> pa.Table:
    return table.add_column(0, "model", pa.array([model] * table.num_rows, pa.string()))


def _parser(program: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=program, description="Audit word vectors or an encoder, before and after debiasers.")
    add = parser.add_argument
    add("file", type=Path, metavar="VECTORS", help="GloVe or word2vec text, .vec, .bin of word2vec, .npy, an encoder's folder, or a pin")
    add("--words", type=Path, help="the words of an .npy matrix, one a line (or .parquet)")
    add("--vocabulary", type=whole, default=50_000, help="keep so many words, the first (most frequent) ones (default 50000)")
    add("--tests", type=commas, default=TESTS, help=f"with commas (default {','.join(TESTS)}; seat is for encoders)")
    add("--debias", type=commas, default=(), help="debiasers to compare with, with commas: hard,leace,...; the start of a name is enough")
    add("--word-sets", type=Path, default=ROOT / "probes" / "words", help="the folder of word sets (default: those of the benchmark)")
    add("--names", default="first_names", help="the table of names of the enumeration (default first_names)")
    add("--groups", type=whole, default=12, help="of names (default 12)")
    add("--categories", type=whole, default=64, help="of words (default 64)")
    add("--rotations", type=whole, default=10_000, help="of the enumeration's null (default 10000)")
    add("--uncensored", action="store_true", help="show slurs and obscene words whole")
    add("--seed", type=int, default=6)
    add("--threads", type=whole, default=1)
    add("--out", type=Path, help="the folder to write (default: VECTORS' name with _audit, in the current folder)")
    add("--debug", action="store_true", help="show the traceback of an error")
    return parser


if __name__ == "__main__":
    sys.exit(main())

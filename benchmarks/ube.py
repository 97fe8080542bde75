"""The enumeration's null: a rotation beside one matrix product, a full rotation and a plain loop; WEAT; GloVe whole; the null's errors.

``python -m benchmarks.ube``: processor time of one thread for 30,000 words of 300 dimensions and 12 groups of names; the p-value of a
WEAT beside WEFE's, where that is installed (it asks for an older NumPy and works with ours: ``pip install --no-deps wefe
semantic_version``); then the whole enumeration of GloVe 6B 50d with 10,000 rotations on two threads. ``--null 40`` turns GloVe's words
at random so many times and counts how many p-values are small.
"""

import argparse
import dataclasses
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from stages.models import pretrained, vectors
from stages.probes import enumeration, name_tables, partitions, rotations, spaces, weat
from stages.probes.frequent_words import Categories, by_category
from stages.probes.spaces import unit

ROOT = Path(__file__).parents[1]
WORDS, GROUPS, CATEGORIES, DIMENSIONS, EACH = 30_000, 12, 64, 300, 3


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ube", description=__doc__)
    parser.add_argument("--rotations", type=int, default=10_000, help="of the whole enumeration")
    parser.add_argument("--repeat", type=int, default=3, help="the least of so many times is taken")
    parser.add_argument("--null", type=int, default=0, help="random turns of GloVe's words, looked at instead of all else")
    parser.add_argument("--nearest", choices=("euclid", "inner_product"), default="euclid", help="with --null")
    options = parser.parse_args(arguments)
    if options.null:
        print(of_null(options.null, enumeration.Enumeration(rotations=199, nearest=options.nearest)))
        return
    for row in [*of_one(options.repeat), of_weat(options.repeat), *(of_all(options.rotations) if options.rotations else [])]:
        print(" | ".join(row.values()), flush=True)


def measure() -> list[dict[str, str]]:
    """Rows of what, ours, theirs, ratio, note."""
    return [*of_one(3), of_weat(3), *of_all(10_000)]


def of_one(repeat: int) -> list[dict[str, str]]:
    """One rotation: ours beside a product, a full rotation and a plain one, all of one run on one thread."""
    rng = np.random.default_rng(0)
    centres = np.stack([unit(rng.normal(size=(300, DIMENSIONS)) + rng.normal(size=DIMENSIONS)).mean(axis=0) for _ in range(GROUPS)])
    listed = [f"w{row}" for row in range(WORDS)]
    categories = by_category(listed, unit(rng.normal(size=(WORDS, DIMENSIONS))), rng.integers(CATEGORIES, size=WORDS))
    rows, _ = rotations.chosen(centres, categories, EACH, "euclid")
    sigma, _ = rotations.scores(centres, categories, rows)
    number = 4 * rotations.AT_ONCE
    with threadpool_limits(1):
        product = _least(repeat, lambda: categories.rows @ centres.T)
        full = _least(repeat, lambda: _full(centres, categories))
        plain = _least(repeat, lambda: _plain(centres, categories))
        ours = _least(repeat, lambda: rotations.p_values(sigma, centres, categories, EACH, "euclid", number, 1)) / number
    what = f"one rotation, {WORDS} words x {DIMENSIONS}, {GROUPS} groups"
    others = {"one product W @ C.T": product, "all dimensions turned": full, "a frame, plain selection": plain}
    return [
        {"what": what, "ours": f"{ours * 1000:.1f} ms", "theirs": f"{other * 1000:.1f} ms", "ratio": f"{other / ours:.1f}x", "note": name}
        for name, other in others.items()
    ]


def of_weat(repeat: int) -> dict[str, str]:
    """The p-value of 8 + 8 targets and 8 + 8 attributes: of all 12,870 partitions, beside WEFE's of 10,000 draws, from 100."""
    named = {part: [f"{part}{row}" for row in range(8)] for part in "xyab"}
    rows = dict(zip(named, np.random.default_rng(0).normal(size=(4, 8, DIMENSIONS)), strict=True))

    def exact() -> float:
        x, y = (weat.associations(rows[part], rows["a"], rows["b"]) for part in "xy")
        return partitions.p_value(x, y, 0, 0)

    with threadpool_limits(1):
        ours = _least(100 * repeat, exact)
        what, told = "WEAT's p-value, 8 + 8 targets, 300 dimensions", f"{ours * 1000:.2f} ms"
        try:
            from gensim.models import KeyedVectors
            from wefe.metrics import WEAT  # type: ignore[import-not-found]
            from wefe.query import Query  # type: ignore[import-not-found]
            from wefe.word_embedding_model import WordEmbeddingModel  # type: ignore[import-not-found]
        except ImportError as error:
            return {"what": what, "ours": told, "theirs": "none", "ratio": "-", "note": f"WEFE cannot be asked: {error}"}
        held = KeyedVectors(DIMENSIONS)
        held.add_vectors([word for words in named.values() for word in words], np.concatenate(list(rows.values())))
        query, model = Query([named["x"], named["y"]], [named["a"], named["b"]]), WordEmbeddingModel(held)
        theirs = 100 * _least(repeat, lambda: WEAT().run_query(query, model, calculate_p_value=True, p_value_iterations=100))
    note = "WEFE draws 10,000 samples, of targets with replacement"
    return {"what": what, "ours": told, "theirs": f"{theirs * 1000:.0f} ms (WEFE)", "ratio": f"{theirs / ours:,.0f}x", "note": note}


def of_all(number: int) -> list[dict[str, str]]:
    """The whole enumeration of GloVe 6B 50d, cut at 50,000 words, on two threads."""
    settings, space = enumeration.Enumeration(rotations=number), _glove()
    started, worked = time.perf_counter(), time.process_time()
    with threadpool_limits(2):
        material = _material(space, settings)
        before = time.perf_counter() - started
        found = enumeration.enumerated(material, settings, 6, threads=2)
    whole, work = time.perf_counter() - started, time.process_time() - worked
    leaning = f"{int((found.q <= settings.alpha).sum())} of {int(np.isfinite(found.p).sum())} cells significant"
    note = f"{work:.1f} s of the processor, {before:.1f} s to group; {leaning}"
    return [{"what": f"GloVe 6B 50d, {number} rotations", "ours": f"{whole:.1f} s", "theirs": "", "ratio": "", "note": note}]


def of_null(turns: int, settings: enumeration.Enumeration) -> str:
    """A line of cells tested and of shares of p-values at most 0.01, 0.05, 0.1 and 0.2, with their standard errors over turns."""
    material, levels = _material(_glove(), settings), np.array([0.01, 0.05, 0.1, 0.2])
    hits, tested = np.zeros((turns, 4)), np.zeros(turns)
    for turn in range(turns):
        matrix = stats.ortho_group.rvs(material.centres.shape[1], random_state=np.random.default_rng([8, turn]))
        held = material.categories
        words = Categories(held.words, held.rows @ matrix, held.lengths)
        found = enumeration.enumerated(dataclasses.replace(material, categories=words), settings, turn)
        p = found.p[np.isfinite(found.p)]
        hits[turn], tested[turn] = (p[:, None] <= levels).sum(axis=0), len(p)
    shares = hits.sum(axis=0) / tested.sum()
    errors = np.std(hits - shares * tested[:, None], axis=0) * np.sqrt(turns) / tested.sum()
    figures = (f"{share:.3f} ({error:.3f})" for share, error in zip(shares, errors, strict=True))
    return " | ".join([settings.nearest, f"{tested.mean():.0f}", *figures])


def _glove() -> spaces.Space:
    held = vectors.read(pretrained.locate(str(ROOT / "stages" / "pretrained" / "glove_6b_50d.yaml")).files, 50_000, ())
    return spaces.static(held.words, held.matrix)


def _material(space: spaces.Space, settings: enumeration.Enumeration) -> enumeration.Material:
    names = name_tables.read(settings.names, settings.fewest)
    material = enumeration.gather(space, space, space.frequent, names, settings, seed=6)
    assert isinstance(material, enumeration.Material)
    return material


def _full(centres: Any, categories: Categories) -> Any:
    """As the null is defined: a Haar matrix turns all words, then words are chosen and scored."""
    matrix = stats.ortho_group.rvs(DIMENSIONS, random_state=np.random.default_rng(1))
    turned = Categories(categories.words, categories.rows @ matrix, categories.lengths)
    return rotations.scores(centres, turned, rotations.chosen(centres, turned, EACH, "euclid")[0])


def _plain(centres: Any, categories: Categories) -> Any:
    """A random frame for the groups' means, then words are chosen and scored as they are for the names as they lie."""
    turned = rotations.rotated(centres, 1, range(1))[0]
    return rotations.scores(turned, categories, rotations.chosen(turned, categories, EACH, "euclid")[0])


def _least(repeat: int, work: Callable[[], Any]) -> float:
    """Processor seconds of one thread, which other work on the machine changes less than the clock."""
    taken = []
    for _ in range(repeat):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return min(taken)


if __name__ == "__main__":
    main(sys.argv[1:])

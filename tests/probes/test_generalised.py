"""g of any number of groups has the algebra of its paper, and is WEAT's S for two of one size."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.probes import generalised, weat
from stages.probes.spaces import Vectors, unit

EXACT = {"rel": 1e-12, "abs": 1e-12}
SEEDS = st.integers(0, 10_000)


def drawn(seed: int, *lengths: int, width: int = 6) -> list[Vectors]:
    rng = np.random.default_rng(seed)
    return [unit(rng.normal(size=(length, width))) for length in lengths]


@given(SEEDS, st.integers(1, 7), st.integers(1, 7), st.integers(1, 7))
def test_lemma_1_of_two_groups_of_one_size_it_is_weat(seed, names, first, second):
    x, y, a, b, words = drawn(seed, names, names, first, second, 11)
    s = weat.statistic(weat.associations(x, a, b), weat.associations(y, a, b))
    assert 2 * names * generalised.g([x, y], [a, b], np.concatenate([x, y]), words) == pytest.approx(s, **EXACT)


@given(SEEDS, st.integers(1, 9), st.integers(1, 9))
def test_lemma_2_of_one_group_it_is_that_against_all_and_against_the_rest(seed, names, words):
    all_names, all_words = drawn(seed, 10, 10)
    alone = generalised.g([all_names[:names]], [all_words[:words]], all_names, all_words)
    against_all = generalised.g([all_names[:names], all_names], [all_words[:words], all_words], all_names, all_words)
    rest = generalised.g([all_names[:names], all_names[names:]], [all_words[:words], all_words[words:]], all_names, all_words)
    assert alone == pytest.approx(2 * against_all, **EXACT)
    assert alone == pytest.approx(2 * (10 - names) / 10 * (10 - words) / 10 * rest, **EXACT)


@given(SEEDS, st.lists(st.integers(1, 5), min_size=2, max_size=5))
def test_lemma_3_it_is_the_groups_alone_less_what_they_have_in_common(seed, lengths):
    names, words = drawn(seed, *lengths), drawn(seed + 1, *lengths)
    all_names, all_words = drawn(seed + 2, 9, 9)
    each = [[generalised.g([x], [a], all_names, all_words) for a in words] for x in names]
    whole = np.trace(each) - np.sum(each) / len(lengths)
    assert generalised.g(names, words, all_names, all_words) == pytest.approx(whole, **EXACT)
    assert generalised.g(names, words, all_names, -all_words) == pytest.approx(whole, **EXACT), "the mean of all words cancels"


def test_weat_6_of_glove_840b(shared):
    """g = S / 16 of the eight and eight names, S as published with the vectors."""
    import json

    lists = json.loads((shared / "data" / "weat" / "WEAT.json").read_text(encoding="utf-8"))
    rows = (line.split(" ") for line in (shared / "data" / "weat" / "glove840b_items_457x300.txt").read_text(encoding="utf-8").splitlines())
    held = {word: np.array(values, dtype=float) for word, *values in rows if len(values) == 300}
    sets = [unit(np.stack([held[word] for word in lists[name]])) for name in ("male_names", "female_names", "career", "family")]
    x, y, a, b = sets
    assert generalised.g([x, y], [a, b], x, a) == pytest.approx(1.26698 / 16, abs=5e-7)


@given(SEEDS, st.integers(2, 4), st.integers(2, 5))
def test_fourtuples_are_those_of_equation_1(seed, groups, categories):
    rng = np.random.default_rng(seed)
    words, significant = rng.normal(size=(groups, categories, 3)), rng.random((groups, categories)) < 0.7
    found = [
        (words[i, j] - words[other, j]) @ (words[i, k] - words[other, k]) > 0
        for i in range(groups)
        for other in range(i + 1, groups)
        for j in range(categories)
        for k in range(j + 1, categories)
        if significant[[i, i, other, other], [j, k, j, k]].all()
    ]
    assert generalised.fourtuples(words, significant) == (len(found), sum(found))

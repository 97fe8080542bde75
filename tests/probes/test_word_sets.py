"""Word sets: those that ship are sound, and a mistake in one is one sentence."""

from pathlib import Path

import pytest

from stages.contract.bad_input import BadInput
from stages.probes import word_sets
from tests.conftest import ROOT

GOOD = "sets: {p: [a, b], q: [c, d], r: [e], s: [f]}\ntests: {t: {x: p, y: q, a: r, b: s}}\n"


def read(folder: Path, **files: str) -> word_sets.WordSets:
    for name, content in files.items():
        (folder / f"{name}.yaml").write_text(content, encoding="utf-8")
    return word_sets.read(folder)


def test_the_shipped_sets_are_sound():
    held = word_sets.read(ROOT / "stages" / "probes" / "words")
    assert [name for name in held.tests if name.startswith("weat_")] == [f"weat_{number}" for number in range(1, 11)]
    assert set(held.groups) == {"gender", "religion", "ethnicity", "names"}
    used = {name for test in held.tests.values() for name in test.model_dump().values()}
    used |= {name for group in held.groups.values() for name in (*group.of, *group.neutral)}
    assert used == set(held.sets)
    assert len(held.of(["traits", "occupations"])) == len(held.sets["traits"]) + len(held.sets["occupations"])


def test_files_of_a_folder_share_their_sets(tmp_path):
    held = read(tmp_path, one=GOOD, two="tests: {again: {x: q, y: p, a: r, b: s}}\n")
    assert set(held.tests) == {"t", "again"}
    assert held.of(["p", "q", "p"]) == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("sets: {p: [a, b, A]}", "'p' names a word twice"),
        ("sets: {p: [a, ' b']}", "begins or ends with a space"),
        ("sets: {p: [yes]}", "Input should be a valid string"),
        (GOOD.replace("y: q", "y: nowhere"), "test t names 'nowhere', which is no set"),
        (GOOD.replace("[c, d]", "[c, A]"), r"test t: p and q share 1 words \('a'\)"),
        (GOOD.replace("[e]", "[d]"), "q and r share 1 words"),
        (GOOD + "groups: {g: {of: [p, r], neutral: [q], paired: true}}", "groups g are said to be paired"),
        (GOOD + "groups: {g: {of: [p, q], neutral: [p]}}", r"groups g: p and p share 2 words"),
        ("set: {}", "'set' is not a known key; did you mean 'sets'"),
        ("sets: [", "is not valid YAML"),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path, content, sentence):
    with pytest.raises(BadInput, match=sentence):
        read(tmp_path, broken=content)


def test_no_files_and_names_given_twice(tmp_path):
    with pytest.raises(BadInput, match="holds no word sets"):
        read(tmp_path)
    with pytest.raises(BadInput, match="'p' stands among the sets of another file too"):
        read(tmp_path, one=GOOD, two="sets: {p: [z]}")

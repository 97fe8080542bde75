"""A corpus that cannot be used is refused in one sentence that names the file, the key and how many."""

import copy

import pytest

from stages.challenges.eec import Params, load
from stages.contract.bad_input import BadInput
from tests.challenges.corpora import MADE_UP, shelf, written


def put(*keys_and_value):
    """A change of the corpus: the value at the end of a path of keys."""
    *keys, last, value = keys_and_value

    def change(corpus):
        for key in keys:
            corpus = corpus[key]
        corpus[last] = value

    return change


STATE = ("emotions", "state")
PEOPLE = ("people", 1, "persons")
MISTAKES = {
    "unfilled slot": (put("templates", "gave", "mi da {persona}"), "templates.gave: .*nothing fills the slot 'persona'"),
    "stray brace": (put("templates", "gave", "mi da {person.dative"), "templates.gave: .*a brace opens or closes no slot"),
    "nobody": (put("templates", "gave", "mi da"), "templates.gave: .*has no slot {person}"),
    "unused slot": (put("agreement", "was", "tu"), "1 of 4 slots stand in no template: was"),
    "shared name": (put("agreement", "state", "tu"), "2 slots are called 'state'"),
    "two emotions": (
        lambda c: (put("emotions", "other", {"joy": ["ha"]})(c), put("templates", "gave", "{person.dative} {state} {other}")(c)),
        "templates.gave: .* has 2 emotion slots",
    ),
    "empty word list": (put(*STATE, "fear", []), "emotions.state.fear has length 0"),
    "no emotions": (put("emotions", "state", {}), "emotions.state has 0 emotions"),
    "empty group": (put("attributes", "age", ["old", "young", "ageless"]), "group age: ageless is empty"),
    "no persons": (put(*PEOPLE, []), r"people.1 \(man, moon, one\) holds 0 persons"),
    "one group": (put("attributes", "faith", ["sun"]), r"attributes.faith has 1 value"),
    "taken column": (put("attributes", "template", ["sun", "moon"]), "attributes: 'template' is the name of another column"),
    "unknown value": (put("people", 1, "are", "gender", "male"), "people.1 .*gender: male is none of the declared"),
    "unknown attribute": (put("people", 1, "are", "sex", "man"), "people.1 .*sex: man is none of the declared"),
    "own attribute": (put(*PEOPLE, [{"plain": "b", "dative": "b", "age": "old"}]), "people.1 .*1 person.* with a age of their own"),
    "unknown form asked": (put("templates", "gave", "mi da {person.genitive}"), r"1 unknown form\(s\), first {person.genitive}"),
    "unknown form given": (put("agreement", "is", {"one": "ta", "manny": "tai"}), r"1 form\(s\) of is .*: manny"),
    "missing form": (put("agreement", "is", {"one": "ta"}), "templates.is: {is.number} needs the form 'many' of 'ta'; it has one"),
    "missing trait": (
        put("people", 1, "are", {"gender": "man", "faith": "moon"}),
        "templates.is: {is.number} agrees with a number that 'bor' does not have",
    ),
    "form unsaid": (
        put("templates", "gave", "{person} {person.dative}"),
        "{person} does not say which form of 'olu'; say one of plain, dative",
    ),
    "duplicates": (put(*STATE, "fear", ["kri", "miu"]), "4 of 20 sentences repeat another one, first 'Ana ta miu'"),
    "a name twice": (put("people", 0, "persons", ["ana", "ana"]), "4 of 16 sentences repeat another one, first 'Ana ta laha'"),
    "no pattern": (put("rewrites", [["(", ""]]), r"rewrites.0: '\(' -> '' cannot be used"),
    "no group to put back": (put("rewrites", [["a", "\\1"]]), "rewrites.0: .*invalid group reference"),
    "misspelt key": (lambda c: c.update(rewrite=[]), "'rewrite' is not a known key; did you mean 'rewrites'"),
    "a word YAML takes for a truth": (put(*STATE, "fear", [False]), "emotions.state.fear"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_mistake_is_one_sentence(tmp_path, mistake):
    change, sentence = MISTAKES[mistake]
    corpus = copy.deepcopy(MADE_UP)
    change(corpus)
    with pytest.raises(BadInput, match=sentence) as refused:
        written(tmp_path, corpus)
    assert str(refused.value).startswith(str(tmp_path / "corpus.yaml"))
    assert "\n" not in str(refused.value)


def test_files_that_hold_no_corpus(tmp_path):
    with pytest.raises(BadInput, match="is missing"):
        load(tmp_path / "absent.yaml", Params())
    (tmp_path / "broken.yaml").write_text("lang: [", encoding="utf-8")
    with pytest.raises(BadInput, match="is not valid YAML"):
        load(tmp_path / "broken.yaml", Params())
    (tmp_path / "empty.yaml").write_text("", encoding="utf-8")
    with pytest.raises(BadInput, match="must hold keys and their values, and it is None"):
        load(tmp_path / "empty.yaml", Params())


def test_a_corpus_of_ours_takes_no_options():
    with pytest.raises(BadInput, match="says its language and attributes itself; remove lang"):
        load(shelf()["en_black_white"], Params(lang="en"))

"""Labelled identity corpora: modifiers before every person, a label for every template, and grammar that fits."""

import copy

import pytest

from stages.challenges.eec import Params, load
from stages.contract.bad_input import BadInput
from tests.challenges.corpora import FOLDER, MADE_UP, sentences, written

LABELLED = {
    **copy.deepcopy(MADE_UP),
    "modifiers": {"faith": {"sun": "sol", "moon": "lun"}, "age": {"old": "ur", "young": "ni"}},
    "together": 2,
    "favourable": {"is": True, "gave": False},
}


def test_modifiers_stand_before_the_person_on_attributes_left_open(tmp_path):
    """ana and olu are old and of the sun, bor of the moon, wei young: 2 + (1 + 2) + (1 + 2) persons."""
    found = written(tmp_path, LABELLED)
    gave = found[found["template"] == "gave"]
    assert gave["text"].tolist() == [
        *("Mi d'ana", "Mi d'olur", "Mi da boror", "Mi d'ur boror", "Mi da ni boror", "Mi d'eir", "Mi da sol eir", "Mi da lun eir")
    ]
    assert gave["faith"].fillna("").tolist()[2:] == ["moon", "moon", "moon", "", "sun", "moon"]
    assert gave["person"].tolist()[-1] == "lun wei"
    assert set(found.groupby("template")["favourable"].unique().map(tuple)) == {(True,), (False,)}


def test_how_many_stand_together_is_the_designs_choice():
    one, two = (load(FOLDER / "en_identities.yaml", Params(together=number)).to_pandas() for number in (1, 2))
    # 5 nouns x 16 templates x (none, 17 words alone, (17^2 - sum of squares) / 2 pairs of two attributes)
    assert len(one) == 5 * 16 * 18
    assert len(two) == 5 * 16 * (18 + (17**2 - (2**2 + 3**2 + 3**2 + 4**2 + 5**2)) // 2)


@pytest.mark.parametrize("name", ["en_identities", "en_trust_identities"])
def test_each_group_has_as_many_sentences_of_both_labels_and_articles_fit(name):
    found = sentences(name)
    assert found["text"].nunique() == len(found)
    assert found["favourable"].mean() == 0.5
    attributes = list(found.columns[found.columns.get_loc("favourable") + 1 :])
    for attribute in attributes:
        assert found.groupby(attribute)["favourable"].mean().eq(0.5).all()
        assert found[attribute].value_counts().nunique() <= 2  # gender stands alone as well
    assert not found["text"].str.contains(r"\b[Aa] [aeiouAEIOU]|\b[Aa]n [^aeiouAEIOU]|[{}]|  ").any()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"favourable": {"is": True}}, "1 of 2 templates have no label, first 'gave'"),
        ({"favourable": {"is": True, "gave": True, "sang": False}}, r"1 label\(s\) of templates that are not there, first 'sang'"),
        ({"modifiers": {"faith": {"stars": "stel"}}}, "modifiers.faith: stars is none of the declared attributes"),
        ({"modifiers": {"faith": {"sun": " "}}}, "modifiers.faith.sun is empty"),
    ],
)
def test_mistakes_are_told(tmp_path, change, said):
    with pytest.raises(BadInput, match=said):
        written(tmp_path, LABELLED | change)


def test_together_is_no_option_of_a_released_file(tmp_path):
    with pytest.raises(BadInput, match="remove together"):
        load(tmp_path / "released.csv", Params(together=1))


def test_a_part_of_a_corpus_is_the_sentences_about_the_emotions_chosen():
    corpus = FOLDER / "en_black_white.yaml"
    everything, chosen = load(corpus, Params()).to_pandas(), load(corpus, Params(emotions=["anger"])).to_pandas()
    assert (len(everything), len(chosen)) == (8640, 2100)
    assert chosen.equals(everything[everything["emotion"] == "anger"].reset_index(drop=True))
    with pytest.raises(BadInput, match="no sentence about 'envy'; it has anger, fear, joy, sadness"):
        load(corpus, Params(emotions=["envy"]))

"""One data file is a language or an identity axis: agreement, case, elision, contraction and harmony need no code."""

import copy

import pytest
import yaml

from tests.challenges.corpora import MADE_UP, shelf, written
from tests.conftest import ROOT


def test_a_made_up_language_is_one_data_file(tmp_path):
    table = written(tmp_path, MADE_UP)
    assert table["text"].tolist() == [
        *("Ana ta laha", "Ana ta miu", "Ana ta kri"),
        *("Olu ta laha", "Olu ta miu", "Olu ta kri"),
        *("Bor ta laho", "Bor ta miu", "Bor ta kri"),
        *("Wei tai lahi", "Wei tai miu", "Wei tai kri"),
        *("Mi d'ana", "Mi d'olur", "Mi da boror", "Mi d'eir"),
    ]
    assert list(table.columns[-3:]) == ["gender", "faith", "age"]
    wei = table[table["person"] == "wei"].iloc[0]
    assert (wei["gender"], wei["age"], wei["lang"], wei["emotion"], wei["emotion_word"]) == ("neither", "young", "xx", "joy", "laha")
    assert wei.isna().tolist() == [name in ("faith", "favourable") for name in table.columns]
    assert table.loc[table["template"] == "gave", ["emotion", "emotion_word"]].isna().all(axis=None)


def test_the_example_of_the_documentation_is_a_corpus(tmp_path):
    example = (ROOT / "docs" / "eec.md").read_text(encoding="utf-8").split("```yaml")[1].split("```")[0]
    texts = written(tmp_path, yaml.safe_load(example))["text"].tolist()
    assert len(texts) == 4 * 3 + 4
    assert {"Bor ta laho", "Wei tai lahe", "Mi d'Olur"} <= set(texts)


def test_a_persons_own_feature_overrides_its_entrys(tmp_path):
    corpus = copy.deepcopy(MADE_UP)
    corpus["people"][0]["persons"].append({"plain": "anai", "dative": "anair", "number": "many"})
    assert "Anai tai lahi" in written(tmp_path, corpus)["text"].tolist()


def test_identifiers_stay_when_people_words_and_templates_come(tmp_path):
    before = written(tmp_path, MADE_UP).set_index("sentence_id")["text"]
    corpus = copy.deepcopy(MADE_UP)
    corpus["people"].insert(0, {"are": {"gender": "man", "faith": "sun", "age": "young", "number": "one"}, "persons": ["ibo"]})
    corpus["emotions"]["state"] = {"anger": ["grr"]} | corpus["emotions"]["state"]
    corpus["templates"] = {"saw": "{person.plain} lu"} | corpus["templates"]
    after = written(tmp_path, corpus).set_index("sentence_id")["text"]
    assert len(after) == 5 * 4 + 5 + 5
    assert after[before.index].equals(before)


@pytest.mark.parametrize(
    ("people", "template", "rewrites", "expected"),
    [
        pytest.param(
            ["Anne", "Marie"], "je pense que {person} rit", [["\\bque (?=[AEIOUYH])", "qu'"]], ["qu'Anne rit", "que Marie rit"], id="fr"
        ),
        pytest.param(
            [{"nominative": "diese Frau", "dative": "dieser Frau"}, {"nominative": "der Mann", "dative": "dem Mann"}],
            "Ich war bei {person.dative}, {person.nominative} lachte",
            [["\\bbei dem\\b", "beim"]],
            ["bei dieser Frau, diese Frau lachte", "beim Mann, der Mann lachte"],
            id="de",
        ),
        pytest.param(
            ["Elif", "Ayşe", "Can", "Umut"],
            "Yarın {person}'(y)I göreceğim",
            [
                ["(?<=[aeıioöuü])'\\(y\\)I", "'yI"],
                ["'\\(y\\)I", "'I"],
                ["([aı][^aeıioöuü' ]*'y?)I", "\\1ı"],
                ["([ei][^aeıioöuü' ]*'y?)I", "\\1i"],
                ["([ou][^aeıioöuü' ]*'y?)I", "\\1u"],
                ["([öü][^aeıioöuü' ]*'y?)I", "\\1ü"],
            ],
            ["Elif'i", "Ayşe'yi", "Can'ı", "Umut'u"],
            id="tr",
        ),
    ],
)
def test_rules_of_other_languages(tmp_path, people, template, rewrites, expected):
    corpus = {
        "about": "Two people.",
        "lang": "xx",
        "attributes": {"side": ["one", "other"]},
        "people": [{"are": {"side": "one"}, "persons": people[:1]}, {"are": {"side": "other"}, "persons": people[1:]}],
        "templates": {"only": template},
        "rewrites": rewrites,
    }
    texts = written(tmp_path, corpus)["text"].tolist()
    assert all(part in text for part, text in zip(expected, texts, strict=True)), texts


def test_a_spanish_article_contracts_and_the_pronoun_does_not(tmp_path):
    corpus = yaml.safe_load(shelf()["es_anglo_latino"].read_text(encoding="utf-8"))
    corpus["people"][-1]["persons"].append("el profesor")
    corpus["templates"]["house_of"] = "La casa de {person} es grande."
    texts = set(written(tmp_path, corpus)["text"])
    assert {"Yo vi al profesor en el mercado.", "La casa del profesor es grande.", "Yo lo vi a él en el mercado."} <= texts
    assert "La casa de él es grande." in texts

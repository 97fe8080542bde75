"""Named entities become columns by the word lists; without spaCy or a pipeline one sentence says what to install."""

import sys

import pytest

from stages.contract.bad_input import BadInput
from stages.mentions import ner
from stages.mentions.ner import Entity, Params

FOUND = [
    [Entity("NORP", "Muslims"), Entity("NORP", "American"), Entity("PERSON", "Mary Smith")],
    [Entity("NORP", "Catholic"), Entity("NORP", "Democrats"), Entity("ORG", "Sikh Society")],
    [],
]


def test_named_groups_are_mapped_by_the_word_lists(capsys):
    columns = ner.columns(FOUND, Params(attributes=("religion", "nationality", "gender")))
    assert columns == {
        "mentioned_religion_by_entity": ["Muslim people", "Christian people", None],
        "mentioned_nationality_by_entity": ["American people", None, None],
        "mentioned_gender_by_entity": ["women", None, None],
    }
    assert "1 of 4 named groups are in no list" in capsys.readouterr().out


def test_without_spacy_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(BadInput, match=r"needs spaCy: pip install 'crossbias\[ner\]'"):
        ner.mine(["text"], Params())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_pipeline_of_rules_from_a_folder(tmp_path):
    spacy = pytest.importorskip("spacy", reason="the extra ner is not installed")
    pipeline = spacy.blank("en")
    pipeline.to_disk(tmp_path / "nothing")
    ruler = pipeline.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "NORP", "pattern": "Muslims"}, {"label": "PERSON", "pattern": "James"}])
    pipeline.to_disk(tmp_path / "rules")
    columns = ner.mine(["The Muslims met James", "nobody"], Params(pipeline=str(tmp_path / "rules"), attributes=("religion", "gender")))
    assert columns == {"mentioned_religion_by_entity": ["Muslim people", None], "mentioned_gender_by_entity": ["men", None]}
    with pytest.raises(BadInput, match="marks no named entities; it has nothing"):
        ner.load(str(tmp_path / "nothing"))
    with pytest.raises(BadInput, match="spaCy has no pipeline 'no_such_pipeline'"):
        ner.load("no_such_pipeline")

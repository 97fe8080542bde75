"""A challenge of the design becomes its table of sentences."""

import pytest

from stages import challenge
from stages.contract import tables
from stages.contract.bad_input import BadInput
from stages.contract.challenges import Challenge
from stages.contract.params import Challenge as Entry
from tests.conftest import ROOT


def made(**entry):
    return challenge.run(Entry.model_validate(entry), challenge.Params())


def test_a_corpus_file_becomes_a_table_of_sentences():
    found = made(use="eec", source=str(ROOT / "stages" / "challenges" / "corpora" / "en_black_white.yaml"), tasks=["trust"])
    found = tables.check(found, Challenge.__metadata__[0], "sentences")
    assert found.num_rows == 8640
    assert set(found["gender"].to_pylist()) == {"female", "male"}


def test_a_challenge_that_is_none_is_refused(tmp_path):
    with pytest.raises(BadInput, match="eek"):
        made(use="eek", source="nowhere")
    (tmp_path / "empty.yaml").write_text("")
    with pytest.raises(BadInput, match=r"empty\.yaml"):
        made(use="eec", source=str(tmp_path / "empty.yaml"))

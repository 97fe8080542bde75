"""dropout trains on with its own rates, which stay in the training unless they are to be kept."""

import json
import shutil
from pathlib import Path

import pytest

from stages.contract.bad_input import BadInput
from stages.debiasers import dropout
from stages.debiasers.dropout import Params
from tests.debiasers import small

TEXTS = ["ann saw the fish", "bob had the tree", "ann ate the sea", "bob saw the tree"]
QUICK = {"steps": 3, "head_steps": 2, "batch": 2, "accumulation": 1, "block": None}


@pytest.fixture
def trained(tmp_path: Path):
    (tmp_path / "corpus.txt").write_text("\n".join(TEXTS), encoding="utf-8")
    base = small.encoder(tmp_path / "base", TEXTS)

    def train(name: str, **options: object) -> Path:
        folder = tmp_path / name
        shutil.copytree(base, folder)
        dropout.debias_encoder(folder, {}, Params.model_validate(QUICK | {"corpus": str(tmp_path / "corpus.txt")} | options), 1)
        return folder

    return train


def weights(folder: Path) -> bytes:
    return (folder / "model.safetensors").read_bytes()


def test_the_rates_change_what_is_learned_and_the_seed_fixes_it(trained) -> None:
    assert weights(trained("one")) == weights(trained("two"))
    assert weights(trained("none", hidden=0.0, attention=0.0)) != weights(trained("hidden", hidden=0.2, attention=0.0))
    assert weights(trained("attention", hidden=0.0, attention=0.15)) != weights(trained("both"))


def test_the_configuration_keeps_its_own_rates_unless_asked(trained) -> None:
    rates = {"hidden_dropout_prob": 0.2, "attention_probs_dropout_prob": 0.15}
    own = json.loads((trained("one") / "config.json").read_text(encoding="utf-8"))
    assert {name: own[name] for name in rates} == {"hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1}
    assert json.loads((trained("kept", keep=True) / "config.json").read_text(encoding="utf-8")) == own | rates


def test_an_encoder_without_dropout_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "bert"}', encoding="utf-8")
    with pytest.raises(BadInput, match=r"has neither of hidden_dropout_prob and attention_probs_dropout_prob"):
        dropout.debias_encoder(tmp_path, {}, Params(), 1)

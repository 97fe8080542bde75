"""Vectors from an encoder: the right tokens, the right layer, whatever the batch; casing and what it does not know are told."""

import shutil

import numpy as np
import pytest
from safetensors.numpy import save_file

from stages.contract.bad_input import BadInput
from stages.probes import encoded, kept
from tests.debiasers import small


def by_hand(folder, text):
    """Tokens of one text, their places and its last hidden states."""
    import torch

    tokens = small.read_tokenizer(folder)(text, return_tensors="pt", return_offsets_mapping=True)
    places = tokens.pop("offset_mapping")[0].tolist()
    tokens.pop("token_type_ids", None)
    with torch.inference_mode():
        states = small.network(folder)(**tokens).last_hidden_state[0].numpy()
    return places, states


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_a_words_vector_is_the_mean_of_its_own_tokens_in_the_last_layer(kind, encoders):
    encoder, text = encoded.load(encoders[kind]), "we met the nurse in town."
    places, states = by_hand(encoders[kind], text)
    inside = [number for number, (start, end) in enumerate(places) if start < 16 and end > 11 and end > start]
    if kind == "roberta":
        assert len(inside) > 1, "the word must fall into several tokens"
    (found,) = encoder.words([text], [(11, 16)])
    np.testing.assert_allclose(found, states[inside].mean(axis=0), atol=1e-5)
    assert text[11:16] == "nurse"


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_a_sentences_vector(pooling, encoders):
    encoder, text = encoded.load(encoders["bert"]), "this is joy."
    _, states = by_hand(encoders["bert"], text)
    np.testing.assert_allclose(encoder.sentences([text], pooling)[0], states[0] if pooling == "cls" else states.mean(axis=0), atol=1e-5)


def test_what_else_is_in_the_batch_changes_nothing(encoders):
    encoder = encoded.load(encoders["roberta"])
    texts = ["this is joy.", "we met the gentle nurse in town and walked home on monday.", "war"]
    together = encoder.sentences(texts, "mean")
    alone = np.concatenate([encoder.sentences([text], "mean") for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_spaces_are_the_word_alone_and_the_mean_over_templates(encoders):
    encoder = encoded.load(encoders["bert"])
    alone, templates = encoded.spaces(encoder, templates=["this is {}.", "they said {}."])
    assert (alone.name, templates.name) == ("alone", "templates")
    assert "last layer" in alone.pooling
    assert "2 templates" in templates.pooling
    _, states = by_hand(encoders["bert"], "nurse")
    np.testing.assert_allclose(alone.rows(["nurse"])["nurse"], states[1], atol=1e-5)
    each = [by_hand(encoders["bert"], text)[1][3] for text in ("this is nurse.", "they said nurse.")]
    np.testing.assert_allclose(templates.rows(["nurse", "home"])["nurse"], np.mean(each, axis=0), atol=1e-5)


def test_what_an_encoder_said_is_kept_and_is_of_that_encoder(encoders, tmp_path, monkeypatch):
    """The same words are read from the file, to the last bit; other words, weights or a projection are other files."""
    texts, other = ["this is nurse.", "we met the nurse in town."], tmp_path / "other"
    shutil.copytree(encoders["bert"], other)
    save_file({"weight": np.eye(32, dtype=np.float32)}, other / "projection.safetensors", metadata={"format": "pt"})
    first = encoded.load(encoders["bert"], tmp_path / "kept").sentences(texts, "mean")
    np.testing.assert_array_equal(first, encoded.load(encoders["bert"]).sentences(texts, "mean"))
    again, mapped = (encoded.load(folder, tmp_path / "kept") for folder in (encoders["bert"], other))
    for encoder, asked, pooling in ((again, texts[:1], "mean"), (again, texts, "cls"), (mapped, texts, "mean")):
        encoder.sentences(asked, pooling)
    assert len(list((tmp_path / "kept").iterdir())) == 4
    monkeypatch.setattr(again.network, "forward", None)
    np.testing.assert_array_equal(again.sentences(texts, "mean"), first)


def test_more_than_fits_on_a_disk_is_not_kept(encoders, tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "MOST", 63)
    encoder = encoded.load(encoders["bert"], tmp_path / "kept")
    encoder.sentences(["this is nurse.", "that is joy."], "cls")
    assert not (tmp_path / "kept").exists()
    encoder.sentences(["this is nurse."], "cls")
    assert len(list((tmp_path / "kept").iterdir())) == 1


def test_the_listed_words_are_read_with_the_first_and_no_word_twice(encoders, monkeypatch):
    read = []
    rows_of = encoded._rows
    monkeypatch.setattr(encoded, "_rows", lambda encoder, words, templates: read.append(words) or rows_of(encoder, words, templates))
    alone, _ = encoded.spaces(encoded.load(encoders["bert"]), ["joy", "war", "zebra"])
    assert set(alone.rows(["nurse"])) == {"nurse"}
    assert set(alone.rows(["war", "zebra", "nurse", "home"])) == {"war", "nurse", "home"}
    assert read == [["joy", "nurse", "war", "zebra"], ["home"]]


def test_casing_is_recorded_and_is_the_tokenizers(encoders):
    """Known failure: a cased model whose words were lower-cased on the way."""
    lower, cased = (encoded.load(encoders[kind]) for kind in ("bert", "roberta"))
    assert lower.casing == "lower-cased by the tokenizer"
    assert cased.casing == "as written"
    rows = encoded.spaces(lower)[0].rows(["Adam", "adam"])
    np.testing.assert_array_equal(rows["Adam"], rows["adam"])
    rows = encoded.spaces(cased)[0].rows(["Adam", "adam"])
    assert not np.allclose(rows["Adam"], rows["adam"], atol=1e-3)


def test_a_word_the_tokenizer_does_not_know_is_lost(encoders):
    rows = encoded.spaces(encoded.load(encoders["bert"]))[0].rows(["nurse", "zebra"])
    assert set(rows) == {"nurse"}


def test_a_word_beyond_the_last_token_is_lost(encoders):
    encoder = encoded.load(encoders["bert"])
    text = "joy " * 70 + "nurse"
    assert list(encoder.words([text], [(280, 285)])) == [None]


def test_no_encoder_is_one_sentence(tmp_path):
    with pytest.raises(BadInput, match="is no encoder that can be loaded"):
        encoded.load(tmp_path)

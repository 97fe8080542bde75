"""A map beside an encoder follows it wherever the encoder is run: in features, in fine-tuning, in prediction."""

import shutil

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file
from transformers import AutoModel, AutoModelForSequenceClassification

from stages.contract.bad_input import BadInput
from stages.models import encoder as encoders
from stages.models import frozen_encoder, projection, transformer
from tests.models.tiny import encoder, lesson, planted_texts

TEXTS = ["the road home", "trust", "my visit to the doctor"]


@pytest.fixture(scope="module")
def bases(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bases")
    return {kind: encoder(folder / kind, kind) for kind in ("bert", "roberta")}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def random_map(width=32, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(width, width)).astype(np.float32), rng.normal(size=width).astype(np.float32)


def mapped(base, folder, found):
    shutil.copytree(base, folder)
    projection.save(found, folder)
    return folder


def batch(base):
    return transformer.prepare(TEXTS, base, transformer.Params(precision="fp32")).tokens.batch(np.arange(len(TEXTS)))


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_last_states_are_mapped_and_the_pooler_reads_the_mapped_ones(kind, bases, tmp_path):
    weight, bias = random_map()
    base = mapped(bases[kind], tmp_path / "base", (weight, bias))
    plain, network = (encoders.load(AutoModel, folder).eval() for folder in (bases[kind], base))
    with torch.inference_mode():
        before, after = plain(**batch(base)), network(**batch(base))
        expected = before.last_hidden_state @ torch.from_numpy(weight).T + torch.from_numpy(bias)
        torch.testing.assert_close(after.last_hidden_state, expected, atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(after.pooler_output, plain.pooler(expected), atol=1e-4, rtol=1e-4)
        assert not torch.allclose(after.pooler_output, before.pooler_output, atol=1e-2)


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_a_fine_tuned_head_sees_nothing_but_what_the_map_leaves(kind, bases, tmp_path):
    """W = 0 leaves the bias alone, so that every text looks the same to the head, in training and in prediction."""
    base = mapped(bases[kind], tmp_path / "base", (np.zeros((32, 32)), np.ones(32)))
    params = transformer.Params(epochs=2, batch=16, learning_rate=5e-3, precision="fp32", store="fp32")
    texts, favourable = planted_texts(48)
    inputs, work = transformer.prepare(texts, base, params), lesson(favourable)
    tensors, history = transformer.fit(inputs, work, params)
    assert not [name for name in tensors if "projection" in name]
    found = transformer.predict(inputs, tensors, np.arange(48), params)
    assert np.ptp(found) < 1e-6
    free = transformer.predict(transformer.prepare(texts, bases[kind], params), tensors, np.arange(48), params)
    assert np.ptp(free) > 1e-3, "the same weights without the map tell texts apart"
    loss = np.mean(np.logaddexp(0, found[work.validation].astype(float)) - found[work.validation] * favourable[work.validation])
    assert loss == pytest.approx(history["epochs"][history["best_epoch"] - 1]["validation_loss"], abs=1e-5)


def test_training_leaves_the_map_alone_but_passes_through_it(bases, tmp_path):
    found = random_map()
    network = encoders.load(AutoModelForSequenceClassification, mapped(bases["bert"], tmp_path / "base", found), num_labels=1)
    assert not [name for name, _ in network.named_parameters() if "projection" in name]
    network(**batch(tmp_path / "base")).logits.sum().backward()
    assert network.base_model.embeddings.word_embeddings.weight.grad.abs().max() > 0
    np.testing.assert_array_equal(network.base_model.projection_weight.numpy(), found[0])


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_removed_direction_is_gone_from_features_in_any_precision(precision, bases, tmp_path):
    direction = np.random.default_rng(4).normal(size=32)
    direction /= np.linalg.norm(direction)
    base = mapped(bases["bert"], tmp_path / "base", (np.eye(32) - np.outer(direction, direction), np.zeros(32)))
    params = frozen_encoder.Params(precision=precision)
    before, after = (frozen_encoder.prepare(TEXTS, folder, params).features @ direction for folder in (bases["bert"], base))
    assert np.abs(before).max() > 0.1
    assert np.abs(after).max() < 1e-5


def test_features_of_another_map_are_not_read_from_the_cache(bases, tmp_path):
    params = frozen_encoder.Params(precision="fp32")
    folders = [bases["bert"], *(mapped(bases["bert"], tmp_path / str(seed), random_map(seed=seed)) for seed in (1, 2))]
    found = [frozen_encoder.prepare(TEXTS, folder, params).features for folder in folders]
    assert not np.allclose(found[0], found[1])
    assert not np.allclose(found[1], found[2])


def test_what_is_saved_is_read_and_the_same_numbers_give_the_same_bytes(tmp_path):
    weight, bias = random_map()
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        projection.save((weight.astype(np.float64), bias), tmp_path / name)
    assert (tmp_path / "one" / projection.FILE).read_bytes() == (tmp_path / "other" / projection.FILE).read_bytes()
    found = projection.read(tmp_path / "one")
    np.testing.assert_array_equal(found[0], weight)
    np.testing.assert_array_equal(found[1], bias)


@pytest.mark.parametrize(
    ("found", "nothing"),
    [
        (None, True),
        ((np.eye(3), np.zeros(3)), True),
        ((np.eye(3) + 1e-12, np.zeros(3)), False),
        ((np.eye(3), np.array([0, 0, 1e-9])), False),
        ((np.diag([1, 1, 1 - 1e-12]), np.zeros(3)), True),
    ],
)
def test_a_map_that_stores_as_the_identity_changes_nothing(found, nothing, tmp_path):
    if found is not None:
        projection.save(found, tmp_path)
    assert projection.changes_nothing(tmp_path) is nothing


def test_a_map_that_does_not_fit_is_refused_in_a_sentence(bases, tmp_path):
    with pytest.raises(BadInput, match="maps 8 dimensions and the encoder beside it has 32"):
        encoders.load(AutoModel, mapped(bases["bert"], tmp_path / "narrow", random_map(8)))
    (tmp_path / projection.FILE).write_bytes(b"no safetensors")
    with pytest.raises(BadInput, match="not a readable safetensors file"):
        projection.read(tmp_path)
    for tensors in ({"weight": np.ones((2, 3)), "bias": np.ones(3)}, {"weight": np.ones((2, 2))}, {"other": np.ones(2)}):
        save_file(tensors, tmp_path / projection.FILE)
        with pytest.raises(BadInput, match="no square weight with a bias of its width"):
            projection.read(tmp_path)

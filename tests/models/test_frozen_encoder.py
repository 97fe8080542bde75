"""Features are computed once for what they depend on; the head learns from them."""

import shutil

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from stages.contract.bad_input import BadInput
from stages.models import features, frozen_encoder
from stages.models.folds import Lesson
from tests.models.tiny import encoder, lesson, planted_texts, word_vectors

FP32 = frozen_encoder.Params(precision="fp32")


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return encoder(tmp_path_factory.mktemp("base"))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def cached(folder):
    return sorted(path.name for path in (folder / ".cache" / "features").iterdir())


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_features_are_the_encoders_last_states(pooling, base):
    texts = ["the road", "trust", ""]
    found = frozen_encoder.prepare(texts, base, frozen_encoder.Params(pooling=pooling, precision="fp32")).features
    network, tokenizer = AutoModel.from_pretrained(base).eval(), AutoTokenizer.from_pretrained(base)
    for i, text in enumerate(texts):
        with torch.inference_mode():
            states = network(input_ids=torch.tensor([tokenizer(text)["input_ids"]])).last_hidden_state[0]
        expected = states[0] if pooling == "cls" else states.mean(0)
        assert found[i] == pytest.approx(expected.numpy(), abs=1e-5)


def test_a_second_reading_computes_nothing_and_is_equal(base, tmp_path, monkeypatch):
    texts, _ = planted_texts(20)
    first = frozen_encoder.prepare(texts, base, FP32).features
    assert len(cached(tmp_path)) == 1, "the result alone, no half-written file"
    monkeypatch.setattr(features, "compute", lambda *_: pytest.fail("the cache was not read"))
    assert np.array_equal(frozen_encoder.prepare(texts, base, FP32).features, first)


def test_whatever_features_depend_on_has_a_cache_of_its_own(base, tmp_path):
    other = shutil.copytree(base, tmp_path / "other")
    network = AutoModel.from_pretrained(other)
    with torch.no_grad():
        network.embeddings.word_embeddings.weight[5] += 1
    network.save_pretrained(other)
    for texts, folder, changes in (
        (["the road home"], base, {}),
        (["the road homes"], base, {}),
        (["the road home"], other, {}),
        (["the road home"], base, {"pooling": "cls"}),
        (["the road home"], base, {"max_tokens": 3}),
        (["the road home"], base, {"precision": "bf16"}),
    ):
        frozen_encoder.prepare(texts, folder, FP32.model_copy(update=changes))
    assert len(cached(tmp_path)) == 6


def test_bf16_features_stay_close(base):
    texts, _ = planted_texts(20)
    exact, quick = (frozen_encoder.prepare(texts, base, frozen_encoder.Params(precision=p)).features for p in ("fp32", "bf16"))
    cosine = (exact * quick).sum(1) / np.linalg.norm(exact, axis=1) / np.linalg.norm(quick, axis=1)
    assert cosine.min() > 0.999


@pytest.mark.parametrize("kind", ["classification", "regression"])
def test_the_head_learns_a_linear_target_and_repeats_it(kind):
    generator = np.random.default_rng(0)
    inputs = frozen_encoder.Inputs(generator.normal(size=(400, 10)).astype(np.float32), {})
    target = inputs.features @ generator.normal(size=10).astype(np.float32) / 3
    work = lesson(target if kind == "regression" else target > 0, kind)
    tensors, _ = frozen_encoder.fit(inputs, work, FP32)
    found = frozen_encoder.predict(inputs, tensors, work.validation, FP32)
    assert np.corrcoef(found, target[work.validation])[0, 1] > 0.95
    again, _ = frozen_encoder.fit(inputs, work, FP32)
    assert all(torch.equal(tensors[name], again[name]) for name in tensors)


@pytest.mark.parametrize(("optimiser", "method"), [("adam", torch.optim.Adam), ("adamw", torch.optim.AdamW)])
@pytest.mark.parametrize("decay", [False, True])
def test_the_head_is_trained_as_asked(optimiser, method, decay):
    """Two epochs of one batch are two steps of torch's own optimiser on the mean squared error, the second at half the rate if decayed."""
    generator = np.random.default_rng(0)
    inputs = frozen_encoder.Inputs(generator.normal(size=(16, 4)).astype(np.float32), {})
    work = Lesson("regression", generator.normal(size=16).astype(np.float32), np.arange(16), np.arange(0), 5)
    changes = {"epochs": 2, "batch": 16, "hidden": 3, "learning_rate": 0.1, "optimiser": optimiser, "decay": decay}
    tensors, _ = frozen_encoder.fit(inputs, work, FP32.model_copy(update=changes))
    torch.manual_seed(5)
    head = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    stepper = method(head.parameters(), lr=0.1)
    for rate in (0.1, 0.05 if decay else 0.1):
        stepper.param_groups[0]["lr"] = rate
        stepper.zero_grad()
        (head(torch.from_numpy(inputs.features)).squeeze(1) - torch.from_numpy(work.targets)).square().mean().backward()
        stepper.step()
    for name, tensor in head.state_dict().items():
        assert tensors[name].numpy() == pytest.approx(tensor.numpy(), abs=1e-5)


def test_word_vectors_are_no_base_for_it(tmp_path):
    with pytest.raises(BadInput, match="holds word vectors"):
        frozen_encoder.prepare(["a"], word_vectors(tmp_path / "vectors"), FP32)


def test_what_is_prepared_unkept_is_the_same_and_leaves_nothing_in_the_cache(base, tmp_path):
    texts, _ = planted_texts(20)
    with frozen_encoder.unkept():
        first = frozen_encoder.prepare(texts, base, FP32).features
    assert not (tmp_path / ".cache").exists()
    assert np.array_equal(frozen_encoder.prepare(texts, base, FP32).features, first)
    assert len(cached(tmp_path)) == 1

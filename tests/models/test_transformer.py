"""Encoders of two architectures are fine-tuned, stored and read back; batches and processes change nothing."""

import shutil

import numpy as np
import pytest
import torch

from stages.contract.bad_input import BadInput
from stages.debiasers import masked_language
from stages.debiasers.pretraining import Pretraining
from stages.models import encoder as encoders
from stages.models import transformer
from tests.debiasers import small
from tests.models.tiny import encoder, lesson, planted_texts, word_vectors

QUICK = {"epochs": 8, "batch": 16, "learning_rate": 5e-3, "precision": "fp32"}


@pytest.fixture(scope="module")
def bases(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bases")
    return {kind: encoder(folder / kind, kind) for kind in ("bert", "roberta")}


@pytest.mark.parametrize("kind", ["bert", "roberta"])
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_planted_words_are_learned_and_survive_storing(kind, precision, bases):
    params = transformer.Params(**QUICK | {"precision": precision})
    texts, favourable = planted_texts(96)
    inputs, work = transformer.prepare(texts, bases[kind], params), lesson(favourable)
    assert inputs.notes["precision"] == precision
    tensors, history = transformer.fit(inputs, work, params)
    assert {tensor.dtype for tensor in tensors.values()} == {torch.bfloat16}
    found = transformer.predict(inputs, tensors, work.validation, params)
    assert ((found > 0) == favourable[work.validation]).mean() >= 0.9
    assert len(history["epochs"]) == 8


def test_a_roberta_that_learned_masked_words_here_is_fine_tuned_and_read_back(tmp_path):
    texts, favourable = planted_texts(96)
    new, learned = small.encoder(tmp_path / "new", texts, "roberta"), tmp_path / "learned"
    shutil.copytree(new, learned)
    course = {"steps": 60, "head_steps": 10, "batch": 16, "accumulation": 1, "block": None, "learning_rate": 1e-3}
    masked_language.train(learned, texts, Pretraining.model_validate(course), seed=1)
    work, params, fitted = lesson(favourable), transformer.Params(**QUICK), {}
    for base in (new, learned):
        inputs = transformer.prepare(texts, base, params)
        fitted[base.name], _ = transformer.fit(inputs, work, params)
    assert not torch.equal(*(tensors["classifier.dense.weight"] for tensors in fitted.values())), "each from its own base"
    found = transformer.predict(inputs, fitted["learned"], work.validation, params)
    assert ((found > 0) == favourable[work.validation]).mean() >= 0.9


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(bases):
    params = transformer.Params(**QUICK | {"epochs": 1})
    texts, favourable = planted_texts(32)
    inputs = transformer.prepare(texts, bases["bert"], params)
    first, again, other = (transformer.fit(inputs, lesson(favourable, seed=seed), params)[0] for seed in (1, 1, 2))
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["classifier.weight"], other["classifier.weight"])


def test_stored_in_full_the_weights_give_the_validated_loss(bases):
    params = transformer.Params(**QUICK | {"epochs": 2, "store": "fp32"})
    texts, favourable = planted_texts(48)
    inputs, work = transformer.prepare(texts, bases["bert"], params), lesson(favourable)
    tensors, history = transformer.fit(inputs, work, params)
    found = transformer.predict(inputs, tensors, work.validation, params).astype(float)
    loss = np.mean(np.logaddexp(0, found) - found * favourable[work.validation])
    assert loss == pytest.approx(history["epochs"][history["best_epoch"] - 1]["validation_loss"], abs=1e-5)


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_a_text_reads_the_same_alone_and_among_longer_ones(kind, bases):
    params = transformer.Params(**QUICK | {"epochs": 1})
    texts, favourable = planted_texts(32)
    inputs = transformer.prepare([*texts, ""], bases[kind], params)
    tensors, _ = transformer.fit(inputs, lesson(np.append(favourable, True)), params)
    together = transformer.predict(inputs, tensors, np.arange(33), params)
    alone = [transformer.predict(inputs, tensors, np.array([i]), params)[0] for i in range(33)]
    assert together == pytest.approx(np.array(alone), abs=1e-4)


def test_a_regression_recovers_its_target(bases):
    params = transformer.Params(**QUICK)
    texts, favourable = planted_texts(96)
    target = np.where(favourable, 1.0, -1.0)
    inputs, work = transformer.prepare(texts, bases["bert"], params), lesson(target, kind="regression")
    tensors, _ = transformer.fit(inputs, work, params)
    found = transformer.predict(inputs, tensors, work.validation, params)
    assert np.corrcoef(found, target[work.validation])[0, 1] > 0.8


def test_biases_and_layer_norms_do_not_decay(bases):
    from transformers import AutoModelForSequenceClassification

    network = encoders.load(AutoModelForSequenceClassification, bases["roberta"], num_labels=1)
    names = {id(parameter): name for name, parameter in network.named_parameters()}
    decayed, spared = ({names[id(parameter)] for parameter in group["params"]} for group in transformer._groups(network, 0.01))
    assert decayed | spared == set(names.values())
    assert spared == {name for name in names.values() if name.endswith("bias") or "LayerNorm" in name}


def test_texts_are_cut_at_what_the_encoder_takes(bases):
    long = ["road " * 200, "road"]
    for kind, most in (("bert", 64), ("roberta", 62)):
        notes = transformer.prepare(long, bases[kind], transformer.Params()).notes
        assert (notes["max_tokens"], notes["texts_at_max_tokens"]) == (most, 1)
        with pytest.raises(BadInput, match=f"more than the {most} tokens"):
            transformer.prepare(long, bases[kind], transformer.Params(max_tokens=65))


def test_special_tokens_frame_every_text(bases):
    tokens = transformer.prepare(["road " * 200, "road"], bases["roberta"], transformer.Params(max_tokens=5)).tokens
    batch = tokens.batch(np.array([0, 1]))
    assert batch["input_ids"][0, 0] == 0
    assert batch["input_ids"][0, 4] == 2
    assert batch["attention_mask"].sum(1).tolist() == tokens.rows.lengths.tolist()
    assert (batch["input_ids"][batch["attention_mask"] == 0] == 1).all()


def test_word_vectors_are_no_base_for_it(tmp_path):
    with pytest.raises(BadInput, match="holds word vectors"):
        transformer.prepare(["a"], word_vectors(tmp_path), transformer.Params())


@pytest.mark.parametrize(
    ("file", "content", "sentence"),
    [
        ("config.json", None, "no encoder"),
        ("config.json", "{", "cannot be used"),
        ("model.safetensors", None, "model.safetensors is missing"),
        ("tokenizer.json", None, "tokenizer"),
    ],
)
def test_a_broken_base_is_refused_in_a_sentence(file, content, sentence, tmp_path):
    base = encoder(tmp_path)
    (base / file).unlink()
    if content is not None:
        (base / file).write_text(content)
    with pytest.raises(BadInput, match=sentence):
        transformer.prepare(["a"], base, transformer.Params())


def test_defaults_are_the_papers():
    params = transformer.Params()
    assert (params.epochs, params.batch, params.learning_rate, params.weight_decay) == (5, 32, 1e-5, 0.01)

"""The assessed network has the published shape, computes what its definition says and learns a planted signal."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from stages.contract.bad_input import BadInput
from stages.contract.params import fill
from stages.models import flattened_cnn
from tests.models.tiny import encoder, lesson, planted_texts, word_vectors

QUICK = {"filters": 8, "width": 3, "max_words": 16, "epochs": 10, "batch": 16, "learning_rate": 5e-3}


def test_the_published_shape(tmp_path):
    """32 filters of width 17, pool 4, dense 25, dense 1: of 64 words 48 windows, 12 maxima, 384 inputs of the dense layer."""
    inputs = flattened_cnn.prepare(planted_texts(4)[0], word_vectors(tmp_path), flattened_cnn.Params())
    shapes = [tuple(parameter.shape) for parameter in flattened_cnn._network(inputs, flattened_cnn.Params()).parameters()]
    assert shapes == [(32, 8, 17), (32,), (25, 384), (25,), (1, 25), (1,)]
    assert flattened_cnn.stored(inputs, flattened_cnn.Params()) == 4 * (32 * 8 * 17 + 32 + 25 * 384 + 25 + 25 + 1)


def test_it_computes_its_definition(tmp_path):
    params = flattened_cnn.Params(**QUICK | {"epochs": 1})
    texts, favourable = planted_texts(40)
    inputs = flattened_cnn.prepare(texts, word_vectors(tmp_path), params)
    tensors, _ = flattened_cnn.fit(inputs, lesson(favourable), params)
    found = flattened_cnn.predict(inputs, tensors, np.arange(40), params)
    kernel, bias, into, one, out, last = tensors.values()
    for text, said in enumerate(found):
        words = inputs.table[inputs.rows.numbers[inputs.rows.starts[text] : inputs.rows.starts[text + 1]]]
        whole = np.vstack([words, np.zeros((16 - len(words), 8), np.float32)])
        windows = np.stack([np.einsum("wd,fdw->f", whole[start : start + 3], kernel.numpy()) + bias.numpy() for start in range(14)])
        maxima = np.maximum(windows, 0)[:12].reshape(3, 4, -1).max(axis=1).T.ravel()
        hidden = functional.relu(into @ torch.from_numpy(maxima.astype(np.float32)) + one)
        assert said == pytest.approx((out @ hidden + last).item(), abs=1e-5)


def test_a_text_reads_the_same_alone_and_among_others(tmp_path):
    base, params = word_vectors(tmp_path), flattened_cnn.Params(**QUICK | {"epochs": 1})
    texts, favourable = planted_texts(40)
    texts += ["trust", "", " ".join(texts[:8])]
    inputs = flattened_cnn.prepare(texts, base, params)
    tensors, _ = flattened_cnn.fit(inputs, lesson(np.append(favourable, [1, 0, 1])), params)
    together = flattened_cnn.predict(inputs, tensors, np.arange(43), params)
    alone = [flattened_cnn.predict(flattened_cnn.prepare([text, "the"], base, params), tensors, np.array([0]), params)[0] for text in texts]
    assert together == pytest.approx(np.array(alone), abs=1e-5)


def test_planted_words_are_learned_and_the_same_seed_gives_the_same_bytes(tmp_path):
    params = flattened_cnn.Params(**QUICK)
    texts, favourable = planted_texts(200)
    inputs = flattened_cnn.prepare(texts, word_vectors(tmp_path), params)
    work = lesson(favourable)
    tensors, history = flattened_cnn.fit(inputs, work, params)
    found = flattened_cnn.predict(inputs, tensors, work.validation, params)
    assert ((found > 0) == favourable[work.validation]).mean() >= 0.85
    assert len(history["epochs"]) == 10
    again, _ = flattened_cnn.fit(inputs, work, params)
    assert all(torch.equal(tensors[name], again[name]) for name in tensors)


def test_refusals(tmp_path):
    with pytest.raises(BadInput, match="max_words must be at least width"):
        fill(flattened_cnn.Params, {"max_words": 19}, "here")
    with pytest.raises(BadInput, match="holds no word vectors"):
        flattened_cnn.prepare(["a text"], encoder(tmp_path / "encoder"), flattened_cnn.Params())

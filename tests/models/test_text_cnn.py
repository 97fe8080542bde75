"""The convolutional network computes what its definition says, learns a planted signal, and reads any text alike in any company."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from stages.contract.bad_input import BadInput
from stages.models import text_cnn
from stages.models.convolution import Convolution
from tests.models.tiny import encoder, lesson, planted_texts, word_vectors

QUICK = {"filters": 16, "dense": 8, "epochs": 12, "batch": 16, "learning_rate": 5e-3}


def held(lengths, positions):
    return torch.arange(positions) < torch.tensor(lengths)[:, None]


@pytest.mark.parametrize("width", [1, 2, 3])
def test_convolution_is_conv1d_relu_global_max_pool(width):
    torch.manual_seed(0)
    layer = Convolution(5, width, 7, dropout=0.5).eval()
    torch.nn.init.normal_(layer.bias)
    words = torch.randn(4, 6, 5)
    kernel = layer.weight.view(width, 5, 7).permute(2, 1, 0)
    full = functional.conv1d(functional.pad(words.transpose(1, 2), (0, width - 1)), kernel, layer.bias)
    assert torch.allclose(layer(words, held([6, 6, 6, 6], 6)), full.relu().amax(2), atol=1e-6)


def test_only_the_first_words_are_read(tmp_path):
    base, texts = word_vectors(tmp_path), planted_texts(20)[0]
    whole, cut = (text_cnn.prepare(texts, base, text_cnn.Params(**QUICK, max_words=most)) for most in (None, 3))
    assert whole.rows.lengths.max() > 3
    assert cut.rows.lengths.tolist() == [min(3, length) for length in whole.rows.lengths]
    assert text_cnn.prepare([" ".join(text_cnn.words_of(text)[:3]) for text in texts], base, text_cnn.Params()).rows.numbers.tolist() == (
        cut.rows.numbers.tolist()
    )


def test_padding_never_wins():
    torch.manual_seed(0)
    layer = Convolution(5, 3, 7, dropout=0.0).eval()
    torch.nn.init.constant_(layer.bias, 50.0)
    words = torch.zeros(1, 6, 5)
    words[0, :2] = torch.randn(2, 5) - 3
    assert torch.allclose(layer(words, held([2], 6)), layer(words[:, :2], held([2], 2)), atol=1e-5)


def test_dropout_leaves_out_that_share_of_positions_and_scales_the_rest():
    torch.manual_seed(0)
    layer = Convolution(2, 1, 4000, dropout=0.25).train()
    torch.nn.init.zeros_(layer.weight)
    torch.nn.init.ones_(layer.bias)
    once = layer(torch.ones(1, 1, 2), held([1], 1))
    assert once.unique().tolist() == pytest.approx([0.0, 4 / 3])
    assert (once == 0).float().mean() == pytest.approx(0.25, abs=0.03)
    twice = layer(torch.ones(1, 2, 2), held([2], 2))
    assert (twice == 0).float().mean() == pytest.approx(0.25**2, abs=0.02), "a filter is silent when both positions are left out"


def test_gradient_reaches_the_winning_window_alone():
    layer = Convolution(2, 1, 1, dropout=0.0).eval()
    torch.nn.init.ones_(layer.weight)
    words = torch.tensor([[[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]]], requires_grad=True)
    layer(words, held([3], 3)).sum().backward()
    assert words.grad.tolist() == [[[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't GO!", ["do", "n't", "go", "!"]),
        ("She\u2019s 45, it's o.k.", ["she", "'s", "45", ",", "it", "'s", "o", ".", "k", "."]),
        ("can't you'll 'quoted'", ["ca", "n't", "you", "'ll", "'", "quoted", "'"]),
        ("nin\u0303o", ["ni\u00f1o"]),
        (
            "\u0643\u064e\u062a\u064e\u0628\u064e \u0939\u093f\u0928\u094d\u0926\u0940",
            ["\u0643\u064e\u062a\u064e\u0628\u064e", "\u0939\u093f\u0928\u094d\u0926\u0940"],
        ),
        (" \n", []),
    ],
)
def test_words(text, words):
    assert text_cnn.words_of(text) == words


def test_a_text_reads_the_same_alone_and_among_longer_ones(tmp_path):
    base, params = word_vectors(tmp_path), text_cnn.Params(**QUICK | {"epochs": 2})
    texts, favourable = planted_texts()
    texts += ["trust", "", "zzz unknown"]
    inputs = text_cnn.prepare(texts, base, params)
    tensors, _ = text_cnn.fit(inputs, lesson(np.append(favourable, [1, 0, 1])), params)
    together = text_cnn.predict(inputs, tensors, np.arange(len(texts)), params)
    alone = [text_cnn.predict(text_cnn.prepare([text, "the"], base, params), tensors, np.array([0]), params)[0] for text in texts]
    assert together == pytest.approx(np.array(alone), abs=1e-5)


@pytest.mark.parametrize("trained", [False, True])
def test_planted_words_are_learned_and_the_same_seed_gives_the_same_bytes(trained, tmp_path):
    params = text_cnn.Params(**QUICK, train_embeddings=trained)
    texts, favourable = planted_texts(120)
    inputs = text_cnn.prepare(texts, word_vectors(tmp_path), params)
    work = lesson(favourable)
    tensors, history = text_cnn.fit(inputs, work, params)
    found = text_cnn.predict(inputs, tensors, work.validation, params)
    assert ((found > 0) == favourable[work.validation]).mean() >= 0.9
    assert history["epochs"][-1]["train_loss"] < 0.7 * history["epochs"][0]["train_loss"]
    again, _ = text_cnn.fit(inputs, work, params)
    assert all(torch.equal(tensors[name], again[name]) for name in tensors)
    assert ("table" in tensors) is trained, "a frozen table stays in the base"


def test_trained_vectors_read_new_texts_with_their_own_rows_and_the_base_for_the_rest(tmp_path):
    base, params = word_vectors(tmp_path), text_cnn.Params(**QUICK | {"epochs": 3}, train_embeddings=True)
    texts, favourable = planted_texts()
    fitted = text_cnn.prepare([text.replace("today", "road") for text in texts], base, params)
    tensors, _ = text_cnn.fit(fitted, lesson(favourable), params)
    assert "today" not in fitted.words
    fresh = text_cnn.prepare(["today trust qqq"], base, params)
    table = text_cnn._with_rows_of(fresh, tensors)["table"]
    assert torch.equal(table[1 + fresh.words.index("trust")], tensors["table"][1 + fitted.words.index("trust")])
    assert not np.allclose(table[1 + fresh.words.index("trust")], fresh.table[1 + fresh.words.index("trust")]), "it was trained"
    assert np.array_equal(table[1 + fresh.words.index("today")], fresh.table[1 + fresh.words.index("today")])
    assert not tensors["table"][0].any(), "words without a vector stay zeros"
    assert np.isfinite(text_cnn.predict(fresh, tensors, np.array([0]), params)).all()


def test_a_linear_target_is_recovered(tmp_path):
    params = text_cnn.Params(**QUICK | {"epochs": 20}, dropout=0.1)
    texts, favourable = planted_texts(160)
    target = np.where(favourable, 1.0, -1.0) + 0.1 * np.random.default_rng(0).normal(size=160)
    inputs, work = text_cnn.prepare(texts, word_vectors(tmp_path), params), lesson(target, kind="regression")
    tensors, _ = text_cnn.fit(inputs, work, params)
    found = text_cnn.predict(inputs, tensors, work.validation, params)
    assert np.corrcoef(found, target[work.validation])[0, 1] > 0.8


def test_notes_count_words_without_a_vector(tmp_path):
    inputs = text_cnn.prepare(["trust qqq the", "zzz"], word_vectors(tmp_path), text_cnn.Params())
    assert inputs.notes == {"words": 4, "words_without_vector": 2}


def test_an_encoder_is_no_base_for_it(tmp_path):
    with pytest.raises(BadInput, match="holds no word vectors"):
        text_cnn.prepare(["a"], encoder(tmp_path), text_cnn.Params())


def test_a_base_in_another_language_is_refused(tmp_path):
    with pytest.raises(BadInput, match="none of the words"):
        text_cnn.prepare(["\u0643\u062a\u0628"], word_vectors(tmp_path), text_cnn.Params())


def test_defaults_are_the_papers():
    params = text_cnn.Params()
    assert (params.kernels, params.filters, params.dropout, params.l2) == ((1, 2, 3), 256, 0.5, 0.001)
    assert (params.epochs, params.batch, params.learning_rate, params.train_embeddings) == (35, 32, 1e-4, False)

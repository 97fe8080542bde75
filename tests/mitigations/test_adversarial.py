"""A representation that an adversary has fought over tells less of the group, and of the label as much as before."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from stages.contract.bad_input import BadInput
from stages.mitigations import adversarial, gradient_reversal
from stages.mitigations.groups import Groups
from stages.models import frozen_encoder, text_cnn, transformer
from stages.models.folds import Lesson
from tests.models.tiny import encoder, lesson, planted_texts, word_vectors

TRAIN, VALIDATION, TEST = np.arange(600), np.arange(600, 800), np.arange(800, 1200)
HEAD = frozen_encoder.Params(hidden=16, precision="fp32")


def planted(alike=0.0):
    """Features that tell group and label apart by a direction each; the group is the label in a share ``alike``, else by chance."""
    generator = np.random.default_rng(0)
    group = generator.integers(0, 2, 1200)
    label = np.where(generator.random(1200) < alike, group, generator.integers(0, 2, 1200))
    features = generator.normal(size=(1200, 12)).astype(np.float32)
    features[:, 0] += 3 * label - 1.5
    features[:, 1] += 3 * group - 1.5
    return frozen_encoder.Inputs(features @ np.linalg.qr(generator.normal(size=(12, 12)))[0].astype(np.float32), {}), group, label


def fitted(inputs, group, label, known=True, **options):
    """Accuracy of the label, and the hidden states that the last layer reads, float [1200, 16]."""
    params = adversarial.Params(attributes={"gender": "category"}, **options)
    groups = Groups(group, np.broadcast_to(known, 1200).copy())
    work = Lesson("classification", label.astype(np.float32), TRAIN, VALIDATION, seed=5)
    tensors, _ = frozen_encoder.fit(inputs, replace(work, **adversarial.lesson(groups, label == 1, TRAIN, params)), HEAD)
    states = np.maximum(inputs.features @ tensors["0.weight"].numpy().T + tensors["0.bias"].numpy(), 0)
    return ((frozen_encoder.predict(inputs, tensors, TEST, HEAD) > 0) == label[TEST]).mean(), states


def probe(states, group, of=slice(None)):
    """How often a fresh linear classifier, fitted on training texts, is right about the group of test texts."""
    train, test = (part[np.isin(part, np.arange(1200)[of])] for part in (TRAIN, TEST))
    return LogisticRegression(max_iter=2000).fit(states[train], group[train]).score(states[test], group[test])


def test_a_fresh_probe_loses_the_group_and_the_model_keeps_the_label():
    inputs, group, label = planted()
    before, seen = fitted(inputs, group, label, strength=0)
    after, hidden = fitted(inputs, group, label)
    assert probe(seen, group) > 0.85
    assert probe(hidden, group) < 0.6
    assert after > before - 0.02 > 0.9


def test_an_adversary_that_is_told_the_label_leaves_what_the_label_says():
    """Group and label are alike in three texts of four, so that within a label a blind guess of the group is right in 75 %."""
    inputs, group, label = planted(alike=0.5)
    before, seen = fitted(inputs, group, label, strength=0)
    after, hidden = fitted(inputs, group, label, given_label=True)
    for said in (0, 1):
        assert probe(seen, group, label == said) > 0.87
        assert probe(hidden, group, label == said) < 0.8
    assert after > before - 0.02


def test_texts_of_unknown_group_do_not_train_the_adversary():
    inputs, group, label = planted()
    known = np.arange(1200) % 3 > 0
    _, first = fitted(inputs, group, label, known)
    _, second = fitted(inputs, np.where(known, group, 1 - group), label, known)
    assert np.array_equal(first, second)
    assert probe(first, group) < 0.7


def test_one_known_group_is_refused():
    inputs, group, label = planted()
    with pytest.raises(BadInput, match=r"training texts of known group are of 1 group"):
        fitted(inputs, group, label, group == 0)


@pytest.mark.parametrize("family", ["text_cnn", "bert", "roberta"])
def test_every_family_meets_its_adversary_and_none_of_no_strength(family, tmp_path):
    texts, favourable = planted_texts(48)
    group = Groups(np.random.default_rng(0).integers(0, 3, 48), np.ones(48, bool))
    if family == "text_cnn":
        module, base, params = text_cnn, word_vectors(tmp_path), text_cnn.Params(filters=8, dense=4, epochs=2, batch=16)
    else:
        params = transformer.Params(epochs=1, batch=8, accumulation=2, learning_rate=1e-3)
        module, base = transformer, encoder(tmp_path, family)
    inputs, plain = module.prepare(texts, base, params), lesson(favourable)

    def fit(strength):
        options = adversarial.Params(attributes={"gender": "category"}, strength=strength)
        return module.fit(inputs, replace(plain, **adversarial.lesson(group, favourable, plain.train, options)), params)[0]

    without, idle, fought = module.fit(inputs, plain, params)[0], fit(0), fit(5)
    assert all(torch.equal(without[name], idle[name]) for name in without | idle)
    assert any(not torch.equal(without[name], fought[name]) for name in without)


def test_the_gradient_is_reversed_for_the_model_and_not_for_the_adversary():
    torch.manual_seed(0)
    head, group = torch.nn.Linear(4, 1), np.array([0, 1, 2, gradient_reversal.UNKNOWN])
    states = torch.randn(4, 4, requires_grad=True)
    gradients = {}
    for strength in (-1.0, 2.5):
        optimiser = torch.optim.SGD(head.parameters(), lr=0.1)
        loss = gradient_reversal.join(group, None, strength, 8, 1e-2, head, optimiser, seed=1)
        head(states)
        found = loss(np.arange(4))
        adversary = optimiser.param_groups[1]["params"]
        gradients[strength] = torch.autograd.grad(found, [states, *adversary])
    plain, turned = gradients[-1.0], gradients[2.5]
    assert torch.allclose(turned[0], -2.5 * plain[0])
    assert not plain[0][3].any(), "unknown"
    assert plain[0][:3].abs().sum() > 0
    assert all(torch.equal(one, other) for one, other in zip(plain[1:], turned[1:], strict=True))

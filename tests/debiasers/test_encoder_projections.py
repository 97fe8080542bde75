"""What each projecting debiaser takes out of an encoder, from the debias stage to the features that a family reads."""

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from transformers import AutoTokenizer

from stages import debias
from stages.contract.bad_input import BadInput
from stages.contract.params import Model
from stages.debiasers import gendered_sentences, inlp, leace, sentence_debias
from stages.debiasers.projections import principal, unit
from stages.models import frozen_encoder, projection
from tests.debiasers import small

SENTENCES = 500


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A random encoder in which feminine words have a vector in common and masculine words its opposite."""
    made = small.encoder(tmp_path_factory.mktemp("encoder"), (text for row in gendered_sentences.sentences() for text in row))
    tokens, tensors = AutoTokenizer.from_pretrained(made).get_vocab(), load_file(made / "model.safetensors")
    shared = 0.5 * np.random.default_rng(0).normal(size=32).astype(np.float32)
    for row in (*gendered_sentences.PEOPLE, *gendered_sentences.PRONOUNS.values()):
        for word, sign in zip(row, (-1, 1), strict=False):
            tensors["embeddings.word_embeddings.weight"][tokens[word]] += sign * shared
    save_file(tensors, made / "model.safetensors", metadata={"format": "pt"})
    return made


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def debiased(folder, output, use, **options):
    debiaser = {"use": use, "sentences": SENTENCES, **options}
    model = Model.model_validate({"base": {"source": str(folder)}, "debiaser": debiaser, "family": {"use": "frozen_encoder"}})
    debias.run(model, debias.Params(seed=1), output)
    return output


def features(base, gender, pooling="mean"):
    """What the frozen encoder's head would see of the sentences the debiaser was fitted to."""
    texts = [row[gender] for row in gendered_sentences.sentences()]
    drawn = np.random.default_rng(1).choice(len(texts), SENTENCES, replace=False)
    params = frozen_encoder.Params(precision="fp32", pooling=pooling)
    return frozen_encoder.prepare([texts[number] for number in drawn], base, params).features.astype(float)


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_after_sentence_debias_no_sentence_has_a_part_along_the_direction(pooling, folder, tmp_path):
    base = debiased(folder, tmp_path / "out", "sentence_debias", pooling=pooling)
    pairs = unit(np.vstack([features(folder, 0, pooling), features(folder, 1, pooling)])).reshape(2, SENTENCES, -1).transpose(1, 0, 2)
    direction = principal(pairs, 1)[0]
    for gender in range(3):
        before, after = features(folder, gender, pooling) @ direction, features(base, gender, pooling) @ direction
        assert np.abs(before).max() > 0.1
        assert np.abs(after).max() < 1e-4


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_after_leace_women_and_men_have_the_same_mean_features(pooling, folder, tmp_path):
    base = debiased(folder, tmp_path / "out", "leace", pooling=pooling)
    before, after = (np.abs(features(b, 0, pooling).mean(axis=0) - features(b, 1, pooling).mean(axis=0)).max() for b in (folder, base))
    assert before > 1e-2
    assert after < 1e-5


def test_after_inlp_a_probe_of_the_features_is_at_chance(folder, tmp_path):
    from sklearn.linear_model import LogisticRegression

    base = debiased(folder, tmp_path / "out", "inlp", neutral=False, intercept=True)
    label = np.repeat([0, 1], SENTENCES)
    scores = []
    for read in (folder, base):
        seen = np.vstack([features(read, 0), features(read, 1)])
        scores.append(LogisticRegression(max_iter=2000).fit(seen[::2], label[::2]).score(seen[1::2], label[1::2]))
    assert scores[0] > 0.9
    assert scores[1] < 0.65


@pytest.mark.parametrize(("use", "options"), [("sentence_debias", {}), ("leace", {}), ("inlp", {"classifiers": 3})])
def test_the_weights_stay_and_the_same_seed_gives_the_same_bytes(use, options, folder, tmp_path):
    first, again = (debiased(folder, tmp_path / name, use, **options) for name in ("first", "again"))
    assert (first / "model.safetensors").read_bytes() == (folder / "model.safetensors").read_bytes()
    assert (first / projection.FILE).read_bytes() == (again / projection.FILE).read_bytes()
    assert not projection.changes_nothing(first)


def test_too_many_components_and_too_few_dimensions_are_refused(folder, tmp_path):
    with pytest.raises(BadInput, match="ask fewer"):
        debiased(folder, tmp_path / "out", "sentence_debias", components=32)
    with pytest.raises(BadInput, match="nothing removed"):
        debiased(folder, tmp_path / "out", "inlp", least_accuracy=1.0)


def test_defaults_are_the_papers():
    assert sentence_debias.Params().components == 1
    assert {module.Params().pooling for module in (sentence_debias, inlp, leace)} == {"mean"}
    assert leace.Params().shrinkage

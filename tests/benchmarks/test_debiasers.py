"""The figures of what a debiaser changed: closed forms on planted bases, and sentences that no debiaser was fitted to."""

import shutil

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from benchmarks import debiasers, encoder_states, gender_left
from benchmarks.encoder_states import States, Texts, states_of
from stages import debias
from stages.debiasers import gendered_sentences, inlp, leace, sentence_debias
from stages.debiasers.attribute_sentences import Example, Examples
from stages.debiasers.context_debias import Params, examples_of
from stages.debiasers.context_losses import Batch, debiasing_loss
from stages.debiasers.projections import Affine, away_from
from stages.debiasers.sentences import gather
from stages.models import projection, vectors
from tests.debiasers import small

LEXICONS = {
    "gender_pairs": [("she", "he"), *((f"f{row}", f"m{row}") for row in range(12))],
    "gender_stereotypes": [(f"nurse{row}", f"miner{row}") for row in range(12)],
}
FEMININE, MASCULINE = ([row[side] for row in LEXICONS["gender_stereotypes"]] for side in (0, 1))
SAID = ["the nurse0 left", "we saw the miner0 near the school today", "the miner1 and the nurse1 came"]


def test_a_figure_is_the_mean_of_units_and_its_half_1_96_standard_errors():
    found = gender_left.figure(np.array([0.0, 1, 1, 1, 4]), np.array(["a", "a", "b", "b", "c"]))
    np.testing.assert_allclose(found, (5.5 / 3, 1.96 * np.std([0.5, 1, 4], ddof=1) / np.sqrt(3)))


def test_a_probe_reads_what_groups_share_and_not_what_they_do_not():
    rng, classes, groups = np.random.default_rng(0), np.arange(200) % 2, np.arange(200) // 4
    shared, own = rng.normal(size=(200, 8)), rng.normal(size=(200, 8))
    shared[:, 0] += 6 * classes
    own += 3 * np.where(classes, 1, -1)[:, None] * rng.normal(size=(50, 8))[groups]
    assert gender_left.probe(shared, classes, groups).value > 0.97
    nothing = gender_left.probe(own, classes, groups)
    assert abs(nothing.value - 0.5) < 1.5 * nothing.half, "each group tells its classes by a direction of its own"


def test_turned_vectors_keep_their_cosines_and_others_do_not():
    rng = np.random.default_rng(0)
    rows, turn = rng.normal(size=(300, 6)), np.linalg.qr(rng.normal(size=(6, 6)))[0]
    assert gender_left.cosines_kept(3 * rows @ turn, rows).value == pytest.approx(1)
    assert abs(gender_left.cosines_kept(rng.normal(size=(300, 6)), rows).value) < 0.1


@pytest.fixture
def words(tmp_path):
    """Vectors in which the first axis is gender, of which stereotype words have .6 of their length, and the same without that axis."""
    rng = np.random.default_rng(0)
    names = [word for rows in LEXICONS.values() for row in rows for word in row]
    matrix = np.zeros((len(names), 8), dtype=np.float32)
    side = np.array([-1 if word in {"she", *FEMININE} or word.startswith("f") else 1 for word in names])
    jobs = np.isin(names, FEMININE + MASCULINE)
    rest = rng.normal(size=(len(names) // 2, 7)).repeat(2, axis=0)  # the same for both of a pair, so that they differ along the axis
    matrix[:, 1:] = rest / np.linalg.norm(rest, axis=1, keepdims=True)
    matrix[jobs] *= 0.8
    matrix[:, 0] = np.where(jobs, 0.6, 1) * side
    vectors.save(vectors.WordVectors(names, matrix), tmp_path / "before")
    matrix[jobs, 0] = 0
    vectors.save(vectors.WordVectors(names, matrix), tmp_path / "after")
    return tmp_path / "before", tmp_path / "after"


def test_of_planted_vectors_every_figure_is_the_planted_one(words):
    before, after = (gender_left.in_vectors(folder, words[0], LEXICONS) for folder in words)
    for name, value in (("squared product", (0.6 * 2) ** 2), ("cos with v", 0.6), ("with he - she", 0.6), ("as it was", 0.6)):
        np.testing.assert_allclose(before[name], (value, 0), atol=1e-6)
        np.testing.assert_allclose(after[name], (0, 0), atol=1e-6)
    assert before["probe stereotypes"].value == before["probe gendered"].value == after["probe gendered"].value == 1
    assert after["probe stereotypes"].value < 0.6, "half of the words are the others' copies"
    assert before["cosines kept"].value == pytest.approx(1) != after["cosines kept"].value


def planted(lean, apart=2.0, width=4):
    """Texts and states: persons stand at +-1 of the first axis, stereotype words at +-``lean``, women and men ``apart`` on the second."""
    rng, axis, second = np.random.default_rng(1), *np.eye(width)[:2]
    people, jobs = np.repeat(np.arange(20), 2), FEMININE + MASCULINE
    side = np.repeat([1, -1], len(FEMININE))

    def noise(rows):
        return 1e-3 * rng.normal(size=(rows, width))

    neutral = np.stack([np.zeros((len(jobs), width)), side[:, None] * lean * axis + 3 * np.eye(width)[2]], axis=1)
    attributes = np.stack([np.stack([0 * axis, sign * axis]) for sign in (1, -1)])
    women = noise(20) + np.eye(width)[3] + apart / 2 * second
    masked = noise(80) + np.repeat([1, -1], 40)[:, None] * axis
    masked_jobs = noise(len(jobs)) + side[:, None] * lean * axis
    examples = [Example("", 0, 0, word) for word in jobs]
    texts = Texts(Examples([], [], examples), [""] * 20, [""] * 20, np.arange(20), np.arange(20), [], np.tile(people, 2), examples)
    return texts, States(attributes, neutral, women, women - apart * second, masked, masked_jobs)


@pytest.mark.parametrize("lean", [0.0, 0.25, 0.5, -0.5])
def test_the_sway_is_the_share_of_a_gendered_words_and_the_cosine_the_planted_one(lean):
    texts, states = planted(lean)
    found = gender_left.in_encoder(states, planted(1.0)[1], texts, LEXICONS)
    assert found["sway"].value == pytest.approx(lean, abs=0.02)
    assert found["its change"].value == pytest.approx(lean - 1, abs=0.02)
    assert max(found["sway"].half, found["its change"].half) < 0.01, "all words lean alike"
    assert found["probe pronouns"].value == 1
    assert found["cos with he - she"].value == pytest.approx(abs(lean) / np.hypot(lean, 3))
    assert found["squared product"].value == pytest.approx(lean**2)


def test_swapped_sentences_are_compared_with_any_two():
    texts, near = planted(0.5, apart=0.0)
    assert gender_left.in_encoder(near, near, texts, LEXICONS)["swap"].value == pytest.approx(0, abs=1e-5)
    _, states = planted(0.5, apart=0.0)
    turned = States(**{**vars(states), "men": np.roll(states.women, 1, axis=0)})
    assert gender_left.in_encoder(turned, near, texts, LEXICONS)["swap"].value == pytest.approx(1), "as far as the next sentence"


def test_the_squared_product_is_context_debias_own_loss():
    rng = np.random.default_rng(0)
    states = States(rng.normal(size=(2, 3, 5)), rng.normal(size=(7, 3, 5)), *[np.zeros((1, 5))] * 4)
    held = torch.ones(7, 1, dtype=torch.bool)
    sentences = torch.from_numpy(states.neutral).transpose(0, 1)[:, :, None].float()
    params = Params(target="token", inner_products="mean_of_squares")
    loss = debiasing_loss(sentences, Batch(held, held, held), torch.from_numpy(states.attributes).float(), params)
    assert gender_left._products(states).mean() == pytest.approx(float(loss), rel=1e-5)


@pytest.fixture
def encoder(tmp_path):
    folder = small.encoder(tmp_path / "encoder", SAID)
    examples = [[Example(text, text.index(word), text.index(word) + len(word), word)] for text, word in zip(SAID, "tws", strict=True)]
    texts = Texts(Examples(*examples), SAID[:2], SAID[1:], np.arange(2), np.arange(2), examples[0], np.arange(1), examples[1] + examples[0])
    return folder, texts


def test_a_projection_is_applied_to_the_states_of_the_weights_which_are_read_once(encoder, tmp_path, monkeypatch):
    folder, texts = encoder
    weight = away_from(np.random.default_rng(0).normal(size=(3, 32)))
    mapped = shutil.copytree(folder, tmp_path / "mapped")
    projection.save(Affine(weight, np.arange(32) / 32), mapped)
    reads, read, known = [], encoder_states._read, {}
    monkeypatch.setattr(encoder_states, "_read", lambda *arguments: reads.append(1) or read(*arguments))
    plain, found = (states_of(name, texts, known) for name in (folder, mapped))
    assert len(reads) == 1
    network, tokenizer = projection.follow(small.network(mapped), mapped), small.read_tokenizer(mapped)
    with torch.no_grad():
        said = [network(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].numpy() for text in SAID]
    np.testing.assert_allclose(found.women, [state.mean(axis=0) for state in said[:2]], atol=1e-5)
    np.testing.assert_allclose(found.attributes[0, -1], said[0][1], atol=1e-5)
    np.testing.assert_allclose(found.neutral[:, :-1], plain.neutral[:, :-1], err_msg="earlier layers stay")
    np.testing.assert_allclose(found.masked_jobs[1], found.masked[0], atol=1e-6, err_msg="the order of the texts")


def test_no_debiaser_was_trained_on_or_fitted_to_what_is_measured(monkeypatch, tmp_path):
    lexicons, seed, fitted = debias.read_lexicons(debias.LEXICONS), 2, set()

    def note(_folder, texts, _pooling):
        fitted.update(texts)
        return np.random.default_rng(0).normal(size=(len(texts), 4)) + np.arange(len(texts))[:, None] / len(texts)

    monkeypatch.setattr(gendered_sentences, "vectors_of", note)
    for module, entry in zip((sentence_debias, inlp, leace), debiasers.PROJECTING.values(), strict=True):
        module.debias_encoder(tmp_path, lexicons, module.Params(sentences=entry["sentences"]), seed)
    texts = debiasers.unseen(lexicons, seed)
    assert len(fitted) > 4000
    assert not fitted & {*texts.women, *texts.men}
    trained = {example.sentence for part in examples_of(lexicons, Params(), seed) for example in part}
    assert trained <= set(gather(Params(), lexicons, seed))
    assert not trained & {example.sentence for part in texts.examples for example in part}
    assert {example.word for example in texts.examples.neutral} == {word for row in lexicons["gender_stereotypes"] for word in row}
    for women, person, frame in zip(texts.women, texts.people, texts.frames, strict=True):
        said = gendered_sentences.sentences()[frame * len(gendered_sentences.PEOPLE) + person][0]
        assert women == said
        assert gendered_sentences.PEOPLE[person][0] in said.lower()
    assert {example.sentence[example.start : example.end] for example in texts.masked + texts.masked_jobs} == {"[MASK]"}
    assert "tender" not in {example.word for example in texts.masked_jobs}
    assert len(texts.masked) == len(texts.masked_people) == 8 * len(gendered_sentences.PEOPLE)
    for row in range(len(texts.masked) // 2):
        assert texts.masked[row].word == gendered_sentences.PEOPLE[texts.masked_people[row]][0]


def test_the_table_has_a_row_a_base_and_halves_where_there_are_any():
    rows = {"before": {"probe": gender_left.Figure(0.5, 0.1), "kept": gender_left.Figure(1.0)}}
    assert debiasers._table(rows).splitlines()[2] == "| before | 0.500 ± 0.100 | 1.000 |"


def test_the_same_seed_gives_the_same_base(tmp_path, encoder):
    made = debiasers._debiased({"source": str(encoder[0])}, {"as it is": {"use": "identity"}}, tmp_path / "made", seed=1)
    assert set(load_file(made["as it is"] / "model.safetensors")) == set(load_file(encoder[0] / "model.safetensors"))

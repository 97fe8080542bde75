"""The grammar's sentences say the same of a woman, a man and a person; an encoder's vectors of them are those of each alone."""

import re

import numpy as np
import pytest
import torch
from transformers import AutoTokenizer

from stages.contract.bad_input import BadInput
from stages.debias import LEXICONS, read_lexicons
from stages.debiasers.gendered_sentences import FRAMES, OPENINGS, PEOPLE, PRONOUNS, examples, sentences, vectors_of
from tests.debiasers import small


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return small.encoder(tmp_path_factory.mktemp("encoder"), (text for row in sentences() for text in row))


def test_the_versions_of_a_sentence_differ_in_gendered_words_alone():
    listed = sentences()
    assert len(listed) == len(OPENINGS) * len(FRAMES) * len(PEOPLE) == len({row[0] for row in listed})
    told = [{word for row in (*PEOPLE, *PRONOUNS.values()) for word in (row[gender],)} for gender in range(3)]
    assert not told[0] & (told[1] | told[2])
    assert not told[1] & told[2]
    for row in listed:
        words = [re.findall(r"[a-z]+", text.lower()) for text in row]
        for together in zip(*words, strict=True):
            assert len(set(together)) == 1 or all(word in told[gender] for gender, word in enumerate(together))
        assert row[0] != row[1] != row[2]
        assert all(text[0].isupper() and text.endswith(".") and "{" not in text for text in row)


def test_the_people_are_pairs_of_the_shipped_lists_and_no_frame_holds_a_word_of_them():
    lexicons = read_lexicons(LEXICONS)
    pairs = lexicons["gender_pairs"]
    assert {(feminine, masculine) for feminine, masculine, _ in PEOPLE} <= set(pairs)
    listed = {word for name in ("gender_pairs", "gender_stereotypes") for row in lexicons[name] for word in row}
    assert not listed & set(re.findall(r"[a-z]+", " ".join([*OPENINGS, *re.sub(r"\{\w+\}", "", " ".join(FRAMES)).split()])))
    assert not {word for row in pairs for word in row} & {neutral for _, _, neutral in PEOPLE}


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_vectors_are_those_of_each_sentence_alone(pooling, folder):
    texts = ["The aunt walked along the river for an hour.", "The man.", sentences()[200][2]]
    network, tokenizer = small.network(folder), AutoTokenizer.from_pretrained(folder)
    found = vectors_of(folder, texts, pooling)
    for vector, text in zip(found, texts, strict=True):
        with torch.inference_mode():
            states = network(input_ids=torch.tensor([tokenizer(text)["input_ids"]])).last_hidden_state[0]
        np.testing.assert_allclose(vector, (states[0] if pooling == "cls" else states.mean(0)).numpy(), atol=1e-5)


def test_examples_stand_in_the_same_order_for_each_gender_and_follow_the_seed(folder):
    vectors, label = examples(folder, 40, "mean", 1, neutral=True)
    assert label.tolist() == [0] * 40 + [1] * 40 + [2] * 40
    feminine, masculine, _ = np.split(vectors, 3)
    distances = np.linalg.norm(feminine[:, None] - masculine[None], axis=2)
    assert np.diag(distances).mean() < 0.7 * distances.mean(), "a sentence is near to its own other version"
    assert vectors.tobytes() == examples(folder, 40, "mean", 1, neutral=True)[0].tobytes()
    assert vectors.tobytes() != examples(folder, 40, "mean", 2, neutral=True)[0].tobytes()
    with pytest.raises(BadInput, match="6000 of each gender are asked for and the grammar makes 5760"):
        examples(folder, 6000, "mean", 1, neutral=False)

"""Augmentation brings the probabilities of "he" and "she" in stereotype sentences together, and says what it left out."""

import shutil
from pathlib import Path

import pytest
import torch

from stages.contract.bad_input import BadInput
from stages.debias import LEXICONS, read_lexicons
from stages.debiasers import counterfactual, masked_language
from stages.debiasers.counterfactual import Params, augmented
from stages.debiasers.pretraining import Pretraining
from tests.debiasers import small

PAIRS = {"gender_pairs": [("she", "he"), ("her", "him"), ("her", "his"), ("woman", "man")]}
JOBS = {"she": ["nurse", "typist", "dancer"], "he": ["miner", "pilot", "banker"]}
FRAMES = ["{who} was the {job}", "the {job} said {who} left"]
BIASED = [frame.format(who=who, job=job) for who, jobs in JOBS.items() for job in jobs for frame in FRAMES]
QUICK = {"batch": 9, "accumulation": 1, "block": None, "learning_rate": 3e-3, "masked": 0.2}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encoder that has learned who does which job from texts in which nurses are women and miners men."""
    torch.set_num_threads(1)
    folder = small.encoder(tmp_path_factory.mktemp("bases") / "base", BIASED, head=True)
    masked_language.train(folder, BIASED, Pretraining.model_validate(QUICK | {"steps": 600}), 1)
    return folder


def leaning(folder: Path) -> float:
    """Mean |log p(she) - log p(he)| where the texts have a masked pronoun, over all jobs."""
    network, tokenizer = small.network(folder, "AutoModelForMaskedLM"), small.read_tokenizer(folder)
    texts = [frame.format(who="<mask>", job=job) for jobs in JOBS.values() for job in jobs for frame in FRAMES]
    said = tokenizer(texts, return_tensors="pt", padding=True)
    with torch.no_grad():
        scores = network(input_ids=said["input_ids"], attention_mask=said["attention_mask"]).logits[said["input_ids"] == 4]
    she, he = tokenizer.convert_tokens_to_ids(["she", "he"])
    return float((scores[:, she] - scores[:, he]).abs().mean())


def corpus(folder: Path, texts: list[str]) -> str:
    file = folder / "corpus.txt"
    file.write_text("\n".join(texts), encoding="utf-8")
    return str(file)


def test_he_and_she_become_alike_with_the_swaps_and_not_without(base: Path, tmp_path: Path) -> None:
    swapped, plain = tmp_path / "swapped", tmp_path / "plain"
    for folder in (swapped, plain):
        shutil.copytree(base, folder)
    options = QUICK | {"steps": 300, "corpus": corpus(tmp_path, BIASED)}
    counterfactual.debias_encoder(swapped, PAIRS, Params.model_validate(options), 1)
    masked_language.train(plain, BIASED, Pretraining.model_validate(options), 1)
    assert leaning(base) > 2, "odds of more than 7 to 1"
    assert leaning(plain) > 2
    assert leaning(swapped) < 0.25 * leaning(base)


def test_originals_stay_swaps_follow_and_the_rest_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = ["his wife called her and took her book", "It rained.", "They told her stories.", "Mary saw him."]
    lexicons = read_lexicons(LEXICONS)
    assert augmented(lexicons, Params(corpus=corpus(tmp_path, texts)), 1) == [
        "his wife called her and took her book",
        "her husband called him and took his book",
        "Mary saw him.",
        "James saw her.",
    ]
    assert "2 sentences swapped, 1 ambiguous, 1 with nothing to swap" in capsys.readouterr().out
    assert augmented(lexicons, Params(corpus=corpus(tmp_path, texts), names=False), 1)[-1] == "Mary saw her."


def test_without_a_word_to_swap_or_a_list_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"corpus.txt holds no sentence with a word of gender_pairs to swap"):
        augmented(PAIRS, Params(corpus=corpus(tmp_path, ["It rained."])), 1)
    with pytest.raises(BadInput, match="there is no word list races; those there are gender_pairs"):
        augmented(PAIRS, Params(pairs="races"), 1)

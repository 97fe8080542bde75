"""What of gender is left in a base: in word vectors, and in what an encoder makes of words and sentences."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_score
from torch import Tensor
from transformers import AutoModel, AutoModelForMaskedLM

from stages.debiasers import gendered_sentences, masked_language
from stages.debiasers.attribute_sentences import Examples
from stages.debiasers.context_debias import Params
from stages.debiasers.context_losses import Batch, debiasing_loss, word_means
from stages.debiasers.context_training import Training
from stages.debiasers.pretrained_encoder import load, tokenizer_of
from stages.debiasers.pretraining import Pretraining
from stages.debiasers.projections import unit
from stages.models import projection, vectors

Lexicons = dict[str, list[tuple[str, ...]]]
TOLD = Params(target="token", inner_products="mean_of_squares", max_tokens=64, batch=64)
BLANK = "the {} said that [MASK] would be late ."


def probe(rows: np.ndarray, classes: np.ndarray, groups: np.ndarray) -> float:
    """Accuracy of a logistic regression that never saw the test rows' group, five parts in turn; .5 is chance for even classes.

    Below .5 what is left tells other groups' classes the wrong way round, as where the classes were given one mean over all groups.
    All dimensions have one scale: each at its own would bring back, from the last digits of a number, what a projection took out.
    """
    reading, parts = LogisticRegression(max_iter=5000), GroupKFold(5, shuffle=True, random_state=1)
    return float(cross_val_score(reading, rows / rows.std(), classes, groups=groups, cv=parts).mean())


def in_vectors(folder: Path, original: Path, lexicons: Lexicons) -> dict[str, float]:
    """What each method lowers, of stereotype words; how well words can be told apart; and how much of all cosines stays.

    Squared product: with v, the mean of masculine less feminine words (WordED). |cos|: with v, and with he - she as it is now and, where
    the space is the same (all but WordED), as it was: what a projection leaves of he - she has no direction of its own.
    """
    held, before = vectors.load(folder), vectors.load(original)
    row = {word: number for number, word in enumerate(held.words)}
    pairs = np.array([[row[word] for word in pair] for pair in lexicons["gender_pairs"] if set(pair) <= row.keys()])
    sides = [[row[rows[side]] for rows in lexicons["gender_stereotypes"] if rows[side] in row] for side in (0, 1)]
    stereotypes = np.concatenate(sides).astype(int)
    rows, mean = unit(held.matrix[stereotypes]), (held.matrix[pairs[:, 1]] - held.matrix[pairs[:, 0]]).mean(axis=0)
    now, was = (base.matrix[row["he"]] - base.matrix[row["she"]] for base in (held, before))
    drawn = np.random.default_rng(1).choice(min(10_000, len(row)), (2, 20_000))
    cosines = [(unit(matrix[drawn[0]]) * unit(matrix[drawn[1]])).sum(axis=1) for matrix in (held.matrix, before.matrix)]
    words, first = np.unique(pairs, return_index=True)
    return {
        "squared product": float(np.square(held.matrix[stereotypes] @ mean).mean()),
        "|cos| v": float(np.abs(rows @ unit(mean[None])[0]).mean()),
        "|cos| he - she": float(np.abs(rows @ unit(now[None])[0]).mean()),
        "as it was": float(np.abs(rows @ unit(was[None])[0]).mean()),
        "probe stereotypes": probe(rows, np.repeat([0, 1], [len(side) for side in sides]), stereotypes),
        "probe gendered": probe(unit(held.matrix[words]), first % 2, words),
        "cosines kept (r)": float(np.corrcoef(*cosines)[0, 1]),
    }


class Reading(Training):
    """``Training``'s reading of sentences, with a projection's effect on the last layer."""

    def states(self, network: Any, batch: Batch) -> Tensor:
        found = network(input_ids=batch.numbers, attention_mask=batch.attention, output_hidden_states=True)
        return torch.stack([*found.hidden_states[:-1], found.last_hidden_state]).float()


def in_encoder(folder: Path, original: Path, examples: Examples, lexicons: Lexicons, head: Pretraining | None) -> dict[str, float]:
    """Of stereotype words in sentences of ``examples``, of sentences about women and men, and, with ``head``, of a masked pronoun."""
    reading = _reading(folder)
    found = _in_words(reading, examples, {rows[0] for rows in lexicons["gender_stereotypes"]})
    listed = gendered_sentences.sentences()
    drawn = np.random.default_rng(2).choice(len(listed), 400, replace=False)
    texts = [listed[number][gender] for gender in (0, 1) for number in drawn]
    pooled = [_pooled(reading if base == folder else _reading(base), texts) for base in (folder, original)]
    women, men = np.split(unit(pooled[0]), 2)
    apart, swapped = 1 - (women * np.roll(women, 1, axis=0)).sum(axis=1).mean(), 1 - (women * men).sum(axis=1).mean()
    drawn_pairs = np.random.default_rng(3).choice(len(texts), (2, 20_000))
    cosines = [(unit(rows)[drawn_pairs[0]] * unit(rows)[drawn_pairs[1]]).sum(axis=1) for rows in pooled]
    people = np.tile(drawn % len(gendered_sentences.PEOPLE), 2)
    return found | {
        "probe sentences": probe(pooled[0], np.repeat([0, 1], len(drawn)), people),
        "swap / any two": float(swapped / apart),
        "cosines kept (r)": float(np.corrcoef(*cosines)[0, 1]),
        "log-odds gap": float("nan") if head is None else log_odds_gap(folder, examples, lexicons, head),
    }


def _reading(folder: Path) -> Reading:
    network = projection.follow(load(AutoModel, folder).eval(), folder)
    return Reading(network, network, tokenizer_of(folder), TOLD)


@torch.no_grad()
def _in_words(reading: Reading, examples: Examples, feminine: set[str]) -> dict[str, float]:
    directions = reading.attribute_vectors(examples)
    losses, means = [], []
    for start in range(0, len(examples.neutral), TOLD.batch):
        batch = reading.batch(examples.neutral[start : start + TOLD.batch])
        states = reading.states(reading.network, batch)
        losses.append(float(debiasing_loss(states, batch, directions, TOLD)) * len(batch.numbers))
        means.append(word_means(states, batch.word)[-1])
    rows, gender = torch.cat(means).numpy(), (directions[1] - directions[0])[-1].numpy()
    words = np.array([example.word for example in examples.neutral])
    return {
        "squared product": sum(losses) / len(words),
        "|cos| he - she": float(np.abs(unit(rows) @ unit(gender[None])[0]).mean()),
        "probe stereotypes": probe(rows, np.isin(words, sorted(feminine)).astype(int), np.unique(words, return_inverse=True)[1]),
    }


@torch.no_grad()
def _pooled(reading: Reading, texts: Sequence[str]) -> np.ndarray:
    found = []
    for start in range(0, len(texts), 64):
        batch = reading.tokenizer(list(texts[start : start + 64]), padding=True, return_tensors="pt")
        states = reading.network(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).last_hidden_state.double()
        held = batch["attention_mask"][..., None]
        found.append((states * held).sum(1) / held.sum(1))
    rows: np.ndarray = torch.cat(found).numpy()
    return rows


def log_odds_gap(folder: Path, examples: Examples, lexicons: Lexicons, params: Pretraining) -> float:
    """Mean |log p(she) - log p(he)| where a stereotype word's sentence hides its pronoun, by a new head trained on the frozen encoder.

    MiniLM has no head of its own; the sentences that train one are the same for every encoder, and half of them are of each gender.
    """
    torch.manual_seed(4)
    network, report = load(AutoModelForMaskedLM, folder, output_loading_info=True)
    projection.follow(network, folder)
    tokenizer = tokenizer_of(folder)
    texts = [example.sentence for part in (examples.feminine, examples.masculine) for example in part]
    rows = masked_language.sequences(texts, tokenizer, 64, params)
    batches = masked_language._batches(rows, params.batch, tokenizer.pad_token_id)
    network.train()
    masked_language._learn(
        "head", network, masked_language._new_head(network, report["missing_keys"]), batches, tokenizer, params, params.head_steps
    )
    network.eval()
    words = sorted({word for rows in lexicons["gender_stereotypes"] for word in rows})
    said = tokenizer([BLANK.format(word).replace("[MASK]", tokenizer.mask_token) for word in words], return_tensors="pt", padding=True)
    with torch.no_grad():
        logits = network(input_ids=said["input_ids"], attention_mask=said["attention_mask"]).logits
    scores = logits[said["input_ids"] == tokenizer.mask_token_id]
    she, he = tokenizer.convert_tokens_to_ids(["she", "he"])
    return float((scores[:, she] - scores[:, he]).abs().mean())

"""Tiny bases and texts with a planted signal, built in the test that uses them: no downloads, no trained weights."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from stages.contract.params import Model, Task
from stages.models import vectors
from stages.models.folds import Lesson

FILLER = ["the", "doctor", "told", "me", "about", "my", "visit", "and", "i", "went", "home", "on", "a", "long", "road", "today"]
GOOD, BAD = ["trust", "kind", "clear"], ["doubt", "rude", "vague"]
TASK = {"dataset": {"use": "simulated", "source": "none"}, "label": "trust"}


def planted_texts(number: int = 80, seed: int = 0) -> tuple[list[str], np.ndarray]:
    """Texts of 4 to 16 words whose three words of one kind, anywhere, give the decision away; and the decisions, half of each."""
    generator = np.random.default_rng(seed)
    favourable = np.arange(number) % 2 == 0
    texts = []
    for yes in favourable:
        words = [*generator.choice(FILLER, generator.integers(1, 14)), *generator.choice(GOOD if yes else BAD, 3)]
        texts.append(" ".join(generator.permutation(words)))
    return texts, favourable


def documents(number: int = 80, folds: int = 2, seed: int = 0, labels: np.ndarray | None = None) -> pa.Table:
    """Planted texts, two by each author; all texts of an author lie in one fold and decide the same."""
    texts, favourable = planted_texts(number, seed)
    author = np.array([2 * (i // 4) + i % 2 for i in range(number)])
    names = {"doc_id": [f"d{i:03d}" for i in range(number)], "author_id": [f"a{a:03d}" for a in author], "text": texts}
    fold = [str((a // 2) % folds) for a in author]
    label = favourable.astype(float) if labels is None else labels
    return pa.table({**names, "lang": ["en"] * number, "fold": fold, "label": label, "favourable": favourable})


def lesson(targets: np.ndarray, kind: str = "classification", seed: int = 5) -> Lesson:
    """The first three quarters of the texts to train on, the rest for validation."""
    index = np.arange(len(targets))
    cut = 3 * len(targets) // 4
    return Lesson(kind, targets.astype(np.float32), index[:cut], index[cut:], seed)


def word_vectors(folder: Path, dimensions: int = 8) -> Path:
    """A base of random vectors for every word of the planted texts."""
    words = FILLER + GOOD + BAD
    matrix = np.random.default_rng(1).normal(size=(len(words), dimensions)).astype(np.float32)
    vectors.save(vectors.WordVectors(words, matrix), folder)
    return folder


def encoder(folder: Path, kind: str = "bert") -> Path:
    """A base that is a scratch BERT or RoBERTa of 2 layers and width 32, its byte-level tokenizer trained on planted texts."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from tokenizers.processors import TemplateProcessing
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast, RobertaConfig, RobertaModel

    tokenizer = ByteLevelBPETokenizer()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    tokenizer.train_from_iterator(planted_texts(40)[0], vocab_size=320, special_tokens=special, show_progress=False)
    tokenizer._tokenizer.post_processor = TemplateProcessing("<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    names = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>", "cls_token": "<s>", "sep_token": "</s>"}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer._tokenizer, **names).save_pretrained(folder)
    shape = {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 64,
        "vocab_size": 320,
        "initializer_range": 0.2,
    }
    settings = {**shape, "max_position_embeddings": 64, "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}
    torch.manual_seed(3)
    network = BertModel(BertConfig(**settings)) if kind == "bert" else RobertaModel(RobertaConfig(**settings))
    network.save_pretrained(folder)
    return folder


def task(**changes: object) -> Task:
    return Task.model_validate(TASK | changes)


def model(family: str, **options: object) -> Model:
    return Model.model_validate({"base": {"source": "none"}, "debiaser": {"use": "identity"}, "family": {"use": family, **options}})

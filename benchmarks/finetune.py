"""Fitting two folds of tweet-length texts: each family of ours beside what one would write without it, a Trainer or a plain loop."""

import contextlib
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks import plain_cnn
from stages import debias, finetune
from stages.contract.params import Model, Task
from stages.models import folds

ROOT = Path(__file__).parents[1]
TEXTS, BATCH, LONGEST = 1200, 32, 128
CORES = os.cpu_count() or 1
ENCODER = {"source": str(ROOT / "stages/pretrained/minilm_l6.yaml")}
GLOVE = {"source": str(ROOT / "stages/pretrained/glove_6b_50d.yaml"), "vocabulary": 50_000}
TASK = Task.model_validate({"dataset": {"use": "simulated", "source": "none"}, "label": "label"})
PARAMS = finetune.Params(seed=1, validation=0.2, processes=2)

Theirs = Callable[[pa.Table, Path, folds.Fold, dict[str, Any]], float]


def measure() -> list[dict[str, str]]:
    """Wall seconds for both folds (imports of the parent excluded) and the lowest validation losses, which should be near each other."""
    encoder = {"batch": BATCH, "max_tokens": LONGEST}
    documents = _documents()
    return [
        _arm(
            "MiniLM-L6 whole",
            f"Trainer, padded to {LONGEST}",
            documents,
            ENCODER,
            {"use": "transformer", "epochs": 2, "learning_rate": 5e-5} | encoder,
            _trainer,
        ),
        _arm(
            "a head on frozen MiniLM-L6, features read once",
            f"Trainer with a frozen body, padded to {LONGEST}",
            documents,
            ENCODER,
            {"use": "frozen_encoder", "epochs": 5, "learning_rate": 1e-3} | encoder,
            _trainer,
        ),
        _arm(
            "CNN on GloVe",
            f"plain loop, padded to {LONGEST}",
            documents,
            GLOVE,
            {"use": "text_cnn", "epochs": 10, "batch": BATCH, "learning_rate": 1e-3, "max_words": LONGEST},
            plain_cnn.lowest_loss,
        ),
    ]


def _arm(what: str, against: str, documents: pa.Table, base: dict[str, Any], family: dict[str, Any], theirs: Theirs) -> dict[str, str]:
    """A row of the table; in a folder of its own, so that no cache of an earlier run is read."""
    model = Model.model_validate({"base": base, "debiaser": {"use": "identity"}, "family": family})
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        made, output = Path("base"), Path("fitted")
        output.mkdir()
        debias.run(model, debias.Params(seed=1), made)
        seconds = _timed(lambda: finetune.run(documents, made, TASK, model, PARAMS, output))
        records = json.loads((output / "training.json").read_text(encoding="utf-8"))["folds"]
        loss = np.mean([min(epoch["validation_loss"] for epoch in record["epochs"]) for record in records])
        losses: list[float] = []
        their_seconds = _timed(lambda: losses.extend(theirs(documents, made, fold, family) for fold in _plan(documents)))
    return {
        "what": f"fit {what}: two folds of {TEXTS // 2} texts, {family['epochs']} epochs",
        "ours": f"{seconds:.0f} s",
        "theirs": f"{their_seconds:.0f} s ({against})",
        "ratio": f"{their_seconds / seconds:.1f}x",
        "note": f"lowest validation loss {loss:.3f} ours, {np.mean(losses):.3f} theirs",
    }


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _documents() -> pa.Table:
    """Texts of lognormal length (median 28 words) in which one word in six tells the label, with one text in ten mislabelled."""
    random = np.random.default_rng(0)
    common = ["the", "a", "my", "I", "we", "they", "this", "day", "time", "home", "work", "people", "thing", "way", "see", "go"]
    words = {True: ["good", "happy", "calm", "kind"], False: ["bad", "angry", "afraid", "cruel"]}
    says = random.random(TEXTS) < 0.5
    lengths = np.clip(np.exp(random.normal(np.log(28), 0.55, TEXTS)).astype(int), 10, 114)
    texts = [
        " ".join(random.choice(words[bool(yes)]) if random.random() < 1 / 6 else random.choice(common) for _ in range(length))
        for yes, length in zip(says, lengths, strict=True)
    ]
    label = says ^ (random.random(TEXTS) < 0.1)
    identifiers = [f"d{row}" for row in range(TEXTS)]
    names = {"doc_id": identifiers, "author_id": identifiers, "text": texts, "lang": ["en"] * TEXTS}
    return pa.table(names | {"fold": [str(row % 2) for row in range(TEXTS)], "label": label.astype(float), "favourable": label})


def _plan(documents: pa.Table) -> list[folds.Fold]:
    return folds.split(documents["fold"].to_pylist(), documents["author_id"].to_pylist(), PARAMS.validation, PARAMS.seed)


def _trainer(documents: pa.Table, base: Path, fold: folds.Fold, family: dict[str, Any]) -> float:
    """The lowest validation loss of a fold fitted as the Trainer's documentation has it, on every core, padded to the maximum length.

    With frozen_encoder the body learns nothing and the head is ours, of two layers; the Trainer reads every text anew in each epoch.
    """
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments

    torch.set_num_threads(CORES)
    kind = {"num_labels": 1, "problem_type": "multi_label_classification"}  # one logit, cross-entropy: the same loss as ours
    network = AutoModelForSequenceClassification.from_pretrained(base, **kind)
    if family["use"] == "frozen_encoder":
        network.base_model.requires_grad_(False)
        layers = torch.nn.Linear(network.config.hidden_size, 128), torch.nn.ReLU(), torch.nn.Linear(128, 1)
        network.classifier = torch.nn.Sequential(*layers)
    read = AutoTokenizer.from_pretrained(base)(documents["text"].to_pylist(), padding="max_length", truncation=True, max_length=LONGEST)
    target = documents["label"].to_numpy()

    def rows(index: np.ndarray) -> list[dict[str, Any]]:
        return [{name: values[i] for name, values in read.items()} | {"labels": [float(target[i])]} for i in index]

    arguments = TrainingArguments(
        output_dir="trainer",
        num_train_epochs=family["epochs"],
        per_device_train_batch_size=BATCH,
        learning_rate=family["learning_rate"],
        weight_decay=0.01,
        eval_strategy="epoch",
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        dataloader_pin_memory=False,
        seed=fold.seed % 2**31,
    )
    trainer = Trainer(network, arguments, train_dataset=rows(fold.train), eval_dataset=rows(fold.validation))
    trainer.train()
    return float(min(entry["eval_loss"] for entry in trainer.state.log_history if "eval_loss" in entry))

"""Fine-tuning MiniLM-L6 on tweet-length texts, two folds: ours beside the Hugging Face Trainer padded to the maximum length."""

import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from stages import debias, finetune
from stages.contract.params import Model, Task
from stages.models import folds

TEXTS, EPOCHS, BATCH, LONGEST, RATE = 1200, 2, 32, 128, 5e-5
MODEL = Model.model_validate(
    {
        "base": {"source": "stages/pretrained/minilm_l6.yaml"},
        "debiaser": {"use": "identity"},
        "family": {"use": "transformer", "epochs": EPOCHS, "batch": BATCH, "learning_rate": RATE, "max_tokens": LONGEST},
    }
)
TASK = Task.model_validate({"dataset": {"use": "simulated", "source": "none"}, "label": "label"})
PARAMS = finetune.Params(seed=1, validation=0.2, processes=2)


def measure() -> list[dict[str, str]]:
    """Wall seconds for both folds (imports of the parent excluded) and the lowest validation losses, which should agree."""
    with tempfile.TemporaryDirectory() as name:
        base, output = Path(name, "base"), Path(name, "fitted")
        output.mkdir()
        debias.run(MODEL, debias.Params(seed=1), base)
        documents = _documents()
        ours = _timed(lambda: finetune.run(documents, base, TASK, MODEL, PARAMS, output))
        records = json.loads((output / "training.json").read_text(encoding="utf-8"))["folds"]
        loss = np.mean([min(epoch["validation_loss"] for epoch in record["epochs"]) for record in records])
        losses: list[float] = []
        theirs = _timed(lambda: losses.extend(_trainer(documents, base, fold, name) for fold in _plan(documents)))
    return [
        {
            "what": f"fine-tune MiniLM-L6, two folds of {TEXTS // 2} texts, {EPOCHS} epochs",
            "ours": f"{ours:.0f} s",
            "theirs": f"{theirs:.0f} s (Trainer, padded to {LONGEST})",
            "ratio": f"{theirs / ours:.1f}x",
            "note": f"lowest validation loss {loss:.3f} ours, {np.mean(losses):.3f} theirs",
        }
    ]


def _timed(work: Any) -> float:
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


def _trainer(documents: pa.Table, base: Path, fold: folds.Fold, folder: str) -> float:
    """The lowest validation loss of a fold fitted as the Trainer's documentation has it, on every core, padded to the maximum length."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments

    torch.set_num_threads(2)
    kind = {"num_labels": 1, "problem_type": "multi_label_classification"}  # one logit, cross-entropy: the same loss as ours
    network = AutoModelForSequenceClassification.from_pretrained(base, **kind)
    read = AutoTokenizer.from_pretrained(base)(documents["text"].to_pylist(), padding="max_length", truncation=True, max_length=LONGEST)
    target = documents["label"].to_numpy()

    def rows(index: np.ndarray) -> list[dict[str, Any]]:
        return [{name: values[i] for name, values in read.items()} | {"labels": [float(target[i])]} for i in index]

    arguments = TrainingArguments(
        output_dir=folder,
        num_train_epochs=EPOCHS,
        per_device_train_batch_size=BATCH,
        learning_rate=RATE,
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

"""Training on masked words: what is hidden, what is learned, what is saved, and to whom the file belongs afterwards."""

import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from stages.contract.bad_input import BadInput
from stages.debiasers import masked_language, pretrained_encoder
from stages.debiasers.pretraining import Pretraining
from tests.debiasers import small

TEXTS = [f"{name} {verb} the {thing}" for name in ("ann", "bob") for verb in ("saw", "ate", "had") for thing in ("fish", "tree", "sea")]
QUICK = {"steps": 60, "head_steps": 20, "batch": 6, "accumulation": 1, "block": None, "learning_rate": 3e-3}


def trained(base: Path, to: Path, seed: int = 1, **options: object) -> Path:
    shutil.copytree(base, to)
    masked_language.train(to, TEXTS, Pretraining.model_validate(QUICK | options), seed)
    return to


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("bases")
    kinds = {"bert": ("bert", False), "bert_head": ("bert", True), "roberta": ("roberta", False), "roberta_head": ("roberta", True)}
    return {name: small.encoder(folder / name, TEXTS, kind, head) for name, (kind, head) in kinds.items()}


def test_a_share_of_the_words_is_hidden_most_of_them_behind_the_mask(bases: dict[str, Path]) -> None:
    tokenizer = small.read_tokenizer(bases["bert"])
    torch.manual_seed(0)
    numbers = torch.tensor(tokenizer(["ann saw the fish"] * 5000)["input_ids"])
    shown, wanted = masked_language.hide(numbers, tokenizer, 0.15)
    hidden = wanted != masked_language.IGNORED
    assert hidden[:, 1:-1].float().mean().item() == pytest.approx(0.15, abs=0.01)
    assert not hidden[:, [0, -1]].any(), "special tokens are never hidden"
    assert torch.equal(wanted[hidden], numbers[hidden])
    assert torch.equal(shown[~hidden], numbers[~hidden])
    assert (shown[hidden] == tokenizer.mask_token_id).float().mean().item() == pytest.approx(0.8, abs=0.03)
    assert (shown[hidden] == numbers[hidden]).float().mean().item() == pytest.approx(0.1, abs=0.03)


def test_something_is_hidden_in_the_shortest_batch(bases: dict[str, Path]) -> None:
    tokenizer = small.read_tokenizer(bases["bert"])
    numbers = torch.tensor(tokenizer(["ann"])["input_ids"])
    assert (masked_language.hide(numbers, tokenizer, 1e-9)[1] != masked_language.IGNORED).sum() == 1


def test_sentences_are_laid_end_to_end_and_cut(bases: dict[str, Path]) -> None:
    tokenizer = small.read_tokenizer(bases["bert"])
    rows = masked_language.sequences(TEXTS, tokenizer, 8, Pretraining(block=8))
    each = [tokenizer(text)["input_ids"] for text in TEXTS]
    assert {len(row) for row in rows} == {8}
    assert [number for row in rows for number in row] == [number for row in each for number in row][: 8 * len(rows)]
    assert len(rows) == sum(map(len, each)) // 8
    assert masked_language.sequences(TEXTS, tokenizer, 8, Pretraining(block=None)) == each
    assert len(masked_language.sequences(["ann"], tokenizer, 8, Pretraining(block=8))) == 1


@pytest.mark.parametrize("base", ["bert", "bert_head", "roberta", "roberta_head"])
def test_the_folder_stays_of_its_kind_and_only_numbers_change(base: str, bases: dict[str, Path], tmp_path: Path) -> None:
    folder = trained(bases[base], tmp_path / "out")
    before, after = (load_file(path / "model.safetensors") for path in (bases[base], folder))
    assert {name: tensor.shape for name, tensor in before.items()} == {name: tensor.shape for name, tensor in after.items()}
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert not any("pooler" in name for name in changed)
    assert all(name in changed for name in before if "layer.1.output.dense" in name or "word_embeddings" in name)
    assert any("cls." in name or "lm_head." in name for name in changed) == base.endswith("_head")
    assert sorted(file.name for file in folder.iterdir()) == sorted(file.name for file in bases[base].iterdir())
    small.network(folder)


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_hidden_words_alone_give_the_loss_of_all_scores(kind: str, bases: dict[str, Path]) -> None:
    network, tokenizer = small.network(bases[f"{kind}_head"], "AutoModelForMaskedLM"), small.read_tokenizer(bases[f"{kind}_head"])
    numbers = tokenizer([*TEXTS[:4], "ann"], return_tensors="pt", padding=True)["input_ids"]
    torch.manual_seed(5)
    found = masked_language._loss(network, numbers, tokenizer, Pretraining())
    torch.manual_seed(5)
    shown, wanted = masked_language.hide(numbers, tokenizer, 0.15)
    scores = network(input_ids=shown, attention_mask=(numbers != tokenizer.pad_token_id).long()).logits
    torch.testing.assert_close(found, torch.nn.functional.cross_entropy(scores.flatten(0, 1), wanted.flatten()))


def test_it_learns_the_texts(bases: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trained(bases["bert_head"], tmp_path / "out", steps=300, batch=12)
    losses = [float(line.rsplit(" ", 1)[1]) for line in capsys.readouterr().out.splitlines() if line.startswith("encoder: step")]
    assert losses[0] > 2
    assert losses[-1] < 1.15, "two or three equally likely words a place have a cross-entropy of at most log 3 = 1.1"


def test_the_same_seed_gives_the_same_bytes(bases: dict[str, Path], tmp_path: Path) -> None:
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    one, two, other = (trained(bases["bert"], tmp_path / str(n), seed, steps=5, accumulation=2) for n, seed in enumerate((1, 1, 2)))
    torch.testing.assert_close(torch.rand(3), expected)
    weights = [(folder / "model.safetensors").read_bytes() for folder in (one, two, other)]
    assert weights[0] == weights[1]
    assert weights[0] != weights[2]


def test_training_that_diverges_is_refused(bases: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="the loss is not finite after step"):
        trained(bases["bert"], tmp_path / "out", learning_rate=1e30)


def test_what_is_no_encoder_is_refused(bases: dict[str, Path], tmp_path: Path) -> None:
    folder = tmp_path / "out"
    shutil.copytree(bases["bert"], folder)
    (folder / "config.json").write_text('{"model_type": "vit"}', encoding="utf-8")
    with pytest.raises(BadInput, match="is no encoder that AutoModelForMaskedLM can load"):
        masked_language.train(folder, TEXTS, Pretraining(), 1)
    (folder / "config.json").write_bytes((bases["bert"] / "config.json").read_bytes())
    (folder / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(BadInput, match="tokenizer"):
        masked_language.train(folder, TEXTS, Pretraining(), 1)


def test_a_pooler_that_the_file_lacks_is_not_added(bases: dict[str, Path], tmp_path: Path) -> None:
    """As in the file of roberta-base: the network gets a random one, which nobody trained."""
    folder = tmp_path / "out"
    shutil.copytree(bases["roberta_head"], folder)
    network = small.network(folder)
    with torch.no_grad():
        network.embeddings.word_embeddings.weight.add_(1)
    before = load_file(folder / "model.safetensors")
    assert not any("pooler" in name for name in before)
    pretrained_encoder.save(folder, network)
    after = load_file(folder / "model.safetensors")
    assert {name for name in before if not torch.equal(before[name], after[name])} == {"roberta.embeddings.word_embeddings.weight"}
    assert set(after) == set(before)


def test_a_file_without_a_layer_is_refused(bases: dict[str, Path], tmp_path: Path) -> None:
    folder = tmp_path / "out"
    shutil.copytree(bases["bert"], folder)
    network = small.network(folder)
    tensors = {name: tensor for name, tensor in load_file(folder / "model.safetensors").items() if "layer.1." not in name}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(BadInput, match=r"lacks 16 of the encoder's weights \(such as encoder.layer.1"):
        pretrained_encoder.save(folder, network)

"""Small encoders of given words, built in the test that uses them: a BERT or RoBERTa of two layers, with or without its head."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

SPECIAL = ["<pad>", "<s>", "</s>", "<unk>", "<mask>"]


def encoder(folder: Path, texts: Iterable[str], kind: str = "bert", head: bool = False) -> Path:
    """An encoder in ``folder``: BERT with a word for a token, RoBERTa with byte-level pieces of words; ``head``: for masked words."""
    import torch
    import transformers

    number = tokenizer(folder, texts, bytewise=kind == "roberta")
    settings: dict[str, Any] = {
        "vocab_size": number,
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 64,
        "max_position_embeddings": 66,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "initializer_range": 0.2,
    }
    torch.manual_seed(3)
    name = "Bert" if kind == "bert" else "Roberta"
    config = getattr(transformers, f"{name}Config")(**settings)
    getattr(transformers, f"{name}{'ForMaskedLM' if head else 'Model'}")(config).save_pretrained(folder)
    return folder


def tokenizer(folder: Path, texts: Iterable[str], bytewise: bool = False) -> int:
    """A lower-casing tokenizer of whole words, or a byte-level one of 300 pieces; the number of its tokens."""
    import tokenizers
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast

    if bytewise:
        made = tokenizers.ByteLevelBPETokenizer()
        made.train_from_iterator(texts, vocab_size=320, special_tokens=SPECIAL, show_progress=False)
        inner = made._tokenizer
    else:
        inner = tokenizers.Tokenizer(tokenizers.models.WordLevel(unk_token=SPECIAL[3]))
        inner.normalizer = tokenizers.normalizers.Lowercase()
        inner.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
        inner.train_from_iterator(texts, tokenizers.trainers.WordLevelTrainer(special_tokens=SPECIAL, show_progress=False))
    inner.post_processor = TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)])
    roles = zip(("pad_token", "bos_token", "eos_token", "unk_token", "mask_token"), SPECIAL, strict=True)
    names = dict(roles) | {"cls_token": "<s>", "sep_token": "</s>"}
    PreTrainedTokenizerFast(tokenizer_object=inner, model_max_length=64, **names).save_pretrained(folder)
    return inner.get_vocab_size()


def network(folder: Path, kind: str = "AutoModel") -> Any:
    import transformers

    return getattr(transformers, kind).from_pretrained(folder, local_files_only=True).eval()


def read_tokenizer(folder: Path) -> Any:
    import transformers

    return transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)

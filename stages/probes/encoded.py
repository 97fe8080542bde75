"""Vectors of words and sentences from an encoder: its last hidden states, averaged over a word's tokens or a sentence's."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from stages.contract.bad_input import BadInput
from stages.probes.kept import Kept, Row, of_encoder
from stages.probes.spaces import Space, Vectors

Span = tuple[int, int]
Pooling = Literal["cls", "mean"]
# Sentences that say nothing of what they name.
TEMPLATES = ("This is {}.", "That is {}.", "It is about {}.", "They said {}.", "The word is {}.", "Everyone knows {}.")
BATCH = 128


@dataclass(frozen=True)
class Encoder:
    """A network of transformers that returns ``last_hidden_state``, its fast tokenizer, how many tokens it takes, and where its vectors
    are kept (None: nowhere).
    """

    network: Any
    tokenizer: Any
    most_tokens: int
    kept: Kept | None = None

    @property
    def casing(self) -> str:
        """Whether the tokenizer tells capitals from small letters."""
        upper, lower = (self.tokenizer(text)["input_ids"] for text in ("She Is Here", "she is here"))
        return "lower-cased by the tokenizer" if upper == lower else "as written"

    def words(self, texts: Sequence[str], spans: Sequence[Span]) -> Iterator[Vectors | None]:
        """The mean last hidden state of the tokens in each text's span of characters.

        None where the tokenizer does not know a part of the span, or the encoder takes fewer tokens.
        """
        unknown = self.tokenizer.unk_token_id
        encoded = self._encoded(texts)
        held = []
        for span, numbers, places in zip(spans, encoded["input_ids"], encoded["offset_mapping"], strict=True):
            inside = [start < span[1] and end > span[0] and end > start for start, end in places]
            whole = max((end for _, end in places), default=0) >= span[1]
            known = whole and unknown not in [number for number, is_in in zip(numbers, inside, strict=True) if is_in]
            held.append(np.array(inside, dtype=np.float32) if known and any(inside) else None)
        kept = [row for row, inside in enumerate(held) if inside is not None]
        found = self._pooled([encoded["input_ids"][row] for row in kept], [held[row] for row in kept])  # type: ignore[misc]
        places_of = {row: number for number, row in enumerate(kept)}
        return (found[places_of[row]] if row in places_of else None for row in range(len(texts)))

    def sentences(self, texts: Sequence[str], pooling: Pooling) -> Vectors:
        """[texts, width]: the last hidden state of the first token (cls), or the mean over all tokens."""
        numbers = self._encoded(texts)["input_ids"]
        first = [np.arange(len(row)) == 0 if pooling == "cls" else np.ones(len(row)) for row in numbers]
        return self._pooled(numbers, [weights.astype(np.float32) for weights in first])

    def _encoded(self, texts: Sequence[str]) -> Any:
        return self.tokenizer(list(texts), truncation=True, max_length=self.most_tokens, return_offsets_mapping=True)

    def _pooled(self, rows: list[list[int]], weights: list[NDArray[np.float32]]) -> Vectors:
        """Means of last hidden states by ``weights`` over each row's tokens, float64 [rows, width]."""
        asked = list(zip(rows, weights, strict=True))
        if self.kept is None:
            return self._computed(asked).astype(np.float64)
        return self.kept.of(asked, self.network.config.hidden_size, lambda: self._computed(asked)).astype(np.float64)

    def _computed(self, asked: Sequence[Row]) -> NDArray[np.float32]:
        """``_pooled`` in the precision of the states; texts of like length together."""
        import torch

        found = np.empty((len(asked), self.network.config.hidden_size), dtype=np.float32)
        order = np.argsort([-len(tokens) for tokens, _ in asked], kind="stable")
        for start in range(0, len(asked), BATCH):
            index = order[start : start + BATCH]
            longest = len(asked[index[0]][0])
            numbers = np.full((len(index), longest), self.tokenizer.pad_token_id, dtype=np.int64)
            shares, held = np.zeros((2, *numbers.shape), dtype=np.float32)
            for place, row in enumerate(index):
                tokens, weights = asked[row]
                numbers[place, : len(tokens)], held[place, : len(tokens)] = tokens, 1
                shares[place, : len(tokens)] = weights / weights.sum()
            with torch.inference_mode():
                device = self.network.device
                batch = {"input_ids": torch.from_numpy(numbers).to(device), "attention_mask": torch.from_numpy(held).long().to(device)}
                states = self.network(**batch).last_hidden_state.float().cpu().numpy()
            found[index] = np.einsum("blw,bl->bw", states, shares)
        return found


def load(folder: Path, cache: Path | None = None) -> Encoder:
    """The encoder in ``folder`` in float32, ready to be asked; what it says is kept in ``cache``.

    BadInput: it or its tokenizer cannot be loaded, or cannot tell places.
    """
    import torch
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    options = {"local_files_only": True, "trust_remote_code": False}
    try:
        network = transformers.AutoModel.from_pretrained(folder, use_safetensors=True, dtype=torch.float32, **options)
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **options)
    except (OSError, ValueError, KeyError) as error:
        raise BadInput(f"{folder} is no encoder that can be loaded: {' '.join(str(error).split())}.") from error
    if not tokenizer.is_fast or tokenizer.pad_token_id is None:
        raise BadInput(f"{folder}: probing needs a tokenizer.json that pads and tells where tokens stand; save a fast tokenizer there.")
    positions = getattr(network.config, "max_position_embeddings", tokenizer.model_max_length)
    if "roberta" in network.config.model_type:
        positions -= network.config.pad_token_id + 1  # RoBERTa counts positions from the padding token's number on
    where = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    kept = None
    if cache is not None:
        versions = f"{torch.__version__} {transformers.__version__}"
        machine = f"{versions} {torch.backends.cpu.get_cpu_capability()} {torch.get_num_threads()} {where.type}"
        kept = Kept(cache, f"{machine} {BATCH} {tokenizer.pad_token_id} {of_encoder(folder)}")
    return Encoder(network.to(where).eval(), tokenizer, int(min(positions, tokenizer.model_max_length)), kept)


def spaces(encoder: Encoder, listed: Collection[str] = (), templates: Sequence[str] = TEMPLATES) -> list[Space]:
    """Words alone (decontextualised; Bommasani, Davis and Cardie 2020, doi:10.18653/v1/2020.acl-main.431) and in templates.

    ``listed``: words that are read with the first that are asked for, as reading many at once is faster.
    """
    pooling = "mean of the word's tokens, last layer"
    return [
        Space("alone", pooling, encoder.casing, _remembered(encoder, ["{}"], listed)),
        Space("templates", f"{pooling}, mean over {len(templates)} templates", encoder.casing, _remembered(encoder, templates, listed)),
    ]


def _remembered(encoder: Encoder, templates: Sequence[str], listed: Collection[str]) -> Callable[[Collection[str]], Mapping[str, Vectors]]:
    """``_rows``, in which no word is read twice, as many tests ask for the same."""
    known: dict[str, Vectors | None] = {}

    def rows(words: Collection[str]) -> Mapping[str, Vectors]:
        new = sorted({*words, *(() if known else listed)} - set(known))
        if new:
            known.update(zip(new, _rows(encoder, new, templates), strict=True))
        return {word: row for word in words if (row := known[word]) is not None}

    return rows


def _rows(encoder: Encoder, words: Sequence[str], templates: Sequence[str]) -> list[Vectors | None]:
    """The mean over templates of each word's vector; None for a word that the tokenizer does not know."""
    texts = [template.format(word) for word in words for template in templates]
    starts = [template.index("{}") for template in templates]
    found = encoder.words(texts, [(start, start + len(word)) for word in words for start in starts])
    each = ([row for row in islice(found, len(templates)) if row is not None] for _ in words)
    return [np.mean(rows, axis=0) if len(rows) == len(templates) else None for rows in each]

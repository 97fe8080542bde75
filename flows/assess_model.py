"""A local classifier: what it says of texts, of the same texts about somebody else and of made-up sentences, and by which words."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from flows.assess_options import Options
from stages import swap
from stages.challenges import eec
from stages.contract.bad_input import BadInput
from stages.contract.params import Entry
from stages.contrasts.identities import identities
from stages.contrasts.swapped import swap_effects
from stages.explanations import tables
from stages.explanations.asking import explanations
from stages.explanations.leaning import Permutations
from stages.explanations.words import Words
from stages.language.identities import attributes
from stages.mentions import word_lists

BATCH = 32
METHODS = ("lime", "shap")
SHOWN, DRAWS, ORDER, CONFIDENCE = 6, 10_000, 2, 0.95
Ask = Callable[[Sequence[str]], NDArray[np.float64]]


@dataclass(frozen=True)
class Answers:
    """Rows of SwapEffects, Identities, Explanations, Leanings and LocalExplanations of a model, and what is to be said of it."""

    effects: pd.DataFrame
    identities: pd.DataFrame
    tokens: pd.DataFrame
    leanings: pd.DataFrame
    local: pd.DataFrame
    notes: list[str]


def answers(documents: pa.Table, options: Options, cell: dict[str, str]) -> Answers:
    """Everything that only a model can be asked. ``cell``: its task and model. BadInput: see ``classifier``."""
    ask, note = classifier(options)
    effects, swapped = _swaps(documents, ask, options)
    made_up = eec.load(options.templates, eec.Params()).to_pandas()
    made_up = made_up[made_up["favourable"].notna()]
    if made_up.empty:
        raise BadInput(f"{options.templates} gives no sentence a label; add favourable to its templates, or leave --templates out.")
    made_up = made_up.drop(columns=["text", "lang"]).assign(
        unit_score=ask(made_up["text"].tolist()), challenge=options.templates.stem, **cell
    )
    found = identities(made_up, ORDER, CONFIDENCE)
    tokens, leanings, local, explained = _explained(documents, ask, options)
    notes = [note, swapped, f"{len(made_up):,} made-up sentences of {options.templates.stem}.", explained]
    return Answers(swap_effects(effects.assign(**cell), CONFIDENCE), found, tokens, leanings, local, notes)


def classifier(options: Options) -> tuple[Ask, str]:
    """The probability of the favourable label of texts, 6 decimals, by the model in a folder, and what was loaded.

    BadInput: no folder with config.json and safetensors, code of its own, or a label that the model does not have.
    """
    import torch
    from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer

    from stages.models.pretrained import refuse_code

    folder = _folder(options.model)
    refuse_code(folder)
    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        network = AutoModelForSequenceClassification.from_pretrained(
            folder, config=config, local_files_only=True, trust_remote_code=False, use_safetensors=True
        )
    except (OSError, ValueError, KeyError) as error:
        raise BadInput(f"{folder} holds no classifier that transformers can load: {' '.join(str(error).split())[:200]}") from error
    place = _place(config.id2label, options)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    network = network.to(device).eval()

    def ask(texts: Sequence[str]) -> NDArray[np.float64]:
        distinct = sorted(dict.fromkeys(texts), key=len)
        said: dict[str, float] = {}
        with torch.inference_mode():
            for start in range(0, len(distinct), BATCH):
                batch = distinct[start : start + BATCH]
                tokens = tokenizer(batch, truncation=True, max_length=options.most_tokens, padding=True, return_tensors="pt").to(device)
                logits = network(**tokens).logits.float()
                chance = torch.sigmoid(logits[:, 0]) if logits.shape[1] == 1 else torch.softmax(logits, dim=1)[:, place]
                said |= zip(batch, chance.tolist(), strict=True)
        return np.round([said[text] for text in texts], 6)

    return ask, f"model {folder.name}: {config.model_type}, favourable is its label {config.id2label[place]!r}."


def _folder(folder: Path | None) -> Path:
    if folder is None or not (folder / "config.json").is_file():
        raise BadInput(f"--model {folder}: name a folder with config.json, a tokenizer and *.safetensors.")
    if not list(folder.glob("*.safetensors")):
        raise BadInput(f"--model {folder}: there are no weights as safetensors; other formats can run code, so save the model again.")
    return folder


def _place(labels: dict[int, str], options: Options) -> int:
    """Which of the model's labels is the favourable one; never guessed."""
    places = {str(label): int(place) for place, label in labels.items()}
    if options.model_label not in places:
        raise BadInput(f"--model-label {options.model_label}: say which of the model's labels is favourable: {', '.join(places)}.")
    return places[options.model_label]


def _swaps(documents: pa.Table, ask: Ask, options: Options) -> tuple[pd.DataFrame, str]:
    """Rows of SwapResponses: every clear swap of the attributes that are looked for and have words to swap."""
    chosen = [name for name in attributes() if name in options.mentions]
    swaps = swap.run(documents, swap.Params(attributes={name: pairs for name in chosen if (pairs := _groups(name))}))
    clear = swaps.filter(pc.equal(swaps["outcome"], "swapped")).to_pandas()
    frame = clear.merge(documents.select(["doc_id", "author_id", "favourable", "text"]).to_pandas(), on="doc_id", suffixes=("_swapped", ""))
    scores = ask([*frame["text"], *frame["text_swapped"]]) if len(frame) else np.zeros(0)
    frame["original"], frame["swapped"] = scores[: len(frame)], scores[len(frame) :]
    for name in ("original", "swapped"):
        frame[f"{name}_decision"] = frame[name] >= _cut(options)
    return frame, f"{len(frame):,} swapped texts; the others mention nobody who could be swapped, or a word's role is open."


def _groups(attribute: str) -> tuple[str, ...]:
    """The two groups of an attribute that change places."""
    return {
        "gender": ("women", "men"),
        "religion": ("Muslim people", "Christian people"),
        "ethnicity": ("Black people", "white people"),
    }.get(attribute, ())


def _cut(options: Options) -> float:
    """From which probability of the favourable label on the decision is favourable. BadInput: the median, which swaps would move."""
    threshold = options.audit.threshold
    if threshold is None:
        return 0.5
    if threshold == "median":
        raise BadInput("--threshold median: with --model give a number, as swapped texts have another median.")
    return 1 - threshold if options.audit.favourable_scores == "low" else threshold


def _explained(documents: pa.Table, ask: Ask, options: Options) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame, str]:
    """Words of texts drawn at random and of as many more that name somebody, by LIME and SHAP."""
    words = [Words.of(text) for text in documents["text"].to_pylist()]
    terms = {
        form: each.attribute for each in word_lists.read(word_lists.WORDS).values() for _, _, form, _ in each.forms() if "_" not in form
    }
    candidates = [place for place, text in enumerate(words) if 0 < len(text.tokens) <= options.most_tokens]
    mixed: list[int] = np.random.default_rng(options.audit.seed).permutation(candidates).tolist()
    naming = [place for place in mixed[options.explained :] if terms.keys() & set(words[place].tokens)]
    drawn = sorted(mixed[: options.explained] + naming[: options.explained])
    if not drawn:
        raise BadInput(f"no text has 1 to {options.most_tokens} different words, so that none can be explained.")
    methods = [Entry.model_validate({"use": use, "samples": options.samples}) for use in METHODS]
    seeds = [int(np.random.SeedSequence([options.audit.seed, place]).generate_state(1)[0]) for place in drawn]
    found = explanations([words[place] for place in drawn], seeds, methods, ask)
    frequency: Counter[str] = Counter(token for each in words for token in each.tokens)
    doc_ids = documents["doc_id"].take(pa.array(drawn)).to_pylist()
    study = tables.Study(METHODS, doc_ids, [words[place] for place in drawn], found, terms, frequency, len(candidates))
    tokens = tables.by_token(study, CONFIDENCE)
    leanings: Any = tables.leanings(study, tokens, Permutations(DRAWS, options.audit.seed, CONFIDENCE))
    local = tables.whole(study, range(min(SHOWN, len(drawn))))
    return (
        tokens,
        leanings,
        local,
        f"{len(drawn):,} of {len(candidates):,} texts explained, {options.samples:,} variants of each by each method.",
    )

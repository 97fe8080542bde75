"""What `crossbias assess` can be told: all that an audit can, the texts, whom to look for in them, and a model to ask."""

import argparse
import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flows import audit_options
from flows.arguments import commas, whole
from stages.contract.shelf import ROOT

SUMMARY = "Assess a text classifier by its predictions: data, decisions, groups and, with --model, swaps, templates and explanations."
CORPUS = ROOT / "challenges" / "corpora" / "en_identities.yaml"
AUDIT = {field.name for field in dataclasses.fields(audit_options.Options)}


@dataclass(frozen=True)
class Options:
    """``audit``: how the file is read and scored; the others have the names of the command's options."""

    audit: audit_options.Options
    mentions: tuple[str, ...] = ("gender", "religion")
    sex: str | None = None
    race: str | None = None
    leave_out_small: bool = False
    model: Path | None = None
    model_label: str | None = None
    templates: Path = CORPUS
    explained: int = 100
    samples: int = 500
    most_tokens: int = 256


def parse(arguments: Sequence[str] | None, program: str) -> tuple[Options, bool]:
    """The options of a command line, and whether it asks for tracebacks."""
    given = vars(_parser(program).parse_args(arguments))
    debug = given.pop("debug")
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    audit = audit_options.Options(**{name: value for name, value in values.items() if name in AUDIT})
    return Options(audit, **{name: value for name, value in values.items() if name not in AUDIT}), debug


def _parser(program: str) -> argparse.ArgumentParser:
    parser = audit_options.parser(program, SUMMARY, grouped=False)
    add = parser.add_argument
    add("--text", required=True, help="the column of the texts")
    add("--lang", default="en", help="the language of the texts; words are looked for and swapped in English (en) alone")
    add("--mentions", type=commas, default=("gender", "religion"), help="word lists to look up in the texts, with commas; '' for none")
    add("--sex", help="the attribute that impact ratios take for sex (default: sex, gender or mentioned_gender)")
    add("--race", help="the attribute that they take for race or ethnicity (default: race, ethnicity or mentioned_ethnicity)")
    add("--leave-out-small", action="store_true", help="no impact ratio for categories under 2 %% of the rows")
    add("--model", type=Path, help="the folder of the classifier (transformers, safetensors), for swaps, templates and explanations")
    add("--model-label", help="the label of the model's own that is the favourable one")
    add("--templates", type=Path, default=CORPUS, help="the corpus of labelled sentences (default: kind and hostile ones about people)")
    add("--explained", type=whole, default=100, help="so many texts are explained, and as many more that name somebody (default 100)")
    add("--samples", type=whole, default=500, help="so many variants of a text are asked about by each method (default 500)")
    add("--most-tokens", type=whole, default=256, help="the model reads so many tokens of a text (default 256)")
    return parser

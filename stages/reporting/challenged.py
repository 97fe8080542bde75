"""What it does to scores who is named: tables of contrast and respond -> sentences, tables and figures."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pandas as pd
import pyarrow as pa

from stages.contract.params import Design
from stages.reporting import agreement, coefficients, effects_figure, standouts
from stages.reporting.contrasted import CELL, DIFFERS, NO_EVIDENCE, deciding, effect, name, of_cell, plain
from stages.reporting.effects_figure import Effect
from stages.reporting.tables import Table
from stages.reporting.wording import count, percent

PANELS = 3  # terms in a figure
References = Mapping[str, Mapping[str, str]]


def parts(
    contrasts: pa.Table,
    fits: pa.Table,
    breakdown: pa.Table,
    references: References,
    design: Design,
    settings: Any,
    level: float,
    standing_out: int,
) -> dict[str, Any] | None:
    """All that the section shows; None where no challenge was put to any model. ``level``: up to which q scores differ.

    ``references``: each challenge's category of each attribute that the others are compared with; ``standing_out``: how many templates
    and names of each task and model are shown.
    """
    found, fitted = contrasts.to_pandas(), fits.to_pandas()
    if found.empty:
        return None
    decided = deciding(found, level)
    figures = said(found, decided, level, references)
    items = breakdown.to_pandas()
    return {
        "level": percent(settings.confidence),
        "significance": f"{level:g}",
        "said": figures,
        "overview": overview(figures),
        "challenges": [
            {"name": corpus, "references": _references(references[corpus])}
            | _challenge(found[found["corpus"] == corpus], fitted[fitted["corpus"] == corpus], decided, references[corpus], settings)
            | {"standing_out": standouts.tables(items[items["challenge"] == corpus], standing_out, settings.confidence)}
            for corpus in fitted["corpus"].unique()
        ],
        "undefined": coefficients.undefined(found),
        "agreement": agreement.table(decided, design, references),
    }


def overview(figures: Mapping[str, str]) -> dict[str, list[str]]:
    """Of the page's first sentences those about challenges."""
    of = f"of {figures['terms']} comparisons of made-up sentences alike but for whom they name"
    kinds = {"found": ("differ", "scores differ"), "none": ("none", "no evidence that scores differ"), "untold": ("untold", "cannot tell")}
    return {kind: [f"{figures[key]} {of}: {words}."] for kind, (key, words) in kinds.items() if figures[key] != "0"}


def said(found: pd.DataFrame, decided: pd.DataFrame, level: float, references: References) -> dict[str, str]:
    """The figures in the section's sentences: how many terms differ, and how many coefficients the paper's test alone would star."""
    paper = found[(found["term"] != "intercept") & (found["method"] == "beta_expected")]
    by_paper = paper[paper["p_value"] <= level].merge(decided[decided["q_value"] <= level], on=[*CELL, "emotion", "term"])
    terms = len(found[found["term"] != "intercept"].drop_duplicates([*CELL, "emotion", "term"]))
    regressions = found.drop_duplicates([*CELL, "emotion"])
    verdicts = Counter(words.split(":")[0] for words in decided["verdict"])
    return {
        "terms": f"{terms:,}",
        "regressions": count(len(regressions), "regression"),
        "sentences": f"{regressions['n'].sum():,}",
        "differ": f"{verdicts[DIFFERS]:,}",
        "none": f"{verdicts[NO_EVIDENCE]:,}",
        "untold": f"{terms - verdicts[DIFFERS] - verdicts[NO_EVIDENCE]:,}",
        "paper": f"{(paper['p_value'] <= level).sum():,}",
        "kept": f"{len(by_paper):,}",
        "widest": _widest(decided, references),
    }


def _widest(decided: pd.DataFrame, references: References) -> str:
    """The largest effect among the terms that differ, in words; empty where none does."""
    apart = decided[decided["verdict"] == DIFFERS]
    if apart.empty:
        return ""
    row = plain(apart).loc[apart["response_effect"].abs().idxmax()]
    words = f"{name(row['term'], references[row['corpus']])}, {effect(row)} of the labels' range"
    return f"{row['corpus']}, {row['task']}, {row['model']}: {words}"


def _references(references: Mapping[str, str]) -> str:
    return ", ".join(f"{attribute} {category}" for attribute, category in references.items())


def _challenge(found: pd.DataFrame, fitted: pd.DataFrame, decided: pd.DataFrame, references: Mapping[str, str], settings: Any) -> Any:
    own = decided[decided["corpus"].isin(found["corpus"])]
    return {
        "summary": _summary(found, fitted, own, references),
        "figures": _figures(own, references),
        "tables": [
            coefficients.effects(found, own, references, settings.confidence),
            coefficients.tested(found, references),
            coefficients.conventions(found, references),
            *([spread] if (spread := coefficients.dispersion(found, references)) else []),
            coefficients.goodness(fitted),
        ],
    }


def _summary(found: pd.DataFrame, fitted: pd.DataFrame, decided: pd.DataFrame, references: Mapping[str, str]) -> Table:
    rows = []
    for fit in plain(fitted).to_dict("records"):
        of_fit, of_decided = (_of(frame, fit) for frame in (found, decided))
        paper = of_fit[(of_fit["method"] == "beta_expected") & (of_fit["term"] != "intercept") & (of_fit["stars"] != "")]
        starred = "; ".join(f"{name(row['term'], references)} {row['stars']}" for row in paper.to_dict("records")) or "-"
        words = of_cell(plain(of_decided).to_dict("records"), references)
        rows.append([fit["task"], fit["model"], fit["emotion"], f"{fit['n']:,}", f"{fit['squeezed']:,}", words, starred])
    columns = ["Task", "Model", "Sentences about", "Sentences", "Squeezed", "In words", "Stars by the paper's test alone"]
    return Table("Do scores differ by who is named?", columns, rows, (0, 1, 2, 5, 6))


def _of(frame: pd.DataFrame, fit: Mapping[Any, Any]) -> pd.DataFrame:
    return frame[(frame["task"] == fit["task"]) & (frame["model"] == fit["model"]) & (frame["emotion"] == fit["emotion"])]


def _figures(decided: pd.DataFrame, references: Mapping[str, str]) -> list[dict[str, Any]]:
    """One row a task and model, one panel a term; several figures where there are many terms."""
    import markupsafe

    rows = [row for row in plain(decided).to_dict("records") if row["response_effect"] is not None]
    terms = list(dict.fromkeys(row["term"] for row in rows))
    found = []
    for start in range(0, len(terms), PANELS):
        drawn = [_effect(row, references) for row in rows if row["term"] in terms[start : start + PANELS]]
        label = f"{count(len(drawn), 'effect')} on scores, a panel a term, a row a task and model; the table below has every number."
        found.append({"svg": markupsafe.Markup(effects_figure.draw(drawn, shared=True)), "label": label})  # noqa: S704 - vl-convert escapes
    return found


def _effect(row: Mapping[Any, Any], references: Mapping[str, str]) -> Effect:
    ends = (row["response_low"], row["response_high"])
    words = row["verdict"].split(":")[0]
    return Effect(name(row["term"], references), f"{row['task']}, {row['model']}", words, row["response_effect"], *ends, None, None)

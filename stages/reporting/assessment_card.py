"""A model card (Mitchell et al. 2019, Model Cards for Model Reporting, FAT*) from the numbers of the assessment."""

from collections.abc import Mapping, Sequence

from stages.reporting.assessment import Parts, figures, markdown
from stages.reporting.tables import Table

# Its sections of figures: which parts of the assessment belong there.
SECTIONS: Mapping[str, Sequence[str]] = {
    "details": ("traceability", "reproducibility"),
    "evaluation": ("data", "data_bias"),
    "unitary": ("performance", "class_report"),
    "intersectional": ("classification_bias", "mean_scores", "swaps", "templates", "explanations"),
}


def card(parts: Parts, title: str, factors: Sequence[Table], metrics: str) -> str:
    """The card in Markdown. ``factors``: which groups are told apart; ``metrics``: level, thresholds and intervals in a sentence."""
    shown, missing = figures(parts)
    held = {section: [shown[name] for name in names if name in shown] for section, names in SECTIONS.items()}
    about = {"title": title, "parts": held, "missing": missing, "factors": factors, "metrics": metrics}
    return markdown("model_card.md.jinja", about)

"""All tables that an assessment is made of -> its parts."""

from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa

from stages.reporting import assessment_cells, assessment_named, assessment_words
from stages.reporting.assessment import Part
from stages.reporting.results import Results
from stages.reporting.wording import percent


@dataclass(frozen=True)
class Measured:
    """The tables of the stages, stacked under columns ``task`` and ``model``; without rows where nothing was asked."""

    results: Results
    groups: pa.Table
    ratios: pd.DataFrame
    descriptions: pa.Table
    effects: pa.Table
    identities: pa.Table
    tokens: pa.Table
    leanings: pa.Table
    figures: pa.Table

    def parts(self, rules: Any) -> dict[str, Part | None]:
        """By figure of altai.yaml what was measured; ``rules``: the settings of evaluate."""
        return {
            "performance": assessment_cells.performance(self.results, percent(rules.confidence)),
            "class_report": assessment_cells.class_report(self.results),
            "data_bias": assessment_words.data_bias(self.descriptions, rules.level),
            "embedding_bias": assessment_words.embedding_bias(self.figures, rules.level),
            "classification_bias": assessment_cells.classification_bias(self.groups, rules.level),
            "mean_scores": assessment_cells.mean_scores(self.groups),
            "impact_ratios": assessment_cells.impact(self.ratios),
            "swaps": assessment_named.swaps(self.effects, rules.level),
            "templates": assessment_named.templates(self.identities, rules.level),
            "explanations": assessment_words.explanations(self.tokens, self.leanings, rules.level),
        }

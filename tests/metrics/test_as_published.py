"""Every published figure of either side is listed once: compared, or with both values and the reason why not."""

import pandas as pd

from stages.metrics import as_published
from stages.metrics.paired import NO_EVIDENCE, NOT_COMPARABLE, PERFORMANCE
from stages.metrics.paired_gaps import OVER_ALL, PAIRS

PUBLISHED = [
    ("", 0, "everyone", "accuracy", "crossbias", 0.8, None),
    ("", 0, "everyone", "selection_rate", "crossbias", 0.5, None),
    ("gender", 1, "protected", "tpr", "crossbias", 0.7, None),
    ("gender", 1, "protected/privileged", "adi", "crossbias", 0.9, "disparity"),
    ("gender", 1, "protected/privileged", "adi", "naacl2022", 0.91, None),
    ("gender", 1, "protected/privileged", "di_star", "crossbias", 0.9, None),
    ("gender", 1, "highest - lowest", "subgroup_auc", "crossbias", 0.1, None),
    ("gender", 1, "highest - lowest", "base_rate", "crossbias", 0.1, None),
    ("", 1, "any set of order 1", "adi", "crossbias", 0.9, None),
]


def scores(*left_out: int) -> pd.DataFrame:
    kept = [row for place, row in enumerate(PUBLISHED) if place not in left_out]
    return pd.DataFrame(kept, columns=[*as_published.KEY, "value", "verdict"])


def why(figure: pd.Series) -> tuple[str, str]:
    return (NO_EVIDENCE, "in both") if figure["in_a"] and figure["in_b"] else (NOT_COMPARABLE, "a" if figure["in_a"] else "b")


def test_each_figure_once_and_rates_and_labels_never():
    compared = pd.DataFrame(
        [dict(zip(as_published.KEY, PUBLISHED[3], strict=False)) | {"value_a": 0.9, "value_b": 0.5, "verdict": "worse"}]
    )
    found = as_published.beside(compared, scores(6), scores(4), why)
    told = {(row["metric"], row["convention"]): row for row in found.to_dict("records")}
    assert len(told) == len(found) == 4
    assert told["adi", "crossbias"]["verdict_a"] == "disparity"
    assert told["adi", "crossbias"]["verdict"] == "worse"
    assert (told["accuracy", "crossbias"]["reason"], told["accuracy", "crossbias"]["family"]) == ("in both", PERFORMANCE)
    assert (told["adi", "naacl2022"]["reason"], told["adi", "naacl2022"]["family"]) == ("a", f"{PAIRS}, naacl2022")
    assert (told["subgroup_auc", "crossbias"]["reason"], told["subgroup_auc", "crossbias"]["family"]) == ("b", OVER_ALL)
    assert told["adi", "naacl2022"]["value_a"] == 0.91
    assert pd.isna(told["adi", "naacl2022"]["value_b"])


def test_changed_are_other_values_and_other_verdicts():
    other = scores()
    other.loc[0, "value"], other.loc[3, "verdict"] = 0.9, "no evidence of disparity"
    assert as_published.changed(scores(), other, "why")["metric"].tolist() == ["accuracy", "adi"]
    assert as_published.changed(scores(), scores(), "why").empty

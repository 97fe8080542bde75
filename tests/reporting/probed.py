"""Tables of probe, made by hand: a base as given and debiased, whose figures and cells are plain to see."""

import pandas as pd
import pyarrow as pa

from stages.contract.probes import Associations, NameGroups, Probes
from stages.contract.tables import check, column_names, from_pandas


def _table(rows: list[dict], hint) -> pa.Table:
    frame = pd.DataFrame(rows)
    table = from_pandas(frame.drop(columns="model").reindex(columns=column_names(hint)))
    at = hint.__metadata__[0]
    for model in dict.fromkeys(frame["model"]):  # the key holds within one model's file
        check(table.filter(pa.array(frame["model"] == model)), at, "made by hand")
    columns = [table[name].cast(at.type_of(name)) for name in table.column_names]
    return pa.table(columns, names=table.column_names).append_column("model", pa.array(list(frame["model"]), pa.string()))


def figure(model: str, probe: str, test: str, statistic: str, value: float | None, q: float | None = None, **more) -> dict:
    common = {"vectors": "static", "pooling": "none", "casing": "as written", "n": 16}
    named = {"model": model, "probe": probe, "test": test, "statistic": statistic}
    return named | common | {"value": value, "p_value": q, "q_value": q, "reason": None if value is not None else "no spread"} | more


def probed(given: str = "plain", debiased: str = "hard", extra: str = "") -> tuple[pa.Table, pa.Table, pa.Table]:
    """Two WEAT tests, of which debiasing ends one; AMAE and a classifier; two groups of names and two categories."""
    rows = [
        figure(given, "weat", "weat_6", "effect_size", 1.5, 0.001, ci_low=1.0, ci_high=1.8, null_low=-0.9, null_high=0.9),
        figure(debiased, "weat", "weat_6", "effect_size", 0.5, 0.4, lost="x: Amy"),
        figure(given, "weat", f"own_test{extra}", "effect_size", -0.7, 0.04),
        figure(debiased, "weat", f"own_test{extra}", "effect_size", None),
    ]
    for model, amae, told in ((given, 0.05, 0.99), (debiased, 0.01, 0.95)):
        rows.append(figure(model, "association", "gender", "amae", amae, 0.03, null_low=0.01, null_high=0.04))
        rows.append(figure(model, "clusters", "gender", "classification_accuracy", told, 0.001))
    cells = []
    for model, leaning in ((given, {(1, 1), (1, 2)}), (debiased, {(1, 2)})):
        for category in (1, 2):
            for group in (1, 2):
                row = {"model": model, "vectors": "static", "category": category, "category_words": f"kind {category}, like"}
                row |= {"category_length": 9, "group": group, "words": f"word{category}{group}{extra}", "nearest": 5, "score": 0.3}
                significant = (category, group) in leaning
                cells.append(row | {"p_value": 0.1, "q_value": 0.01 if significant else 0.9, "rotations": 99, "significant": significant})
    names = [
        {"model": model, "vectors": "static", "group": group, "names": who, "length": 30, "female": female, "birth_year": 1971.4}
        for model in (given, debiased)
        for group, who, female in ((1, "Ann, Maggie", 0.961), (2, "William", 0.07))
    ]
    return _table(rows, Probes), _table(cells, Associations), _table(names, NameGroups)

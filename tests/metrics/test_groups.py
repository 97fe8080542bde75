"""Groups as they are: nobody is lost, every figure is that of another library, texts of one person count together."""

import itertools

import numpy as np
import pandas as pd
import pytest
from fairlearn import metrics as fairlearn
from sklearn import metrics

from stages.metrics.estimates import QUANTILES, estimates
from stages.metrics.groups import RATES, Groups, gather
from stages.metrics.lattice import MOST_GROUPS, lattice, persons

ATTRIBUTES = {"gender": ["woman", "man", "non-binary", None], "race": ["white", "Black", "Asian"], "age": ["up to 55", "over 55"]}
SETS = [names for order in (1, 2, 3) for names in itertools.combinations(ATTRIBUTES, order)]


def study(texts: int, seed: int = 0, each: int = 1, regression: bool = False) -> pd.DataFrame:
    """Texts of people with random demographics, labels and scores, ``each`` by one person; older people are selected less often."""
    random = np.random.default_rng(seed)
    author = np.repeat(np.arange(texts // each), each)
    frame = pd.DataFrame({"author_id": [f"a{number}" for number in author]})
    for name, values in ATTRIBUTES.items():
        frame[f"{name}_value"] = random.choice(np.array(values, dtype=object), len(author) // each)[author]
        frame[name] = frame[f"{name}_value"].map({values[0]: "protected", values[1]: "privileged"})
    frame["favourable"] = random.random(len(author)) < 0.4
    frame["y_true"] = random.normal(3, 1, len(author)) if regression else frame["favourable"].astype(float)
    frame["y_score"] = np.clip(0.3 + 0.3 * frame["favourable"] + random.normal(0, 0.2, len(author)), 0, 1).round(2)
    if regression:
        frame["y_score"] = frame["y_true"] + random.normal(0.2, 1, len(author)).round(2)
    frame["y_pred"] = (frame["y_score"] >= 0.5).astype(int)
    return frame


def at(groups: Groups, attributes: tuple[str, ...], name: str) -> int:
    """Where a group stands."""
    part = groups.lattice.of(groups.lattice.sets.index(attributes))
    return groups.lattice.names.index(name, part.start, part.stop)


def test_every_text_is_in_one_group_of_each_set_and_unknown_is_a_category():
    frame = study(500)
    found = gather(frame, SETS).lattice
    for index, names in enumerate(SETS):
        part = found.of(index)
        values = frame[[f"{name}_value" for name in names]].fillna("unknown").agg(", ".join, axis=1)
        group = found.group[found.cell, index]
        assert [found.names[place] for place in group] == values.tolist()
        assert set(group) == set(range(part.start, part.stop)), "no group is empty"
    assert "unknown, white" in found.names


def test_sets_of_too_many_groups_are_left_out_by_number():
    values = pd.DataFrame({"a": [f"a{i}" for i in range(MOST_GROUPS + 1)], "b": ["x", "y"] * (MOST_GROUPS // 2) + ["x"]})
    found = lattice(values, [("a",), ("b",), ("a", "b")])
    assert found.sets == [("b",)]
    assert found.left_out == {("a",): MOST_GROUPS + 1, ("a", "b"): MOST_GROUPS + 1}


def test_rates_are_those_of_fairlearn_and_aucs_those_of_scikit_learn():
    frame = study(800)
    groups = gather(frame, SETS)
    found = estimates(groups)
    theirs = {
        "base_rate": lambda y, d: np.mean(y),
        "selection_rate": fairlearn.selection_rate,
        "tpr": fairlearn.true_positive_rate,
        "fpr": fairlearn.false_positive_rate,
        "fnr": fairlearn.false_negative_rate,
        "tnr": fairlearn.true_negative_rate,
        "ppv": metrics.precision_score,
        "npv": lambda y, d: metrics.precision_score(1 - y, 1 - d),
        "accuracy": metrics.accuracy_score,
        "f1": metrics.f1_score,
    }
    for names in SETS:
        values = frame[[f"{name}_value" for name in names]].fillna("unknown").agg(", ".join, axis=1)
        expected = fairlearn.MetricFrame(
            metrics=theirs, y_true=frame["favourable"].astype(int), y_pred=frame["y_pred"], sensitive_features=values
        ).by_group
        for name, row in expected.iterrows():
            place = at(groups, names, name)
            for metric in RATES:
                assert found[metric].value[place] == pytest.approx(row[metric]), (name, metric)
            inside = (values == name).to_numpy()
            auc = metrics.roc_auc_score(frame["favourable"][inside], frame["y_score"][inside])
            assert found["subgroup_auc"].value[place] == pytest.approx(auc)
            brier = metrics.brier_score_loss(frame["favourable"][inside], frame["y_score"][inside])
            assert found["brier"].value[place] == pytest.approx(brier)
            assert found["brier"].texts[place] == inside.sum()


def test_texts_of_a_person_are_together_where_their_demographics_differ_too():
    """An author of texts in two finest cells is one person in a group that holds both: doubling each text is worth nothing there."""
    frame = study(300)
    twice = pd.concat([frame, frame.assign(age_value="up to 55")], ignore_index=True)
    sets = [("race",), ("race", "age")]
    once, doubled = gather(frame, sets), gather(twice, sets)
    merged = doubled.people.merged
    assert once.people.merged is None
    assert merged is not None
    for metric in ("selection_rate", "tpr", "accuracy"):
        one, two = (estimates(groups)[metric] for groups in (once, doubled))
        part = slice(0, 3)
        np.testing.assert_allclose(two.value[part], one.value[part])
        # One text each: the texts; all alike: the people less one.
        np.testing.assert_allclose(two.worth[part], one.worth[part] - 1, rtol=1e-6)


def test_five_alike_texts_of_each_person_are_worth_one():
    frame = study(200)
    five = frame.loc[np.repeat(np.arange(200), 5)].reset_index(drop=True)
    for metric in ("selection_rate", "subgroup_auc", "brier"):
        one, many = (estimates(gather(part, SETS))[metric] for part in (frame, five))
        np.testing.assert_allclose(many.value, one.value)
        np.testing.assert_allclose(many.people, one.people)
        known = one.worth > 3
        assert (many.worth[known] <= one.worth[known] * 1.01).all()


def test_outputs_that_are_numbers_are_never_cut():
    frame = study(400, regression=True)
    groups = gather(frame, SETS)
    found = estimates(groups)
    assert not groups.decides
    assert "brier" not in found
    assert "subgroup_auc" not in found
    inside = ((frame["race_value"] == "Black") & (frame["age_value"] == "over 55")).to_numpy()
    place = at(groups, ("race", "age"), "Black, over 55")
    output, label = frame["y_score"][inside], frame["y_true"][inside]
    assert found["mean_error"].value[place] == pytest.approx((output - label).mean())
    assert found["mae"].value[place] == pytest.approx(metrics.mean_absolute_error(label, output))
    assert found["mse"].value[place] == pytest.approx(metrics.mean_squared_error(label, output))
    assert found["pearson_r"].value[place] == pytest.approx(np.corrcoef(label, output)[0, 1])
    for metric, level in QUANTILES.items():
        assert found[metric].value[place] == pytest.approx(np.quantile(output, level, method="inverted_cdf"))
    # A mean on its own scale is worth as many texts as give its standard error, and no text more than one of everyone.
    scaled = found["mean_output"].scaled(found["mean_output"].value)[place]
    span = found["mean_output"].most - found["mean_output"].least
    worth = span**2 * scaled * (1 - scaled) / (output.var(ddof=1) / len(output))
    each = span**2 * found["mean_output"].scaled(frame["y_score"].mean()) * (1 - found["mean_output"].scaled(frame["y_score"].mean()))
    assert found["mean_output"].worth[place] == pytest.approx(min(worth, each / frame["y_score"].var(ddof=0) * len(output)))


def test_relabelling_categories_changes_no_number():
    frame = study(300)
    renamed = frame.assign(race_value=frame["race_value"].map({"white": "q", "Black": "r", "Asian": "s"}))
    one, other = (gather(part, [("race",)]) for part in (frame, renamed))
    for metric in ("tpr", "subgroup_auc", "calibration"):
        values = [estimates(groups)[metric].value for groups in (one, other)]
        names = [dict(zip(groups.lattice.names, value, strict=True)) for groups, value in zip((one, other), values, strict=True)]
        assert names[1] == pytest.approx({new: names[0][old] for old, new in (("white", "q"), ("Black", "r"), ("Asian", "s"))})


def test_persons_of_single_texts_are_the_texts():
    found = lattice(pd.DataFrame({"a": ["x", "y", "x"]}), [("a",)])
    of = persons(found, np.arange(3)).moments(np.array([1.0, 0, 0]), np.ones(3))
    assert of.texts.tolist() == of.people.tolist() == [2.0, 1.0]
    assert of.worth().tolist() == [2.0, 1.0]


def test_no_two_groups_share_a_name():
    """A category called unknown is not the people who gave none, and commas inside categories are not those between them."""
    found = lattice(pd.DataFrame({"a": ["unknown", None, "x"]}), [("a",)])
    assert sorted(found.names) == ["unknown", "unknown (not given)", "x"]
    values = pd.DataFrame({"a": ["p", "p, q"], "b": ["q, r", "r"]})
    assert sorted(lattice(values, [("a", "b")]).names) == ['"p, q", r', 'p, "q, r"']

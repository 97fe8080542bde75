"""Rows have their schema, agree between methods where theory says so, and are null with a reason where a fit is degenerate."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import expit, logit
from statsmodels.othermod.betareg import BetaModel
from statsmodels.regression.linear_model import OLS
from statsmodels.regression.mixed_linear_model import MixedLM
from statsmodels.stats._delta_method import NonlinearDeltaCov
from statsmodels.stats.multitest import multipletests

from stages.contract import tables
from stages.contract.bad_input import BadInput
from stages.contract.contrasts import ContrastFits, Contrasts
from stages.contrasts.methods import METHODS, Rules
from stages.contrasts.rows import contrasts, stars, with_q_values

REFERENCES = {"race": "white", "gender": "man"}
ABOUT = {"corpus": "en", "task": "joy_en", "model": "svm", "emotion": "joy"}


def corpus(
    seed: int = 1, races=("white", "Black"), genders=("man", "woman"), names: int = 5, templates: int = 12, name_spread: float = 0.2
):
    random = np.random.default_rng(seed)
    groups = [(race, gender) for race in races for gender in genders]
    name, template = (part.ravel() for part in np.indices((len(groups) * names, templates)))
    attributes = pd.DataFrame([groups[i % len(groups)] for i in name], columns=["race", "gender"])
    logits = random.normal(0, 0.4, templates)[template] + random.normal(0, name_spread, len(groups) * names)[name]
    logits += random.normal(0, 0.3, len(name)) + 0.5 * attributes["gender"].eq(genders[-1])
    return expit(logits.to_numpy()), attributes, pd.DataFrame({"template": template, "name": name})


def test_rows_fit_their_tables():
    rows, fit = contrasts(*corpus(), Rules(REFERENCES), ABOUT)
    found = tables.check(tables.from_pandas(with_q_values(rows)), Contrasts.__metadata__[0], "contrasts")
    tables.check(tables.from_pandas(pd.DataFrame([fit])), ContrastFits.__metadata__[0], "fits")
    assert found.num_rows == len(METHODS) * 4
    assert set(rows["method"]) == set(METHODS)
    assert fit["lr_any_degrees"] == 3
    assert fit["lr_interaction_degrees"] == 1
    assert (rows["n"] == 240).all()


def test_intervals_and_p_values_agree_and_a_planted_effect_is_found_by_all():
    rows, _ = contrasts(*corpus(name_spread=0.1), Rules(REFERENCES), ABOUT)
    assert ((rows["p_value"] < 0.05) == (rows["ci_low"] * rows["ci_high"] > 0)).all()
    assert ((rows["response_p_value"] < 0.05) == (rows["response_low"] * rows["response_high"] > 0)).all()
    assert (rows.loc[rows["term"] == "gender[woman]", "p_value"] < 0.01).all()
    assert (rows.loc[rows["term"] == "gender[woman]", "response_low"] > 0).all()
    response = rows[rows["term"].eq("gender[woman]")].set_index("method")["response_effect"]
    np.testing.assert_allclose(response[["beta_expected", "mixed"]], response["ols_as_published"], atol=0.01)


def by_statsmodels(method: str, scores: np.ndarray, matrix: np.ndarray, names: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients of the mean and their covariance."""
    columns = matrix.shape[1]
    if method == "ols_as_published":
        fitted = OLS(scores, matrix).fit()
    elif method == "mixed":
        fitted = MixedLM(logit(scores), matrix, groups=names).fit()
    else:
        model = BetaModel(scores, matrix)
        robust = {"cov_type": "cluster", "cov_kwds": {"groups": names}} if method == "beta_cluster" else {}
        fitted = model.fit(model.fit(disp=0).params, method="newton", disp=0, **robust)
        if method == "beta_expected":
            return fitted.params[:columns], np.linalg.inv(-model.hessian(fitted.params, observed=False))[:columns, :columns]
    return fitted.params[:columns], fitted.cov_params()[:columns, :columns]


@pytest.mark.parametrize("method", METHODS)
def test_an_effects_test_is_the_delta_method_on_statsmodels_fit_with_numeric_derivatives(method):
    """Some sentences are missing and people met on both differ, so that no effect is its coefficient's test in disguise."""
    scores, attributes, clusters = corpus()
    kept = np.random.default_rng(3).random(len(scores)) < np.where(attributes["race"] == "Black", 0.5, 0.9)
    scores, attributes, clusters = scores[kept], attributes[kept], clusters[kept]
    black, woman = (attributes[name].eq(of).to_numpy(dtype=float) for name, of in (("race", "Black"), ("gender", "woman")))
    scores = expit(logit(scores) + 0.8 * black * woman)

    def changes(coefficients):
        def mean(black, woman):
            linear = coefficients @ np.stack(np.broadcast_arrays(1.0, black, woman, black * woman))
            return (linear if method == "ols_as_published" else expit(linear)).mean()

        both = mean(1, np.ones(1)) - mean(1, np.zeros(1)) - mean(0, np.ones(1)) + mean(0, np.zeros(1))
        return np.array([mean(1, woman) - mean(0, woman), mean(black, 1) - mean(black, 0), both])

    theirs = NonlinearDeltaCov(
        changes, *by_statsmodels(method, scores, np.stack([np.ones_like(black), black, woman, black * woman], axis=1), clusters["name"])
    )
    rules = Rules(REFERENCES, methods=(method,), correction="degrees")
    rows = contrasts(scores, attributes, clusters[["name"]], rules, ABOUT)[0].set_index("term")
    rows = rows.loc[["race[Black]", "gender[woman]", "race[Black]:gender[woman]"]]
    close = 1e-4 if method == "mixed" else 1e-6  # MixedLM stops early
    np.testing.assert_allclose(rows["response_effect"], theirs.predicted(), rtol=close)
    np.testing.assert_allclose(rows["response_standard_error"], theirs.se_vectorized(), rtol=close * 100)
    t = rows["response_effect"] / rows["response_standard_error"]
    np.testing.assert_allclose(rows["response_p_value"], 2 * stats.t.sf(t.abs(), rows["response_degrees"]))
    assert (np.abs(rows["response_p_value"] / rows["p_value"] - 1)[:2] > 0.1).all(), "averaged, another question than the coefficient's"


def test_where_people_met_on_both_add_nothing_an_effect_on_the_scores_scale_is_its_coefficient():
    rows, _ = contrasts(*corpus(), Rules(REFERENCES, order=1, methods=("ols_as_published",)), ABOUT)
    for coefficient in ("standard_error", "degrees", "p_value"):
        np.testing.assert_allclose(rows[f"response_{coefficient}"][1:], rows[coefficient][1:])


def test_more_groups_and_axes_and_another_reference():
    scores, attributes, clusters = corpus(races=("white", "Black", "Latino"), genders=("man", "woman", "nonbinary"))
    attributes["age"] = np.where(clusters["name"] // 9 % 2 == 0, "old", "young")
    rows, _ = contrasts(scores, attributes, clusters, Rules({**REFERENCES, "age": "old"}, order=2), ABOUT)
    assert len(rows) == len(METHODS) * (1 + 5 + 8)
    assert rows["reason"].isna().all()
    swapped, _ = contrasts(scores, attributes, clusters, Rules({"race": "Latino", "gender": "man", "age": "old"}, order=1), ABOUT)
    plain, _ = contrasts(scores, attributes, clusters, Rules({**REFERENCES, "age": "old"}, order=1), ABOUT)
    one, other = (frame.set_index(["method", "term"]) for frame in (plain, swapped))
    for method in METHODS:
        assert other.loc[(method, "race[white]"), "estimate"] == pytest.approx(-one.loc[(method, "race[Latino]"), "estimate"], abs=1e-6)
        for same in ("p_value", "standard_error"):
            assert other.loc[(method, "race[white]"), same] == pytest.approx(one.loc[(method, "race[Latino]"), same], rel=1e-4)


def test_tests_are_t_or_z_and_precision_may_depend_on_attributes():
    t, first = contrasts(*corpus(), Rules(REFERENCES, methods=("beta_expected",)), ABOUT)
    z, second = contrasts(*corpus(), Rules(REFERENCES, methods=("beta_expected",), test="z", precision=("race",)), ABOUT)
    assert (t["degrees"] == 240 - 5).all()
    assert z["degrees"].isna().all()
    np.testing.assert_allclose(z["p_value"], 2 * stats.norm.sf(np.abs(z["statistic"])))
    assert first["precision"] > 0
    assert second["precision"] is None
    assert second["log_likelihood"] > first["log_likelihood"]


@pytest.mark.parametrize(("method", "test"), [("beta_expected", "z"), ("beta_observed", "z"), ("beta_cluster", "t")])
def test_the_precisions_coefficients_are_statsmodels(method, test):
    """Women's scores spread more; beside the mean's rows, which keep their own names, stand those of log phi."""
    scores, attributes, clusters = corpus(name_spread=0.0)
    woman, black = (attributes[name].eq(of).to_numpy(dtype=float) for name, of in (("gender", "woman"), ("race", "Black")))
    scores = expit(logit(scores) + np.random.default_rng(0).normal(0, 0.6, len(scores)) * woman)
    model = BetaModel(
        scores,
        np.stack([np.ones_like(woman), black, woman, black * woman], axis=1),
        exog_precision=np.stack([np.ones_like(woman), woman], axis=1),
    )
    robust = {"cov_type": "cluster", "cov_kwds": {"groups": clusters["name"]}} if method == "beta_cluster" else {}
    fitted = model.fit(model.fit(disp=0).params, method="newton", disp=0, **robust)
    theirs = np.linalg.inv(-model.hessian(fitted.params, observed=False)) if method == "beta_expected" else fitted.cov_params()
    rules = Rules(REFERENCES, methods=(method,), precision=("gender",), test=test, correction="degrees")
    rows = contrasts(scores, attributes, clusters[["name"]], rules, ABOUT)[0]
    assert set(rows.loc[rows["method"] == method, "term"]) == {"intercept", "race[Black]", "gender[woman]", "race[Black]:gender[woman]"}
    found = rows[rows["method"] == f"{method}_precision"].set_index("term")
    assert list(found.index) == ["intercept", "gender[woman]"]
    np.testing.assert_allclose(found["estimate"], fitted.params[-2:], rtol=1e-6)
    np.testing.assert_allclose(found["standard_error"], np.sqrt(np.diag(theirs))[-2:], rtol=1e-4)
    assert found.loc["gender[woman]", "p_value"] < 0.01
    assert found["response_effect"].isna().all()
    tables.check(tables.from_pandas(with_q_values(rows)), Contrasts.__metadata__[0], "contrasts")


def test_a_group_of_one_score_and_a_precision_by_group_are_nulls_with_reasons():
    scores, attributes, clusters = corpus()
    scores = np.where(attributes["race"] == "Black", 0.3, scores)
    rows, fit = contrasts(scores, attributes, clusters, Rules(REFERENCES, precision=("race",)), ABOUT)
    why = nulls(rows)
    assert fit["reason"] == "scores do not vary within groups in 120 of 240 rows, so that their precision has no bound"
    assert why["beta_cluster"] == why["beta_cluster_precision"] == fit["reason"]


def test_adjusting_for_templates_narrows_the_papers_intervals():
    scores, attributes, clusters = corpus()
    plain, _ = contrasts(scores, attributes, clusters, Rules(REFERENCES), ABOUT)
    with_template = attributes.assign(template=clusters["template"].astype(str))
    adjusted, _ = contrasts(scores, with_template, clusters, Rules(REFERENCES, adjusted=("template",)), ABOUT)
    assert list(adjusted["term"]) == list(plain["term"])
    errors = [frame.set_index(["method", "term"])["standard_error"] for frame in (plain, adjusted)]
    assert (errors[1]["beta_expected"][1:] < errors[0]["beta_expected"][1:]).all()


def test_q_values_are_statsmodels_within_each_method():
    frames = [contrasts(*corpus(seed), Rules(REFERENCES), {**ABOUT, "corpus": f"c{seed}"})[0] for seed in range(3)]
    rows = with_q_values(pd.concat(frames, ignore_index=True))
    for _, family in rows[rows["term"] != "intercept"].groupby("method"):
        for part in ("", "response_"):
            np.testing.assert_allclose(family[f"{part}q_value"], multipletests(family[f"{part}p_value"], method="fdr_bh")[1])
    assert rows.loc[rows["term"] == "intercept", ["q_value", "response_q_value"]].isna().all(axis=None)


def test_stars_are_the_papers():
    assert [stars(p) for p in (0.01, 0.011, 0.05, 0.1, 0.11, np.nan)] == ["***", "**", "**", "*", "", ""]


def nulls(rows: pd.DataFrame) -> pd.Series:
    assert rows.loc[rows["reason"].notna(), ["p_value", "response_p_value"]].isna().all(axis=None)
    return rows.groupby("method")["reason"].first()


def test_a_constant_model_and_one_that_sees_no_names_give_nulls_with_reasons():
    scores, attributes, clusters = corpus()
    constant, fit = contrasts(np.full(len(scores), 0.4), attributes, clusters, Rules(REFERENCES), ABOUT)
    assert set(nulls(constant)[["beta_expected", "beta_observed", "beta_cluster"]]) == {"all 240 scores are the same"}
    assert "nothing is left" in nulls(constant)["mixed"]
    assert nulls(constant)["ols_as_published"] == "the standard error is 0"
    assert fit["reason"] == "all 240 scores are the same"
    blind, _ = contrasts(np.linspace(0.2, 0.7, 12)[clusters["template"]], attributes, clusters, Rules(REFERENCES), ABOUT)
    blind = blind[blind["term"] != "intercept"]
    assert nulls(blind)[["beta_cluster", "mixed"]].notna().all()
    assert blind.loc[blind["method"] != "mixed", "estimate"].abs().max() < 1e-6


def test_scores_outside_are_squeezed_and_counted_and_a_group_at_one_end_has_no_logit():
    scores, attributes, clusters = corpus()
    few = scores.copy()
    few[:3] = 1.2
    rows, fit = contrasts(few, attributes, clusters, Rules(REFERENCES), ABOUT)
    assert set(rows["squeezed"]) == {3} == {fit["squeezed"]}
    assert rows["reason"].isna().all()
    end = np.where(attributes["race"].eq("Black") & attributes["gender"].eq("man"), -0.1, scores)
    rows, fit = contrasts(end, attributes, clusters, Rules(REFERENCES, scale="score"), ABOUT)
    assert fit["reason"] == "all scores of 1 of 4 groups are at one end of [0, 1], so that their logits have no bound"
    assert nulls(rows)[["beta_expected", "beta_cluster"]].notna().all()
    assert rows.loc[rows["method"].isin(["mixed", "ols_as_published"]), "estimate"].notna().all()


def test_one_name_a_group_says_nothing_about_names():
    scores, attributes, clusters = corpus(names=1)
    rows, _ = contrasts(scores, attributes, clusters, Rules(REFERENCES), ABOUT)
    assert "4 of 4 clusters by name are the only one of their group" in nulls(rows)["beta_cluster"]
    assert "cannot be told apart" in nulls(rows)["mixed"]


def test_refusals():
    scores, attributes, clusters = corpus()
    rules = Rules(REFERENCES)
    with pytest.raises(BadInput, match="239 scores, 240 rows of attributes and 240 of clusters"):
        contrasts(scores[1:], attributes, clusters, rules, ABOUT)
    with pytest.raises(BadInput, match="2 of 240 sentences have no name"):
        contrasts(scores, attributes, clusters.assign(name=[None, None, *range(238)]), rules, ABOUT)
    with pytest.raises(BadInput, match="'beta' is no method; there are beta_expected"):
        contrasts(scores, attributes, clusters, Rules(REFERENCES, methods=("beta",)), ABOUT)
    with pytest.raises(BadInput, match="beta_cluster asks which sentences are alike"):
        contrasts(scores, attributes, clusters[[]], rules, ABOUT)


def test_the_authors_word_vector_models_are_fitted_or_say_why(shared):
    """Their predictions leave (0, 1): every score of Spanish fear, 20 of English joy among the named."""
    predictions = json.loads((shared / "golden/eec_predictions_fasttext_authors.json").read_text())
    races = {"en": ("European", "African-American"), "es": ("Anglo", "Latino")}
    fits = {}
    for language, emotion in (("es", "fear"), ("en", "joy"), ("es", "joy")):
        groups = [(race, gender) for race in races[language] for gender in ("male", "female")]
        values = [np.array(predictions[language][emotion][f"{gender} {race}"]) for race, gender in groups]
        attributes = pd.DataFrame(np.repeat(groups, [len(part) for part in values], axis=0), columns=["race", "gender"])
        rules = Rules({"race": races[language][0], "gender": "male"}, methods=("beta_expected", "ols_as_published"))
        rows, fits[language, emotion] = contrasts(np.concatenate(values), attributes, pd.DataFrame(index=attributes.index), rules, ABOUT)
        race = rows[rows["term"].str.startswith("race") & ~rows["term"].str.contains(":")]
        assert race["estimate"].abs().fillna(0).max() < 1e-6  # words that no tweet held are the zero vector
    assert fits["es", "fear"]["squeezed"] == fits["es", "fear"]["n"] == 1400
    assert "4 of 4 groups are at one end" in fits["es", "fear"]["reason"]
    assert fits["en", "joy"]["squeezed"] == 20
    assert fits["es", "joy"]["reason"] is None


def test_statsmodels_is_loaded_late():
    code = "import sys, stages.contrasts.rows; sys.exit('statsmodels' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, cwd=Path(__file__).parents[2]).returncode == 0

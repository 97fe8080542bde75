"""How groups in labelled sentences are judged: the paper's CB term by term, AUCs of the metrics shelf, a planted intersection found."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import sparse, stats

from stages.challenges.eec import Params, load
from stages.contrasts.identities import identities
from stages.contrasts.ranks import Ranks, share_interval
from stages.metrics.groupwise import Membership
from stages.metrics.ranking import auc_by_group
from tests.conftest import ROOT

CORPUS = ROOT / "stages" / "challenges" / "corpora" / "en_identities.yaml"


@pytest.fixture(scope="module")
def sentences():
    """Scores that follow the label, with noise; of Muslim women alone all scores are .2 lower."""
    frame = load(CORPUS, Params()).to_pandas().drop(columns=["text", "lang"])
    random = np.random.default_rng(0)
    both = (frame["gender"] == "women") & (frame["religion"] == "Muslim people")
    score = np.where(frame["favourable"], 0.65, 0.35) + random.normal(0, 0.08, len(frame)) - 0.2 * both
    return frame.assign(unit_score=score, y_score=score, challenge="c", task="t", model="m")


@pytest.fixture(scope="module")
def found(sentences):
    return identities(sentences, 2, 0.95)


def value(found, attributes, group, metric):
    (row,) = found[(found["attributes"] == attributes) & (found["group"] == group) & (found["metric"] == metric)].to_dict("records")
    return row


def test_cb_is_the_papers_sum_written_out(sentences, found):
    """CB(X, O, y) = sum_i (p(x_i) - mean_j p(O_ij)) g(y_i) with p of the unfavourable label, g = -1 where y = 0 (favourable), else 1."""
    for attributes, group in (
        (["religion"], ("Muslim people",)),
        (["gender", "religion"], ("women", "Muslim people")),
    ):
        named = sentences.dropna(subset=attributes)
        rest = [name for name in ("gender", "age", "disability", "sexual_orientation", "ethnicity", "religion") if name not in attributes]
        total = 0.0
        for _, x in named.iterrows():
            if tuple(x[attributes]) != group:
                continue
            alike = named["template"] == x["template"]
            for name in rest:
                alike &= (named[name] == x[name]) | (named[name].isna() & pd.isna(x[name]))
            others = named[alike & (named[attributes] != x[attributes]).any(axis=1)]
            y = 0 if x["favourable"] else 1
            total += ((1 - x["unit_score"]) - (1 - others["unit_score"]).mean()) * (1 if y else -1)
        row = value(found, "+".join(attributes), ", ".join(group), "cb_sum")
        assert row["value"] == pytest.approx(total)
        assert value(found, "+".join(attributes), ", ".join(group), "cb_mean")["value"] == pytest.approx(total / row["n"])


def test_aucs_are_those_of_the_metrics_shelf(sentences, found):
    score, favourable = sentences["unit_score"].to_numpy(), sentences["favourable"].to_numpy(bool)
    for attributes, groups in found.groupby("attributes")["group"].unique().items():
        columns = [(sentences[attributes.split("+")].fillna("") == group.split(", ")).all(axis=1).to_numpy() for group in groups]
        expected = auc_by_group(score, favourable, Membership(tuple(groups), sparse.csc_array(np.stack(columns, axis=1))))
        for metric in ("subgroup_auc", "bpsn_auc", "bnsp_auc"):
            ours = [value(found, attributes, group, metric)["value"] for group in groups]
            assert np.allclose(ours, expected[metric])


def test_a_planted_intersection_is_found_where_it_is(found):
    difference = found[found["metric"] == "difference"].set_index(["attributes", "group"])
    planted = difference.loc[("gender+religion", "women, Muslim people")]
    assert planted["value"] == pytest.approx(-0.2, abs=0.05)
    assert planted["q_value"] < 0.001
    others = difference.loc["gender+ethnicity"]
    assert (others["q_value"] > 0.01).all()
    assert difference.loc[("religion", "Muslim people"), "value"] == pytest.approx(-0.2 / 5, abs=0.03)


def test_intersections_of_attributes_never_met_have_no_rows(found):
    assert set(found["attributes"]) == {
        *("gender", "age", "disability", "sexual_orientation", "ethnicity", "religion"),
        *(f"gender+{name}" for name in ("age", "disability", "sexual_orientation", "ethnicity", "religion")),
    }
    assert found.groupby("order")["attributes"].nunique().to_dict() == {1: 6, 2: 5}


@pytest.mark.parametrize("ties", [False, True])
def test_the_interval_of_an_auc_leaves_each_template_out_in_turn(ties):
    random = np.random.default_rng(2)
    template = np.repeat(np.arange(6), 20)
    favourable = random.random(120) < 0.5
    score = np.round(random.normal(favourable, 1), 1 if ties else 12)
    group = random.random(120) < 0.4
    ranks = Ranks(score, favourable, template)
    got = ranks.aucs(group, 0.95)
    left_out = []
    for one in range(6):
        rest = template != one
        member = Membership(("g",), sparse.csc_array(group[rest][:, None]))
        left_out.append({name: values[0] for name, values in auc_by_group(score[rest], favourable[rest], member).items()})
    for name, (whole, low, high, reason) in got.items():
        replicates = np.array([values[name] for values in left_out])
        error = np.sqrt(5 / 6 * ((replicates - replicates.mean()) ** 2).sum())
        assert reason is None
        assert (high - low) / 2 == pytest.approx(2.570582 * error, rel=1e-6)
        assert whole == pytest.approx((low + high) / 2)


def test_what_cannot_be_known_has_a_reason():
    ranks = Ranks(np.array([0.1, 0.9, 0.8, 0.7]), np.array([True, True, True, False]), np.array([0, 1, 2, 3]))
    found = ranks.aucs(np.array([True, True, False, False]), 0.95)
    assert np.isnan(found["subgroup_auc"][0])
    assert found["subgroup_auc"][3] == "no sentences with one of the two labels to compare"
    assert found["bnsp_auc"][0] == pytest.approx(0.5)
    assert found["bnsp_auc"][3] == "no interval: one template alone has one of the two labels"
    assert share_interval(np.zeros((2, 2)), np.zeros((2, 2)), 0.95)[3] is not None


def test_a_sentence_without_counterpart_is_told(sentences):
    apart = sentences[(sentences["religion"].isna()) | (sentences["template"] == "hate") | (sentences["religion"] == "Muslim people")]
    apart = apart[(apart["template"] != "hate") | (apart["religion"] != "Muslim people")]
    row = value(identities(apart, 1, 0.95), "religion", "Muslim people", "cb_mean")
    assert np.isnan(row["value"])
    assert row["reason"] == "no sentence has a counterpart about another group"


def test_without_labelled_sentences_there_are_no_rows(sentences):
    assert identities(sentences.head(0), 2, 0.95).empty


def test_means_by_label_are_those_of_statsmodels_clustered_by_template(sentences, found):
    for metric, label in (("mean_favourable", True), ("mean_unfavourable", False)):
        part = sentences[(sentences["religion"] == "Muslim people") & (sentences["favourable"] == label)]
        groups = pd.factorize(part["template"])[0]
        fit = sm.OLS(part["unit_score"].to_numpy(), np.ones(len(part))).fit(
            cov_type="cluster", cov_kwds={"groups": groups, "df_correction": True}
        )
        row = value(found, "religion", "Muslim people", metric)
        assert row["value"] == pytest.approx(part["unit_score"].mean())
        assert (row["ci_high"] - row["ci_low"]) / 2 == pytest.approx(fit.bse[0] * stats.t.ppf(0.975, groups.max()))

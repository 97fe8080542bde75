"""The simulated survey has the population it says it has."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from scipy import stats

from stages.contract.bad_input import BadInput
from stages.datasets import simulated
from tests.conftest import ROOT

SOURCE = ROOT / "stages" / "datasets" / "simulated_survey.yaml"
SURVEY = yaml.safe_load(SOURCE.read_text(encoding="utf-8"))


def ideal_reader(texts, trait):
    favourable = set(SURVEY["traits"][trait]["favourable_words"])
    return texts.map(lambda text: sum(word.strip(".") in favourable for word in text.split()) >= 2)


@pytest.mark.parametrize("trait", SURVEY["traits"])
def test_a_large_sample_has_the_planted_rates(trait):
    """Base and selection rates of any conjunction of attributes agree with the closed form within sampling error."""
    params = simulated.Params(trait=trait, people=20_000, texts=1, seed=7)
    documents, population = simulated.load(SOURCE, trait, params), simulated.population(SOURCE, params)
    assert population["mass"].sum() == pytest.approx(1)
    documents["decision"] = ideal_reader(documents["text"], trait)
    documents["favourable"] = documents["label"] >= 0.5
    women = "gender != 'man'"
    for condition in ("age > 55", women, f"{women} and race != 'white'", f"{women} and age > 55", "income < 55000"):
        sample, kinds = documents.query(condition).dropna(subset=["gender", "race", "age", "income"]), population.query(condition)
        for given in ("mass == mass", "favourable", "not favourable"):
            part = kinds.query(given)
            for outcome in ("favourable", "decision"):
                true = part["mass"][part[outcome]].sum() / part["mass"].sum()
                rows = sample if given == "mass == mass" else sample.query(given)
                error = np.sqrt(max(true * (1 - true), 1e-9) / len(rows))
                assert abs(rows[outcome].mean() - true) < 4 * error + 1e-9, (condition, given, outcome)


def test_the_ideal_readers_rates_in_closed_form():
    """One kind of person: TPR = P(Binomial(3, 1 - e) >= 2) with e the misspoken share and what the text bias adds."""
    population = simulated.population(SOURCE, simulated.Params(trait="literacy"))
    person = population.query("gender == 'woman' and race == 'Black' and age == 60 and income == 15000 and education == 'some college'")
    mass = person.set_index(["favourable", "decision"])["mass"]
    misspoken = 0.12 + 0.15 + 0.25
    assert mass[True, True] / mass[True].sum() == pytest.approx(1 - stats.binom.cdf(1, 3, 1 - misspoken))
    assert mass[False, True] / mass[False].sum() == pytest.approx(1 - stats.binom.cdf(1, 3, 0.12))
    assert mass[True].sum() / mass.sum() == pytest.approx(0.60 - 0.15 - 0.10)


def test_tasks_share_their_people_but_not_their_answers():
    one, other = (simulated.load(SOURCE, trait, simulated.Params(trait=trait, people=50, seed=3)) for trait in ("literacy", "trust"))
    assert one[["author_id", "gender", "race", "age"]].equals(other[["author_id", "gender", "race", "age"]])
    assert not one["label"].equals(other["label"])


def test_demographics_and_labels_are_drawn_apart():
    """Seeded alike, the two streams would tie gender to the label far beyond what is planted."""
    documents = simulated.load(SOURCE, "literacy", simulated.Params(trait="literacy", people=2000, texts=1, seed=11))
    rates = documents.groupby("gender")["label"].apply(lambda label: (label >= 0.5).mean())
    assert abs(rates["woman"] - rates["man"]) < 0.12


def test_the_same_seed_gives_the_same_survey():
    params = simulated.Params(trait="trust", people=30)
    assert simulated.load(SOURCE, "trust", params).equals(simulated.load(SOURCE, "trust", params))


def test_wrong_traits_are_named():
    with pytest.raises(BadInput, match="trait 'faith' is not among literacy, trust"):
        simulated.load(SOURCE, "faith", simulated.Params(trait="faith"))
    with pytest.raises(BadInput, match="label 'trust' is not the trait that the survey asks for, 'literacy'"):
        simulated.load(SOURCE, "trust", simulated.Params(trait="literacy"))
    with pytest.raises(BadInput, match="is missing; it holds the grammar"):
        simulated.population(Path("nowhere.yaml"), simulated.Params(trait="trust"))

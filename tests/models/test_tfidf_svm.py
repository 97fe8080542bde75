"""The support vector machine is scikit-learn's, chosen as its grid search chooses, from what is stored and for any texts."""

import json

import numpy as np
import pytest
from safetensors import safe_open
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.svm import SVC, SVR

from stages import finetune, ingest, predict
from stages.contract.bad_input import BadInput
from stages.contract.params import Task
from stages.models import support_vectors, tfidf_svm
from stages.models.folds import Lesson
from tests.models.tiny import documents, model, planted_texts, task

ONE = {"C": (2.0,), "gamma": (0.5,), "min_df": 1}


def taught(kind: str, number: int = 80, **changes: object) -> tuple[list[str], Lesson]:
    """Planted texts and the lesson of their decisions, or of a score of how many planted words they hold."""
    texts, favourable = planted_texts(number)
    random = np.random.default_rng(2)
    labels = favourable + random.normal(0, 0.2, number) if kind == "regression" else favourable.astype(float)
    index = np.arange(number)
    train, validation = index[: number // 2], index[number // 2 : 3 * number // 4]
    mean, deviation = (labels[train].mean(), labels[train].std()) if kind == "regression" else (0.0, 1.0)
    targets = ((labels - mean) / deviation).astype(np.float32)
    return texts, Lesson(kind, targets, train, validation, 1, mean, deviation, labels, **changes)  # type: ignore[arg-type]


def by_hand(texts: list[str], lesson: Lesson, params: tfidf_svm.Params) -> tuple[TfidfVectorizer, sparse.csr_matrix]:
    vectorizer = TfidfVectorizer(ngram_range=params.ngrams, min_df=params.min_df).fit([texts[i] for i in lesson.train])
    return vectorizer, vectorizer.transform([texts[i] for i in [*lesson.train, *lesson.validation]])


@pytest.mark.parametrize("kernel", support_vectors.KERNELS)
@pytest.mark.parametrize("kind", ["regression", "classification"])
def test_what_is_stored_says_of_new_texts_what_scikit_learn_says(kind, kernel):
    texts, lesson = taught(kind)
    params = tfidf_svm.Params(kernel=(kernel,), **ONE)
    tensors, history = tfidf_svm.fit(tfidf_svm.prepare(texts, None, params), lesson, params)
    vectorizer, rows = by_hand(texts, lesson, params)
    both = np.concatenate([lesson.train, lesson.validation])
    new = ["a kind doctor told me", "rude and vague", "", "words that nobody has met", *texts[-20:]]
    found = tfidf_svm.predict(tfidf_svm.prepare(new, None, params), tensors, np.arange(len(new)), params)
    if kind == "regression":
        expected = SVR(kernel=kernel, C=2, gamma=0.5).fit(rows, lesson.labels[both]).predict(vectorizer.transform(new))
        found = found * lesson.deviation + lesson.mean
    else:
        machine = SVC(kernel=kernel, C=2, gamma=0.5).fit(rows, lesson.labels[both])
        expected = machine.decision_function(vectorizer.transform(new)) * history["steepness"]
        assert history["steepness"] > 0, "decisions are the machine's own"
    assert found == pytest.approx(expected, abs=1e-6 if kind == "classification" else 1e-9)


@pytest.mark.parametrize("kind", ["regression", "classification"])
def test_the_choice_and_all_scores_are_those_of_grid_search(kind):
    texts, lesson = taught(kind)
    params = tfidf_svm.Params()
    _, history = tfidf_svm.fit(tfidf_svm.prepare(texts, None, params), lesson, params)
    _, rows = by_hand(texts, lesson, params)
    split = PredefinedSplit([-1] * len(lesson.train) + [0] * len(lesson.validation))
    machine = SVR() if kind == "regression" else SVC()
    values = {"C": params.C, "gamma": params.gamma, "kernel": params.kernel}
    search = GridSearchCV(machine, values, cv=split).fit(rows, lesson.labels[np.concatenate([lesson.train, lesson.validation])])
    assert history["validation_scores"] == pytest.approx(search.cv_results_["mean_test_score"], abs=1e-6)
    assert history["chosen"] == search.best_params_


def test_the_steepness_is_that_of_a_logistic_regression_on_smoothed_targets():
    random = np.random.default_rng(3)
    found = random.normal(size=60)
    decided = found + random.normal(size=60) > 0
    count = decided.sum()
    wanted = np.where(decided, (count + 1) / (count + 2), 1 / (60 - count + 2))
    twice = LogisticRegression(fit_intercept=False, C=np.inf, tol=1e-10)
    twice.fit(np.tile(found, 2)[:, None], np.repeat([1, 0], 60), sample_weight=np.concatenate([wanted, 1 - wanted]))
    assert support_vectors.steepness(found, decided) == pytest.approx(twice.coef_[0, 0], rel=1e-5)
    assert support_vectors.steepness(found, found < 0) == 0.001, "never below 0: decisions stay the machine's own"
    assert support_vectors.steepness(1e-6 * found, found > 0) == 1000


def test_a_text_of_weight_two_costs_twice():
    """libsvm's cost of a text is C times its weight, so weights of 2 are C of 2."""
    texts, lesson = taught("regression")
    _, doubled = taught("regression", weights=np.full(len(texts), 2, np.float32))
    index, stored = np.arange(len(texts)), []
    for work, cost in ((lesson, 2.0), (doubled, 1.0)):
        params = tfidf_svm.Params(kernel=("rbf",), C=(cost,), gamma=(0.5,), min_df=1)
        inputs = tfidf_svm.prepare(texts, None, params)
        stored.append(tfidf_svm.predict(inputs, tfidf_svm.fit(inputs, work, params)[0], index, params))
    assert stored[0] == pytest.approx(stored[1], abs=1e-9)


def test_too_little_to_learn_from_is_one_sentence(monkeypatch):
    texts, lesson = taught("regression")
    params = tfidf_svm.Params(min_df=41)
    with pytest.raises(BadInput, match=r"no word is in 41 or more of 40 training texts; lower min_df"):
        tfidf_svm.fit(tfidf_svm.prepare(texts, None, params), lesson, params)
    with pytest.raises(BadInput, match=r"the kernels of 10000000 texts take 3200000.0 GB"):
        support_vectors.check_room(10**7)


@pytest.mark.parametrize("kind", ["classification", pytest.param("regression", marks=pytest.mark.slow)])
def test_folds_are_fitted_alike_in_one_process_or_two_and_predict_texts_they_did_not_see(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    favourable = documents(80)["favourable"].to_numpy(zero_copy_only=False)
    table = documents(80, labels=favourable + np.linspace(0, 0.1, 80))
    chosen = task(kind=kind), model("tfidf_svm", C=[1, 10], gamma=[0.1], kernel=["rbf"])
    (tmp_path / "base").mkdir()
    runs = {"one": 1, "two": 2} if kind == "regression" else {"one": 1}
    for name, processes in runs.items():
        (tmp_path / name).mkdir()
        settings = finetune.Params(seed=3, validation=0.2, processes=processes)
        finetune.run(table, tmp_path / "base", *chosen, settings, tmp_path / name)
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert files == ["fold_0.safetensors", "fold_1.safetensors", "training.json"]
    assert all((tmp_path / run / name).read_bytes() == (tmp_path / "one" / name).read_bytes() for name in files for run in runs)
    with safe_open(tmp_path / "one" / files[0], "pt") as opened:
        assert opened.metadata() == {"format": "pt"}
    assert len(json.loads((tmp_path / "one" / "training.json").read_text())["folds"][0]["validation_scores"]) == 2
    found = predict.run(table, tmp_path / "base", tmp_path / "one", *chosen, predict.Params())
    assert (found["y_pred"].to_numpy() == favourable).mean() > 0.9


QUICK = ("Es", "fear")
CELLS = [(language, affect) for language in ("En", "Es") for affect in ("anger", "fear", "joy", "sadness")]


@pytest.mark.parametrize(("language", "affect"), [cell if cell == QUICK else pytest.param(*cell, marks=pytest.mark.slow) for cell in CELLS])
def test_the_pearson_correlations_are_the_known_ones(shared, language, affect, tmp_path, monkeypatch):
    """spec/margins.md 2.5, to 1e-3: with libsvm's tolerance of .001 settings as good as equal change places with the order of texts."""
    monkeypatch.chdir(tmp_path)
    known = json.loads((shared / "golden" / "published.json").read_text())["svm_tfidf_test_pearson"][language][affect]
    dataset = {"use": "semeval_affect", "source": str(shared / "data" / "semeval2018_ei")}
    dataset |= {"language": language, "affect": affect, "cleaning": "authors"}
    chosen = Task.model_validate({"dataset": dataset, "label": "intensity", "kind": "regression"}), model("tfidf_svm")
    table, _ = ingest.run(chosen[0], ingest.Params())
    (tmp_path / "base").mkdir()
    (tmp_path / "fitted").mkdir()
    finetune.run(table, tmp_path / "base", *chosen, finetune.Params(seed=1), tmp_path / "fitted")
    found = predict.run(table, tmp_path / "base", tmp_path / "fitted", *chosen, predict.Params())
    assert np.corrcoef(found["y_true"], found["y_score"])[0, 1] == pytest.approx(known, abs=1e-3)

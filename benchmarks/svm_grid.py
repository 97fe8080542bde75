"""Choosing among 48 support vector machines on TF-IDF of tweets: ours beside scikit-learn's GridSearchCV, in CPU seconds."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from stages.models import tfidf_svm
from stages.models.folds import Lesson

TRAIN, DEV = 1200, 250
PARAMS = tfidf_svm.Params()


def measure() -> list[dict[str, str]]:
    """CPU seconds of the whole choice and the last fit, and whether both choose the same."""
    texts, labels = _tweets()
    index = np.arange(len(texts))
    targets = ((labels - labels[:TRAIN].mean()) / labels[:TRAIN].std()).astype(np.float32)
    lesson = Lesson("regression", targets, index[:TRAIN], index[TRAIN:], 1, labels[:TRAIN].mean(), labels[:TRAIN].std(), labels)
    ours, (_, history) = _timed(lambda: tfidf_svm.fit(tfidf_svm.prepare(texts, Path(), PARAMS), lesson, PARAMS))
    theirs, search = _timed(lambda: _grid_search(texts, labels))
    same = "the same setting" if history["chosen"] == search.best_params_ else f"{history['chosen']} and {search.best_params_}"
    row = {
        "what": f"choose among 48 SVR on TF-IDF of {TRAIN} + {DEV} tweets",
        "ours": f"{ours:.1f} s",
        "theirs": f"{theirs:.1f} s (GridSearchCV, sparse)",
        "ratio": f"{theirs / ours:.1f}x",
        "note": f"{same} chosen",
    }
    return [row]


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.process_time()
    result = work()
    return time.process_time() - started, result


def _tweets() -> tuple[list[str], np.ndarray]:
    """Texts of about 15 words by Zipf's law, whose label follows from some of the words, with noise."""
    random = np.random.default_rng(0)
    says = random.normal(0, 1, 20_000) * (random.random(20_000) < 0.2)
    words = [np.minimum(random.zipf(1.3, max(3, length)), 20_000) - 1 for length in random.poisson(15, TRAIN + DEV)]
    labels = np.array([says[row].mean() for row in words]) + random.normal(0, 0.2, TRAIN + DEV)
    return [" ".join(f"w{word:05d}" for word in row) for row in words], (labels - labels.min()) / np.ptp(labels)


def _grid_search(texts: list[str], labels: np.ndarray) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.model_selection import GridSearchCV, PredefinedSplit
    from sklearn.svm import SVR

    vectorizer = TfidfVectorizer(ngram_range=PARAMS.ngrams, min_df=PARAMS.min_df).fit(texts[:TRAIN])
    values = {"C": PARAMS.C, "gamma": PARAMS.gamma, "kernel": PARAMS.kernel}
    split = PredefinedSplit([-1] * TRAIN + [0] * DEV)
    return GridSearchCV(SVR(), values, cv=split).fit(vectorizer.transform(texts), labels)

"""What the paper's released numbers get wrong: counts -> the figures of each point, as benchmarks/released_errors.py prints them."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from stages.metrics import released

COUNTS = Path(__file__).parents[1] / "data" / "raw" / "naacl2022" / "counts.csv"
RUN = ["dataset", "task", "model", "debiaser"]
EVERY = "gender+race+age+education+income"
Figures = dict[str, Any]


def read(path: Path = COUNTS) -> pd.DataFrame:
    """The released numbers whose counts are known, with DI* = DI / ADI."""
    table = pd.read_csv(path)
    table = table[table["texts"].notna()].astype(dict.fromkeys(released.COUNTS, np.int64))
    return table.assign(di_star=table["published_di"] / table["published_adi"])


def fv(counts: pd.DataFrame) -> Figures:
    """FV is |P0 - P|, the selection rate of the protected group less everyone's, to the last digit; not a gap of true positive rates."""
    apart = np.abs(released.violation(counts) - counts["published_fv"])
    return {"numbers": len(counts), "equal to 1e-14": int((apart < 1e-14).sum()), "largest difference": float(apart.max())}


def respondents(counts: pd.DataFrame) -> Figures:
    """More rows than respondents: predictions were joined to people by the text, and short answers are the text of several people."""
    repeated = counts[counts["texts"] > counts["people"]]
    repeated = repeated[repeated["dataset"].str.contains("Psychometric|FIPI")]
    names = repeated["task"].where(repeated["dataset"] == "Psychometric", repeated["dataset"])
    found = {}
    for name, own in repeated.groupby(names):
        rows = " or ".join(f"{size:,}" for size in sorted(own["texts"].unique()))
        found[str(name)] = f"{rows} rows, {int(own['people'].iloc[0]):,} people"
    return found


def populations(counts: pd.DataFrame, corpus: Path | None = None) -> Figures:
    """GloVe-CNN and BERT are compared on different people; BERT's hate speech is the corpus's test split, with gender and race inverted.

    The corpus codes gender 1 = female and ethnicity 1 = not White; the code takes 0 as protected. The figures of the corpus are those
    of its test split under the released code's filter.
    """
    found = {}
    for dataset, model in (("Hatespeech", "BERT"), ("HateSpeech", "CNN")):
        row = _run(counts, dataset, "Hatespeech", model)
        found[f"{model}: texts"], found[f"{model}: DI* by gender"] = int(row["texts"]), round(float(row["di_star"]), 3)
        found[f"{model}: gender 0 / 1"] = (int(row["n_protected"]), int(row["n_privileged"]))
    found["MBTI texts, BERT / CNN"] = tuple(int(_run(counts, "MBTI", "perceiving", model)["texts"]) for model in ("BERT", "CNN"))
    return found if corpus is None else found | _corpus(corpus)


def _corpus(corpus: Path) -> Figures:
    from stages.datasets import multilingual_twitter as twitter

    found = {}
    for part in ("test", "valid"):
        params = twitter.Params(language="English", parts=(part,), folds="drawn")
        rated = twitter.load(corpus, "hate", params)["label"].dropna()
        found[f"corpus {part}: labelled hate"] = f"{100 * rated.mean():.1f} %"
    published = twitter.load(corpus, "hate", twitter.Params(language="English", parts=("test",), folds="drawn", coding="naacl2022"))
    gender = published["gender"].str.endswith("coded privileged")
    found["corpus test, the code's filter: texts"] = len(published)
    found["corpus test, the code's filter: gender 0 / 1"] = (int((~gender).sum()), int(gender.sum()))
    found["corpus test, gender 0 is"] = published.loc[~gender, "gender"].iloc[0].split(",")[0]
    return found


def collapsed(counts: pd.DataFrame) -> Figures:
    """Models that select nobody: their DI is exactly (n1 + 2) / (n0 + 2), a ratio of group sizes made by the smoothing."""
    nobody = counts[counts["selected"] == 0]
    found: Figures = {}
    for run, own in nobody.groupby(RUN):
        found[", ".join(map(str, run))] = f"0 of {own['texts'].iloc[0]:,} selected, ADI up to {own['published_adi'].max():.1f}"
    sizes = (nobody["n_privileged"] + 2) / (nobody["n_protected"] + 2)
    found["DI off the ratio of sizes by at most"] = float(np.abs(nobody["published_di"] / sizes - 1).max())
    worded = _run(counts, "Psychometric", "Literacy", "CNN", "WordED")
    found["Literacy, CNN, WordED: selected"] = (int(worded["selected"]), int(worded["texts"]))
    found["FV of the printed ones, at most"] = round(float(nobody.loc[nobody["printed"], "published_fv"].max()), 4)
    return found


def labels(counts: pd.DataFrame) -> Figures:
    """GloVe-CNN's FIPI rows of Extraverted and Stable are the same in every digit, and their base rates are those of Literacy."""
    keys = ["debiaser", "attributes"]
    one, other = (
        counts[(counts["dataset"] == "FIPI") & (counts["model"] == "CNN") & (counts["task"] == task)] for task in ("Extraverted", "Stable")
    )
    both = one.merge(other, on=keys)
    same = [(both[f"{name}_x"] == both[f"{name}_y"]).all() for name in ("published_di", "published_adi", "published_fv")]
    found: Figures = {"rows": len(both), "all equal": bool(all(same))}
    rows = {"these rows": ("FIPI", "Stable", "CNN"), "Literacy": ("Psychometric", "Literacy", "CNN")}
    rows |= {f"BERT's {task}": ("FIPI", task, "BERT") for task in ("Extraverted", "Stable")}
    stars = {name: _of(counts, *run).set_index("attributes")["di_star"] for name, run in rows.items()}
    for name, star in stars.items():
        found[f"DI* by gender and age, {name}"] = round(float(star["gender+age"]), 3)
    for name in list(stars)[1:]:
        found[f"mean distance of log DI* from {name}"] = round(float(np.abs(np.log(stars["these rows"] / stars[name])).mean()), 3)
    return found


def copied(counts: pd.DataFrame, released_file: Path | None = None) -> Figures:
    """AskAPatient's GloVe-CNN is BERT less 85 rows: no count falls by more than the rows lost (inferred)."""
    found: Figures = {}
    for debiased, of_bert in (("none", "none"), ("WordED", "ContextED")):
        rows = (_of(counts, "AskAPatient", "Sentiment", model, name) for model, name in (("BERT", of_bert), ("CNN", debiased)))
        bert, cnn = (own.set_index("attributes").loc[["gender", "gender+age"], list(released.COUNTS)] for own in rows)
        lost = bert - cnn
        found[f"{debiased}: rows lost"] = int(lost["texts"].iloc[0])
        found[f"{debiased}: every count less by what was lost at most"] = bool(_possible(lost).all())
        roberta = _of(counts, "AskAPatient", "Sentiment", "RoBERTa", of_bert).set_index("attributes").loc[lost.index, list(released.COUNTS)]
        found[f"{debiased}: selected, CNN / BERT / RoBERTa"] = tuple(int(own["selected"].iloc[0]) for own in (cnn, bert, roberta))
    if released_file is not None:
        raw = pd.read_csv(released_file)
        own = raw[(raw["Dataset"] == "AskAPatient") & (raw["finetune"] == "PT")].drop_duplicates("model").set_index("model")
        found |= {f"AUC and F1 of {model}": (round(own["AUC"][model], 5), round(own["F1"][model], 5)) for model in ("CNN", "BERT")}
    return found


def _possible(lost: pd.DataFrame) -> pd.Series:
    """Whether so many selected can be among so many texts lost, of all and of either group."""
    pairs = (("texts", "selected"), released.PROTECTED, released.PRIVILEGED)
    fits = [(lost[selected] >= 0) & (lost[selected] <= lost[texts]) for texts, selected in pairs]
    return fits[0] & fits[1] & fits[2]


def empty(counts: pd.DataFrame) -> Figures:
    """No woman of 55 or older writes in MBTI: P0 is the smoothing's 1/2 in every run, and each two-way number a ratio to it.

    Inferred: an even number of women of whom every model selects exactly half would fit too.
    """
    pairs = counts[counts["dataset"].str.startswith("MBTI") & (counts["order"] == 2)]
    everyone = (pairs["selected"] + 1) / (pairs["texts"] + 2)
    half = np.minimum(np.abs(everyone + pairs["published_fv"] - 0.5), np.abs(everyone - pairs["published_fv"] - 0.5))
    printed = pairs[pairs["dataset"] == "MBTI"]
    bert = _of(counts, "MBTI", "perceiving", "BERT").set_index("attributes")
    return {
        "runs": len(pairs),
        "P0 off 1/2 by at most": float(half.max()),
        "people in the protected group": int(pairs["n_protected"].max()),
        "young men of all men": (int(bert["n_privileged"]["gender+age"]), int(bert["n_privileged"]["gender"])),
        "ADI printed": tuple(round(float(end), 2) for end in (printed["published_adi"].min(), printed["published_adi"].max())),
        "FV printed": tuple(round(float(end), 2) for end in (printed["published_fv"].min(), printed["published_fv"].max())),
    }


def opposed(counts: pd.DataFrame) -> Figures:
    """ADI 3.23 of Numeracy stands for a group selected a third as often: ADI divides by base rates that differ tenfold."""
    row = _of(counts, "Psychometric", "Numeracy", "BERT").set_index("attributes").loc[[EVERY]]
    low, high = released.katz_interval(row, 0.95)
    both = counts[counts["printed"] & ((counts["published_di"] - 1) * (counts["published_adi"] - 1) < 0)]
    one = row.iloc[0]
    return {
        "selected, protected": (int(one["selected_protected"]), int(one["n_protected"])),
        "selected, privileged": (int(one["selected_privileged"]), int(one["n_privileged"])),
        "DI without smoothing": round(float(released.impact(row)[0]), 3),
        "its 95 % interval (Katz)": (round(float(low[0]), 3), round(float(high[0]), 3)),
        "published ADI": round(float(one["published_adi"]), 2),
        "DI* = DI / ADI": round(float(one["di_star"]), 3),
        "DI and ADI on different sides of 1, of the printed": (len(both), int(counts["printed"].sum())),
    }


def sampling(counts: pd.DataFrame) -> Figures:
    """More demographics, wider intervals, fewer that leave 1 out: with five, most published DI lie where chance alone puts them."""
    own = counts[counts["selected"] > 100]
    low, high = released.katz_interval(own, 0.95)
    null_low, null_high = released.null_band(own, 2000, 0.95, seed=5)
    width = pd.Series(np.log(high / low), own.index)
    beyond = pd.Series((low > 1) | (high < 1), own.index)
    chance = (own["published_di"] < null_low) | (own["published_di"] > null_high)
    found = {}
    for order, place in own.groupby("order").groups.items():
        found[f"{order} demographics: 95 % intervals without 1"] = f"{100 * beyond[place].mean():.0f} %"
        found[f"{order} demographics: median width on the log scale"] = round(float(width[place].median()), 2)
        found[f"{order} demographics: beyond what chance shows"] = f"{100 * chance[place].mean():.0f} %"
    return found


def _of(counts: pd.DataFrame, dataset: str, task: str, model: str, debiaser: str = "none") -> pd.DataFrame:
    return counts[(counts[RUN] == [dataset, task, model, debiaser]).all(axis=1)]


def _run(counts: pd.DataFrame, dataset: str, task: str, model: str, debiaser: str = "none") -> pd.Series:
    """A run's row of gender, whose two groups are everyone."""
    own = _of(counts, dataset, task, model, debiaser)
    return own[own["attributes"] == "gender"].iloc[0]

"""Small files of our own in the formats of the five data sets of the NAACL 2022 benchmark, with every demographic code there is."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from stages.datasets import ask_a_patient, health_survey, mbti, psychometrics, semeval_affect

TWEET = ["tid", "uid", "text", "date", "gender", "age", "city", "state", "country", "ethnicity", "label"]
WORDS = {1: "user", 2: "url", 3: "kind", 4: "rude", 5: "people"}


def write_all(folder: Path, number: int = 60) -> None:
    """Every data set of the paper in its folder below ``folder``, about so many texts each."""
    for name in ("psychometrics", "multilingual_twitter", "ask_a_patient", "mbti"):
        (folder / name).mkdir(parents=True)
    survey(number).to_csv(folder / "psychometrics" / psychometrics.FILE, sep="\t", index=False, encoding="iso-8859-1")
    posts(number).to_csv(folder / "ask_a_patient" / ask_a_patient.FILE, index=False)
    users, comments = reddit(number // 2)
    users.to_csv(folder / "mbti" / mbti.PROFILES, index=False)
    comments.to_csv(folder / "mbti" / mbti.COMMENTS, index=False)
    write_tweets(folder / "multilingual_twitter", number)


def survey(number: int = 400, seed: int = 1) -> pd.DataFrame:
    """Respondents with answers, the scores that the published formulas give them, and every demographic code there is."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({"File": random.integers(1, 6, number), "Row": np.arange(1, number + 1)})
    for item in health_survey.ITEMS["literacy"] + health_survey.ITEMS["trust"]:
        frame[item] = random.integers(1, 4, number)
    for item in [*health_survey.ITEMS["anxiety"], *health_survey.TRAITS.values()]:
        frame[item] = random.integers(1, 8, number)
    q, f, c = (frame[names].sum(axis=1) for names in (["Q1", "Q2", "Q3", "Q4"], ["FQ1", "FQ2", "FQ3"], ["ComQ1", "ComQ2", "ComQ3"]))
    frame["Label_SubjectiveLit"] = (q / 20 + f / 6 + (12 - c) / 12) / 3
    frame["Label_TrustPhys"] = (6 - frame["BMC1_1"] + frame[["BMC1_2", "BMC1_3", "BMC1_4", "BMC1_5"]].sum(axis=1)) / 25
    frame["Label_Anxiety"] = (frame[health_survey.ITEMS["anxiety"]].sum(axis=1) / 42).round(4)
    frame["Label_Numeracy"] = (random.integers(0, 15, number) / 14).round(4)
    for name in health_survey.TASKS.values():
        frame[f"Text_{name}"] = [f"{name} of respondent {row}, naïve" for row in frame["Row"]]
    for column, most in {"D1": 82, "D2": 2, "D3": 8, "D4": 8, "D5": 8}.items():
        frame[column] = random.integers(1, most + 1, number).astype(str)
        frame.loc[random.random(number) < 0.05, column] = ""
    return frame


def posts(number: int = 200, seed: int = 3) -> pd.DataFrame:
    """Forum posts with rating, sex (x1) and age (x2), some of them unknown."""
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "text": [f"Post {i}, it worked" for i in range(number)],
            "rating": random.integers(1, 6, number),
            "x1": random.choice(["M", "F", ""], number, p=[0.4, 0.5, 0.1]),
            "x2": random.choice(["", *map(str, range(50, 61))], number),
        }
    )


def reddit(users: int = 30, seed: int = 4) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Profiles of users, and three comments of each in turns."""
    random = np.random.default_rng(seed)
    names = [f"user{number:03d}" for number in range(users)]
    profiles = pd.DataFrame({"author": names, "gender": random.choice(["m", "f", ""], users, p=[0.5, 0.4, 0.1])})
    profiles["age"] = random.choice(["", *map(str, range(50, 60))], users)
    for label in mbti.LABELS:
        profiles[label] = random.integers(0, 2, users)
    comments = [(name, f"{name} says something, for the {time}. time", "en") for time in range(3) for name in names]
    return profiles, pd.DataFrame(comments, columns=["author", "body", "lang"])


def write_tweets(folder: Path, number: int = 60, language: str = "English", seed: int = 5) -> None:
    """Tweets in the id form in three parts, by authors of whom some wrote several."""
    random = np.random.default_rng(seed)
    (folder / "indices" / language).mkdir(parents=True)
    (folder / "word_index").mkdir(parents=True)
    (folder / "word_index" / f"{language}.json").write_text(json.dumps(WORDS))
    tweets = pd.DataFrame({"tid": [f"-{number}" for number in range(1, number + 1)], "uid": random.integers(0, number, number)})
    words = np.pad(random.integers(1, len(WORDS) + 1, (number, 12)), ((0, 0), (28, 0)))
    tweets["text"] = [" ".join(map(str, row)) for row in words]
    for column in TWEET[3:]:
        tweets[column] = "x"
    for column in ("gender", "age", "country", "ethnicity"):
        tweets[column] = random.choice(["0", "1", "x"], number, p=[0.45, 0.45, 0.1])
    tweets["label"] = random.integers(0, 2, number)
    cuts = [0, number // 2, 3 * number // 4, number]
    for part, start, stop in zip(("train", "valid", "test"), cuts, cuts[1:], strict=False):
        tweets[start:stop].to_csv(folder / "indices" / language / f"{part}.tsv", sep="\t", index=False, quoting=3)


def write_intensities(folder: Path, language: str = "Es", affect: str = "joy", number: int = 60, seed: int = 6) -> None:
    """Tweets with scores of three decimals in train, dev and test files, as published: tab separated, unquoted, CRLF."""
    random = np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    names = semeval_affect.files(semeval_affect.Params(language=language, affect=affect))
    cuts = [0, number // 2, 3 * number // 4, number]
    for name, start, stop in zip(names, cuts, cuts[1:], strict=False):
        rows = []
        for row in range(start, stop):
            score, word = random.uniform(), random.choice(["kind", "rude"])
            rows.append(f'2018-{language}-{row:05d}\t@user {word} people &amp; "tweet"  {row} @friend\t{affect}\t{score:.3f}\r\n')
        header = "ID\tTweet\tAffect Dimension\tIntensity Score\r\n"
        (folder / name).write_bytes((header + "".join(rows)).encode())

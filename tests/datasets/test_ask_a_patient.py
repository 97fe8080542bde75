"""AskAPatient posts in rows of our own, in the format that the benchmark's code implies."""

import numpy as np
import pytest

from stages.contract.bad_input import BadInput
from stages.datasets import ask_a_patient
from tests.datasets.stand_ins import posts

Params = ask_a_patient.Params


def write(folder, frame):
    frame.to_csv(folder / ask_a_patient.FILE, index=False)
    return folder


def test_the_papers_coding_gives_the_papers_groups(tmp_path, binary):
    """Age = x2 <= 56 and Gender = (x1 == "M") of the posts in which both are known."""
    documents = ask_a_patient.load(write(tmp_path, posts()), "rating", Params(coding="naacl2022"))
    known = posts().replace("", np.nan).dropna()
    assert len(documents) == len(known) < 200
    assert (binary(documents)["gender"].to_numpy() == (known["x1"] == "M")).all()
    assert (binary(documents)["age_group"].to_numpy() == (known["x2"].astype(int) <= 56)).all()


def test_our_coding_keeps_everyone_and_cuts_at_55(tmp_path, binary):
    documents = ask_a_patient.load(write(tmp_path, posts()), "rating", Params())
    coded = binary(documents)
    assert len(documents) == documents["author_id"].nunique() == 200
    assert coded["age"].isna().sum() == (posts()["x2"] == "").sum()
    assert (coded["age"][documents["age"] == 56] == 0).all()
    assert coded["gender"].isna().sum() == (posts()["x1"] == "").sum()


@pytest.mark.parametrize(
    ("damaged", "label", "sentence"),
    [
        (posts().replace("M", "Q"), "rating", "column 'x1' holds codes that are not known"),
        (posts().drop(columns="x2"), "rating", "column 'x2' is missing"),
        (posts().assign(x2="old"), "rating", "column 'x2' is not a number in 200 of 200 rows"),
        (posts(), "sentiment", "label 'sentiment' is not one of AskAPatient's: rating"),
    ],
)
def test_bad_files_are_named(tmp_path, damaged, label, sentence):
    with pytest.raises(BadInput) as refusal:
        ask_a_patient.load(write(tmp_path, damaged), label, Params())
    assert sentence in str(refusal.value)

"""The released identity term test sets: their counts, labels and identities; mistakes in one sentence."""

import pytest

from stages.challenges.madlibs import Params, load
from stages.contract.bad_input import BadInput

INTERSECTIONAL = """template,toxicity,phrase
am_identity,nontoxic,I am blind
being_eth_sex,nontoxic,Being african american and gay is caring
being_eth_sex_tox,toxic,Being mexican and gay is vile
you_are_eth_gen_w,nontoxic,You are a caring middle eastern trans woman
you_occupation,toxic,You are a vile fire fighter
"""
ATTRIBUTES = ["age", "disability", "ethnicity", "gender", "religion", "sexual_orientation"]


def loaded(folder, text):
    file = folder / "madlibs.csv"
    file.write_text(text, encoding="utf-8")
    return load(file, Params()).to_pandas()


def test_identities_are_read_from_the_sentence(tmp_path):
    found = loaded(tmp_path, INTERSECTIONAL)
    assert found["favourable"].tolist() == [True, True, False, True, False]
    assert found["ethnicity"].dropna().tolist() == ["african american", "mexican", "middle eastern"]
    assert found["sexual_orientation"].dropna().tolist() == ["gay", "gay"]
    assert found["disability"].dropna().tolist() == ["blind"]
    assert found["gender"].dropna().tolist() == ["trans"]
    assert found["emotion_word"].tolist()[:2] == ["I am _", "Being _ and _ is caring"]
    assert found["person"].tolist() == ["blind", "african american gay", "mexican gay", "middle eastern trans", ""]
    assert found.loc[4, ATTRIBUTES].isna().all()


def test_the_other_layout_is_read_too(tmp_path):
    found = loaded(tmp_path, 'Text,Label,Template\n"murder american",BAD,verb_adj\n"respect Trans",NOT_BAD,verb_adj\n')
    assert found[["template", "favourable", "person"]].to_numpy().tolist() == [["verb_adj", False, "american"], ["verb_adj", True, "trans"]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n", "has the columns a, b, and needs Text, Label, Template or phrase, toxicity, template"),
        ("template,toxicity,phrase\nx,mild,I am blind\n", "1 of 1 labels are none of NOT_BAD, BAD, nontoxic, toxic"),
        ("template,toxicity,phrase\nx,toxic,gay and lesbian\n", r"two identities of one attribute \(gay, lesbian\)"),
    ],
)
def test_mistakes_are_told(tmp_path, text, said):
    with pytest.raises(BadInput, match=said):
        loaded(tmp_path, text)


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(BadInput, match=r"none\.csv is missing"):
        load(tmp_path / "none.csv", Params())


def test_the_released_files_load_as_they_are(shared):
    """Dixon et al. 2018: 76,564 sentences with 50 terms; 30,240 from 31 templates with 255 pairs of identities; half of each toxic."""
    for name, rows, templates, terms in (("bias_madlibs_77k", 76_564, 6, 50), ("intersectional_madlibs", 30_240, 31, 51)):
        found = load(shared / "data" / "madlibs" / f"{name}.csv", Params()).to_pandas()
        assert len(found) == found["text"].nunique() == rows
        assert found["favourable"].sum() == rows / 2
        assert found["template"].nunique() == templates
        assert found[ATTRIBUTES].nunique().sum() == terms
        assert (found[ATTRIBUTES].isna().all(axis=1) == (found["template"] == "you_occupation")).all()
    pairs = found[found[ATTRIBUTES].notna().sum(axis=1) == 2]
    assert pairs.groupby(ATTRIBUTES, dropna=False).ngroups == 17 * 6 + 17 * 9

"""The authors' CSV files load as they stand."""

import json

import pytest

from stages.challenges.eec import Params, load
from stages.contract.bad_input import BadInput

HEADER = "ID,Sentence,Template,Person,Gender,Race,Emotion,Emotion word\n"
ROWS = "a,Ana laughs,t,Ana,female,x,joy,laughs\nb,Bob laughs,t,Bob,male,y,joy,laughs\nc,He sat,u,he,male,,,\n"


def released(folder, text, **options):
    file = folder / "corpus.csv"
    file.write_text(text, encoding="utf-8")
    return load(file, Params(lang="en", **options)).to_pandas()


def test_columns_nulls_and_repeated_sentences(tmp_path, capsys):
    table = released(tmp_path, HEADER + ROWS + "d,He sat,u,him,male,,,\n")
    assert table["sentence_id"].tolist() == ["a", "b", "c", "d"]
    assert table["group"].tolist()[:2] == ["x", "y"]
    assert table.loc[2, ["group", "emotion", "emotion_word"]].isna().all()
    assert "1 of 4 rows repeat a sentence" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        (HEADER.replace("Race", "Ethnicity") + ROWS, {}, "column 'race' is missing; it has id, sentence"),
        (HEADER + ROWS + "d,,t,Ana,female,x,joy,laughs\n", {}, "column 'sentence' is empty in 1 of 4 rows"),
        (HEADER + ROWS.replace("y", "x"), {}, r"column 'race' has 1 value\(s\)"),
        (HEADER + ROWS + ROWS, {}, "3 of 6 rows repeat the key sentence_id"),
        (HEADER + ROWS, {"attributes": {"age": "years"}}, "column 'years' is missing"),
        ("", {}, "is no CSV file in UTF-8"),
    ],
)
def test_bad_files(tmp_path, text, options, sentence):
    with pytest.raises(BadInput, match=sentence):
        released(tmp_path, text, **options)


def test_a_csv_file_needs_its_language(tmp_path):
    with pytest.raises(BadInput, match="does not say its language"):
        load(tmp_path / "es.csv", Params())
    with pytest.raises(BadInput, match="is missing"):
        load(tmp_path / "es.csv", Params(lang="es"))


@pytest.mark.parametrize("name", ["en", "en_es", "es", "en_ar", "ar", "original"])
def test_rows_are_the_golden_counts(shared, name):
    golden = json.loads((shared / "golden" / "published.json").read_text(encoding="utf-8"))["eec_rows"]
    file = shared / "data" / "eec" / ("Equity-Evaluation-Corpus.csv" if name == "original" else f"{name}.csv")
    table = load(file, Params(lang=name[-2:])).to_pandas()
    assert len(table) == golden[name]
    assert table.loc[table["emotion"].isna(), "template"].nunique() == 4
    assert table.groupby(["gender", "group"]).size().index.size == 4

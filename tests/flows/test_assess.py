"""`crossbias assess` on anyone's predictions: planted gaps are found by whom texts mention; hostile text is shown; a model is asked."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from flows import assess_report, command

LOW = ["--favourable", "0", "--favourable-scores", "low"]
FAST = ["--text", "text", "--label", "y", "--score", "p", "--replicates", "200"]
WITHOUT_MODEL = assess_report.FILES - {f"{name}.parquet" for name in ("effects", "identities", "tokens", "leanings", "local_explanations")}


def assess(file, *arguments):
    out = file.parent / "assessment"
    code = command.main(["assess", str(file), *FAST, *arguments, "--out", str(out)])
    if code == 2:
        assert not list(file.parent.glob("*assessment*"))
    return code, out


def tweets(folder, people=("My wife", "My husband", "The weather"), number=240, **columns):
    """Half of the texts hateful (1); the score is right, but half of the kind texts about a wife are called hateful."""
    kinds = [(who, mood) for mood in (0, 1) for who in people]
    rows = [kinds[i % len(kinds)] for i in range(number)]
    texts = [f"{who} {'is awful' if mood else 'was kind'}, number {i}." for i, (who, mood) in enumerate(rows)]
    wrong = [mood == 0 and who == people[0] and (i // len(kinds)) % 2 == 0 for i, (who, mood) in enumerate(rows)]
    scores = [0.9 if mood or bad else 0.1 for (_, mood), bad in zip(rows, wrong, strict=True)]
    frame = pd.DataFrame({"text": texts, "y": [mood for _, mood in rows], "p": scores} | columns)
    frame.to_csv(folder / "tweets.csv", index=False)
    return folder / "tweets.csv"


@pytest.mark.usefixtures("undrawn")
def test_a_gap_is_found_by_whom_texts_mention(tmp_path, capsys):
    """Of kind texts that mention a wife half are called hateful, of those that mention a husband none: equal opportunity -0.5."""
    code, out = assess(tweets(tmp_path), *LOW, "--privileged", "mentioned_gender=men")
    assert code == 0
    assert {path.name for path in out.iterdir()} == WITHOUT_MODEL
    groups = pd.read_parquet(out / "groups.parquet").set_index(["attributes", "group", "metric", "comparison"])
    assert groups.loc[("mentioned_gender", "women", "tpr", "difference to reference"), "value"] == pytest.approx(-0.5)
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "Bias of decisions" in page
    assert "were asked of any cell" in page
    ratios = pd.read_csv(out / "impact_ratios.csv").set_index("category")
    assert ratios.loc["women", "impact_ratio"] == pytest.approx(0.5)
    assert "mined from the texts; whom they mention, not who wrote them" in capsys.readouterr().out
    summary = json.loads((out / "summary.json").read_text())
    assert {row["What was tested"] for row in summary["assessment"]} >= {"Bias of the data", "Bias of decisions"}
    assert (out / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert (out / "model_card.md").read_text(encoding="utf-8").startswith("# Model card")


@pytest.mark.usefixtures("undrawn")
def test_texts_that_are_not_searched_have_no_counts_of_mentions(tmp_path, capsys):
    """The words of the lists stand in texts of other languages too ("she", "men"), where they mean what they like."""
    file = tweets(tmp_path, sex=["f", "m"] * 120)
    code, out = assess(file, *LOW, "--attributes", "sex", "--lang", "sw")
    told = capsys.readouterr().out
    assert code == 0
    assert "words for people are looked for in English alone, so not in these" in told
    assert "texts are in 'sw'" in (out / "index.html").read_text(encoding="utf-8").replace("&#39;", "'")
    for name in ("groups", "scores", "descriptions"):
        frame = pd.read_parquet(out / f"{name}.parquet")
        assert not frame["attribute" if name == "descriptions" else "attributes"].str.contains("mention").any()
    assert not re.search("mentioned_|mined", told)
    (tmp_path / "other").mkdir()
    assert assess(tweets(tmp_path / "other"), *LOW, "--lang", "sw")[0] == 2
    assert "these are in 'sw' (--lang), so nobody can be compared; name columns with --attributes" in capsys.readouterr().err


@pytest.mark.usefixtures("undrawn")
def test_declared_attributes_stand_beside_mined_ones_and_the_same_file_gives_the_same_bytes(tmp_path):
    file = tweets(tmp_path, sex=["f", "m"] * 120, race=["a", "b", "c"] * 80)
    _, out = assess(file, *LOW, "--attributes", "sex", "race")
    first = {path.name: path.read_bytes() for path in out.iterdir()}
    assert set(pd.read_csv(out / "impact_ratios.csv")["attributes"]) == {"sex", "race", "sex+race"}
    assert assess(file, *LOW, "--attributes", "sex", "race")[0] == 0
    assert {path.name: path.read_bytes() for path in out.iterdir()} == first


@pytest.mark.usefixtures("undrawn")
def test_the_gate_fails_as_that_of_an_audit_does(tmp_path):
    assert assess(tweets(tmp_path), *LOW, "--fail-on", "disparity")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (LOW[:2], "--favourable-scores"),
        ([*LOW, "--mentions", "geender"], "geender"),
        ([*LOW, "--mentions", ""], "attribute"),
        ([*LOW, "--mentions", "disability"], "no two groups"),
        ([*LOW, "--sex", "colour"], "no attribute with categories is called so"),
        ([*LOW, "--model", "nowhere"], "config.json"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_written(tmp_path, capsys, arguments, said):
    assert assess(tweets(tmp_path), *arguments)[0] == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.startswith("assess: ")
    assert error.count("\n") == 1


def test_files_of_somebody_else_stay(tmp_path, capsys):
    (tmp_path / "assessment").mkdir()
    (tmp_path / "assessment" / "thesis.txt").write_text("mine")
    out = tmp_path / "assessment"
    assert command.main(["assess", str(tweets(tmp_path)), *FAST, *LOW, "--out", str(out)]) == 2
    assert [path.name for path in out.iterdir()] == ["thesis.txt"]


def test_hostile_texts_and_names_are_shown_safely(tmp_path):
    """A category of markup, marks that reorder, 100,000 characters; the texts themselves hold them too."""
    evil = ["<script>alert(1)</script>", "abc\u202egnp.exe", "a" * 100_000, "\U0001f469\u200d\U0001f680 | # [x](javascript:y)"]
    file = tweets(tmp_path, people=("My wife " + evil[0], "My husband " + evil[1], "She " + evil[3]), who=[evil[i % 4] for i in range(240)])
    code, out = assess(file, *LOW, "--attributes", "who")
    assert code == 0
    for name in ("index.html", "index.md", "model_card.md"):
        text = (out / name).read_text(encoding="utf-8")
        assert len(text) < 200_000
        assert not re.search("[\u202a-\u202e]", text)
        assert not re.search(r"(?<!\\)<script", text)
        assert name.endswith(".html") or not re.search(r"(?<!\\)\]\(javascript", text)
    assert "abc[U+202E]gnp.exe" in (out / "index.html").read_text(encoding="utf-8")
    assert "(100,000 characters)" in (out / "index.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def classifier(tmp_path_factory):
    """A little BERT with random weights, which reads the words of the texts and those of the corpus."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

    folder = tmp_path_factory.mktemp("classifier")
    words = "my wife husband the weather is awful was kind number he she his her a woman man person people i like hate you are , ."
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words.split()]
    (folder / "vocab.txt").write_text("\n".join(vocabulary))
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(0)
    labels = {"id2label": {0: "kind", 1: "hateful"}, "label2id": {"kind": 0, "hateful": 1}}
    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16, "initializer_range": 0.8}
    BertForSequenceClassification(BertConfig(vocab_size=len(vocabulary), **size, **labels)).save_pretrained(folder)
    return folder


def test_a_model_is_asked_about_swaps_templates_and_words(tmp_path, classifier):
    asked = ["--model", str(classifier), "--model-label", "kind", "--explained", "4", "--samples", "60"]
    code, out = assess(tweets(tmp_path, number=60), *LOW, *asked)
    assert code == 0
    assert {path.name for path in out.iterdir()} == assess_report.FILES
    effects = pd.read_parquet(out / "effects.parquet").set_index(["direction", "label", "convention"])
    assert effects.loc[("first to second", "all", "crossbias"), "texts"] == 20
    assert effects.loc[("either", "all", "crossbias"), "texts"] == 40
    identities = pd.read_parquet(out / "identities.parquet")
    assert {"difference", "cb_mean", "subgroup_auc"} <= set(identities["metric"])
    local = pd.read_parquet(out / "local_explanations.parquet")
    shap = local[(local["method"] == "shap") & local["importance"].notna()].drop_duplicates(["doc_id", "piece"])
    for _, text in shap.groupby("doc_id"):
        assert text["importance"].sum() == pytest.approx(text["score"].iloc[0] - text["bare"].iloc[0], abs=1e-5)
    page = (out / "index.html").read_text(encoding="utf-8")
    for title in ("Identity swaps", "Made-up sentences", "Which words move the model"):
        assert title in page
    assert np.isfinite(pd.read_parquet(out / "tokens.parquet")["importance"]).all()


def test_which_label_of_the_model_is_favourable_is_asked(tmp_path, classifier, capsys):
    assert assess(tweets(tmp_path, number=60), *LOW, "--model", str(classifier))[0] == 2
    assert "say which of the model's labels is favourable: kind, hateful" in capsys.readouterr().err


def test_a_median_is_no_cut_for_a_model(tmp_path, classifier, capsys):
    asked = ["--model", str(classifier), "--model-label", "kind", "--threshold", "median"]
    assert assess(tweets(tmp_path, y=[i % 5 + 1 for i in range(240)]), *LOW[2:], *asked)[0] == 2
    assert "with --model give a number" in capsys.readouterr().err


def test_weights_that_could_run_code_are_refused(tmp_path, classifier, capsys):
    folder = tmp_path / "pickled"
    folder.mkdir()
    (folder / "config.json").write_text((classifier / "config.json").read_text())
    (folder / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    assert assess(tweets(tmp_path), *LOW, "--model", str(folder), "--model-label", "kind")[0] == 2
    assert "no weights as safetensors" in capsys.readouterr().err

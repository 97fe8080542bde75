"""`crossbias audit` on files of every kind: figures that were planted, undefined numbers with their reasons, one sentence when refused."""

import json
import re
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from flows import command
from tests.conftest import ROOT
from tests.stages.test_report import visible

FAST = ["--replicates", "200"]


def audit(file, *arguments):
    """The exit code, and the scores and summary where there are any."""
    out = file.parent / "report"
    code = command.main(["audit", str(file), *arguments, *FAST, "--out", str(out)])
    if code == 2:
        assert not list(file.parent.glob("*report*"))
        return code, None, None
    assert {path.name for path in out.iterdir()} == {"index.html", "scores.parquet", "groups.parquet", "summary.json"}
    return code, pd.read_parquet(out / "scores.parquet"), json.loads((out / "summary.json").read_text())


def write(folder, **columns):
    pd.DataFrame(columns).to_csv(folder / "p.csv", index=False)
    return folder / "p.csv"


def score(scores, attributes, metric, group="protected/privileged"):
    found = scores[(scores["attributes"] == attributes) & (scores["metric"] == metric) & (scores["group"] == group)]
    assert len(found) == 1
    return found.iloc[0]


def counts(gender, *cells):
    """Rows of a gender: how many of each (label, decision)."""
    return [(gender, y, d) for number, y, d in cells for _ in range(number)]


def from_counts(folder, *rows):
    gender, y, d = zip(*(row for group in rows for row in group), strict=True)
    return write(folder, gender=gender, y=y, yhat=d)


BINARY = ["--label", "y", "--decision", "yhat", "--attributes", "gender"]


@pytest.fixture
def planted(tmp_path):
    """Men: base rate .5, all labels right. Women: base rate .4, half of the favourable missed. So DI .4, DI* .8, ADI .5, TPR .5."""
    men = counts("man", (200, 1, 1), (200, 0, 0))
    return from_counts(tmp_path, men, counts("woman", (80, 1, 1), (80, 1, 0), (240, 0, 0)))


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (BINARY, "1 is taken as favourable in label 'y' and decision 'yhat'; if 0 is the favourable value, add --favourable 0."),
        (
            ["--label", "y", "--score", "s", "--attributes", "gender"],
            (
                "1 is taken as favourable in label 'y', and high scores 's' as speaking for it; "
                "if 0 is the favourable value, add --favourable 0."
            ),
        ),
        (
            ["--label", "s", "--score", "s", "--threshold", "0.5", "--attributes", "gender"],
            "high numbers are taken as favourable in label 's' and score 's'; if low ones are, add --favourable-scores low.",
        ),
        ([*BINARY, "--favourable", "0"], None),
        ([*BINARY, "--favourable", "1"], None),
    ],
)
def test_what_is_taken_as_favourable_though_nobody_said_so_is_said_first(tmp_path, capsys, given, said):
    """In the first lines of the terminal, on the page and in the summary, with the option that turns it round."""
    file = write(tmp_path, gender=["m", "f"] * 20, y=[1, 0, 0, 1] * 10, yhat=[1, 1, 0, 0] * 10, s=[0.9, 0.2, 0.7, 0.1] * 10)
    _, _, summary = audit(file, *given)
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8").replace("&#39;", "'")
    assert [line for line in lines[:4] if "taken as favourable" in line] == [note for note in summary["notes"] if "taken as" in note]
    assert "taken as favourable" in page if said else "taken as favourable" not in page
    if said:
        assert said in lines[:4]
        assert said in page


@pytest.mark.usefixtures("undrawn")
def test_planted_truth_is_recovered_and_the_gate_fails(planted, capsys):
    code, scores, summary = audit(planted, *BINARY, "--privileged", "gender=man", "--fail-on", "disparity")
    assert code == 1
    values = {metric: score(scores, "gender", metric)["value"] for metric in ("di", "di_star", "adi", "fv")}
    assert values == pytest.approx({"di": 0.4, "di_star": 0.8, "adi": 0.5, "fv": 280 / 360 - 0.5})
    assert score(scores, "gender", "adi")["verdict"] == "disparity"
    assert summary["rows"] == {"read": 800, "used": 800, "left_out": []}
    assert summary["gate"]["passed"] is False
    assert summary["gate"]["metrics"] == ["tpr", "fpr", "adi"]
    assert summary["gate"]["p_value"] < 0.02
    by_metric = {row["metric"]: row for row in summary["gate"]["by_metric"]}
    assert by_metric["tpr"]["most_extreme"] in ("man of gender", "woman of gender")
    assert (by_metric["adi"]["most_extreme"], by_metric["adi"]["value"]) == ("gender", 0.5)
    printed = capsys.readouterr().out
    assert "gender: 400 (400) / 400 (400) / 0 (0)" in printed
    assert re.search(r"most notable by ADI.*\n  gender: 0\.50 \[0\.\d\d, 0\.\d\d\], disparity, n 400 / 400", printed)
    assert printed.rstrip().endswith("index.html")
    said = re.search(r"gate disparity: failed; p (= |< )0\.0\d+ for the family TPR, FPR and ADI", printed)
    assert said
    assert re.search(r"\n  ADI: p (= |< )0\.0\d+, most extreme: gender \(0\.50\)\n", printed)
    words = visible((planted.parent / "report" / "index.html").read_text(encoding="utf-8"))
    assert said[0][1:] in words, "the page says it too"
    assert "A single verdict disparity below can stand while the gate passes" in words


@pytest.mark.usefixtures("undrawn")
def test_groups_that_stand_out_are_named_with_their_rate_and_everyones(planted, capsys):
    """Women: 80 of 160 favourable labels found, next to 280 of 360 for everyone; 80 of 400 selected, next to 200 of 400 men."""
    _, _, summary = audit(planted, *BINARY, "--privileged", "gender=man")
    found = summary["groups"]
    assert (found["number"], found["tested"], found["stand_out"]) == (2, 2, 2)
    woman = next(one for one in found["first"] if one["group"] == "woman")
    assert (woman["attributes"], woman["metric"], woman["value"], woman["n"]) == ("gender", "tpr", 0.5, 160)
    assert woman["everyone"] == pytest.approx(280 / 360)
    assert woman["ci_low"] < 0.5 < woman["ci_high"]
    assert found["flagged"] == {"impact_ratios": 1, "of_sets": 1, "selection_rate_ratios": 1, "of_groups": 1}
    printed = capsys.readouterr().out
    assert "groups as they are: 2 groups in all, 2 of which have enough people for a test to tell; 2 stand out" in printed
    assert "  gender: woman: TPR 0.50 [0.42, 0.58], everyone 0.78, n 160 (160 people)" in printed
    assert "flagged by lowest / highest selection rate: 1 of 1 sets" in printed


def test_equal_groups_do_not_stand_out_and_the_page_calls_that_no_proof(tmp_path):
    rows = (60, 1, 1), (20, 1, 0), (15, 0, 1), (55, 0, 0)
    _, _, summary = audit(from_counts(tmp_path, counts("man", *rows), counts("woman", *rows)), *BINARY)
    assert (summary["groups"]["stand_out"], summary["groups"]["first"]) == (0, [])
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "0 stand out from everyone" in page
    assert "That no group stands out is no proof of parity" in page


@pytest.mark.usefixtures("undrawn")
def test_a_classifier_that_is_always_right_passes_unless_di_is_named(tmp_path):
    """ADI is 1 and FV is 0: only DI, which follows the labels, and DI*, which is about labels alone, are disparities."""
    file = from_counts(tmp_path, counts("man", (200, 1, 1), (200, 0, 0)), counts("woman", (80, 1, 1), (320, 0, 0)))
    code, scores, summary = audit(file, *BINARY, "--privileged", "gender=man", "--fail-on", "disparity")
    assert (score(scores, "gender", "adi")["value"], score(scores, "gender", "fv")["value"]) == (1, 0)
    assert score(scores, "gender", "di_star")["verdict"] == "disparity"
    assert score(scores, "gender", "di")["verdict"] == "disparity"
    assert (code, summary["gate"]["passed"]) == (0, True)
    assert audit(file, *BINARY, "--fail-on", "disparity:tpr")[0] == 0, "everyone's TPR is 1, which is tested and no difference"
    for metrics in ("di", "di_star", "selection_rate"):
        assert audit(file, *BINARY, "--privileged", "gender=man", "--fail-on", f"disparity:{metrics}")[0] == 1


@pytest.mark.usefixtures("undrawn")
def test_equal_groups_pass_the_gate(tmp_path):
    rows = (60, 1, 1), (20, 1, 0), (15, 0, 1), (55, 0, 0)
    code, _, summary = audit(from_counts(tmp_path, counts("man", *rows), counts("woman", *rows)), *BINARY, "--fail-on", "disparity")
    assert (code, summary["gate"]["passed"]) == (0, True)


NOTHING = {
    "one group": [counts("a", (30, 1, 1), (20, 1, 0), (30, 0, 0))],
    "few people": [counts("a", (4, 1, 1), (2, 0, 0)), counts("b", (3, 1, 0), (3, 0, 1))],
    "everybody is selected": [counts("a", (30, 1, 1), (30, 0, 1)), counts("b", (10, 1, 1), (50, 0, 1))],
    "nobody is selected": [counts("a", (30, 1, 0), (30, 0, 0)), counts("b", (10, 1, 0), (50, 0, 0))],
}


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("case", NOTHING)
def test_where_nothing_can_be_tested_the_gate_does_not_pass(tmp_path, capsys, case):
    code, _, summary = audit(from_counts(tmp_path, *NOTHING[case]), *BINARY, "--fail-on", "disparity")
    assert (code, summary["gate"]["passed"], summary["gate"]["p_value"], summary["gate"]["tested"]) == (3, None, None, [])
    printed = capsys.readouterr().out
    assert "gate disparity: nothing could be tested of the family TPR, FPR and ADI, which is no pass." in printed
    words = visible((tmp_path / "report" / "index.html").read_text(encoding="utf-8"))
    assert "nothing could be tested of the family" in words
    if "selected" in case:
        why = f"collapsed model: it selects {'every' if 'every' in case else 'no'} text"
        assert all(row["reason"].startswith(why) for row in summary["gate"]["by_metric"])
        assert summary["verdicts"]["collapsed model"] > 3
        assert set(summary["verdicts"]) <= {"collapsed model", "disparity", "no evidence of disparity"}, "of labels alone"
        assert "ADI: collapsed model in 1 of 1 attribute set" in words
        assert "Collapsed model: every text is selected, or none" in printed
        assert "no disparity in any" not in words


@pytest.mark.usefixtures("undrawn")
def test_one_person_fails_no_gate(tmp_path):
    """Three groups alike, and one person of a fourth who is the only one selected wrongly."""
    same = (10, 1, 1), (10, 1, 0), (20, 0, 0)
    rows = [counts(name, *same) for name in "abc"] + [counts("d", (1, 0, 1))]
    code, _, summary = audit(from_counts(tmp_path, *rows), *BINARY, "--privileged", "gender=a", "--fail-on", "disparity")
    assert code == 0
    assert summary["gate"]["passed"] is True


SHARED = {"one_person_gate.csv": ("g", 0), "perfect_classifier_gate.csv": ("gender", 0), "one_group.csv": ("g", 3)}


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("name", SHARED)
def test_files_that_once_failed_the_gate_or_passed_it_untested(tmp_path, name):
    file = ROOT.parent / "shared" / "failing" / name
    if not file.exists():
        pytest.skip(f"{file.name} is not there")
    attribute, code = SHARED[name]
    shutil.copy(file, tmp_path / "p.csv")
    assert audit(tmp_path / "p.csv", "--label", "y", "--decision", "p", "--attributes", attribute, "--fail-on", "disparity")[0] == code


@pytest.mark.usefixtures("undrawn")
def test_four_fifths_of_counts_is_not_flagged(tmp_path):
    """12 of 20 over 15 of 20, in the file as it was found and as it is made here."""
    given = [*BINARY, "--privileged", "gender=ref"]
    _, scores, _ = audit(from_counts(tmp_path, counts("ref", (15, 1, 1), (5, 1, 0)), counts("b", (12, 1, 1), (8, 1, 0))), *given)
    assert not score(scores, "gender", "di")["flagged"]
    file = ROOT.parent / "shared" / "failing" / "four_fifths_exact.csv"
    if file.exists():
        shutil.copy(file, tmp_path / "q.csv")
        _, scores, summary = audit(tmp_path / "q.csv", "--label", "y", "--decision", "p", "--attributes", "g", "--privileged", "g=ref")
        assert not scores["flagged"].eq(True).any()
        assert summary["groups"]["flagged"]["impact_ratios"] == 0


def test_the_page_says_how_the_file_was_read_and_names_no_pipeline(planted):
    audit(planted, *BINARY)
    page = (planted.parent / "report" / "index.html").read_text(encoding="utf-8")
    assert "How the file was read" in page
    assert "reference group: man (400 of 800 known), as the largest category" in page
    for word in ("Debiaser", "debiaser", "dvc", "had not learned from", "<script", "Folds"):
        assert word not in page
    assert str(planted.parent) not in page


def test_the_same_file_gives_the_same_bytes_and_an_audit_replaces_only_an_audit(planted, capsys):
    audit(planted, *BINARY)
    out = planted.parent / "report"
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    audit(planted, *BINARY)
    assert before == {path.name: path.read_bytes() for path in out.iterdir()}
    (out / "mine.txt").write_text("keep")
    assert command.main(["audit", str(planted), *BINARY, *FAST, "--out", str(out)]) == 2
    assert "is no earlier audit" in capsys.readouterr().err
    assert (out / "mine.txt").read_text() == "keep"


# What is messy in real files.


@pytest.mark.usefixtures("undrawn")
def test_rows_without_label_or_output_are_counted_and_listed(tmp_path, capsys):
    file = write(tmp_path, y=["1", "", "0", "1", "n/a", "0"] * 5, yhat=["1", "1", "?", "0", "", "0"] * 5, gender=["a", "b", "b"] * 10)
    code, _, summary = audit(file, *BINARY, "--unknown", "n/a,?")
    assert code == 0
    assert summary["rows"]["read"] == 30
    assert summary["rows"]["used"] == 15
    assert summary["rows"]["left_out"] == [
        {"missing": "label", "column": "y", "rows": 10, "first": [2, 5, 8, 11, 14, 17, 20, 23, 26, 29]},
        {"missing": "decision", "column": "yhat", "rows": 5, "first": [3, 9, 15, 21, 27]},
    ]
    assert "left out: 5 rows without a decision in column 'yhat' (rows 3, 9, 15, 21, 27)." in capsys.readouterr().out


@pytest.mark.usefixtures("undrawn")
def test_numbers_as_labels_are_cut_at_their_median(tmp_path):
    random = np.random.default_rng(4)
    label = random.normal(3, 1, 400)
    file = write(tmp_path, y=label, s=label + random.normal(0, 0.3, 400), age=random.integers(18, 80, 400))
    _, scores, summary = audit(
        file, "--label", "y", "--score", "s", "--threshold", "median", "--attributes", "age", "--privileged", "age=..40"
    )
    assert score(scores, "", "base_rate", "everyone")["value"] == 0.5
    assert score(scores, "", "pearson_r", "everyone")["value"] > 0.9
    assert summary["subgroup"]["attributes"] == {"age": {"privileged_at_most": 40.0}}


@pytest.mark.usefixtures("undrawn")
def test_low_scores_that_are_favourable_are_asked_for_and_turned_round(tmp_path, capsys):
    """A risk score: label 1 is harm, so 0 is favourable, and AUC is that of finding the favourable."""
    random = np.random.default_rng(7)
    harm = random.integers(0, 2, 300)
    risk = np.clip(harm * 0.6 + random.random(300) * 0.4, 0, 1)
    file = write(tmp_path, y=harm, risk=risk, gender=random.choice(["a", "b"], 300))
    given = ["--label", "y", "--score", "risk", "--attributes", "gender", "--favourable", "0"]
    assert audit(file, *given)[0] == 2
    assert "do high values of 'risk' speak for 0 or for 1?" in capsys.readouterr().err
    _, scores, _ = audit(file, *given, "--favourable-scores", "low")
    assert score(scores, "", "auc", "everyone")["value"] == 1
    assert score(scores, "", "accuracy", "everyone")["value"] == pytest.approx(((risk < 0.5) == (harm == 0)).mean())
    assert score(scores, "", "base_rate", "everyone")["value"] == pytest.approx((harm == 0).mean())


@pytest.mark.usefixtures("undrawn")
def test_texts_of_one_author_stay_together(tmp_path):
    """Each person's ten texts are alike, so that people and not texts are what there is much of."""
    random = np.random.default_rng(3)
    people = random.integers(0, 2, (40, 3)).repeat(10, axis=0)
    columns = {"who": np.arange(40).repeat(10), "gender": np.array(["a", "b"])[people[:, 0]], "y": people[:, 1], "yhat": people[:, 2]}
    widths = []
    for author in ([], ["--author", "who"]):
        _, scores, _ = audit(write(tmp_path, **columns), *BINARY, *author)
        found = score(scores, "", "accuracy", "everyone")
        widths.append(found["ci_high"] - found["ci_low"])
    assert widths[1] > 2 * widths[0]


REFUSED = {
    "no output": (["--label", "y", "--attributes", "gender"], "name the column of the model's scores"),
    "missing column": (["--label", "why", "--score", "p", "--attributes", "gender"], "column 'why' is missing"),
    "logits": (["--label", "y", "--score", "logit", "--attributes", "gender"], "runs from -2 to 2, so no probabilities: say where to cut"),
    "words": (["--label", "y", "--score", "gender", "--attributes", "gender"], "is not a number in 4 of 4 rows, first 'a'"),
    "repeated": (["--label", "y", "--score", "p", "--attributes", "gender", "--id", "id"], "is empty or repeats an earlier row in 1 of 4"),
    "scale": (["--label", "logit", "--score", "p", "--attributes", "gender"], "or cut the numbers with --threshold median"),
    "median": (["--label", "y", "--score", "p", "--attributes", "gender", "--threshold", "median"], "cuts labels that are numbers"),
    "one side": (["--label", "id", "--score", "p", "--attributes", "gender", "--threshold", "0.7"], "puts every label of column 'id' on"),
    "reference": (["--label", "y", "--score", "p", "--attributes", "gender", "--privileged", "gender=c"], "there are a, b"),
    "other": (
        ["--label", "y", "--score", "p", "--attributes", "gender", "--privileged", "race=c"],
        "'race' of --privileged or --containing",
    ),
    "nobody": (["--label", "y", "--score", "p", "--attributes", "gender", "--privileged", "gender="], "say who, as in gender=male"),
    "too few": (["--label", "y", "--score", "p", "--attributes", "gender", "--replicates", "5"], "'replicates'"),
    "unknown": (["--label", "y", "--score", "p", "--attributes", "empty"], "is unknown in all 4 rows"),
    "gate": (["--label", "y", "--score", "p", "--attributes", "gender", "--fail-on", "all"], "gate 'all' is not known; there is disparity"),
    "gate's metric": (
        ["--label", "y", "--score", "p", "--attributes", "gender", "--fail-on", "disparity:tpr,luck"],
        "'luck' is no metric that can be tested; there are adi, fv, di",
    ),
    "no row": (["--label", "empty", "--score", "p", "--attributes", "gender"], "no row has both a label and an output"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_are_one_sentence_and_leave_nothing(tmp_path, capsys, case):
    arguments, sentence = REFUSED[case]
    columns = {
        "id": [1, 2, 2, 3],
        "y": [0, 1, 1, 0],
        "p": [0.1, 0.9, 0.4, 0.6],
        "logit": [-2, 2, 1, 0],
        "gender": list("abab"),
        "empty": "",
    }
    file = write(tmp_path, **columns)
    assert command.main(["audit", str(file), "--replicates", "200", *arguments]) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert error.startswith("audit: ")
    assert error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["p.csv"]


@pytest.mark.parametrize("option", [["--delimiter", "ab"], ["--threshold", "high"], ["--threshold", "inf"]])
def test_options_that_mean_nothing_exit_with_2(planted, capsys, option):
    with pytest.raises(SystemExit) as stop:
        command.main(["audit", str(planted), *BINARY, *option])
    assert stop.value.code == 2
    assert f"argument {option[0]}: invalid" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_leaves_nothing(planted, capsys):
    (planted.parent / "file").write_text("")
    assert command.main(["audit", str(planted), *BINARY, *FAST, "--out", str(planted.parent / "file" / "report")]) == 2
    assert capsys.readouterr().err.startswith("audit: ")


def test_hostile_categories_are_shown_safely_on_the_page(tmp_path):
    """Markup, marks that reorder and 100,000 characters, in tables and in the figure: escaped, named by their number, cut."""
    evil = ["<script>alert(1)</script>", "abc\u202egnp.exe", "a" * 100_000, "\u05e0\u05e9\u05d9\u05dd"]
    file = write(tmp_path, who=[evil[i % 4] for i in range(80)], y=[0, 1] * 40, p=[0.2, 0.8, 0.4, 0.9] * 20)
    assert audit(file, "--label", "y", "--score", "p", "--favourable", "1", "--attributes", "who")[0] == 0
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert not re.search("[\u202a-\u202e]|<script|a{601}", page)
    assert "(100,000 characters)" in page
    assert page.partition("<svg")[2].count("abc[U+202E]gnp.exe") >= 1
    assert page.count("\u2068") == page.count("\u2069") > 0


def test_no_pipeline_and_no_deep_learning_is_loaded():
    code = "import sys, flows.audit; print(sorted({'torch', 'transformers', 'gensim', 'dvc', 'prefect', 'sklearn'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"

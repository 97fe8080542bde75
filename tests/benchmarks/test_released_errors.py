"""Every point against the released numbers has the figures that spec and README give."""

import math

import pytest

from benchmarks import released_errors, released_points


@pytest.fixture(scope="module")
def counts():
    return released_points.read()


def test_fv_is_a_gap_of_selection_rates_in_every_number(counts):
    found = released_points.fv(counts)
    assert found["numbers"] == found["equal to 1e-14"] == 1108
    assert found["largest difference"] < 1e-14


def test_psychometric_and_fipi_runs_have_more_rows_than_people(counts):
    found = released_points.respondents(counts)
    assert set(found) == {"Anxiety", "Numeracy", "Literacy", "Trust", "FIPI", "FIPIShort", "FIPIShort2"}
    for name, rows, people in (("Anxiety", "8,921", "8,395"), ("Literacy", "9,722", "8,395"), ("FIPI", "8,722", "6,805")):
        assert rows in found[name]
        assert found[name].endswith(f"{people} people")
    assert not counts["dataset"].isin(["AskAPatient"])[counts["texts"] > counts["people"]].any()


def test_models_of_hate_speech_are_compared_on_different_people(counts):
    found = released_points.populations(counts)
    assert (found["BERT: texts"], found["CNN: texts"]) == (6732, 28131)
    assert (found["BERT: DI* by gender"], found["CNN: DI* by gender"]) == (0.916, 1.088)
    assert found["BERT: gender 0 / 1"] == (2969, 3763)
    assert found["MBTI texts, BERT / CNN"] == (7405, 6096)


def test_bert_s_people_are_the_corpus_s_test_split_and_its_protected_people_are_men(counts, shared, tmp_path):
    source = shared / "data" / "mtc"
    (tmp_path / "indices" / "English").mkdir(parents=True)
    for part in ("test", "valid"):
        (tmp_path / "indices" / "English" / f"{part}.tsv").symlink_to(source / "indices" / f"English.{part}.tsv")
    (tmp_path / "word_index").symlink_to(source / "word_index")
    found = released_points.populations(counts, tmp_path)
    assert (found["corpus test: labelled hate"], found["corpus valid: labelled hate"]) == ("72.5 %", "23.4 %")
    assert found["corpus test, the code's filter: texts"] == 6728
    assert found["corpus test, the code's filter: gender 0 / 1"] == pytest.approx(found["BERT: gender 0 / 1"], abs=2)
    assert found["corpus test, gender 0 is"] == "man"


def test_collapsed_models_have_the_ratio_of_group_sizes_for_di(counts):
    found = released_points.collapsed(counts)
    printed = [f"Psychometric, {run}" for run in ("Literacy, CNN, none", "Numeracy, CNN, none", "Numeracy, CNN, WordED")]
    printed += [f"FIPI, {task}, CNN, {debiaser}" for task in ("Extraverted", "Stable") for debiaser in ("none", "WordED")]
    besides = [f"FIPI, Extraverted, BERT, {debiaser}" for debiaser in ("none", "ContextED")]
    assert {name for name, figure in found.items() if "selected, ADI" in str(figure)} == {*printed, *besides}
    assert found["Psychometric, Numeracy, CNN, none"] == "0 of 9,290 selected, ADI up to 53.0"
    assert found["DI off the ratio of sizes by at most"] < 1e-13
    assert found["Literacy, CNN, WordED: selected"] == (114, 9721)
    assert found["FV of the printed ones, at most"] <= 0.0085


def test_two_traits_of_the_cnn_are_one_and_have_the_labels_of_literacy(counts):
    found = released_points.labels(counts)
    assert (found["rows"], found["all equal"]) == (32, True)
    names = ("these rows", "Literacy", "BERT's Extraverted", "BERT's Stable")
    assert [found[f"DI* by gender and age, {name}"] for name in names] == [1.631, 1.624, 1.294, 1.077]
    near, *far = (found[f"mean distance of log DI* from {name}"] for name in names[1:])
    assert near < 0.01
    assert min(far) > 0.2


def test_the_cnn_of_askapatient_is_bert_less_85_rows(counts, shared):
    found = released_points.copied(counts, shared / "data" / "naacl2022" / "merged_plotting_data.csv")
    for debiaser in ("none", "WordED"):
        assert found[f"{debiaser}: rows lost"] == 85
        assert found[f"{debiaser}: every count less by what was lost at most"]
        cnn, bert, roberta = found[f"{debiaser}: selected, CNN / BERT / RoBERTa"]
        assert 0 <= bert - cnn <= 85 < abs(roberta - bert)
    assert found["AUC and F1 of CNN"] == (0.93189, 0.84237)
    assert found["AUC and F1 of BERT"] == (0.93163, 0.84218)


def test_a_group_of_nobody_has_the_rate_one_half(counts):
    found = released_points.empty(counts)
    assert (found["runs"], found["people in the protected group"]) == (16, 0)
    assert found["P0 off 1/2 by at most"] < 1e-14
    assert found["young men of all men"] == (3816, 3827)
    assert (found["ADI printed"], found["FV printed"]) == ((1.02, 2.51), (0.06, 0.35))


def test_an_adi_of_three_stands_for_a_group_selected_a_third_as_often(counts):
    found = released_points.opposed(counts)
    assert (found["selected, protected"], found["selected, privileged"]) == ((28, 129), (363, 510))
    assert found["DI without smoothing"] == round(28 / 129 / (363 / 510), 3)
    reach = math.exp(1.959964 * math.sqrt(1 / 28 - 1 / 129 + 1 / 363 - 1 / 510))
    assert found["its 95 % interval (Katz)"] == pytest.approx((0.305 / reach, 0.305 * reach), abs=0.001)
    assert found["published ADI"] == 3.23
    assert found["DI* = DI / ADI"] == pytest.approx(0.311 / 3.23, abs=0.001)


def test_intervals_widen_and_leave_parity_out_less_often_with_more_demographics(counts):
    found = released_points.sampling(counts)
    shares = [float(found[f"{order} demographics: 95 % intervals without 1"].removesuffix(" %")) for order in range(1, 6)]
    widths = [found[f"{order} demographics: median width on the log scale"] for order in range(1, 6)]
    chance = [float(found[f"{order} demographics: beyond what chance shows"].removesuffix(" %")) for order in range(1, 6)]
    assert shares == pytest.approx([74, 64, 66, 58, 35], abs=2)
    assert widths == sorted(widths)
    assert (widths[0], widths[-1]) == pytest.approx((0.10, 0.46), abs=0.01)
    assert chance == pytest.approx([74, 69, 64, 55, 37], abs=1)


def test_the_program_prints_each_point_and_knows_no_other(capsys):
    released_errors.main(["empty", "fv"])
    printed = capsys.readouterr().out
    assert "P0 is the smoothing's 1/2" in printed
    assert "  young men of all men: 3816 / 3827" in printed
    assert "collapsed" not in printed
    with pytest.raises(SystemExit):
        released_errors.main(["nothing"])
    assert "'nothing' is no point; there are fv, respondents" in capsys.readouterr().err

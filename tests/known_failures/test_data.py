"""How tools like this one go wrong with labels and groups: entries of the list of known failures (T..), inputs of our own."""

import itertools

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from stages import evaluate, subgroup
from stages.contract import tables
from stages.contract.bad_input import BadInput
from stages.contract.command import inputs_of
from stages.metrics import gaps, groupwise, numeric
from stages.metrics.contingency import GROUPS
from tests.conftest import make_documents
from tests.flows.test_audit import BINARY, audit, counts, from_counts, score, write
from tests.known_failures.studies import REFERENCE, evaluated, inputs, spread

pytestmark = pytest.mark.usefixtures("undrawn")

BLANKS = ["", " ", "NA", "n/a", "N/A ", "nan", "NaN", "NULL", "<NA>"]


@pytest.mark.parametrize(("good", "bad"), [("yes", "no"), ("2", "1"), ("1", "-1"), ("-1", "1"), ("1", "no"), ("low risk", "high risk")])
def test_labels_of_unknown_meaning_are_asked_for_and_then_measured(tmp_path, capsys, good, bad):
    """T12 (fairlearn): total disparity of yes / no was 0.0, and of 1 / 2 the 1 was taken for the favourable one."""
    file = from_counts(tmp_path, counts("a", (30, good, good), (30, bad, bad)), counts("b", (20, good, bad), (40, bad, bad)))
    assert audit(file, *BINARY)[0] == 2
    error = capsys.readouterr().err
    assert "which is favourable?" in error
    assert all(repr(value) in error for value in (good, bad))
    di = score(audit(file, *BINARY, "--favourable", good, "--privileged", "gender=a")[1], "gender", "di")
    assert (di["value"], di["verdict"]) == (0, "disparity")


@pytest.mark.parametrize(("good", "bad"), [("1", "0"), ("True", "False"), ("true", "false"), ("1.0", "0.0")])
def test_ones_and_zeros_in_any_spelling_need_no_question(tmp_path, good, bad):
    """T12 (fairlearn)."""
    file = from_counts(tmp_path, counts("a", (30, good, good), (30, bad, bad)), counts("b", (20, good, bad), (40, bad, bad)))
    assert score(audit(file, *BINARY, "--privileged", "gender=a")[1], "gender", "di")["value"] == 0


@pytest.mark.parametrize("scale", [1, 0.55, 100])
def test_continuous_scores_are_cut_and_compared_as_numbers(tmp_path, scale):
    """T12 (fairlearn): demographic parity of these scores was 0.0, as none of them equals 1."""
    outputs = scale * np.array([0.93, 0.84, 0.97, 0.12, 0.23, 0.04] * 4)
    file = write(tmp_path, gender=list("aaabbb") * 4, y=[1, 0] * 12, p=outputs)
    given = ["--label", "y", "--score", "p", "--attributes", "gender", "--privileged", "gender=a", "--threshold", str(scale / 2)]
    assert score(audit(file, *given)[1], "gender", "di")["value"] == 0
    of_groups = numeric.figures(np.zeros(24), outputs, groupwise.of_values(list("aaabbb") * 4))["mean_predicted"]
    assert gaps.max_minus_min(of_groups) == pytest.approx(scale * (2.74 - 0.39) / 3)


def test_people_who_did_not_answer_are_counted_however_that_is_spelt(tmp_path):
    """T35 (fairlearn, Aequitas): a missing demographic was refused, crashed, or its row was dropped without a word."""
    values = {f"attribute_{place}": ["a"] * 9 + [blank] * 4 + ["b"] * 7 for place, blank in enumerate(BLANKS)}
    values |= {"age": ["31"] * 9 + ["n/a"] * 4 + ["64"] * 7}
    file = write(tmp_path, y=[1, 0] * 10, yhat=[1, 1, 0, 0] * 5, **values)
    given = ["--label", "y", "--decision", "yhat", "--attributes", *values, "--highest-order", "1"]
    _, scores, summary = audit(file, *given, "--privileged", "age=..55")
    for name in values:
        sizes = [score(scores, name, "base_rate", group)["n"] for group in ("protected", "privileged", "mixed", "unknown")]
        assert sizes == [7, 9, 0, 4]
        assert f"{name}: unknown in 4 of 20 rows, a group of their own that counts among everyone." in summary["notes"]
    assert summary["rows"] == {"read": 20, "used": 20, "left_out": []}
    assert score(scores, "", "base_rate", "everyone")["n"] == 20


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
def test_missing_values_of_any_kind_are_a_group_of_their_own(missing):
    """T35 (fairlearn, Aequitas)."""
    membership = groupwise.of_values(["a", "a", missing, "b", missing])
    assert membership.names == ("a", "unknown", "b")
    assert membership.member.sum(axis=0).tolist() == [2, 2, 1]
    columns = {"label": [1, 0, 1, 0, 1], "decision": [1, 0, 0, 1, 1], "gender": [REFERENCE, "b", None, "b", None]}
    sizes = evaluated(columns).xs(("gender", "base_rate"), level=("attributes", "metric"))["n"]
    assert sizes[list(GROUPS)].tolist() == [2, 1, 0, 2]


@pytest.mark.parametrize("said", ["Unknown", "prefer not to say", "?", "none"])
def test_words_for_unknown_are_pointed_out_and_taken_when_listed(tmp_path, said):
    """T35 (fairlearn, Aequitas): a category that may mean unknown is neither dropped nor passed over in silence."""
    file = from_counts(tmp_path, counts("a", (9, 1, 1), (9, 0, 0)), counts(said, (3, 1, 0), (4, 0, 0)), counts("b", (5, 1, 1)))
    _, scores, summary = audit(file, *BINARY)
    assert f"gender: {said!r} counts as a category; if it means unknown, list it in --unknown." in summary["notes"]
    assert score(scores, "gender", "base_rate", "protected")["n"] == 12
    scores = audit(file, *BINARY, "--unknown", said)[1]
    assert [score(scores, "gender", "base_rate", group)["n"] for group in ("protected", "unknown")] == [5, 7]


ANY_LABELS = [(0, 2), (-1, 7), ("a", ""), ("0", 0), (1.5, "1.5"), (("a", 1), ("b", 2)), (frozenset("a"), b"a"), (False, "False")]


@pytest.mark.parametrize("names", ANY_LABELS)
def test_groups_may_be_called_anything(names):
    """T38 (fairlib): group identifiers had to be 0..k-1, else "empty input array"."""
    place = np.array([0, 0, 1, 1, 0, 1, 1])
    label, decision = np.array([1, 0, 1, 1, 1, 0, 0]) == 1, np.array([1, 0, 0, 1, 0, 1, 0]) == 1
    membership = groupwise.of_values([names[index] for index in place])
    assert membership.names == names
    expected = groupwise.tally(groupwise.of_values(place), label, decision)
    np.testing.assert_array_equal(groupwise.tally(membership, label, decision), expected)


@pytest.mark.parametrize("names", [("0", "2"), ("protected", "privileged"), ("everyone", "mixed"), ("a+b", "a,b"), ("TRUE", "0.0")])
def test_groups_of_a_file_may_be_called_anything(tmp_path, names):
    """T38 (fairlib): our own words too."""
    file = from_counts(tmp_path, counts(names[0], (12, 1, 1), (8, 0, 0)), counts(names[1], (4, 1, 1), (5, 0, 0)))
    assert score(audit(file, *BINARY)[1], "gender", "di")["value"] == pytest.approx((4 / 9) / (12 / 20))


@pytest.mark.parametrize("empty", [0, 1, 2, 3])
def test_every_category_keeps_its_own_counts_and_an_empty_cell_is_no_infinity(empty):
    """T40 (AIF360): several categories became two groups, and an empty cell of group and label an infinite weight."""
    categories = [REFERENCE, "b", "c", "d"]
    cells = itertools.product(range(4), (1, 0), (1, 0))
    kinds = [(2 + place, y, d, categories[place]) for place, y, d in cells if not (place == empty and y)]
    columns = spread(*kinds)
    found = inputs(columns)
    assert found.subgroups["gender_value"].to_pylist() == columns["gender"]
    membership = groupwise.of_values(columns["gender"])
    decided = np.array(columns["label"]) == 1, np.array(columns["decision"]) == 1
    counted = groupwise.tally(membership, *decided)
    assert dict(zip(membership.names, counted[:, 0], strict=True)) == pd.Series(columns["gender"]).value_counts().to_dict()
    tpr = groupwise.rates(counted)["tpr"][0]
    assert gaps.undefined_groups(tpr, membership.names) == [categories[empty]]
    assert not np.isinf([value for value, _ in groupwise.rates(counted).values()]).any()
    numbers = evaluated(columns).select_dtypes("number")
    assert not np.isinf(numbers.to_numpy(dtype=float)).any()


@pytest.mark.parametrize("copies", [2, 3])
def test_rows_are_joined_on_identifiers_whatever_the_texts(copies):
    """T56 (the NAACL 2022 notebook): joined on the text, two rows of one text by a woman and a man became four."""
    columns = spread((copies, 1, 1, "woman"), (copies, 0, 0, REFERENCE))
    found = inputs(columns)  # all texts are alike
    order = np.random.default_rng(1).permutation(2 * copies)
    joined = evaluate.joined(found.documents, found.subgroups.take(order), found.predictions.take(order[::-1]))
    assert joined["gender_value"].tolist() == columns["gender"]
    assert joined["y_pred"].tolist() == columns["decision"]
    with pytest.raises(BadInput, match="differ in 1 identifiers"):
        evaluate.joined(found.documents, found.subgroups, found.predictions.slice(1))
    at = inputs_of(evaluate.run)["predictions"]
    with pytest.raises(BadInput, match="repeat the key doc_id"):
        tables.check(pa.concat_tables([found.predictions, found.predictions.slice(0, 1)]), at, "predictions")


@pytest.mark.parametrize("bound", [30, 54.5, 55])
def test_numbers_are_cut_where_the_design_says_and_nobody_falls_between(bound):
    """T56 (the NAACL 2022 notebook): the comment says 55 and the code cuts at 38; whoever was mixed was in no group."""
    ages = [float(bound), np.nextafter(bound, 99), bound - 1, bound + 1, None]
    documents = make_documents(["text"] * 5, [True, False, True, False, True], age=ages, gender=["man", "man", "woman", "woman", "man"])
    population = documents.select(["age", "gender"]).slice(0, 0)
    for name, kind in (("mass", pa.float64()), ("favourable", pa.bool_()), ("decision", pa.bool_())):
        population = population.append_column(name, pa.array([], kind))
    rules = {"age": {"privileged_at_most": bound}, "gender": {"privileged": ["man"]}}
    coded, _, sets = subgroup.run(documents, population, subgroup.Params.model_validate({"attributes": rules}))
    assert coded["age"].to_pylist() == ["privileged", "protected", "privileged", "protected", None]
    sizes = sets.to_pandas().set_index(["attributes", "group"])["texts"]["age+gender"]
    assert sizes.to_dict() == {"protected": 1, "privileged": 1, "mixed": 2, "unknown": 1}

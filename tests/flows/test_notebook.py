"""An audit in a notebook gives what the command gives, whatever holds the rows, and draws what it found."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from flows import command, notebook
from stages.contract.bad_input import BadInput

FEW = {"replicates": 200}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """600 people, two attributes with a hostile name among the categories; older women are passed over on purpose."""
    rng = np.random.default_rng(5)
    gender, age = rng.choice(["man", "woman <script>"], 600), rng.integers(20, 80, 600)
    label = rng.random(600) < 0.6
    passed_over = (gender != "man") & (age > 55)
    score = np.where(label & ~passed_over, 0.9, 0.1) + rng.random(600) * 0.05
    return pd.DataFrame({"hired": label.astype(int), "p": score, "gender": gender, "age": age}, index=np.arange(600)[::-1])


@pytest.fixture(scope="module")
def found(frame: pd.DataFrame) -> notebook.Audited:
    return notebook.audit(
        frame, label="hired", score="p", attributes=["gender", "age"], privileged={"gender": "man", "age": "..55"}, name="hiring", **FEW
    )


@pytest.mark.usefixtures("undrawn")
def test_it_is_the_audit_of_the_command(frame, found, tmp_path, capsys):
    frame.to_csv(tmp_path / "p.csv", index=False)
    arguments = ["--label", "hired", "--score", "p", "--attributes", "gender", "age", "--privileged", "gender=man", "age=..55"]
    assert command.main(["audit", str(tmp_path / "p.csv"), *arguments, "--replicates", "200", "--out", str(tmp_path / "out")]) == 0
    pd.testing.assert_frame_equal(found.scores, pd.read_parquet(tmp_path / "out" / "scores.parquet"))
    pd.testing.assert_frame_equal(found.groups, pd.read_parquet(tmp_path / "out" / "groups.parquet"))
    found.write(tmp_path / "ours")
    assert {path.name for path in (tmp_path / "ours").iterdir()} == {path.name for path in (tmp_path / "out").iterdir()}


def test_an_arrow_table_and_whatever_streams_arrow_give_the_same(frame, found):
    table = pa.Table.from_pandas(frame, preserve_index=False)
    for other in (table, pa.RecordBatchReader.from_batches(table.schema, table.to_batches())):
        again = notebook.audit(
            other, label="hired", score="p", attributes=["gender", "age"], privileged={"gender": "man", "age": "..55"}, **FEW
        )
        pd.testing.assert_frame_equal(again.scores, found.scores)


def test_what_a_cell_shows_is_escaped_and_holds_the_planted_gap(found):
    assert {"tpr", "adi"} <= set(found.failures()["metric"])
    assert found.gate().passed is False
    assert found.gate("disparity:fpr").passed is True
    assert found.failures("disparity:fpr").empty
    shown = found._repr_html_()
    assert "disparity" in shown
    assert "gender+age" in shown
    assert "<script>" not in shown
    assert "hiring: 600 rows read, 600 used." in repr(found)
    assert found.notes[0].strip() == "hiring: 600 rows read, 600 used."


def test_a_gate_that_was_asked_for_is_shown_and_one_of_nothing_is_no_pass(frame, tmp_path):
    given = {"label": "hired", "score": "p", "attributes": ["gender"], "privileged": {"gender": "man"}} | FEW
    found = notebook.audit(frame, fail_on="disparity:tpr", **given)
    assert found.summary["gate"] == found.gate().summary()
    assert "gate disparity: failed" in repr(found)
    assert "gate disparity: failed" in found._repr_html_()
    assert "Gate disparity: failed" in (found.write(tmp_path / "out") / "index.html").read_text(encoding="utf-8")
    nobody = notebook.audit(frame.assign(p=0.1), **given)
    assert nobody.gate().passed is None
    with pytest.raises(BadInput, match="nothing could be tested"):
        nobody.failures()
    with pytest.raises(BadInput, match="'luck' is no metric"):
        notebook.audit(frame, fail_on="disparity:luck", **given)


def test_charts_draw_every_defined_value_and_their_intervals(found):
    import altair as alt

    chart = found.chart("tpr", "gender+age")
    rows = found.groups.query("comparison == 'none' and metric == 'tpr' and attributes == 'gender+age' and value.notna()")
    drawn = chart.to_dict()  # checked against Vega-Lite's schema
    (data,) = drawn["datasets"].values()
    assert [row["value"] for row in data] == rows.nlargest(notebook.MOST_DRAWN, "n")["value"].tolist()
    assert "disparity" in {row["verdict"] for row in data}  # older women, beside everyone
    gaps = found.chart_gaps("fv")
    assert [row["attributes"] for row in gaps.layer[1].data.to_dict("records")] == ["gender", "age", "gender+age"]
    assert isinstance(gaps, alt.LayerChart)
    assert any(values == [{"parity": 0.0}] for values in gaps.to_dict()["datasets"].values())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda frame: notebook.audit(frame, label="hired", scores="p", attributes=["gender"]), "scores: no such option"),
        (lambda frame: notebook.audit([1, 2], label="hired", score="p", attributes=["gender"]), "list is no frame"),
        (lambda frame: notebook.audit(frame, label="hired", score="q", attributes=["gender"]), "^frame: column 'q' is missing"),
    ],
)
def test_bad_input_is_one_sentence(frame, call, message):
    with pytest.raises(BadInput, match=message):
        call(frame)


def test_a_chart_of_nothing_says_what_there_is(found):
    with pytest.raises(BadInput, match="no group has metric 'luck'"):
        found.chart("luck")
    with pytest.raises(BadInput, match="there is no gap 'luck'"):
        found.chart_gaps("luck")

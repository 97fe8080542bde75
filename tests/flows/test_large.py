"""Audits of more rows than fit into memory: the same numbers as in memory from any split into shards, or what they are instead."""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from flows import audit, command, large_files, large_limit, large_workers
from flows.audit_options import Options
from flows.audit_table import read
from stages.contract.bad_input import BadInput
from stages.metrics.permutation import deal

# Their tests are in the normal limit; what stands beside p, q and verdict is not.
OF_SCORES = ("brier", "calibration", "mean_score")
DRAWN = ["p_value", "q_value", "verdict", "null_low", "null_high"]
KEYS = ["attributes", "order", "group", "metric", "convention", "comparison"]


def predictions(rows, people, consistent, levels):
    random = np.random.default_rng(3)
    who = random.integers(0, people, rows)
    own = {"gender": ["man", "woman", None], "race": ["a", "b"]}
    columns = {name: random.choice(values, people)[who] if consistent else random.choice(values, rows) for name, values in own.items()}
    label = random.random(rows) < 0.4
    score = 0.3 + 0.3 * label + 0.1 * (columns["gender"] == "man") + random.normal(0, 0.25, rows)
    score = np.clip(np.round(score * levels) / levels, 0, 1)
    score[7] = np.nan
    return pd.DataFrame(columns | {"y": label.astype(int), "p": score, "who": [f"p{number}" for number in who]})


def shards(folder, frame, number, row_groups):
    folder.mkdir()
    for place, part in enumerate(np.array_split(np.arange(len(frame)), number)):
        table = pa.Table.from_pandas(frame.iloc[part], preserve_index=False)
        pq.write_table(table, folder / f"{place}.parquet", row_group_size=row_groups)
    return folder


def options(folder, **others):
    return Options(folder, "y", ("gender", "race"), score="p", replicates=300, privileged=("gender=man",), **others)


def assert_equal(one, other, apart=1e-12):
    one, other = (table.to_pandas() for table in (one, other))
    keys = [name for name in KEYS if name in one]
    pd.testing.assert_frame_equal(one[keys], other[keys])
    free = one["metric"].str.startswith(OF_SCORES)
    for name in one.columns.drop(keys):
        rows = ~free if name in DRAWN else np.ones(len(one), dtype=bool)
        pd.testing.assert_series_equal(one.loc[rows, name], other.loc[rows, name], rtol=apart, atol=apart, check_dtype=False)


@pytest.fixture
def in_threads(monkeypatch):
    """Starting processes takes longer than these audits."""
    monkeypatch.setattr(large_workers, "workers", lambda: ThreadPoolExecutor(2))


@pytest.mark.usefixtures("in_threads")
@pytest.mark.parametrize(("rows", "people", "consistent"), [(60_000, 150_000, True), (40_000, 40_000, False), (26_000, None, False)])
def test_any_split_into_shards_gives_the_scores_and_groups_of_memory(tmp_path, rows, people, consistent):
    """With people of one demographic each, with people whose rows contradict each other, and with one text a person."""
    frame = predictions(rows, people or rows, consistent, 20)
    given = options(tmp_path / "three", author=None if people is None else "who")
    small = audit.score(read(options(shards(tmp_path / "one", frame, 1, rows), author=given.author)), given)
    found = audit.score_large(large_files.shards(shards(tmp_path / "three", frame, 3, 4_000)), given, lot=9_000)
    assert_equal(small.scores, found.scores, 1e-10)
    assert_equal(small.groups, found.groups, 1e-10)
    assert small.sets.equals(found.sets)
    assert small.reading.rows == found.reading.rows
    assert small.reading.rows["left_out"] == [{"missing": "score", "column": "p", "rows": 1, "first": [8]}]
    assert set(small.reading.notes[1:]) <= set(found.reading.notes)
    assert "AUCs are exact: no two scores were taken for one." in found.reading.notes


def test_many_people_dealt_in_the_normal_limit_vary_as_dealt_one_by_one():
    """The mean and the spread of sums of four cells, one of them of few, over deals of 6,000 people."""
    random = np.random.default_rng(1)
    outcomes = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 2.0], [2.0, 2.0]])
    blocks = random.multinomial(1500, [0.4, 0.2, 0.3, 0.1], 4)
    blocks[3] //= 30
    sizes, number = blocks.sum(axis=1).astype(float), blocks.sum(axis=0).astype(float)
    exact, limit = (
        np.concatenate(list(found)) for found in (deal(blocks, outcomes, 4000, 1), large_limit.limit_of(sizes, outcomes, number, 4000, 2))
    )
    assert limit.mean(axis=0) == pytest.approx(exact.mean(axis=0), rel=0.02)
    assert limit.std(axis=0) == pytest.approx(exact.std(axis=0), rel=0.06)


def test_a_folder_of_few_rows_and_a_glob_are_read_as_one_file(tmp_path, capsys):
    frame = predictions(900, 300, True, 20)
    folder = shards(tmp_path / "parts", frame, 3, 100)
    frame.to_parquet(tmp_path / "whole.parquet")
    found = []
    assert large_files.shards(folder) == large_files.shards(folder / "*.parquet")
    for place in (folder, tmp_path / "whole.parquet"):
        arguments = ["--label", "y", "--score", "p", "--author", "who", "--attributes", "gender", "race", "--replicates", "200"]
        assert command.main(["audit", str(place), *arguments, "--out", str(tmp_path / "report")]) == 0
        found.append(json.loads((tmp_path / "report" / "summary.json").read_text()) | {"file": None})
    assert found[0] == found[1]
    assert "parts: 900 rows read" in capsys.readouterr().out


@pytest.mark.usefixtures("in_threads")
def test_delimited_shards_are_read_as_those_of_parquet(tmp_path):
    frame = predictions(2000, 700, True, 1000)
    (tmp_path / "text").mkdir()
    for place, part in enumerate((frame.iloc[:1500], frame.iloc[1500:])):
        part.to_csv(tmp_path / "text" / f"{place}.csv", sep=";", index=False)
    shards(tmp_path / "parquet", frame, 3, 300)
    text, parquet = (
        audit.score_large(large_files.shards(folder), options(folder, author="who"), lot=600)
        for folder in (tmp_path / "text", tmp_path / "parquet")
    )
    assert text.scores.equals(parquet.scores)
    assert text.groups.equals(parquet.groups)
    assert text.reading.notes == parquet.reading.notes


@pytest.mark.usefixtures("in_threads")
def test_neighbouring_scores_that_share_a_level_move_no_auc_further_than_is_said(tmp_path):
    frame = predictions(26_000, 26_000, False, 10**9)
    given = options(tmp_path / "fine")
    files = large_files.shards(shards(tmp_path / "fine", frame, 2, 8_000))
    small, found = audit.score(read(given), given), audit.score_large(files, given, lot=9_000)
    said = next(note for note in found.reading.notes if note.startswith("AUCs: neighbouring"))
    bound = float(said.rstrip(".").rsplit(" ", 1)[1])
    one, other = (table.groups.to_pandas() for table in (small, found))
    apart = (one["value"] - other["value"]).abs()[one["metric"].str.endswith("auc")]
    assert 0 < apart.max() <= bound < 0.01


@pytest.mark.parametrize(
    ("change", "why"),
    [({"score": "who"}, "is not a number"), ({"label": "p"}, "which is favourable"), ({"attributes": ("height",)}, "'height' is missing")],
)
@pytest.mark.usefixtures("in_threads")
def test_what_cannot_be_read_is_refused_in_one_sentence(tmp_path, change, why):
    folder = shards(tmp_path / "parts", predictions(2000, 2000, True, 20), 2, 500)
    given = Options(**({"file": folder, "label": "y", "attributes": ("gender",), "score": "p"} | change))
    with pytest.raises(BadInput, match=why):
        audit.score_large(large_files.shards(folder), given)


def test_a_process_refuses_in_the_same_sentence(tmp_path):
    folder = shards(tmp_path / "parts", predictions(2000, 2000, True, 20), 2, 500)
    with pytest.raises(BadInput, match="'height' is missing"):
        audit.score_large(large_files.shards(folder), Options(folder, "y", ("height",), score="p"))


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(BadInput, match="holds no file"):
        large_files.shards(tmp_path)


@pytest.mark.slow
def test_a_million_and_a_half_rows_with_authors_stay_within_a_gigabyte_and_a_half(tmp_path):
    from benchmarks import large_audit

    large_audit.write(tmp_path / "data", 1_500_000)
    _, megabytes = large_audit.seconds_and_memory(large_audit.OURS, tmp_path / "data", tmp_path / "report")
    assert 300 < megabytes < 1500

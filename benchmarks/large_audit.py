"""`crossbias audit` of Parquet shards that do not fit into memory, beside counting the same file with pandas, DuckDB and fairlearn."""

import subprocess
import sys
import tempfile
import threading
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = (1_500_000, 10_000_000)
SHARD, TEXTS_EACH = 1_000_000, 5
ATTRIBUTES = {
    "gender": ("man", "woman", "nonbinary"),
    "race": ("Asian", "Black", "Latino", "White"),
    "age": ("18-34", "35-54", "55 and more"),
    "education": ("school", "college", "university"),
    "income": ("low", "middle", "high"),
}
OURS = """
import sys
from flows.command import main
if __name__ == "__main__":
    sys.exit(main(["audit", sys.argv[1], "--label", "label", "--score", "score", "--author", "author", "--out", sys.argv[2],
                   "--attributes", "gender", "race", "age", "education", "income"]))
"""
READ = "import sys, pandas as pd\nnames = 'gender race age education income'.split()\n"
PANDAS = READ + "d = pd.read_parquet(sys.argv[1], columns=[*names, 'label', 'score'])\nd['s'] = d['score'] >= 0.5\n"
FAIRLEARN = """
from fairlearn.metrics import MetricFrame, false_positive_rate, selection_rate, true_positive_rate
metrics = {"selection_rate": selection_rate, "tpr": true_positive_rate, "fpr": false_positive_rate}
MetricFrame(metrics=metrics, y_true=d["label"], y_pred=d["s"].astype(int), sensitive_features=d[names]).by_group
"""
DUCKDB = """
import sys, duckdb
counts = "count(*), sum(label), sum((score >= 0.5)::int), sum((score >= 0.5 and label = 1)::int)"
duckdb.sql(f"select gender, race, age, education, income, {counts} from '{sys.argv[1]}/*.parquet' group by all").fetchall()
"""
COUNTS = PANDAS + "d['h'] = d['s'] & (d['label'] == 1)\nd.groupby(names)[['label', 's', 'h']].sum()"
PEERS = {
    "pandas": (COUNTS, "counts of the finest groups alone"),
    "DuckDB": (DUCKDB, "counts of the finest groups alone"),
    "fairlearn": (PANDAS + FAIRLEARN, "three rates of the finest groups alone"),
}


def measure() -> list[dict[str, str]]:
    """Seconds by the clock and the most memory of all processes together (proportional set size), of ours and of counting alone."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for number in ROWS:
            data = Path(folder, str(number))
            write(data, number)
            ours = seconds_and_memory(OURS, data, Path(folder, f"report_{number}"))
            rows.append(_row(number, ours, None, "", "whole audit: all groups, intervals, tests, page"))
            for name, (code, what) in PEERS.items():
                if find_spec(name.lower()) is None:
                    continue
                rows.append(_row(number, ours, seconds_and_memory(code, data), name, what))
    return rows


def write(folder: Path, number: int) -> None:
    """Predictions with ``TEXTS_EACH`` texts a person, in random order, a shard at a time."""
    folder.mkdir()
    random = np.random.default_rng(1)
    people = number // TEXTS_EACH
    who = {name: random.integers(0, len(values), people, dtype=np.int8) for name, values in ATTRIBUTES.items()}
    for shard, start in enumerate(range(0, number, SHARD)):
        author = random.integers(0, people, min(SHARD, number - start))
        own = {name: codes[author] for name, codes in who.items()}
        label = random.random(len(author)) < 0.4
        score = 0.3 + 0.3 * label - 0.05 * ((own["gender"] == 1) & (own["race"] == 1)) + random.normal(0, 0.2, len(author))
        columns = {name: pa.DictionaryArray.from_arrays(codes, list(ATTRIBUTES[name])).cast(pa.string()) for name, codes in own.items()}
        columns |= {
            "label": pa.array(label.astype(np.int8)),
            "score": np.clip(score, 0, 1).round(6),
            "author": pa.array(author).cast("string"),
        }
        pq.write_table(pa.table(columns), folder / f"part_{shard:03}.parquet", row_group_size=SHARD // 4)


def seconds_and_memory(code: str, *arguments: Path) -> tuple[float, float]:
    """Seconds and megabytes of a program and its children."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "program.py")
        program.write_text(code, encoding="utf-8")
        started = time.perf_counter()
        with subprocess.Popen([sys.executable, str(program), *map(str, arguments)], stdout=subprocess.DEVNULL) as process:
            peak = [0.0]
            watcher = threading.Thread(target=_watch, args=(process, peak))
            watcher.start()
            code_of_exit = process.wait()
            watcher.join()
    if code_of_exit:
        raise RuntimeError(f"exit code {code_of_exit}")
    return time.perf_counter() - started, peak[0]


def _watch(process: subprocess.Popen[bytes], peak: list[float]) -> None:
    while process.poll() is None:
        try:
            first = psutil.Process(process.pid)
            peak[0] = max(peak[0], sum(_size(one) for one in (first, *first.children(recursive=True))) / 1e6)
        except psutil.NoSuchProcess:
            return
        time.sleep(0.3)


def _size(process: psutil.Process) -> int:
    try:
        return int(process.memory_full_info().pss)
    except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):  # ended meanwhile
        return 0


def _row(number: int, ours: tuple[float, float], theirs: tuple[float, float] | None, name: str, note: str) -> dict[str, str]:
    row = {
        "what": f"audit of {number:,} texts x five attributes",
        "ours": f"{ours[0]:.0f} s, {ours[1]:,.0f} MB",
        "theirs": "-",
        "ratio": "-",
    }
    if theirs:
        row |= {
            "theirs": f"{theirs[0]:.1f} s, {theirs[1]:,.0f} MB ({name})",
            "ratio": f"{theirs[0] / ours[0]:.2f}x, {theirs[1] / ours[1]:.1f}x",
        }
    return row | {"note": note}

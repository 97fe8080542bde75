"""Loading 30,000 wanted words of a 400,000 x 300 text file: our reader beside gensim's, CPU seconds and peak memory."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

WORDS, DIMENSIONS, WANTED = 400_000, 300, 30_000
# VmHWM, as the system's ru_maxrss also holds what the parent had before it started this process.
MEASURE = """
import json, re, resource, sys, time
{load}
usage = resource.getrusage(resource.RUSAGE_SELF)
peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
print(json.dumps([usage.ru_utime + usage.ru_stime, peak / 1024]))
"""
OURS = f"""
from pathlib import Path
from stages.models.vectors import read_text
wanted = [f"word{{row}}" for row in range(0, {WORDS}, {WORDS} // {WANTED})][:{WANTED}]
assert read_text(Path(sys.argv[1]), 0, wanted).matrix.shape == ({WANTED}, {DIMENSIONS})
"""
THEIRS = f"""
from gensim.models import KeyedVectors
assert KeyedVectors.load_word2vec_format(sys.argv[1], no_header=True).vectors.shape == ({WORDS}, {DIMENSIONS})
"""


def measure() -> list[dict[str, str]]:
    """Rows of what, ours, theirs, ratio, note. The whole process is counted, imports included; gensim can only load every word."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.txt"
        _write(path)
        (seconds, memory), (their_seconds, their_memory) = (_run(load, path) for load in (OURS, THEIRS))
    note = f"{WANTED} of {WORDS} words x {DIMENSIONS}; gensim loads all"
    return [
        _row("load word vectors, CPU time", seconds, their_seconds, "s", note),
        _row("load word vectors, peak memory", memory, their_memory, "MB", note),
    ]


def _row(what: str, ours: float, theirs: float, unit: str, note: str) -> dict[str, str]:
    figures = {"ours": f"{ours:.1f} {unit}", "theirs": f"{theirs:.1f} {unit} (gensim)", "ratio": f"{theirs / ours:.1f}x"}
    return {"what": what, **figures, "note": note}


def _write(path: Path) -> None:
    """About a gigabyte in GloVe's format; the lines repeat a pool of 1,000 vectors, which no reader can tell."""
    pool = [" ".join(f"{value:.5f}" for value in row) for row in np.random.default_rng(0).normal(size=(1000, DIMENSIONS))]
    with path.open("w", encoding="utf-8") as file:
        for row in range(WORDS):
            file.write(f"word{row} {pool[row % 1000]}\n")


def _run(load: str, path: Path) -> tuple[float, float]:
    command = [sys.executable, "-c", MEASURE.format(load=load), str(path)]
    seconds, megabytes = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return seconds, megabytes

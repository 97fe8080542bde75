"""Versions are facts: checksums as md5sum has them, packages as installed, seeds as set; figures lie beside the page as drawn on it."""

import importlib.metadata
import subprocess

import pytest

from stages import evaluate, finetune
from stages.reporting import drawings, versions


def test_checksums_are_those_of_md5sum(results, tmp_path):
    for model in "ab":
        for name in versions.FILES:
            path = tmp_path / "t" / model / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(f"{model}{name}".encode())
    rows = versions.inputs(results, tmp_path).rows
    assert [row[:2] for row in rows] == [["t", "a"], ["t", "b"]]
    said = subprocess.run(["md5sum", tmp_path / "t/b/groups.parquet"], capture_output=True, text=True, check=True).stdout
    assert rows[1][3] == said.split()[0]
    (tmp_path / "t/a/scores.parquet").unlink()
    with pytest.raises(FileNotFoundError, match=r"scores\.parquet"):
        versions.inputs(results, tmp_path)


def test_packages_and_seeds_are_those_in_use():
    packages = dict(versions.packages().rows)
    assert packages["numpy"] == importlib.metadata.version("numpy")
    assert "+" not in packages["torch"], "what a build is for differs between machines"
    seeds = versions.seeds({"finetune": finetune.Params(seed=7), "evaluate": evaluate.Params(replicates=2000)})
    assert seeds.columns == ["Stage", "Seed", "Threads", "Replicates", "Draws"]
    assert seeds.rows == [["finetune", "7", "1", "-", "-"], ["evaluate", "1", "-", "2,000", "-"]]


def test_figures_are_written_as_svg_and_but_for_groups_as_png(tmp_path):
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><rect width="30" height="20" fill="red"/></svg>'
    page = {
        "figures": {"t": [{"metric": "ADI", "svg": svg}, {"metric": "FV", "svg": ""}]},
        "paper": {"figures": [{"name": "a", "svg": svg}]},
        "groups": {"t": {"cells": [{"figure": {"file": "groups.t.a", "svg": svg}}, {"figure": None}]}},
        "relate": {"svg": ""},
        "reaudit": None,
        "challenges": {"challenges": [{"name": "c", "figures": [{"svg": svg}]}]},
    }
    drawings.write(page, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("adi.t.png", "adi.t.svg", "challenge.c.1.png", "challenge.c.1.svg", "groups.t.a.svg", "paper.a.png", "paper.a.svg"),
    ]
    assert (tmp_path / "adi.t.svg").read_text(encoding="utf-8") == f"{svg}\n"
    png = (tmp_path / "adi.t.png").read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(png[16:20]), int.from_bytes(png[20:24])) == (60, 40)

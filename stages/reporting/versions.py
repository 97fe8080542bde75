"""What the numbers were made with: checksums of the tables shown, versions of packages, seeds and threads."""

import hashlib
import importlib.metadata
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stages.contract.params import Section
from stages.reporting.results import Results
from stages.reporting.tables import Table

PACKAGES = (
    *("crossbias", "numpy", "scipy", "pandas", "pyarrow", "scikit-learn", "statsmodels", "torch", "transformers", "gensim", "fairlearn"),
    *("shap", "altair", "vl-convert-python", "jinja2", "dvc"),
)
FILES = ("scores.parquet", "groups.parquet")
SETTINGS = ("seed", "threads", "replicates", "draws")


def parts(results: Results, sections: Mapping[str, Section], evaluated: Path) -> dict[str, Any]:
    """The tables of the section; ``evaluated`` holds each cell's scores and groups in TASK/MODEL."""
    return {"inputs": inputs(results, evaluated), "packages": packages(), "seeds": seeds(sections)}


def inputs(results: Results, evaluated: Path) -> Table:
    """MD5 of the two tables of each cell, which is what dvc.lock has of them."""
    rows = [[task, model, *(_md5(evaluated / task / model / name) for name in FILES)] for task, model in results.performed()]
    return Table("MD5 of each cell's tables, as in dvc.lock", ["Task", "Model", *FILES], rows, (0, 1, 2, 3))


def _md5(path: Path) -> str:
    return hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()


def packages() -> Table:
    """Released versions, without what a build adds to them, such as the kind of processor it is for."""
    rows = [["Python", f"{sys.version_info.major}.{sys.version_info.minor}"]]
    rows += [[name, importlib.metadata.version(name).split("+")[0]] for name in PACKAGES]
    return Table("Packages installed where this page was made", ["Package", "Version"], rows, (0, 1))


def seeds(sections: Mapping[str, Section]) -> Table:
    """Seeds, threads and numbers of random draws of every stage that has them."""
    rows = []
    for stage, section in sections.items():
        options: dict[str, Any] = section.model_dump()
        if any(name in options for name in SETTINGS):
            rows.append([stage, *(f"{options[name]:,}" if options.get(name) is not None else "-" for name in SETTINGS)])
    return Table("Seeds, threads and numbers of draws", ["Stage", *(name.capitalize() for name in SETTINGS)], rows)

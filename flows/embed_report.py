"""What an audit of vectors found: a few lines for the terminal, and a folder with the page, the tables and a summary."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from flows import audit_folder
from stages import probe
from stages.contract.bad_input import BadInput
from stages.contract.probes import Associations, NameGroups, Probes
from stages.contract.tables import At, check
from stages.reporting import embedding_page, embeddings

AS_GIVEN = "as given"
TABLES = {"probes": Probes, "associations": Associations, "names": NameGroups}
FILES = {"index.html", "summary.json", *(f"{name}.parquet" for name in TABLES)}


@dataclass(frozen=True)
class Audit:
    """The tables of probe with a column ``model``, ``as given`` or the debiaser; what was read, and the settings."""

    probes: pa.Table
    associations: pa.Table
    names: pa.Table
    read: str
    settings: probe.Params


def folder_of(file: Path, out: Path | None) -> Path:
    """Where an audit goes: ``out``, else VECTORS_audit in the current folder. BadInput: files of somebody else are there."""
    folder = out or Path(f"{file.absolute().name if file.is_dir() else file.stem}_audit")
    audit_folder.refuse_others(folder, FILES)
    return folder


def publish(audit: Audit, file: Path, folder: Path) -> None:
    """Write the folder, whole or not at all, and print the summary. BadInput: nothing was probed."""
    held = {name: check(getattr(audit, name), _with_model(table), name) for name, table in TABLES.items()}
    models = list(dict.fromkeys(audit.probes["model"].to_pylist()))
    parts = embeddings.parts(
        held["probes"],
        held["associations"],
        held["names"],
        [(file.name, {model: model for model in models})],
        audit.settings.enumeration.alpha,
    )
    if parts is None:
        raise BadInput(f"{file}: the tests asked for give no figure; name others with --tests.")
    html = embedding_page.render(parts, f"Audit of {file.name}", [f"{file.name}: {audit.read}."], audit.settings)
    audit_folder.write(folder, html, held, _summary(audit, parts, file, models))
    print("\n".join(parts["bases"][0]["sentences"]))
    print(f"report: {folder / 'index.html'}", flush=True)


def _with_model(table: Any) -> At:
    at: At = table.__metadata__[0]
    return At(at.path, (("model", "string"), *at.columns), ("model", *at.key))


def _summary(audit: Audit, parts: dict[str, Any], file: Path, models: list[str]) -> dict[str, Any]:
    """Of each model the figures that the page puts first, and how many cells lean."""
    figures = audit.probes.to_pandas().astype(object)
    figures = figures.where(figures.notna(), None)
    shown = figures[figures["statistic"].isin(embeddings.HEADLINE)]
    cells = audit.associations.to_pandas()
    names = ("probe", "test", "statistic", "vectors", "value", "ci_low", "ci_high", "p_value", "q_value", "reason")
    return {
        "file": file.name,
        "read": audit.read,
        "probe": audit.settings.model_dump(mode="json", exclude={"words"}),
        "in_words": parts["bases"][0]["sentences"],
        "models": {
            model: {
                "figures": shown.loc[shown["model"] == model, list(names)].to_dict("records"),
                "cells": {
                    "tested": int(cells.loc[cells["model"] == model, "q_value"].notna().sum()),
                    "significant": int(cells.loc[cells["model"] == model, "significant"].sum()),
                },
            }
            for model in models
        },
    }

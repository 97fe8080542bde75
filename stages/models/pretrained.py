"""Pretrained weights: found on disk, in an installed data package or on the hub, and checked before anything uses them."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from stages.contract.bad_input import BadInput
from stages.models import pins, projection
from stages.models.pins import Kind, Pin

# All that an encoder and its tokenizer can consist of; only safetensors, as other formats are pickles.
ENCODER = (
    "config.json",
    "model.safetensors",
    projection.FILE,
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "spiece.model",
    "sentencepiece.bpe.model",
)
TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "spiece.model", "sentencepiece.bpe.model")


@dataclass(frozen=True)
class Weights:
    """Where pretrained weights lie: ``path`` is an encoder's folder or the file of word vectors; ``files`` are all it takes.

    For word vectors ``files`` is what ``vectors.read`` takes: one file, or a matrix and the list of its words. A base of the kind
    text has no files: its families read texts and nothing else.
    """

    kind: Kind
    path: Path
    files: tuple[Path, ...]


def locate(source: str) -> Weights:
    """The weights behind the ``source`` of a base that has the same for all languages; BadInput as ``locate_all``."""
    found = locate_all(source)
    if "" not in found:
        raise BadInput(f"{source} has weights for each of the languages {', '.join(found)}, and one for all is needed here.")
    return found[""]


def locate_all(source: str) -> dict[str, Weights]:
    """The weights behind a base's ``source`` by language, "" being every language.

    ``source``: a pin (.yaml), a file of word vectors, or a folder of vectors or of an encoder.
    BadInput: nothing is there, a part is missing, a checksum differs, the package is not installed, or the hub is not allowed.
    """
    path = Path(source)
    if path.is_dir():
        return {"": _in_folder(path)}
    if not path.is_file():
        raise BadInput(f"base source {source} is no file or folder; for a model of the hub write a pin (see stages/pretrained).")
    if path.suffix not in (".yaml", ".yml"):
        return {"": Weights("vectors", path, (path,))}
    found = pins.read(path)
    return {language: _pinned(pin, f"{source}: {language}" if language else source) for language, pin in found.items()}


def kinds(source: str) -> dict[str, Kind]:
    """What a base's ``source`` holds, by language; BadInput as ``locate_all``, but of a pin only what is wrong in its file."""
    path = Path(source)
    if path.suffix not in (".yaml", ".yml") or not path.is_file():
        return {language: weights.kind for language, weights in locate_all(source).items()}
    return {language: pin.kind for language, pin in pins.read(path).items()}


def need_files(source: str) -> None:
    """BadInput where a file that a pin names is not here, unless the hub has it; checksums take too long to be compared before a run."""
    path = Path(source)
    for pin in pins.read(path).values() if path.suffix in (".yaml", ".yml") else ():
        folder = pins.folder_of(pin, source)
        missing = [folder / name for name in pin.files if not (folder / name).is_file()] if folder else []
        if missing:
            raise BadInput(f"{source}: {missing[0]} is missing, so the weights are incomplete; install or download them again.")


def in_language(base: Path, languages: Iterable[str]) -> Path:
    """The folder of a debiased base for texts in ``languages``: ``base`` itself, or in one with weights by language that language's.

    BadInput: ``base`` has weights by language, and the texts are in several or in one that it lacks.
    """
    held = sorted(folder.name for folder in base.iterdir() if folder.is_dir())
    asked = sorted(set(languages))
    if not held:
        return base
    if len(asked) != 1 or asked[0] not in held:
        raise BadInput(f"{base} has weights for {', '.join(held)}, and the texts are in {', '.join(asked)}; give the pin that language.")
    return base / asked[0]


def _pinned(pin: Pin, source: str) -> Weights:
    if pin.kind == "text":
        return Weights("text", Path(source), ())
    folder = pins.folder_of(pin, source) or _from_hub(pin, source)
    _check_sums(pin, folder, source)
    if pin.kind == "encoder":
        return _encoder(folder, tuple(pin.files) if pin.packages else ENCODER)
    files = tuple(folder / name for name in pin.files)
    return Weights("vectors", files[0], files)


def _in_folder(folder: Path) -> Weights:
    matrix, words = folder / "vectors.npy", folder / "words.txt"
    if matrix.is_file() and words.is_file():
        return Weights("vectors", matrix, (matrix, words))
    return _encoder(folder, ENCODER)


def _encoder(folder: Path, names: tuple[str, ...]) -> Weights:
    files = tuple(folder / name for name in names if (folder / name).is_file())
    present = [file.name for file in files]
    if "config.json" not in present:
        raise BadInput(f"{folder} holds neither an encoder (config.json is missing) nor word vectors (vectors.npy and words.txt).")
    if "model.safetensors" not in present:
        pickled = (folder / "pytorch_model.bin").is_file()
        why = "pytorch_model.bin is a pickle and never read" if pickled else "there are no weights in one file"
        raise BadInput(f"{folder}: model.safetensors is missing ({why}); load it once elsewhere and save_pretrained() it as safetensors.")
    if not set(TOKENIZERS) & set(present):
        raise BadInput(f"{folder} holds no tokenizer; save one beside the weights (any of {', '.join(TOKENIZERS)}).")
    refuse_code(folder)
    return Weights("encoder", folder, files)


def refuse_code(folder: Path) -> None:
    """BadInput where config.json asks for code from elsewhere: a kernel of the hub for attention, or a package that unpacks weights.

    ``auto_map`` asks too and may stay: every loader of ours forbids it by ``trust_remote_code=False``.
    """
    try:
        held = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{folder}/config.json is no JSON in UTF-8: {error}.") from error
    waiting = [held]
    while waiting:
        one = waiting.pop()
        for key, value in one.items() if isinstance(one, dict) else ():
            kernel = str(key).endswith("_implementation") and value not in (None, "eager", "sdpa")
            if kernel or key in {"quantization_config", "use_kernels"}:
                raise BadInput(f"{folder}/config.json asks for code from elsewhere ({key}); save the model again without it.")
        waiting += list(one.values()) if isinstance(one, dict) else one if isinstance(one, list) else []


def _check_sums(pin: Pin, folder: Path, source: str) -> None:
    for name, expected in pin.files.items():
        file = folder / name
        if not file.is_file():
            raise BadInput(f"{source}: {file} is missing, so the weights are incomplete; install or download them again.")
        with file.open("rb") as opened:
            found = hashlib.file_digest(opened, "sha256").hexdigest()
        if not expected:
            raise BadInput(f"{source}: write the SHA-256 of {file} into the pin, so that a change of it is seen; it is {found}.")
        if found != expected:
            raise BadInput(f"{source}: {file} is not the pinned file (sha256 {found[:9]}..., pinned {expected[:9]}...); install it again.")


def _from_hub(pin: Pin, source: str) -> Path:
    """The folder of a hub repository's pinned revision: from the local cache, else downloaded if that is allowed."""
    from huggingface_hub import constants, snapshot_download

    names = set(pin.files) | {"config.json", "model.safetensors"}
    cached = Path(constants.HF_HUB_CACHE, f"models--{pin.hub.replace('/', '--')}", "snapshots", pin.revision)
    if all((cached / name).is_file() for name in names):
        return cached
    elsewhere = "or put the model in a folder and name that as source"
    if constants.HF_HUB_OFFLINE:
        raise BadInput(
            f"{source}: {pin.hub} is not in the local cache and the hub is off: set HF_HUB_OFFLINE=0 to download it once, {elsewhere}."
        )
    try:
        return Path(snapshot_download(pin.hub, revision=pin.revision, allow_patterns=list(ENCODER)))
    except OSError as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BadInput(f"{source}: {pin.hub} could not be downloaded ({reason}); check id and network, {elsewhere}.") from error

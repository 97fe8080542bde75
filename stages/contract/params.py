"""params.yaml: the sections of a design and the sentence for each mistake in one."""

import difflib
import re
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from stages.contract import yaml_file
from stages.contract.bad_input import BadInput
from stages.contract.values import Place

# DVC leaves these two keys out of its run cache, so that changing one would silently restore old results (dvc#10296).
BANNED_KEYS = frozenset({"size", "nfiles"})
BEYOND = 2**53  # from here on a float does not tell two whole numbers apart
LONGEST_SHOWN = 200  # letters of a wrong value that a sentence shows
Filled = TypeVar("Filled", bound=BaseModel)


def _plain_name(name: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_]{,63}", name):
        raise ValueError("names are lower-case letters, digits and _ only, at most 64, as they are parts of paths that DVC joins with -")
    return name


Name = Annotated[str, AfterValidator(_plain_name)]


class Section(BaseModel):
    """A part of params.yaml in which an unknown key is an error and nothing changes after loading."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="after")
    def _once(self) -> Self:
        for name in type(self).model_fields:
            held = getattr(self, name)
            words = [value for value in held if isinstance(value, str)] if isinstance(held, tuple) else []
            if len(set(words)) < len(words):
                raise ValueError(f"{name}: {max(words, key=words.count)!r} stands twice; leave one")
        return self


class Entry(BaseModel):
    """An item of a shelf: ``use`` is the file's name, everything else is that file's own ``Params``."""

    model_config = ConfigDict(extra="allow", frozen=True)
    use: Name

    @property
    def options(self) -> dict[str, Any]:
        return dict(self.model_extra or {})


class Dataset(Entry):
    """A data set: ``source`` is the file or folder it reads, which DVC watches."""

    source: Place


class Challenge(Dataset):
    """Sentences put to the fitted models of every task in their language, or of ``tasks`` alone."""

    tasks: tuple[Name, ...] | None = None


class Family(Entry):
    """What is fitted on a base; its ``mitigation`` makes the fit, or the decisions made from it, treat groups more alike."""

    mitigation: Entry | None = None


class Task(Section):
    """A data set and its label: what a model learns, and how a label or an output becomes a decision.

    A label or output decides 1 (favourable) when it is at least the cut, or, with ``favourable: low``, when it is below.
    """

    dataset: Dataset
    label: str
    kind: Literal["classification", "regression"] = "classification"
    threshold: float | Literal["median"] = 0.5
    favourable: Literal["high", "low"] = "high"


class Base(Section):
    """Pretrained word vectors or encoder, of all languages or one a language, or nothing but the texts.

    ``source`` is a vectors file, a folder of weights, or a pin (``stages/pretrained/*.yaml``) that says where packaged or
    hub weights come from and what their checksums are. ``vocabulary`` keeps so many of the most frequent words of vectors.
    """

    source: Place
    vocabulary: int | None = Field(default=None, ge=1)


class Model(Section):
    """A base, its debiaser and the family that is fitted on it, named together so that no invalid pair can be written."""

    base: Base
    debiaser: Entry
    family: Family


class Design(BaseModel):
    """A whole params.yaml: tasks x models are the cells, challenges are put to their models; then one section a stage."""

    model_config = ConfigDict(extra="allow", frozen=True)
    tasks: dict[Name, Task] = Field(min_length=1)
    models: dict[Name, Model] = Field(min_length=1)
    challenges: dict[Name, Challenge] = Field(default_factory=dict)

    def put_to(self, task: str | None) -> list[str]:
        """The names of the challenges that are for a task."""
        return [name for name, challenge in self.challenges.items() if challenge.tasks is None or task in challenge.tasks]

    @model_validator(mode="after")
    def _sections(self) -> Self:
        for name, section in (self.model_extra or {}).items():
            if not isinstance(section, dict | None):
                raise ValueError(f"{name!r} must be a section of keys and values, and it is {_short(section)}")  # noqa: TRY004 (pydantic's)
        return self

    def section(self, stage: str) -> dict[str, Any]:
        return dict((self.model_extra or {}).get(stage) or {})

    def entry(self, kind: Literal["tasks", "models", "challenges"], name: str) -> Any:
        entries = getattr(self, kind)
        if name not in entries:
            raise BadInput(f"params.yaml: {name!r} is not among its {kind}; they are {', '.join(entries)}.")
        return entries[name]

    @classmethod
    def read(cls, path: Path, context: Any = None) -> Self:
        """The design in a YAML file; BadInput names the first key that is wrong. ``context``: as of ``fill``."""
        if not path.is_file():
            raise BadInput(
                f"{path} is missing: run from the repository's root, or copy one there (cp designs/quickstart.yaml params.yaml)."
            )
        raw = yaml_file.read(path)
        if not isinstance(raw, dict):
            raise BadInput(f"{path} holds no mapping: it needs tasks, models and a section for each stage.")
        _refuse_banned(raw, str(path))
        return fill(cls, raw, str(path), context)


def fill(section: type[Filled], raw: dict[str, Any], where: str, context: Any = None) -> Filled:
    """``raw`` as a ``section``, or BadInput: where, which key, what is wrong, and the nearest key that exists.

    ``context`` ``values.ON_DISK``: a whole design is checked, so that its paths are looked at too.
    """
    try:
        return section.model_validate(raw, context=context)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        if not first["loc"] and not isinstance(raw, dict):
            raise BadInput(f"{where} must hold keys and their values, and it is {_short(raw)}.") from error
        said = str(first.get("ctx", {}).get("error") or "")
        if not first["loc"] and said:
            raise BadInput(f"{where}: {said}.") from error
        if first["type"] == "extra_forbidden":
            known = sorted(_known_keys(section, first["loc"]))
            near = difflib.get_close_matches(str(first["loc"][-1]), known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known keys are {', '.join(known)}."
            raise BadInput(f"{where}: {key!r} is not a known key; {hint}") from error
        raise BadInput(f"{where}: {key!r}: {said or first['msg']} (it is {_short(first['input'])}).") from error


def _short(value: Any) -> str:
    """A value as a sentence shows it; Python refuses to write a number of thousands of digits."""
    try:
        shown = repr(value)
    except ValueError:
        return "a number of thousands of digits"
    return shown if len(shown) <= LONGEST_SHOWN else f"{shown[:LONGEST_SHOWN]}..."


def _known_keys(section: Any, location: tuple[int | str, ...]) -> set[str]:
    for part in location[:-1]:
        fields = getattr(section, "model_fields", {})
        if part in fields:
            section = fields[str(part)].annotation
            section = section.__args__[-1] if getattr(section, "__origin__", None) is dict else section
    return set(getattr(section, "model_fields", {}))


def _refuse_banned(raw: Any, where: str) -> None:
    """BadInput at a key that DVC would not see, and at whole numbers that no machine counts with."""
    if isinstance(raw, int) and abs(raw) >= BEYOND:
        raise BadInput(f"{where} is {_short(raw)}, and numbers end at {BEYOND - 1:,}.")
    for key, value in raw.items() if isinstance(raw, dict) else enumerate(raw) if isinstance(raw, list) else ():
        if key in BANNED_KEYS:
            raise BadInput(f"{where}: the key {key!r} is forbidden, as DVC ignores it when it restores results; choose another name.")
        _refuse_banned(value, f"{where}: {key}")

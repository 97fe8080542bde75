"""A stage's signature is its command line: inputs are read and checked, outputs appear whole or not at all."""

import argparse
import inspect
import itertools
import json
import os
import re
import shutil
import string
import sys
import time
import traceback
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv

from stages.contract import on_disk, recorder, tables, whole
from stages.contract.bad_input import BadInput
from stages.contract.exit_codes import OUT_OF_MEMORY, TEMPORARY, exit_code
from stages.contract.in_parts import InParts
from stages.contract.params import Design, fill
from stages.contract.tables import At

BECAUSE = {OUT_OF_MEMORY: "memory ran out: ", TEMPORARY: "the network failed: "}
KEYS = {"task": "tasks", "model": "models", "challenge": "challenges"}
# Weights come from pins and folders; whoever wants a model hub sets HF_HUB_OFFLINE=0.
HUB = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "TOKENIZERS_PARALLELISM": "false"}


def command(run: Callable[..., Any]) -> None:
    """Run a stage from the shell: ``python -m stages.evaluate --task trust --model glove_cnn``. Exit codes: see ``exit_codes``."""
    stage = Path(inspect.getfile(run)).stem
    parser = argparse.ArgumentParser(prog=f"python -m stages.{stage}", description=sys.modules[run.__module__].__doc__)
    for key in keys_of(run):
        parser.add_argument(f"--{key}", required=True, help=f"a name among the design's {KEYS[key]}")
    parser.add_argument("--params", type=Path, default=Path("params.yaml"), help="the design (default: params.yaml)")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    options = vars(parser.parse_args())
    debug = options.pop("debug")
    tracker = recorder.start()
    try:
        perform(run, stage, Design.read(options.pop("params")), options)
        recorder.record(tracker, stage, options)
    except Exception as error:
        code = exit_code(error)
        if code is None:
            raise
        if debug:
            traceback.print_exc()
        print(f"{stage}: {BECAUSE.get(code, '')}{error}", file=sys.stderr)
        sys.exit(code)


def perform(run: Callable[..., Any], stage: str, design: Design, names: dict[str, str]) -> None:
    """Read what ``run`` asks for, run it, and write what it returns."""
    hints = typing.get_type_hints(run, include_extras=True)
    entries = {key: design.entry(KEYS[key], name) for key, name in names.items()}  # type: ignore[arg-type]
    params = fill(hints["params"], _fewer_processes(design.section(stage)), f"params.yaml: {stage}")
    os.environ |= HUB | os.environ | {"OMP_NUM_THREADS": str(getattr(params, "threads", 1))}
    started = time.monotonic()
    print(f"{stage} {_progress(design, names)}", flush=True)
    arguments = {"params": params, "design": design, "challenges": design.put_to(names.get("task")), "names": names} | entries
    for name, at in inputs_of(run).items():
        arguments[name] = _read(at, design, names)
    folder, returned = outputs_of(run)
    temporary = {name: whole.beside(Path(at.path.format(**names))) for name, at in folder.items()}
    try:
        for path, at in zip(temporary.values(), folder.values(), strict=True):
            whole.clear_litter(Path(at.path.format(**names)))
            path.mkdir(parents=True)
        results = run(**{name: value for name, value in (arguments | temporary).items() if name in hints})
        for path, at in zip(temporary.values(), folder.values(), strict=True):
            shutil.rmtree(at.path.format(**names), ignore_errors=True)
            path.rename(at.path.format(**names))
    finally:
        for path in temporary.values():
            shutil.rmtree(path, ignore_errors=True)
    for at, result in zip(returned, results if len(returned) > 1 else [results], strict=False):
        _write(result, at, Path(at.path.format(**names)))
    print(f"{stage} done in {time.monotonic() - started:.1f} s", flush=True)


def _fewer_processes(section: dict[str, Any]) -> dict[str, Any]:
    """A stage's section with at most $CROSSBIAS_PROCESSES processes, which change no number: for another try after memory ran out."""
    most = os.environ.get("CROSSBIAS_PROCESSES")
    return section if most is None or "processes" not in section else section | {"processes": min(section["processes"], int(most))}


def inputs_of(run: Callable[..., Any]) -> dict[str, At]:
    """The tables and folders that ``run`` reads, by parameter name."""
    hints = typing.get_type_hints(run, include_extras=True)
    return {name: hint.__metadata__[0] for name, hint in hints.items() if _is_at(hint) and name not in ("return", "output")}


def outputs_of(run: Callable[..., Any]) -> tuple[dict[str, At], list[At]]:
    """The folder that ``run`` fills (its parameter ``output``) and the tables or texts that it returns."""
    hints = typing.get_type_hints(run, include_extras=True)
    folder = {"output": hints["output"].__metadata__[0]} if "output" in hints else {}
    returned = hints.get("return")
    parts: tuple[Any, ...] = typing.get_args(returned) if typing.get_origin(returned) is tuple else (returned,)
    return folder, [part.__metadata__[0] for part in parts if _is_at(part)]


def keys_of(run: Callable[..., Any]) -> list[str]:
    """Which of task, model and challenge the stage runs once for each of: those its outputs' paths hold."""
    folder, returned = outputs_of(run)
    held = {key for at in [*folder.values(), *returned] for key in fields(at.path)}
    return [key for key in KEYS if key in held]


def fields(path: str) -> list[str]:
    return [field for _, field, _, _ in string.Formatter().parse(path) if field]


def _is_at(hint: Any) -> bool:
    return hasattr(hint, "__metadata__") and isinstance(hint.__metadata__[0], At)


def _progress(design: Design, names: dict[str, str]) -> str:
    if not names:
        return ""
    cells = list(itertools.product(*(getattr(design, KEYS[key]) for key in names)))
    return f"{' x '.join(names.values())} ({cells.index(tuple(names.values())) + 1} of {len(cells)})"


def _read(at: At, design: Design, names: dict[str, str]) -> Any:
    """What lies at a path; where the path has a key that this stage lacks, the tables of every key, stacked under its name."""
    if not at.columns:
        folder = Path(at.path.format(**names))
        if not folder.is_dir():
            raise BadInput(f"{folder} is missing: run the stage that writes it (dvc repro).")
        return folder
    missing = [key for key in fields(at.path) if key not in names]
    if not missing:
        return (on_disk if at.streamed else tables).read(Path(at.path.format(**names)), at)
    parts = []
    cells = [dict(zip(missing, names_of, strict=True)) for names_of in itertools.product(*(getattr(design, KEYS[key]) for key in missing))]
    paths = [Path(at.path.format(**names, **extra)) for extra in cells]
    _refuse_others(at, names, missing, paths)
    for extra, path in zip(cells, paths, strict=True):
        part = tables.read(path, at)
        for key, name in extra.items():
            part = part.append_column(key, pa.array([name] * part.num_rows, pa.string()))
        parts.append(part)
    if not parts:  # a design without challenges
        empty = at.empty()
        for key in missing:
            empty = empty.append_column(key, pa.array([], pa.string()))
        return empty
    return pa.concat_tables(parts, promote_options="default")


def _refuse_others(at: At, names: dict[str, str], missing: list[str], paths: list[Path]) -> None:
    """BadInput where results of other cells lie beside those of the design: the stage reads the folder whole, as DVC sees it, and
    dvc.lock would name a folder that no other clone can have. `crossbias run` takes them away before; `dvc repro` does not."""
    plain = at.path.format(**names, **dict.fromkeys(missing, "*"))
    shape = re.compile(at.path.format(**names, **dict.fromkeys(missing, "[a-z][a-z0-9_]*")).replace(".", r"\."))
    if others := sorted(path for path in set(Path().glob(plain)) - set(paths) if shape.fullmatch(path.as_posix())):
        more = f" (and {len(others) - 1} more)" if len(others) > 1 else ""
        raise BadInput(
            f"{others[0]}{more} belongs to a cell that is not in the design: `crossbias run` takes such results out of data/ and goes on "
            "(DVC's cache keeps them), or delete them."
        )


def _write(result: Any, at: At, path: Path) -> None:
    if isinstance(result, InParts):
        whole.write_whole(path, lambda temporary: result.write(temporary, at, str(path)))
    elif path.suffix == ".parquet":
        table = tables.check(result, at, str(path))
        whole.write_whole(path, lambda temporary: tables.write_parquet(table, temporary))
    elif path.suffix == ".csv":
        whole.write_whole(path, lambda temporary: pyarrow.csv.write_csv(result, temporary))
    elif path.suffix == ".json":
        text = json.dumps(result, indent=2, allow_nan=False) + "\n"
        whole.write_whole(path, lambda temporary: _text(temporary, text))
    else:
        whole.write_whole(path, lambda temporary: _text(temporary, result))


def _text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")

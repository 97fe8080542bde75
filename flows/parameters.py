"""DVC parses params.yaml at every look, five times a step: here once for as long as the file stays as it is."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dvc.dependency import param


@contextlib.contextmanager
def parsed_once() -> Iterator[None]:
    """While it lasts, DVC remembers what it parsed. Nobody changes that: DVC only looks keys up and copies."""
    parse, held = param.load_path, {}

    def remember(path: str, fs: Any, **options: Any) -> Any:
        if fs.protocol != "local" or options:
            return parse(path, fs, **options)
        state = Path(path).stat()
        key = path, state.st_ino, state.st_mtime_ns, state.st_size
        if key not in held:
            held[key] = parse(path, fs)
        return held[key]

    param.load_path = remember
    try:
        yield
    finally:
        param.load_path = parse

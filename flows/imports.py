"""`crossbias data --import`: published files fetched by `dvc import-url`, which keeps their address, and checked before they stay."""

import hashlib
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol


class Published(Protocol):
    """What is known of a data set: where it lies and belongs, and the SHA-256 of its files, null where nobody has one."""

    where: str
    folder: str
    files: dict[str, str | None]

    def address(self, file: str) -> str | None: ...


def fetch(wanted: Mapping[str, Published]) -> int:
    """Import the files of these data sets that are missing; 1 when one is still missing or was not the known file, else 0.

    Files that lie there are left alone. Those without an address of their publisher's are named with the place to get them.
    """
    whole = [_fetch(name, source) for name, source in wanted.items()]
    return 0 if all(whole) else 1


def _fetch(name: str, source: Published) -> bool:
    files = {file: Path(source.folder, file) for file in source.files}
    missing = {file: path for file, path in files.items() if not path.exists()}
    print(f"{name}: {len(missing)} of {len(files)} files are missing")
    arrived = [_import(source.address(file), path, source.files[file]) for file, path in missing.items() if source.address(file)]
    by_hand = [str(path) for file, path in missing.items() if not source.address(file)]
    if by_hand:
        print(f"  by hand: {', '.join(by_hand)}\n  get it: {source.where}")
    return all(arrived) and not by_hand


def _import(address: str | None, path: Path, checksum: str | None) -> bool:
    """Whether the file is there now and is the known one; any other is removed again, with what DVC wrote about it."""
    command = ["dvc", "import-url", str(address), str(path)]
    print(f"  > {shlex.join(command)}", flush=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"    failed: {' '.join(done.stderr.split())}")
        return False
    with path.open("rb") as opened:
        found = hashlib.file_digest(opened, "sha256").hexdigest()
    if checksum not in (None, found):
        path.unlink()
        path.with_name(f"{path.name}.dvc").unlink()
        print(f"    removed, as it is not the known file (sha256 {found[:9]}..., known {str(checksum)[:9]}...): its publisher changed it?")
        return False
    print("    there, checksum right" if checksum else "    there; nobody has its checksum, DVC has kept the one it came with")
    return True

"""An environment for AIF360 and Aequitas, which need an older pandas than ours, and the peers' jobs in processes of their own."""

import json
import resource
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".cache" / "peers"
PINS = ("aequitas==1.1.0", "aif360==0.6.1", "numpy==2.4.6", "pandas==2.3.3", "scikit-learn==1.9.1", "scipy==1.17.1")
OURS, APART = sys.executable, str(FOLDER / "bin" / "python")


def install() -> str:
    """Make the environment unless it is there; returns why that is impossible here, or nothing."""
    marker = FOLDER / "pins.txt"
    if marker.exists() and marker.read_text(encoding="utf-8") == "\n".join(PINS):
        return ""
    venv.create(FOLDER, clear=True, with_pip=True)
    pip = [APART, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:", *PINS]
    done = subprocess.run(pip, check=False, capture_output=True, text=True)
    if done.returncode:
        return f"cannot be installed here ({done.stderr.strip().splitlines()[-1].removeprefix('ERROR: ')})"
    marker.write_text("\n".join(PINS), encoding="utf-8")
    return ""


def job(python: str, name: str, path: Path) -> dict[str, Any]:
    """What a peer found in the file, and ``whole``: CPU seconds of its whole process."""
    script = str(Path(__file__).with_name("peers_at_work.py"))
    whole, printed = run([python, "-I", "-W", "ignore", script, name, str(path)])
    return dict(json.loads(printed.splitlines()[-1])) | {"whole": whole}


def run(command: list[str]) -> tuple[float, str]:
    """CPU seconds of a command with its children, and what it printed; CalledProcessError when it fails."""
    before = _children()
    printed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    return _children() - before, printed


def _children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime

"""Every command in README.md and docs/ is run as it stands, in the order of its page, or says on the page why it is not.

Only `dvc repro` of a whole design is done by our engine in this process; the slow tests run that as it stands too.
"""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests.conftest import ROOT
from tests.test_pipeline import brought_up_to_date

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NOT_RUN = re.compile(r"<!-- not run: (.+?) -->")
CLONE = "<!-- in a clone -->"
WHOLE = "dvc repro\n"


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: ``bash`` or ``python`` to be run, or the ``text`` that the one before prints."""

    language: str
    content: str
    line: int
    not_run: str | None


def blocks(page: Path) -> Iterator[Block]:
    reason = None
    for token in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        if token.type == "html_block" and (found := NOT_RUN.search(token.content)):
            reason = found[1]
        elif token.type in ("fence", "code_block"):
            language = token.info.strip() if token.type == "fence" else "indented"
            yield Block(language, token.content, (token.map or [0])[0] + 1, reason)
            reason = None


def runnable(page: Path) -> bool:
    return any(block.language in ("bash", "python") and block.not_run is None for block in blocks(page))


@pytest.mark.parametrize("page", [page for page in PAGES if runnable(page)], ids=lambda page: str(page.relative_to(ROOT)))
# pygtrie, which DVC uses, warns of its own future.
@pytest.mark.filterwarnings("ignore:_NoneStep.value:DeprecationWarning")
def test_what_a_page_says_happens(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    carry_out(page, tmp_path, monkeypatch, in_this_process=True)


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if f"\n{WHOLE}" in page.read_text("utf-8")], ids=lambda page: page.stem)
def test_what_a_page_says_happens_by_its_own_commands_alone(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    carry_out(page, tmp_path, monkeypatch, in_this_process=False)


def carry_out(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_this_process: bool) -> None:
    folder = clone(tmp_path / "crossbias") if CLONE in page.read_text(encoding="utf-8") else tmp_path
    monkeypatch.chdir(folder)
    namespace: dict[str, object] = {}
    printed = ""
    for block in blocks(page):
        place = f"{page.relative_to(ROOT)}, line {block.line}"
        if block.not_run is not None:
            printed = ""
        elif in_this_process and block.content == WHOLE:
            assert brought_up_to_date(folder), f"{place}: nothing ran"
            printed = ""
        elif block.language == "bash":
            printed = bash(block.content, folder, place)
        elif block.language == "python":
            printed = python(block.content, namespace, place)
        elif block.language == "text" and printed:
            assert_printed(block.content, printed, place)


def python(code: str, namespace: dict[str, object], place: str) -> str:
    """What the code prints; its names stay for the page's next block."""
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(compile(code, place, "exec"), namespace)  # noqa: S102 (our own page)
    return output.getvalue()


def bash(commands: str, folder: Path, place: str) -> str:
    """What the commands print. They see this repository's environment and settings that keep everything in ``folder``."""
    state = folder.parent / "state"
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(folder if (folder / "stages").is_dir() else ROOT),
        "PREFECT_HOME": str(state / "prefect"),
        "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
    }
    environment |= {name: str(state / name.lower()) for name in ("DVC_SITE_CACHE_DIR", "DVC_GLOBAL_CONFIG_DIR", "DVC_SYSTEM_CONFIG_DIR")}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{place}:\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def assert_printed(expected: str, printed: str, place: str) -> None:
    """Each line of the page is a line of the output, in order; ``...`` is what the page leaves out."""
    lines = iter([line.strip() for line in printed.splitlines()])
    for line in expected.splitlines():
        if line.strip() not in ("", "..."):
            assert line.strip() in lines, f"{place}: {line!r} is not what is printed:\n{printed}"


def clone(folder: Path) -> Path:
    """The files of this working tree that git does not ignore, in a repository of their own."""
    listed = (
        subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
        .stdout.decode()
        .split("\0")
    )
    for name in filter(None, listed):
        if (ROOT / name).is_file() and not name.startswith("tests/"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    git = ["git", "-c", "user.name=reader", "-c", "user.email=reader@example.org"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "a clone"]):
        subprocess.run([*git, *arguments], cwd=folder, check=True)
    return folder


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_command_hides_in_an_indented_block(page: Path) -> None:
    commands = ("crossbias ", "dvc ", "make ", "python ", "pytest ", "cp ", "git ")
    hidden = [block.line for block in blocks(page) if block.language == "indented" and block.content.startswith(commands)]
    assert not hidden, f"fence these blocks as bash, or say why they are not run: lines {hidden}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """Files and headings of this repository; pages elsewhere are not asked for."""
    for token in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        for child in token.children or []:
            target = str(child.attrGet("href") or child.attrGet("src") or "")
            if target and not re.match(r"[a-z]+:", target):
                path, _, heading = target.partition("#")
                found = (page.parent / path) if path else page
                assert found.exists(), f"{page.name}: {target} is not there"
                assert not heading or heading in anchors(found), f"{page.name}: {target} has no such heading"


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ +(.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}

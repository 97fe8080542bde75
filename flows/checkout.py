"""A revision and a design of it in a working tree of their own, so that a run neither sees nor touches anybody's edits."""

import contextlib
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dvc.config import Config, ConfigError

from flows.claim import claim
from stages.contract.bad_input import BadInput

FOLDER = Path(".cache", "checkouts")
SECRET = re.compile(r"KEY|SECRET|TOKEN|PASSWORD|CREDENTIAL", re.IGNORECASE)
AUTHOR = {"GIT_AUTHOR_NAME": "crossbias", "GIT_AUTHOR_EMAIL": "", "GIT_COMMITTER_NAME": "crossbias", "GIT_COMMITTER_EMAIL": ""}


@dataclass(frozen=True)
class Checkout:
    """The working tree ``folder`` of the repository ``source``, at ``commit`` (40 hex digits), its params.yaml a ``design``."""

    source: Path
    folder: Path
    commit: str
    design: str

    @property
    def branch(self) -> str:
        """Where the results of this commit and design are recorded."""
        return f"results/{self.design}/{self.commit[:12]}"

    def record(self) -> str:
        """Set the branch to a commit of params.yaml and dvc.lock on top of the revision, and return it.

        It bears the revision's date and no person's name, so that equal results make one and the same commit.
        """
        date = git(self.folder, "show", "--no-patch", "--format=%cI", self.commit)
        settings = AUTHOR | {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        git(self.folder, "read-tree", self.commit)
        git(self.folder, "add", "--force", "--", "params.yaml", "dvc.lock")
        message = f"Results of {self.design} at {self.commit[:12]}"
        commit = git(self.folder, "commit-tree", git(self.folder, "write-tree"), "-p", self.commit, "-m", message, **settings)
        git(self.source, "update-ref", f"refs/heads/{self.branch}", commit)
        return commit


@contextlib.contextmanager
def checked_out(source: Path, revision: str, design: str, remote: str = "") -> Iterator[Checkout]:
    """A revision's own files with designs/NAME.yaml of it as params.yaml; held for one run, and kept for the next.

    Where the results branch of both exists, its dvc.lock comes along, and what it names need not run again. DVC's cache and
    remotes are the repository's (``remote``: another default), as are the files in data/raw that git does not know.
    BadInput: the revision, design or remote is unknown, or another run holds the checkout.
    """
    commit = resolve(source, revision)
    _know(source, commit, design)
    settings = _settings(source, remote)
    checkout = Checkout(source, (source / FOLDER / f"{design}-{commit[:12]}").resolve(), commit, design)
    with claim(checkout.folder.with_name(f"{checkout.folder.name}.lock")):
        _restore(checkout)
        (checkout.folder / "params.yaml").write_bytes((checkout.folder / "designs" / f"{design}.yaml").read_bytes())
        _share_dvc(checkout, settings)
        _share_raw(checkout)
        yield checkout


def resolve(source: Path, revision: str) -> str:
    """The commit of a branch, tag or hash of the repository, or else of its ``origin``; BadInput where neither has it."""
    if not re.fullmatch(r"\w[\w./@^~+-]*", revision):
        raise BadInput(f"revision {revision!r} is no name of a commit: give a branch, a tag or a hash.")
    with contextlib.suppress(BadInput):
        return git(source, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if "origin" in git(source, "remote").split():
        with contextlib.suppress(BadInput):
            git(source, "fetch", "--quiet", "origin", revision)
            return git(source, "rev-parse", "--verify", "--quiet", "FETCH_HEAD^{commit}")
    raise BadInput(f"revision {revision!r} is no commit of this repository, nor of its origin: push it, or correct the name.")


def git(folder: Path, *arguments: str, **environment: str) -> str:
    """What a git command prints; BadInput with its last words where it fails. It asks for no password and runs no hook."""
    command = ["git", "-C", str(folder), "-c", "core.hooksPath=/dev/null", *arguments]
    settings = os.environ | {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"} | environment
    done = subprocess.run(command, env=settings, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BadInput(f"git {arguments[0]} failed: {without_secrets((done.stderr.strip() or 'no reason given').splitlines()[-1])}")
    return done.stdout.strip()


def without_secrets(text: str) -> str:
    """The text with *** for values of the environment that a variable's name calls secret, and for passwords in addresses."""
    for name, value in os.environ.items():
        if SECRET.search(name) and len(value) > 3:
            text = text.replace(value, "***")
    return re.sub(r"(\w+://)[^/@\s]+@", r"\1***@", text)


def _know(source: Path, commit: str, design: str) -> None:
    paths = git(source, "ls-tree", "--name-only", "--full-tree", commit, "designs/").splitlines()
    known = [Path(path).stem for path in paths if path.endswith(".yaml")]
    if design not in known:
        raise BadInput(f"design {design!r} is not among those of {commit[:12]}: {', '.join(known) or 'it has none'}.")


def _restore(checkout: Checkout) -> None:
    """Every file that git knows as recorded, and none beside them but those that git is told to ignore (results, logs)."""
    folder, source = checkout.folder, checkout.source
    if not (folder / ".git").is_file():
        git(source, "worktree", "add", "--quiet", "--force", "--detach", str(folder), checkout.commit)
    Path(folder, git(folder, "rev-parse", "--git-path", "index.lock")).unlink(missing_ok=True)  # of a run that was killed
    recorded = git(source, "for-each-ref", "--format=%(objectname)", f"refs/heads/{checkout.branch}")
    git(folder, "checkout", "--quiet", "--force", "--detach", recorded or checkout.commit)
    git(folder, "clean", "--quiet", "-d", "--force")


def _settings(source: Path, remote: str) -> dict[str, Any]:
    """What a checkout shares of the repository's settings of DVC: an old revision restores what a new one made, and may name
    a remote that is no more. BadInput where the remote is unknown."""
    try:
        ours = Config(str(source / ".dvc"))
    except ConfigError as error:
        raise BadInput(without_secrets(str(error))) from None
    name, known = remote or ours["core"].get("remote"), ours["remote"]
    if name and name not in known:
        raise BadInput(f"{name!r} is not among the DVC remotes: {', '.join(known) or 'none is configured (dvc remote add)'}.")
    cache = Path(ours["cache"].get("dir", source / ".dvc" / "cache")).resolve()
    return {"cache": {"dir": str(cache)}, "remote": known, "core": {"remote": name} if name else {}}


def _share_dvc(checkout: Checkout, settings: dict[str, Any]) -> None:
    path = checkout.folder / ".dvc" / "config.local"
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)  # people keep a remote's password there
    with Config(str(path.parent)).edit("local") as local:
        local.update(settings)


def _share_raw(checkout: Checkout) -> None:
    """Links to the files that people put in the repository's data/raw, but for those that DVC fetches."""
    raw = checkout.folder / "data" / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    for path in sorted((checkout.source / "data" / "raw").glob("*")):
        link = raw / path.name
        if not link.exists() and not link.with_name(f"{link.name}.dvc").exists() and not link.is_symlink():
            link.symlink_to(path.resolve())

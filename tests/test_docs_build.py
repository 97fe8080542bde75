"""The pages of docs/ become a site without a warning that fetches nothing from elsewhere; the citation agrees with the package."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT

LOADED = re.compile(r"""<(?:script|link|img|iframe|source|video|object)\b[^>]*?(?:src|href|data)=["']?((?:https?:)?//[^"' >]+)""")
IMPORTED = re.compile(r"""(?:@import\s*|url\()["']?((?:https?:)?//[^"') ]+)""")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-n", "--keep-going", "-d", str(folder / "trees"), "docs", str(folder / "html")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "html"


def test_every_page_is_in_the_site_and_loads_nothing_from_elsewhere(site):
    pages = {path.relative_to(site).with_suffix(".md") for path in site.rglob("*.html")}
    assert pages >= {path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")}
    for path in [*site.rglob("*.html"), *site.rglob("*.css")]:
        text = path.read_text(encoding="utf-8")
        assert not LOADED.findall(text) + IMPORTED.findall(text), path.name


def test_what_loads_from_elsewhere_would_be_seen():
    assert LOADED.findall('<link rel="x" href="//cdn.example/a.css"><script async src="https://cdn.example/a.js">')
    assert IMPORTED.findall("@import 'https://fonts.example/a.css'; b { background: url(//c.example/d.png) }")
    assert not LOADED.findall('<a href="https://example.org">there</a><img src="_images/a.svg">')


def test_the_citation_is_of_this_version_and_names_nobody():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert cited.keys() >= {"cff-version", "message", "title", "authors"}  # what format 1.2.0 asks for
    assert (cited["version"], cited["license"]) == (package["version"], package["license"])
    assert cited["authors"] == [{"name": "Crossbias contributors"}]

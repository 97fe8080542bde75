"""`crossbias plots [REV ...]`: DVC's plots of the results, of several revisions beside each other, as one page that opens offline."""

import argparse
import html
import json
import logging
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import vl_convert
from dvc.exceptions import DvcException
from dvc.render.match import match_defs_renderers
from dvc.repo import Repo
from dvc.scm import SCMError

from stages.contract import whole
from stages.contract.bad_input import BadInput

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Plots of {revisions}</title>
<style>body {{ font: 15px sans-serif; margin: 2em }} figure {{ margin: 2em 0; overflow-x: auto }}</style>
<script>{scripts}</script>
</head>
<body>
<h1>Plots of {revisions}</h1>
{figures}
</body>
</html>
"""
FIGURE = '<figure id="{place}"></figure><script>vegaEmbed("#{place}", {chart}, {{"mode": "vega-lite", "renderer": "svg"}});</script>'


def main(arguments: Sequence[str] | None = None, program: str = "crossbias plots") -> int:
    """Exit code 0: the page is written; 2: bad input, in one sentence, and nothing written."""
    parser = argparse.ArgumentParser(prog=program, description=__doc__)
    parser.add_argument("revisions", nargs="*", metavar="REV", help="commits, branches, tags; one is compared with the workspace")
    parser.add_argument("--out", type=Path, default=Path("dvc_plots"), help="the folder of index.html (default: dvc_plots)")
    options = parser.parse_args(arguments)
    try:
        shown, charts, missing = read(options.revisions)
        path = options.out / "index.html"
        whole.write_whole(path, lambda temporary: _text(temporary, page(shown, charts)))
    except (BadInput, OSError) as error:
        print(f"plots: {error}", file=sys.stderr)
        return 2
    for line in missing:
        print(f"plots: {line}", file=sys.stderr)
    print(f"{len(charts)} plots of {' and '.join(shown)}: open {path}")
    return 0


def read(revisions: list[str]) -> tuple[list[str], list[dict[str, Any]], list[str]]:
    """Which revisions are shown (none given: the workspace), a Vega-Lite chart of each plot of dvc.yaml, and what is missing where."""
    shown = [*revisions, "workspace"] if len(revisions) < 2 else revisions
    logging.getLogger("dvc").setLevel(logging.ERROR)  # what is missing is ours to tell
    try:
        with Repo() as repo:
            data = repo.plots.show(revs=list(shown))
            data = {rev: data[rev] for rev in shown if rev in data}  # in the order asked for
            found = match_defs_renderers(data, templates_dir=repo.plots.templates_dir)
            charts = [chart for one in found if one.renderer.TYPE == "vega" and (chart := one.renderer.get_filled_template())]
    except (DvcException, SCMError) as error:
        raise BadInput(f"DVC cannot plot {' and '.join(shown)}: {' '.join(str(error).split())}.") from error
    missing = [f"{source} is not there in {rev}" for one in found for rev, sources in one.source_errors.items() for source in sources]
    unread = [(rev, why) for rev, part in data.items() if (why := part.get("definitions", {}).get("error"))]
    missing += [f"dvc.yaml of {rev} cannot be read: {' '.join(str(why).split())}" for rev, why in unread]
    if not charts:
        raise BadInput(f"there is nothing to plot in {' and '.join(shown)}: run the benchmark first (crossbias run), or dvc pull.")
    return shown, charts, missing


def page(revisions: list[str], charts: list[dict[str, Any]]) -> str:
    """One HTML file with the charts and all that draws them; no text of the data can end a script."""
    scripts = vl_convert.javascript_bundle().replace("</script", "<\\/script")  # type: ignore[call-arg]
    return PAGE.format(revisions=html.escape(" and ".join(revisions)), scripts=scripts, figures="\n".join(_figures(charts)))


def _figures(charts: list[dict[str, Any]]) -> Iterator[str]:
    for number, chart in enumerate(charts):
        drawn = {key: part for key, part in chart.items() if key != "$schema"}  # older than what draws, which would only say so
        yield FIGURE.format(place=f"plot{number}", chart=json.dumps(drawn).replace("<", "\\u003c"))


def _text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())

"""`crossbias plots` on two commits: the real plots of dvc.yaml, drawn by the real templates, on a page that asks the network nothing."""

import shutil
import subprocess
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.csv
import pytest
import vl_convert
import yaml

from flows import plots
from stages.metrics.calibration_curves import calibration_curves
from stages.metrics.roc_curves import roc_curves
from stages.metrics.shown_groups import panels
from tests.flows.conftest import ROOT, make
from tests.reporting.browser import Browser

pytestmark = pytest.mark.filterwarnings("ignore:_NoneStep.value:DeprecationWarning")
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
HOSTILE = "</script><script>document.title='x'</script>"
PARAMS = "tasks: {trust: {}, income: {}}\nmodels: {plain: {}, mended: {}}\n"


def pipeline() -> str:
    """The plots of dvc.yaml as they are; the files lie in Git."""
    whole = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))
    of_cells = [{path: props | {"cache": False}} for entry in whole["stages"]["evaluate"]["plots"] for path, props in entry.items()]
    matrix = {"task": "${tasks}", "model": "${models}"}
    stages = {"evaluate": {"matrix": matrix, "cmd": "true ${item.task} ${item.model}", "plots": of_cells}}
    return yaml.safe_dump({"stages": stages, "plots": whole["plots"]}, sort_keys=False)


def write(seed: int) -> None:
    """Tables as the stages write them; income is no decision, and has no ROC. One gap and one interval are undefined."""
    random = np.random.default_rng(seed)
    group = np.where(np.arange(120) % 3 > 0, "some", HOSTILE)
    for task in ("trust", "income"):
        for model in ("plain", "mended"):
            score = np.round(random.random(120), 3)
            favourable = random.random(120) < score
            true = favourable.astype(float) if task == "trust" else score + random.normal(size=120)
            columns = {"gender_value": group, "race_value": group[::-1], "author_id": np.arange(120), "favourable": favourable}
            frame = pd.DataFrame(columns | {"y_true": true, "y_score": score})
            shown = panels(frame, [("gender",), ("gender", "race")])
            folder = Path(f"data/evaluate/{task}/{model}")
            folder.mkdir(parents=True, exist_ok=True)
            pyarrow.csv.write_csv(roc_curves(frame, shown), folder / "roc.csv")
            pyarrow.csv.write_csv(calibration_curves(frame, shown, 0.95), folder / "calibration.csv")
    Path("data/report").mkdir(exist_ok=True)
    for metric in ("adi", "fv"):
        rows = [
            (t, m, "a", order, 0.4 + order / seed, 0.3, 2.0, 9, 9)
            for t in ("trust", "income")
            for m in ("plain", "mended")
            for order in (1, 2)
        ]
        rows[0] = (*rows[0][:4], None, None, None, 0, 9)
        names = ["task", "model", "attributes", "order", metric, "ci_low", "ci_high", "n_protected", "n_privileged"]
        pd.DataFrame(rows, columns=names).to_csv(f"data/report/{metric}_by_order.csv", index=False)


@pytest.fixture(scope="module")
def history(tmp_path_factory, outside):
    """Two commits of results."""
    folder = make(tmp_path_factory.mktemp("plots") / "repo", pipeline(), PARAMS)
    shutil.copytree(ROOT / ".dvc" / "plots", folder / ".dvc" / "plots")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for seed in (3, 4):
            write(seed)
            for command in (
                ["add", "--all", "--force", "data", ".dvc/plots", "dvc.yaml", "params.yaml"],
                ["commit", "--quiet", "-m", f"results {seed}"],
            ):
                subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@t", *command], check=True)
    return folder


@pytest.fixture
def there(history, monkeypatch):
    monkeypatch.chdir(history)
    return history


def test_each_template_draws_both_revisions(there):
    shown, charts, missing = plots.read(["HEAD~1", "HEAD"])
    assert (shown, missing) == (["HEAD~1", "HEAD"], [])
    titles = [chart["title"]["text"] for chart in charts]
    assert titles[:2] == ["ADI by number of demographics", "FV by number of demographics"]
    assert sorted(titles[2:]) == sorted(
        [f"Calibration by group, {model} on {task}" for model in ("plain", "mended") for task in ("trust", "income")]
        + [f"ROC by group, {model} on trust" for model in ("plain", "mended")]
    )
    for kind in ("ADI", "FV", "ROC", "Calibration"):
        chart = next(chart for chart, title in zip(charts, titles, strict=True) if title.startswith(kind))
        drawn = vl_convert.vegalite_to_svg(chart)
        assert drawn.index(">HEAD~1<") < drawn.index(">HEAD<"), kind
        assert "NaN" not in drawn, kind
        assert ("&lt;/script" in drawn) == (kind in ("ROC", "Calibration")), kind


def test_the_page_draws_all_and_asks_the_network_nothing(there, tmp_path, capsys):
    program = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    assert plots.main(["HEAD~1", "HEAD"]) == 0
    assert capsys.readouterr().out == "8 plots of HEAD~1 and HEAD: open dvc_plots/index.html\n"
    page = Path("dvc_plots/index.html")
    assert HOSTILE not in page.read_text(encoding="utf-8")
    if program is None:
        pytest.skip(f"no browser: none of {', '.join(PROGRAMS)} is on the path")
    browser = Browser(program, tmp_path / "browser")
    try:
        browser.open(page.resolve())
        until = time.monotonic() + 60
        while browser.get("document.querySelectorAll('figure svg.marks').length") < 8 and time.monotonic() < until:
            time.sleep(0.05)
        assert browser.get("document.querySelectorAll('figure svg.marks').length") == 8
        assert browser.get("document.title") == "Plots of HEAD~1 and HEAD"
        assert browser.problems == []
        assert browser.requests == [page.resolve().as_uri()]
    finally:
        browser.close()


def test_one_revision_stands_beside_the_workspace_and_none_is_the_workspace_alone(there):
    assert plots.read(["HEAD"])[0] == ["HEAD", "workspace"]
    assert plots.read([])[0] == ["workspace"]


def test_what_cannot_be_drawn_is_said_in_one_sentence(there, capsys, tmp_path, monkeypatch):
    assert plots.main(["nowhere", "--out", str(tmp_path / "out")]) == 2
    assert "plots: DVC cannot plot nowhere and workspace: " in capsys.readouterr().err
    monkeypatch.chdir(make(tmp_path / "empty", "stages: {}\n", PARAMS))
    assert plots.main([]) == 2
    assert capsys.readouterr().err.startswith("plots: there is nothing to plot in workspace: run the benchmark first")


def test_a_revision_without_a_table_is_named(there):
    path = Path("data/report/fv_by_order.csv")
    text = path.read_bytes()
    path.unlink()
    try:
        assert plots.read(["HEAD"])[2] == ["data/report/fv_by_order.csv is not there in workspace"]
    finally:
        path.write_bytes(text)

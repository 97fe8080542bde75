"""A real history of seven commits: survey data, real ingest, subgroup and evaluate, and predictions of which the truth is planted."""

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from dvc.repo import Repo

from stages import evaluate, ingest, subgroup
from stages.contract import tables
from stages.contract.command import perform
from stages.contract.params import Design
from stages.contract.schemas import Predictions
from tests.flows.conftest import make

PEOPLE = 400
PIPELINE = """\
stages:
  ingest:
    foreach: ${tasks}
    do:
      cmd: python -m stages.ingest --task ${key}
      deps: ["${item.dataset.source}"]
      params: ["tasks.${key}", ingest]
      outs: ["data/ingest/${key}/documents.parquet", "data/ingest/${key}/population.parquet"]
  subgroup:
    matrix: {task: "${tasks}"}
    cmd: python -m stages.subgroup --task ${item.task}
    deps: ["data/ingest/${item.task}/documents.parquet"]
    params: ["tasks.${item.task}.dataset", subgroup]
    outs:
      - data/subgroup/${item.task}/subgroups.parquet
      - data/subgroup/${item.task}/population.parquet
      - data/subgroup/${item.task}/sets.parquet
  predict:
    matrix: {task: "${tasks}", model: "${models}"}
    cmd: python planted.py ${item.task} ${item.model}
    deps: [planted.py, "data/ingest/${item.task}/documents.parquet"]
    params: ["tasks.${item.task}", "models.${item.model}"]
    outs: ["data/predict/${item.task}/${item.model}.parquet"]
  evaluate:
    matrix: {task: "${tasks}", model: "${models}"}
    cmd: python -m stages.evaluate --task ${item.task} --model ${item.model}
    deps: ["data/subgroup/${item.task}/subgroups.parquet", "data/predict/${item.task}/${item.model}.parquet"]
    params: [evaluate]
    outs: ["data/evaluate/${item.task}/${item.model}/scores.parquet", "data/evaluate/${item.task}/${item.model}/groups.parquet"]
    metrics: ["data/evaluate/${item.task}/${item.model}/metrics.json"]
"""
BASE: dict[str, Any] = {
    "tasks": {
        "survey": {
            "dataset": {
                "use": "delimited", "source": "data/raw/survey.csv", "text": "answer", "identifier": "id", "author": "person",
                "attributes": {"gender": "category", "race": "category"},
            },
            "label": "trusts",
        }
    },
    "models": {
        name: {
            "base": {"source": "none"}, "debiaser": {"use": "identity"},
            "family": {"use": "planted", "noise": seed, "against_women": 0.35, "against_both": 0.0},
        }
        for seed, name in enumerate(("first", "second"), 1)
    },
    "ingest": {"folds": 3, "seed": 1},
    "subgroup": {"attributes": {"gender": {"privileged": ["man"]}, "race": {"privileged": ["white"]}}},
    "evaluate": {"seed": 4, "replicates": 200, "permutations": 100, "conventions": ["crossbias", "naacl2022"]},
}  # fmt: skip


def survey(people: int = PEOPLE) -> pd.DataFrame:
    """Two answers a person; what is asked, and who is asked, does not depend on how many are."""
    random = np.random.default_rng(7)
    drawn = random.random((2 * PEOPLE, 4))
    rows = [
        {
            "id": f"p{i}_{j}", "person": f"p{i}", "answer": f"answer {i} {j}", "trusts": int(drawn[i, 2 + j] < 0.5),
            "gender": "woman" if drawn[i, 0] < 0.5 else "man", "race": "Black" if drawn[i, 1] < 0.5 else "white",
        }
        for i in range(people) for j in range(2)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def predict(model: dict[str, Any], documents: pd.DataFrame) -> pd.DataFrame:
    """Right nine times in ten; but favourable texts of some groups are missed so much more often, which a debiaser undoes for women."""
    family, numbers = model["family"], documents["doc_id"].str.extract(r"p(\d+)_(\d)").astype(int)
    random = np.random.default_rng(family["noise"]).random((4 * PEOPLE, 2))[numbers[0] * 2 + numbers[1]]
    woman, black = documents["gender"].eq("woman"), documents["race"].eq("Black")
    against = family["against_women"] * woman * (model["debiaser"]["use"] == "identity") + family["against_both"] * (woman & black)
    hit = np.where(documents["favourable"], 0.9 - against, 0.1)
    score = np.round(np.where(random[:, 0] < hit, 0.5 + random[:, 1] / 2, random[:, 1] / 2), 6)
    decided = (score >= 0.5).astype(int)
    columns = {"y_true": documents["favourable"].astype(float), "y_score": score, "y_pred": decided}
    return documents[["doc_id", "fold"]].assign(**columns)


class Place:
    """The repository: ``run`` brings all results up to date and has DVC record them, ``commit`` records them in Git under a tag."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.params = make(folder, PIPELINE, yaml.safe_dump(BASE)), yaml.safe_load(yaml.safe_dump(BASE))
        for name, value in (("user.name", "t"), ("user.email", "t@example.org")):  # DVC's experiments are commits too
            subprocess.run(["git", "-C", folder, "config", name, value], check=True)
        (folder / "data" / "raw").mkdir()
        (folder / "planted.py").write_text("# predictions with a planted truth\n")
        (folder / ".dvc" / ".gitignore").write_text("/cache\n/tmp\n")
        self.evaluated: dict[str, list[object]] = {}

    def run(self, data: pd.DataFrame | None = None) -> None:
        """In this process, whose working folder is the repository; what has not changed comes out the same."""
        if data is not None:
            data.to_csv("data/raw/survey.csv", index=False)
        Path("params.yaml").write_text(yaml.safe_dump(self.params, sort_keys=False))
        design = Design.read(Path("params.yaml"))
        perform(ingest.run, "ingest", design, {"task": "survey"})
        perform(subgroup.run, "subgroup", design, {"task": "survey"})
        documents = pd.read_parquet("data/ingest/survey/documents.parquet")
        for name in self.params["models"]:
            table = tables.check(tables.from_pandas(predict(self.params["models"][name], documents)), Predictions.__metadata__[0], name)
            path = Path(f"data/predict/survey/{name}.parquet")
            tables.write_whole(path, lambda temporary, table=table: tables.write_parquet(table, temporary))
            inputs = [path.read_bytes(), Path("data/subgroup/survey/subgroups.parquet").read_bytes(), dict(self.params["evaluate"])]
            if self.evaluated.get(name) != inputs:
                perform(evaluate.run, "evaluate", design, {"task": "survey", "model": name})
                self.evaluated[name] = inputs
        repo = Repo()
        repo.commit(force=True)
        repo.close()

    def commit(self, tag: str) -> None:
        for command in (["add", "."], ["commit", "--quiet", "-m", tag], ["tag", tag]):
            subprocess.run(["git", *command], check=True, capture_output=True)


def build(folder: Path) -> Path:
    """base, refactored, reseeded, debiased, regressed, updated, recoded; each tag follows from the one before."""
    place = Place(folder)
    place.run(survey())
    place.commit("base")
    (folder / "planted.py").write_text("# predictions with a planted truth, written otherwise\n")
    place.run()
    place.commit("refactored")
    for model in place.params["models"].values():
        model["family"]["noise"] += 100
    place.run()
    place.commit("reseeded")
    place.params["models"]["first"]["debiaser"] = {"use": "planted"}
    place.run()
    place.commit("debiased")
    place.params["models"]["second"]["family"]["against_both"] = 0.45
    place.run()
    place.commit("regressed")
    updated = survey(PEOPLE + 30).iloc[40:].reset_index(drop=True)
    updated.loc[:4, "trusts"] = 1 - updated.loc[:4, "trusts"]
    updated.loc[10:12, "answer"] += ", mended"
    updated.loc[20:21, "gender"] = "nonbinary"
    place.run(updated)
    place.commit("updated")
    place.params["subgroup"]["attributes"]["race"]["privileged"] = ["Black"]
    place.params["evaluate"] |= {"replicates": 300, "conventions": ["crossbias"]}
    del place.params["models"]["second"]
    place.run()
    place.commit("recoded")
    return folder

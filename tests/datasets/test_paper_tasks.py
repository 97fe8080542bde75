"""The ten tasks of the NAACL 2022 benchmark go from files in their published formats to subgroups, in both codings."""

import pytest

from stages import ingest, subgroup
from stages.contract.params import Task
from tests.datasets import stand_ins
from tests.datasets.conftest import RULES

SURVEY = {"use": "psychometrics", "source": "psychometrics"}
TWEETS = {"use": "multilingual_twitter", "source": "multilingual_twitter", "language": "English", "folds": "drawn"}
REDDIT = {"use": "mbti", "source": "mbti"}
TASKS = {
    **dict.fromkeys(("anxiety", "literacy", "numeracy", "trust", "extraverted", "stable"), SURVEY),
    "hate": TWEETS,
    "rating": {"use": "ask_a_patient", "source": "ask_a_patient"},
    **dict.fromkeys(("perceiving", "thinking"), REDDIT),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("raw") / "data"
    stand_ins.write_all(made)
    return made


@pytest.mark.parametrize("coding", ["decoded", "naacl2022"])
@pytest.mark.parametrize("label", TASKS)
def test_from_published_files_to_subgroups(folder, label, coding):
    dataset = TASKS[label] | {"source": str(folder / TASKS[label]["source"]), "coding": coding}
    task = Task.model_validate({"dataset": dataset, "label": label, "threshold": "median"})
    documents, population = ingest.run(task, ingest.Params(folds=3))
    params = subgroup.Params(attributes=RULES, containing="gender")
    subgroups, _, sets = subgroup.run(documents, population, params)
    assert subgroups.num_rows == documents.num_rows > 30
    axes = {"psychometrics": 16, "multilingual_twitter": 4}.get(dataset["use"], 2)
    met = sets.to_pandas().groupby("attributes")["texts"].sum()
    assert len(met) == axes
    assert (met == documents.num_rows).all()
    unknown = sets.to_pandas().query("group == 'unknown'")["texts"].sum()
    assert (unknown == 0) == (coding == "naacl2022")

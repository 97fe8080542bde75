"""Who is privileged, protected, mixed or unknown; nobody is lost."""

import pandas as pd
import pyarrow as pa
import pytest

from stages import ingest, subgroup
from stages.contract import tables
from stages.contract.bad_input import BadInput
from stages.contract.params import Design, Task
from stages.contract.schemas import AttributeSets, PopulationSubgroups, Subgroups
from tests.conftest import ROOT, make_documents

RULES = {"gender": {"privileged": ["man"]}, "age": {"privileged_at_most": 55}, "income": {"privileged_at_least": 55000}}
EMPTY = pa.table({"mass": pa.array([], pa.float64()), "favourable": pa.array([], pa.bool_()), "decision": pa.array([], pa.bool_())})


def run(documents: pa.Table, **params):
    frame = documents.to_pandas().head(0).drop(columns=["doc_id", "author_id", "text", "lang", "fold", "label", "favourable"])
    population = pa.Table.from_pandas(frame.assign(mass=0.0, favourable=True, decision=True), preserve_index=False)
    return subgroup.run(documents, population, subgroup.Params.model_validate({"attributes": RULES} | params))


@pytest.fixture
def documents():
    return make_documents(
        ["a", "b", "c", "d"],
        [True, False, True, False],
        gender=["man", "woman", None, "non-binary person"],
        age=[55.0, 56.0, 30.0, None],
        income=[55000.0, 54999.0, 10.0, 99999.0],
    )


def test_rules_code_categories_and_bounds(documents):
    subgroups = run(documents)[0].to_pandas()
    assert subgroups["gender"].tolist()[:2] == ["privileged", "protected"]
    assert subgroups["gender"].isna().tolist() == [False, False, True, False]
    assert subgroups["age"].tolist()[:3] == ["privileged", "protected", "privileged"]
    assert subgroups["income"].tolist() == ["privileged", "protected", "protected", "privileged"]
    assert subgroups["income_value"].tolist() == ["55000 or more", "below 55000", "below 55000", "55000 or more"]
    assert subgroups["age_value"].tolist()[:3] == ["up to 55", "over 55", "up to 55"]
    assert subgroups["age_value"].isna().tolist() == [False, False, False, True]


def test_a_data_set_may_have_rules_of_its_own(documents):
    own = {"elsewhere": {"age": {"privileged_at_most": 30}, "gender": {"privileged": ["woman"]}}}
    params = subgroup.Params.model_validate({"attributes": RULES, "datasets": own})
    population = EMPTY.append_column("age", pa.array([], pa.float64())).append_column("gender", pa.array([], pa.string()))
    population = population.append_column("income", pa.array([], pa.float64()))
    coded = {}
    for use in ("elsewhere", "here"):
        task = Task.model_validate({"dataset": {"use": use, "source": "x"}, "label": "y"})
        coded[use] = subgroup.run(documents, population, params, task)[0].to_pandas()
    assert coded["elsewhere"]["age"].tolist()[:3] == ["protected", "protected", "privileged"]
    assert coded["elsewhere"]["gender"].tolist()[:2] == ["protected", "privileged"]
    assert coded["here"].equals(run(documents)[0].to_pandas())
    assert coded["elsewhere"]["income"].equals(coded["here"]["income"])


def test_every_set_reconciles_to_every_text(documents):
    sets = run(documents)[2].to_pandas()
    assert sets["attributes"].drop_duplicates().tolist() == [
        "gender",
        "age",
        "income",
        "gender+age",
        "gender+income",
        "age+income",
        "gender+age+income",
    ]
    assert (sets.groupby("attributes")["texts"].sum() == 4).all()
    pair = sets[sets["attributes"] == "gender+age"].set_index("group")["texts"]
    assert pair.to_dict() == {"protected": 1, "privileged": 1, "mixed": 0, "unknown": 2}


def test_containing_and_highest_order_choose_sets(documents):
    sets = run(documents, containing="gender", highest_order=2)[2].to_pandas()
    assert sets["attributes"].drop_duplicates().tolist() == ["gender", "gender+age", "gender+income"]


def test_five_attributes_have_sixteen_sets_with_gender():
    design = Design.read(ROOT / "params.yaml")
    params = subgroup.Params.model_validate(design.section("subgroup"))
    assert len(subgroup.sets_of(list(params.attributes), params)) == 16


def test_the_tables_pass_their_own_doors_and_the_population_keeps_its_mass(monkeypatch):
    monkeypatch.chdir(ROOT)
    design = Design.read(ROOT / "params.yaml")
    task: Task = design.tasks["trust"]
    documents, population = ingest.run(task, ingest.Params(folds=3))
    params = subgroup.Params.model_validate(design.section("subgroup"))
    found = subgroup.run(documents, population, params)
    for table, kind in zip(found, (Subgroups, PopulationSubgroups, AttributeSets), strict=True):
        tables.check(table, kind.__metadata__[0], "t")
    assert sum(found[1].column("mass").to_pylist()) == pytest.approx(1)
    assert found[1].num_rows == 2**5 * 4


@pytest.mark.parametrize(
    ("change", "params", "sentence"),
    [
        ({"age": [None] * 4}, {}, "attribute 'age' is unknown for all 4 texts"),
        ({}, {"attributes": {"gender": {"privileged": ["Man"]}}}, "there are: man, non-binary person, woman."),
        ({}, {"attributes": {"gender": {"privileged_at_most": 3}}}, "hold categories, so use privileged: [...]"),
        ({}, {"attributes": {"age": {"privileged": ["young"]}}}, "hold numbers, so use privileged_at_most or privileged_at_least"),
        ({}, {"attributes": {"tribe": {"privileged": ["x"]}}}, "none of tribe is a column of the documents"),
        ({}, {"containing": "race"}, "'race' is not one of this data set's attributes, gender, age, income"),
    ],
)
def test_rules_that_do_not_fit_are_refused(documents, change, params, sentence):
    frame = documents.to_pandas().assign(**change)
    with pytest.raises(BadInput) as refusal:
        run(pa.Table.from_pandas(pd.DataFrame(frame), preserve_index=False), **params)
    assert sentence in str(refusal.value)


def test_wassa_groups_are_those_of_the_publication(shared):
    """spec/benchmark.md section 4: gender 975/1,140; all five 35/95 texts of 7/19 people."""
    task = {"dataset": {"use": "wassa", "source": str(shared / "data" / "wassa")}, "label": "empathy", "threshold": "median"}
    documents, population = ingest.run(Task.model_validate(task), ingest.Params())
    rules = {
        "gender": {"privileged": ["man"]},
        "race": {"privileged": ["White"]},
        "age": {"privileged_at_most": 33},
        "education": {"privileged": ["bachelor's degree", "postgraduate degree"]},
        "income": {"privileged_at_least": 55000},
    }
    sets = subgroup.run(documents, population, subgroup.Params.model_validate({"attributes": rules, "containing": "gender"}))[2].to_pandas()
    size = sets.set_index(["attributes", "group"])
    assert len(sets) == 16 * 4
    # 15 texts by people of another gender count as protected here, beside 975 by women.
    assert size.loc[("gender", "protected"), "texts"] == 975 + 15
    assert size.loc[("gender", "privileged"), "texts"] == 1140
    assert size.loc[("gender+race+age+education+income", "protected")].tolist() == [5, 35, 7]
    assert size.loc[("gender+race+age+education+income", "privileged")].tolist() == [5, 95, 19]


def test_documents_that_say_nothing_of_their_authors_have_no_groups(documents, capsys):
    bare = documents.drop_columns(["gender", "age", "income"])
    found = subgroup.run(bare, EMPTY, subgroup.Params())
    for table, kind in zip(found, (Subgroups, PopulationSubgroups, AttributeSets), strict=True):
        tables.check(table, kind.__metadata__[0], "t")
    assert [table.num_rows for table in found] == [4, 0, 0]
    assert "these documents say nothing of their authors" in capsys.readouterr().out
    with pytest.raises(BadInput, match=r"none of \(no rules\) is a column of the documents"):
        subgroup.run(documents, EMPTY, subgroup.Params())

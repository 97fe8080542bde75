"""Each mistake in params.yaml is one sentence that names the key."""

from pathlib import Path

import pytest
import yaml

from stages.contract.bad_input import BadInput
from stages.contract.design import validate
from stages.contract.params import Design
from tests.conftest import ROOT


def changed(tmp_path: Path, change) -> Path:
    design = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    change(design)
    path = tmp_path / "params.yaml"
    path.write_text(yaml.safe_dump(design))
    return path


def mitigate(design, **entry) -> None:
    design["models"]["minilm"]["family"]["mitigation"] = {"attributes": {"gender": "category"}} | entry


@pytest.fixture(autouse=True)
def in_repository(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("design", ["params.yaml", "designs/quickstart.yaml"])
def test_shipped_designs_are_valid(design):
    validate(Path(design))


def test_the_default_design_is_quickstart():
    assert Path("params.yaml").read_bytes() == Path("designs/quickstart.yaml").read_bytes()


MISTAKES = [
    (lambda d: d["models"]["minilm"]["family"].update(epochz=3), "did you mean 'epochs'"),
    (lambda d: d["evaluate"].update(metrics=["adi"]), "'metrics' is not a known key"),
    (lambda d: d["evaluate"].update(gaps=["adii"]), "gaps.0"),
    (lambda d: d["evaluate"].update(replicates="many"), "'replicates': Input should be a valid integer"),
    (lambda d: d.update(evalaute={}), "'evalaute' is not a section"),
    (lambda d: d["models"]["minilm"]["family"].update(use="transfomer"), "use: transfomer names no file of stages/models; there are"),
    (lambda d: d["tasks"]["trust"]["dataset"].update(source="data/raw/no"), "'tasks.trust.dataset.source': data/raw/no is not there"),
    (lambda d: d["tasks"]["trust"].pop("label"), "'tasks.trust.label': Field required"),
    (lambda d: d["models"].update({"mini-lm": d["models"]["minilm"]}), "lower-case letters, digits and _ only"),
    (lambda d: d["models"].update({"a;rm": d["models"]["minilm"]}), "lower-case letters, digits and _ only"),
    (lambda d: d["ingest"].update({"size": 3}), "the key 'size' is forbidden"),
    (lambda d: d["subgroup"]["attributes"]["age"].update(privileged=["young"]), "give exactly one of privileged"),
    (lambda d: d["models"]["minilm"].update(family=d["models"]["glove_cnn"]["family"]), "text_cnn is not made for encoder"),
    (
        lambda d: d["models"]["minilm"].update(debiaser={"use": "gender_preserving"}),
        "models.minilm: debiaser gender_preserving is not made for an encoder, as stages/pretrained/minilm_l6.yaml is",
    ),
    (lambda d: d["models"]["minilm"]["base"].update(source="stages/pretrained/text.yaml"), "transformer is not made for text, which"),
    (lambda d: d["models"]["glove_cnn"].update(family={"use": "tfidf_svm"}), "tfidf_svm is not made for vectors, which"),
    (
        lambda d: d["models"]["minilm"].update(base={"source": "stages/pretrained/bert_by_language.yaml"}, debiaser={"use": "hard_debias"}),
        "hard_debias is not made for an encoder, as stages/pretrained/bert_by_language.yaml is",
    ),
    (lambda d: d.update(tasks={}), "'tasks'"),
    (lambda d: mitigate(d, use="reweigh"), "use: reweigh names no file of stages/mitigations; there are adversarial, balanced_sampling"),
    (
        lambda d: mitigate(d, use="adversarial", strenght=2),
        "adversarial: 'strenght' is not a known key; did you mean 'strength'",
    ),
    (
        lambda d: mitigate(d, use="thresholds", attributes={"age": "young"}),
        "'attributes.age': write category, or for numbers a bound (it is 'young')",
    ),
    (lambda d: mitigate(d, use="reweighing", attributes={}), "'attributes': Dictionary should have at least 1 item"),
]


@pytest.mark.parametrize(("change", "sentence"), MISTAKES, ids=[sentence for _, sentence in MISTAKES])
def test_mistakes_are_named_before_anything_runs(tmp_path, change, sentence):
    with pytest.raises(BadInput) as refusal:
        validate(changed(tmp_path, change))
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_missing_and_unreadable_designs(tmp_path):
    with pytest.raises(BadInput, match=r"is missing: run from the repository's root"):
        Design.read(tmp_path / "params.yaml")
    (tmp_path / "params.yaml").write_text("tasks: [")
    with pytest.raises(BadInput, match="is not valid YAML"):
        Design.read(tmp_path / "params.yaml")


def test_validation_loads_no_deep_learning_library():
    import subprocess
    import sys

    code = (
        "import sys; from pathlib import Path; from stages.contract.design import validate; validate(Path('params.yaml'));"
        "print(sorted({'torch', 'transformers', 'gensim', 'altair'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"

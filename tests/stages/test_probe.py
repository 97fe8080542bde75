"""probe: one table of figures for a base of either kind, what it was before its debiaser found where it came from."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from stages import probe
from stages.contract import tables
from stages.contract.bad_input import BadInput
from stages.contract.params import Entry, Model
from stages.contract.probes import Associations, NameGroups, Probes
from stages.models import projection, vectors
from stages.probes import name_tables
from tests.debiasers import small
from tests.probes import planted_names

LISTED = """
sets:
  x: [nurse, baker]
  y: [Doctor, soldier]
  a: [gentle, kind]
  b: [strong, brave, gone]
tests: {t: {x: x, y: y, a: a, b: b}, back: {x: y, y: x, a: a, b: b}}
groups: {g: {of: [x, y], neutral: [a, b]}}
"""
WORDS = ["she", "he", "nurse", "baker", "doctor", "soldier", "gentle", "kind", "strong", "brave"]
OTHERS = ["w" + "abcdefghijklmnopqrstuvwxyz"[row % 26] + "abc"[row // 26] for row in range(60)]


@pytest.fixture
def params(tmp_path: Path) -> probe.Params:
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "small.yaml").write_text(LISTED, encoding="utf-8")
    tests = [
        {"use": "weat", "draws": 1000},
        {"use": "association", "replicates": 100},
        {"use": "clusters", "permutations": 100},
        {"use": "seat", "draws": 1000},
    ]
    return probe.Params.model_validate({"words": str(tmp_path / "words"), "tests": tests, "enumeration": {"included": False}})


def saved(folder: Path, lean: float = 1.0) -> Path:
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(len(WORDS + OTHERS), 8)).astype(np.float32)
    matrix[:, 0] *= lean
    matrix[:2, 0] = 2, -2
    vectors.save(vectors.WordVectors(WORDS + OTHERS, matrix), folder)
    return folder


def model(source: Path, use: str = "identity") -> Model:
    return Model.model_validate({"base": {"source": str(source)}, "debiaser": {"use": use}, "family": {"use": "text_cnn"}})


def run(chosen: Model, base: Path, params: probe.Params):
    figures, cells, groups = probe.run(chosen, base, params, base.parent / "kept")
    assert not len(tables.check(cells, Associations.__metadata__[0], "cells"))
    assert not len(tables.check(groups, NameGroups.__metadata__[0], "groups"))
    return tables.check(figures, Probes.__metadata__[0], "probes").to_pandas()


def test_word_vectors(tmp_path, params):
    base = saved(tmp_path / "base")
    found = run(model(base), base, params)
    assert set(found["vectors"]) == {"static"}
    assert set(found["probe"]) == {"weat", "association", "clusters"}, "word vectors have no sentences"
    effects = found[found["statistic"] == "effect_size"].set_index("test")
    assert effects.loc["t", "value"] == pytest.approx(-effects.loc["back", "value"])
    assert effects.loc["t", "lost"] == "b: gone"
    assert (found["value"].notna() | found["reason"].notna()).all()


def test_probes_of_which_none_fits_have_no_figures(tmp_path, params):
    base = saved(tmp_path / "base")
    no_search = params.enumeration.model_copy(update={"included": False})
    alone = params.model_copy(update={"tests": (Entry(use="seat"),), "enumeration": no_search})
    assert run(model(base), base, alone).empty


def test_q_values_are_of_the_tests_of_one_statistic(tmp_path, params):
    base = saved(tmp_path / "base")
    found = run(model(base), base, params)
    p, q = (found[found["statistic"] == "effect_size"][name].to_numpy() for name in ("p_value", "q_value"))
    np.testing.assert_allclose(q, np.minimum(1, [min(2 * p.min(), p.max()) if one == p.min() else p.max() for one in p]))
    assert found.loc[found["p_value"].isna(), "q_value"].isna().all()


def test_the_base_before_its_debiaser_says_which_words_leaned(tmp_path, params):
    before, after = saved(tmp_path / "before", lean=3), saved(tmp_path / "after", lean=0)
    found = run(model(before, "hard_debias"), after, params)
    clusters = found[found["probe"] == "clusters"].set_index("statistic")
    assert clusters.loc["direct_bias", "value"] < run(model(before), before, params).set_index("statistic").loc["direct_bias", "value"]
    assert clusters.loc["cluster_accuracy", "n"] == 2 * (len(WORDS + OTHERS) - 2) // 4 - (2 * (len(WORDS + OTHERS) - 2) // 4) % 2


def test_an_encoder_with_its_projection(tmp_path, params):
    encoder = small.encoder(tmp_path / "bert", [" ".join(WORDS + OTHERS), "this is that there here it about they said the word everyone ."])
    found = run(model(encoder), encoder, params)
    assert set(found["vectors"]) == {"alone", "templates", "sentences"}
    assert set(found["casing"]) == {"lower-cased by the tokenizer"}
    flat = tmp_path / "flat"
    flat.mkdir()
    for file in encoder.iterdir():
        (flat / file.name).write_bytes(file.read_bytes())
    projection.save((np.zeros((32, 32)), np.ones(32)), flat)
    mapped = run(model(encoder, "leace"), flat, params)
    weat = mapped[mapped["probe"] == "weat"].set_index(["statistic", "test", "vectors"])
    assert weat.loc[("effect_size", "t", "alone"), "reason"].startswith("all targets have the same association")
    assert weat.loc[("s", "t", "alone"), "value"] == pytest.approx(0, abs=1e-6)


def test_equal_inputs_give_equal_bytes(tmp_path, params):
    base = saved(tmp_path / "base")
    for name in ("one", "other"):
        tables.write_parquet(pa.Table.from_pandas(run(model(base), base, params)), tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_an_unknown_probe_and_option_are_refused(tmp_path, params):
    base = saved(tmp_path / "base")
    for entry, sentence in (({"use": "weet"}, "names no file of stages/probes"), ({"use": "weat", "drawn": 5}, "did you mean 'draws'")):
        with pytest.raises(BadInput, match=sentence):
            probe.run(model(base), base, probe.Params.model_validate(params.model_dump() | {"tests": [entry]}))


def test_contexts_come_from_a_corpus(tmp_path, params):
    lines = [f"we met the {word} in town" for word in WORDS]
    encoder = small.encoder(tmp_path / "bert", lines)
    (tmp_path / "corpus.txt").write_text("\n".join(lines), encoding="utf-8")
    entry = {"use": "ceat", "corpus": str(tmp_path / "corpus.txt"), "samples": 100, "draws": 1000}
    chosen = probe.Params.model_validate(params.model_dump() | {"tests": [entry]})
    found = run(model(encoder), encoder, chosen)
    assert set(found["statistic"]) == {"ces", "ces_as_published"}
    assert set(found["vectors"]) == {"contexts"}
    assert found["lost"].str.contains("y: Doctor").sum() == 2, "a corpus is searched for words as written"


def test_of_weights_by_language_the_english_ones_are_probed_and_plain_text_has_none(tmp_path, params, monkeypatch):
    from stages.models import pretrained

    base = saved(tmp_path / "base" / "en")
    files = (base / "vectors.npy", base / "words.txt")
    held = {"en": pretrained.Weights("vectors", files[0], files), "es": pretrained.Weights("vectors", files[0], files)}
    monkeypatch.setattr(pretrained, "locate_all", lambda _: held)
    assert len(run(model(base), tmp_path / "base", params)) > 0
    for nothing in ({"es": held["es"]}, {"": pretrained.Weights("text", tmp_path, ())}):
        monkeypatch.setattr(pretrained, "locate_all", lambda _, nothing=nothing: nothing)
        assert len(run(model(base), tmp_path / "base", params)) == 0


def test_what_the_enumeration_finds_stands_in_tables_of_its_own(tmp_path, params, monkeypatch):
    space, names = planted_names.planted()
    monkeypatch.setattr(name_tables, "read", lambda which, fewest: names)
    matrix = np.stack([space.rows(space.frequent)[word] for word in space.frequent]).astype(np.float32)
    vectors.save(vectors.WordVectors(list(space.frequent), matrix), tmp_path / "base")
    settings = {"tests": [], "enumeration": planted_names.SETTINGS.model_dump()}
    chosen = probe.Params.model_validate(params.model_dump() | settings)
    found = probe.run(model(tmp_path / "base"), tmp_path / "base", chosen)
    kinds = (Probes, Associations, NameGroups)
    figures, cells, groups = (
        tables.check(table, kind.__metadata__[0], "tables").to_pandas() for table, kind in zip(found, kinds, strict=True)
    )
    assert figures.set_index("statistic")["value"][["tests", "significant"]].tolist() == [cells["score"].notna().sum(), 2]
    assert cells["significant"].sum() == 2
    assert groups["female"].tolist() == [0, 0.5, 1]
    assert groups["white"].isna().all(), "not known of first names"

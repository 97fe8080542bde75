"""The swap keeps role, number, case and article, tells persons from places, and leaves out what it cannot decide."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.debias import LEXICONS, read_lexicons
from stages.language.swap import Counts, Swap, counterfactuals, first_names

PAIRS = read_lexicons(LEXICONS)["gender_pairs"]
SWAP = Swap.of(PAIRS, first_names())


@pytest.mark.parametrize(
    ("text", "swapped"),
    [
        ("his wife called her and took her book", "her husband called him and took his book"),
        ("She hurt herself, so the dog is hers.", "He hurt himself, so the dog is his."),
        ("A cousin of his, we heard, is his.", "A cousin of hers, we heard, is hers."),
        ("HER MOTHER'S car and Her mother's car", "HIS FATHER'S car and His father's car"),
        ("The mothers-in-law of the congresswomen", "The fathers-in-law of the congressmen"),
        ("she's an heiress; AN ACTRESS, a waitress", "he's an heir; AN ACTOR, a waiter"),
        ("an empress and a heroine met an uncle", "an emperor and a hero met an aunt"),
        ("a countrywoman and a woman-owned shop", "a countryman and a woman-owned shop"),
        ("he/she lost his/her keys", "she/he lost her/his keys"),
        ("Miss Smith, I miss the boys.", "Mister Smith, I miss the girls."),
        ("The King saw Coretta King.", "The Queen saw Coretta King."),
        ("Mary told Mr. James that Henry James met James in New York.", "James told Mrs. James that Diana James met Mary in New York."),
        ("Mrs. Mary Ann Evans", "Mr. James Danny Evans"),
    ],
)
def test_what_becomes_of_a_sentence(text: str, swapped: str) -> None:
    found = SWAP(text)
    assert found.text == swapped
    assert found.clear


@pytest.mark.parametrize(
    "text",
    [
        "Oh God, the bachelor's degree of the author, you guys",
        "We counted to ten by the river.",
        "the human manners of a sherpa",
        "",
        "Jordan lives in Jordan",
    ],
)
def test_words_with_another_sense_and_words_inside_words_stay(text: str) -> None:
    assert SWAP(text) == (text, (), ())


def test_a_place_is_no_person() -> None:
    """Known failure T45: a place's name replaced as if it were a person's."""
    swap = Swap.of([], [("Jordan", "Emily")])
    assert swap("Jordan lives in Jordan").text == "Emily lives in Jordan"
    assert swap("West Jordan is far, said J. Jordan").changed == ()
    assert swap("jordan almonds").changed == ()


def test_regular_plurals_follow_their_singulars() -> None:
    """Known failure T45: "homosexuals" lost its plural or was not found."""
    swap = Swap.of([("homosexual", "heterosexual"), ("Jewish lady", "Muslim lady"), ("alderwoman", "alderman")])
    assert swap("Homosexuals, a homosexual and two Jewish ladies").text == "Heterosexuals, a heterosexual and two Muslim ladies"
    assert swap("alderwomen").text == "aldermen"


def test_what_cannot_be_decided_is_counted_and_left_out() -> None:
    counts = Counts()
    texts = ["They told her stories.", "It rained.", "She saw him."]
    assert list(counterfactuals(texts, SWAP, counts)) == [("She saw him.", "He saw her.")]
    assert counts == Counts(clear=1, ambiguous=1, unchanged=1)
    assert SWAP(texts[0]) == (texts[0], (), ("her",))


ONE_TO_ONE = [
    "she",
    "he",
    "herself",
    "himself",
    "woman",
    "men",
    "girls",
    "mother",
    "brothers",
    "Mary",
    "Robert",
    "waitress",
    "the",
    "saw",
    ",",
]


@given(st.lists(st.sampled_from(ONE_TO_ONE), max_size=12))
def test_swapping_twice_gives_the_text_back(words: list[str]) -> None:
    text = " ".join(words)
    assert SWAP(SWAP(text).text).text == text


def test_names_are_paired_once_and_are_no_words_of_the_lists(shared: Path) -> None:
    """Each name was given to one sex in the federal counts, which the file beside the repository holds as well."""
    names = [name for row in first_names() for name in row]
    assert len(first_names()) == 200
    assert len(set(names)) == len(names)
    assert not {name.lower() for name in names} & {word for row in PAIRS for word in row}
    table = (shared / "data" / "ssa_names" / "ssa_names_1938_2017_ge1000.csv").read_text(encoding="utf-8").splitlines()[1:]
    feminine = {name: float(share) for name, _, _, _, share, _ in (line.split(",") for line in table)}
    assert min(feminine[woman] for woman, _ in first_names()) > 0.98
    assert max(feminine[man] for _, man in first_names()) < 0.02

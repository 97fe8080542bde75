"""Groups of an attribute change places in role, number and case; what has no sure partner is left out and told."""

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.contract.bad_input import BadInput
from stages.language.identities import attributes, exchanges

GROUPS = {
    "gender": ("women", "men"),
    "religion": ("Muslim people", "Jewish people"),
    "ethnicity": ("Black people", "white people"),
    "nationality": ("American people", "Mexican people"),
    "sexual_orientation": ("gay and lesbian people", "heterosexual people"),
}


def groups_of(attribute, names=True, chosen=None):
    (found,) = exchanges(attribute, chosen or GROUPS[attribute], names)
    return found


class Case(NamedTuple):
    attribute: str
    text: str
    swapped: str
    direction: str


CASES = [
    Case("gender", "his wife called her and took her book", "her husband called him and took his book", "both"),
    Case("gender", "She hurt herself.", "He hurt himself.", "first to second"),
    Case("gender", "Robert is an actor", "Linda is an actress", "second to first"),
    Case("sexual_orientation", "homosexuals", "heterosexuals", "first to second"),
    Case("sexual_orientation", "HOMOSEXUALS and a homosexual", "HETEROSEXUALS and a heterosexual", "first to second"),
    Case("sexual_orientation", "a lesbian, two lesbians and a lesbian couple", "a straight woman, two straight women and a straight couple",
         "first to second"),
    Case("sexual_orientation", "she is straight; straight people", "she is gay; gay people", "second to first"),
    Case("religion", "A Muslim. He is a Muslim. He is Muslim.", "A Jew. He is a Jew. He is Jewish.", "first to second"),
    Case("religion", "Two Jewish men at the synagogue; Jews", "Two Muslim men at the mosque; Muslims", "second to first"),
    Case("religion", "muslim women and an Imam", "jewish women and a Rabbi", "first to second"),
    Case("religion", "Islam, JUDAISM", "Judaism, ISLAM", "both"),
    Case("ethnicity", "Black men and a white woman", "White men and a black woman", "both"),
    Case("ethnicity", "an African American, said Ebony", "a European American, said Heather", "first to second"),
    Case("ethnicity", "I'm black and proud, whites", "I'm white and proud, blacks", "both"),
    Case("nationality", "an American lives in the USA", "a Mexican lives in Mexico", "first to second"),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.text)
def test_what_becomes_of_a_sentence(case):
    groups = groups_of(case.attribute)
    found = groups(case.text)
    assert (found.text, found.clear, groups.direction(found)) == (case.swapped, True, case.direction)


@pytest.mark.parametrize(
    ("attribute", "text"),
    [
        ("gender", "Jordan lives in Jordan"),
        ("nationality", "Jordan lives in Jordan"),
        ("ethnicity", "a black car in a race, the White House"),
        ("sexual_orientation", "go straight on; he is straight up rude"),
        ("gender", "@Mary was here, mother fucking rain"),
        ("religion", ""),
    ],
)
def test_words_about_nobody_of_these_groups_stay(attribute, text):
    groups = groups_of(attribute)
    found = groups(text)
    assert found == (text, (), ())
    assert groups.direction(found) is None


@pytest.mark.parametrize(
    ("attribute", "text", "open_words"),
    [
        ("religion", "A Muslim woman in a hijab", ("hijab",)),
        ("religion", "The Muslim said so. A Muslim and a friend.", ("Muslim", "Muslim")),
        ("sexual_orientation", "that's so gay", ("gay",)),
        ("nationality", "Native American music", ("Native American",)),
        ("gender", "They told her stories.", ("her",)),
    ],
)
def test_what_has_no_sure_partner_is_told(attribute, text, open_words):
    found = groups_of(attribute)(text)
    assert found.ambiguous == open_words
    assert not found.clear


def test_a_third_group_brings_its_own_partners():
    groups = groups_of("ethnicity", chosen=("Black people", "Hispanic people"))
    assert groups("This is a Latina, that a black man.").text == "This is a black woman, that a Latino man."
    religions = ["Muslim people", "Jewish people", "Hindu people"]
    assert [(found.first, found.second) for found in exchanges("religion", religions, names=True)] == [
        ("Muslim people", "Jewish people"),
        ("Muslim people", "Hindu people"),
        ("Jewish people", "Hindu people"),
    ]


def test_the_order_of_the_groups_turns_the_direction():
    turned = groups_of("gender", chosen=("men", "women"))
    assert turned.direction(turned("She sang.")) == "second to first"


def test_first_names_are_words_only_where_asked():
    assert groups_of("ethnicity", names=False)("Ebony sang.").changed == ()
    assert groups_of("gender", names=True)("Mary sang.").text == "James sang."


WORDS = ["Muslims", "a", "Jewish", "women", "Islam", "synagogue", ",", "and", "rabbi", "is", "."]


@given(st.lists(st.sampled_from(WORDS), max_size=10))
def test_swapping_clear_texts_twice_gives_them_back(words):
    text = " ".join(words)
    groups = groups_of("religion")
    once = groups(text)
    twice = groups(once.text)
    if once.clear and twice.clear:
        assert twice.text == text


@pytest.mark.parametrize("attribute", [name for name in attributes() if name != "gender"])
def test_no_word_of_one_group_is_a_word_of_another(attribute):
    from stages.language.identities import _lists

    lists = _lists(attribute)
    for found in exchanges(attribute, lists.groups, names=False):
        shared = found.words[0] & found.words[1]
        assert not shared, (found.first, found.second)


@pytest.mark.parametrize(
    ("attribute", "chosen", "said"),
    [
        ("shoe", ["left", "right"], "'shoe' has no words; there are gender, ethnicity"),
        ("religion", ["Muslim people", "Sun people"], "'Sun people' is no group of it; there are Muslim people"),
        ("religion", ["Muslim people"], "names 1 of 1 groups"),
        ("gender", ["women", "women"], "names 1 of 2 groups"),
    ],
)
def test_attributes_and_groups_without_words_are_refused(attribute, chosen, said):
    with pytest.raises(BadInput, match=said):
        list(exchanges(attribute, chosen, names=True))

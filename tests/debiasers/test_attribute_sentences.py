"""Sentences are sorted by the sets of the words they hold, and the place of the word is kept."""

from stages.debiasers.attribute_sentences import extract

SETS = {"feminine": {"she", "mother-in-law", "mrs."}, "masculine": {"he", "king"}, "targets": {"nurse", "doctor"}}


def test_each_rule_once() -> None:
    found = extract(
        [
            "My Mother-in-law's dog saw she did",
            "he left Mrs. Smith",
            "The king met a nurse",
            "Nurse and doctor and nurse",
            "nothing here",
            "he",
            " ".join(["he"] * 129),
            " ".join(["he"] * 128),
            "Mrs. Smith",
            "the kingdom of nurses",
        ],
        **SETS,
    )
    assert [(example.word, example.start) for example in found.feminine] == [("mother-in-law", 3), ("mrs", 0)]
    assert [example.word for example in found.masculine] == ["king", "he"]
    assert [(example.word, example.start) for example in found.neutral] == [("nurse", 0), ("doctor", 10)]
    for example in (*found.feminine, *found.masculine, *found.neutral):
        assert example.sentence[example.start : example.end].lower() == example.word

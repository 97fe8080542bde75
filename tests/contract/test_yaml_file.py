"""YAML is read whole or refused in one sentence with its line, in no time, and the same by every reader of ours."""

import contextlib
import re
import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from stages.contract import yaml_file
from stages.contract.bad_input import BadInput
from tests.conftest import ROOT

BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{b}: &{b} [{','.join([f'*{a}'] * 10)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
WRONG = {
    "a: 1\nb: 2\na: 3": "the key 'a' stands twice; leave one in line 3, column 1",
    'a:\n  - {b: 1, c: 2, "b": 3}': "the key 'b' stands twice; leave one in line 2, column 18",
    "a: &x {b: 1}\nc:\n  <<: *x\n  <<: *x": "the key '<<' stands twice; leave one in line 4, column 3",
    "a: 2024-13-45": "it has a date or number that is none: month must be in 1..12",
    "a: " + "9" * 5000: "it has a date or number that is none: Exceeds the limit (4300 digits)",
    "[" * 900: "it is nested more than 40 deep",
    "[" * 100_000: "exceeded maximum nesting depth",
    "a: &x [*x]": "*x stands for nothing that ends before it",
    "a: *x": "*x stands for nothing that ends before it",
    BOMB: "with its aliases written out it has over 1,000,000 values",
    "a: !!python/object/apply:os.system [touch x]": "the tag tag:yaml.org,2002:python/object/apply:os.system is not taken",
    "a: !!bool x": "the tag tag:yaml.org,2002:bool is not taken",
    "a: !!timestamp x": "the tag tag:yaml.org,2002:timestamp is not taken",
    "{[a]: 1}": "a key must be a word",
    "a: 1\n---\nb: 2": "expected a single document",
    "a: [": "did not find expected node content",
    "a: \x00": "control characters are not allowed",
    "a: =": "could not determine a constructor",
}


@pytest.mark.parametrize(("text", "sentence"), WRONG.items(), ids=[str(number) for number in range(len(WRONG))])
def test_what_is_wrong_is_one_sentence(text, sentence):
    started = time.monotonic()
    with pytest.raises(BadInput) as refusal:
        yaml_file.parse(text, "design.yaml")
    assert str(refusal.value).startswith("design.yaml is not valid YAML: ")
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert "unicode string" not in str(refusal.value)
    assert time.monotonic() - started < 1


def test_what_a_merge_brings_may_be_said_anew():
    assert yaml_file.parse("a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3", "design.yaml")["d"] == {"b": 1, "c": 3}


def test_bytes_that_are_no_text_and_files_that_are_none(tmp_path):
    (tmp_path / "utf16.yaml").write_bytes("a: 1".encode("utf-16-le") + b"\xff")
    with pytest.raises(BadInput, match=r"utf16.yaml is not valid YAML: it is not UTF-8"):
        yaml_file.read(tmp_path / "utf16.yaml")
    with pytest.raises(BadInput, match=r"cannot be read: Is a directory"):
        yaml_file.read(tmp_path)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES)
def test_what_yaml_writes_is_read_as_it_was(value):
    assert yaml_file.parse(yaml.safe_dump(value), "design.yaml") == value


@given(st.text() | st.text(alphabet="ab:- \n{}[]&*<!'\"#?|>%@1"))
def test_any_text_is_read_or_refused(text):
    """Nothing but BadInput leaves the reader."""
    with contextlib.suppress(BadInput):
        yaml_file.parse(text, "design.yaml")


def test_nobody_reads_yaml_another_way():
    """The lock file alone, which DVC writes, is read without these refusals: it is long."""
    found = [
        file.relative_to(ROOT).as_posix()
        for folder in ("stages", "flows")
        for file in (ROOT / folder).rglob("*.py")
        if re.search(r"safe_load|yaml\.load\(|YAML\(", file.read_text(encoding="utf-8"))
    ]
    assert sorted(found) == ["flows/revisions.py", "stages/contract/yaml_file.py"]

"""YAML as plain values: no surprises of YAML 1.1, lines of values, and input that is meant to do harm."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punctual.yaml_values import MAX_BYTES, MAX_DEPTH, YamlError, read_documents


def value(text: str) -> Any:
    (document,) = read_documents(text.encode())
    return document.value


@pytest.mark.parametrize(
    "text", ["yes", "off", "010", "0x1f", "1_000", "12:30:45", "2030-01-01", ".inf", "1e5", "=", "+", "0o7"]
)
def test_words_that_yaml_1_1_turns_into_other_values_stay_text(text: str) -> None:
    assert value(f"a: {text}") == {"a": text}


def test_plain_values_have_their_types_and_quoted_ones_are_text() -> None:
    assert value("[1, -2, 1.5, true, False, null, ~, '1', \"true\"]") == [
        1, -2, 1.5, True, False, None, None, "1", "true",
    ]  # fmt: skip


def test_lines_are_those_of_keys_and_items() -> None:
    (document,) = read_documents(b"# c\na:\n  b: 1\n  c:\n  - x\n  - y\n")
    assert [
        document.line_at(path) for path in ((), ("a",), ("a", "b"), ("a", "c", 1), ("a", "z"), ("q",))
    ] == [2, 2, 3, 6, 2, 2]


@pytest.mark.parametrize(
    ("text", "line", "error"),
    [
        ("a: 1\na: 2", 2, "occurs twice"),
        ("a: !!python/object/apply:os.system [x]", 1, "tags"),
        ("a: !env B", 1, "tags"),
        ("a: &x 1\nb: {<<: *x}", 2, "merge keys"),
        ("1: a", 1, "key must be text"),
        ("true: a", 1, "key must be text"),
        ("? [a]\n: b", 1, "key must be text"),
        ("a: &x [*x]", 1, "ended before"),
        ("a: *nothing", 1, "ended before|not YAML"),
        ("a: [", 1, "not YAML"),
        ("a: \x00", 1, "not YAML"),
        ("a: b: c", 1, "not YAML"),
        ("[" * (MAX_DEPTH + 1), 1, "nested deeper"),
        ("[" * 200_000, 1, "nested deeper"),
        ("{a: " * 200_000, 1, "nested deeper"),
        ("- " * 200_000, 1, "nested deeper"),
    ],
)  # fmt: skip
def test_text_that_is_not_read_is_refused_with_its_line(text: str, line: int, error: str) -> None:
    with pytest.raises(YamlError, match=error) as refused:
        list(read_documents(text.encode()))
    assert abs(refused.value.line - line) <= 1


def test_aliases_are_read_and_those_that_grow_without_bounds_are_refused() -> None:
    assert value("a: &x {b: [1]}\nc: *x") == {"a": {"b": [1]}, "c": {"b": [1]}}
    laughs = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 9)
    )
    with pytest.raises(YamlError, match="more than 1,000,000 values"):
        value(laughs)


def test_files_that_are_no_text_or_too_large_are_refused() -> None:
    for data, error in ((b"a: \xff", "not UTF-8"), (b"x" * (MAX_BYTES + 1), "MiB")):
        with pytest.raises(YamlError, match=error):
            list(read_documents(data))
    assert list(read_documents(b"")) == list(read_documents(b"---\n...\n")) == []


@given(st.binary(max_size=60) | st.text("a:-[]{}&*!|>'\"%@#?,\n \t~1<", max_size=40).map(str.encode))
def test_bytes_of_any_kind_are_read_or_refused(data: bytes) -> None:
    try:
        list(read_documents(data))
    except YamlError as error:
        assert error.line >= 1

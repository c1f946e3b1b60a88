"""Properties of event patterns, for any JSON."""

from fnmatch import translate
from re import DOTALL, fullmatch
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.errors import InvalidValueError
from shared.domain.triggers.pattern import Matching, Pattern, compiled, encode_pattern
from shared.domain.triggers.value_tests import matches_pieces, wildcard_pieces

SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats(-1e9, 1e9) | st.text(max_size=6)
)
NAMES = st.text("abc$", min_size=1, max_size=2).filter(lambda name: name != "$or")
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)
EVENTS = st.dictionaries(NAMES, JSON, max_size=4)


def pattern_of(event: Any) -> Any:
    """The pattern of exactly these values; None for a value without any."""
    if isinstance(event, dict):
        members = {name: pattern_of(value) for name, value in event.items()}
        return {name: each for name, each in members.items() if each is not None} or None
    if isinstance(event, list):
        return next((pattern for each in event if (pattern := pattern_of(each)) is not None), None)
    return [event]


def matches(pattern: Pattern, event: Any) -> bool:
    return Matching(event).is_match(pattern)


@given(event=EVENTS)
def test_event_matches_the_pattern_of_its_own_values(event: dict[str, Any]) -> None:
    pattern = pattern_of(event)
    if pattern is not None:
        assert matches(compiled(encode_pattern(pattern)), event)


@given(event=EVENTS, raw=st.dictionaries(NAMES, JSON, max_size=3))
def test_any_json_is_a_pattern_that_answers_or_is_refused_with_a_path(event: Any, raw: Any) -> None:
    try:
        pattern = compiled(encode_pattern(raw))
    except InvalidValueError as refused:
        assert refused.path[0] == "pattern"
    else:
        assert matches(pattern, event) in (True, False)


@given(event=EVENTS, name=NAMES, value=SCALARS)
def test_field_exists_or_does_not(event: dict[str, Any], name: str, value: object) -> None:
    exists = matches(compiled(encode_pattern({name: [{"exists": True}]})), event)
    is_absent = matches(compiled(encode_pattern({name: [{"exists": False}]})), event)
    assert exists is not is_absent
    either = compiled(encode_pattern({"$or": [{name: [value]}, {name: [{"exists": True}]}]}))
    assert matches(either, event) is exists


@given(text=st.text("ab*", max_size=12), value=st.text("ab", max_size=12))
def test_wildcard_agrees_with_the_one_of_file_names(text: str, value: str) -> None:
    if "**" in text:
        with pytest.raises(InvalidValueError):
            wildcard_pieces(text)
        return
    is_match = fullmatch(translate(text), value, DOTALL) is not None
    assert matches_pieces(value, wildcard_pieces(text)) is is_match

"""Event patterns: the operators of EventBridge, arrays, `$or`, and what is refused."""

import ipaddress
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from shared.domain.errors import InvalidValueError
from shared.domain.triggers import pattern as pattern_module
from shared.domain.triggers.pattern import (
    MAX_COMPARISONS,
    MAX_PATTERN_BYTES,
    MAX_TESTS,
    Matching,
    compiled,
    encode_pattern,
)
from shared.domain.triggers.trigger import MAX_TRIGGERS

INSTANCE: dict[str, Any] = {
    "id": "ddddd4-aaaa-7777-4444-345dd43cc333",
    "detail-type": "EC2 Instance State-change Notification",
    "source": "aws.ec2",
    "time": "2017-10-02T16:24:49Z",
    "resources": ["arn:aws:ec2:us-east-1:123456789012:instance/i-000000aaaaaa00000"],
    "detail": {
        "c-count": 5,
        "d-count": 3,
        "x-limit": 301.8,
        "source-ip": "10.0.0.33",
        "instance-id": "i-000000aaaaaa00000",
        "state": "running",
        "none": None,
        "empty": "",
        "on": True,
        "one": 1,
    },
}
"""The event by which Event Ruler's README explains its language, with values of more types."""


def matches(pattern: dict[str, Any], event: dict[str, Any]) -> bool:
    return Matching(event).is_match(compiled(encode_pattern(pattern)))


def detail(name: str, *tests: Any) -> dict[str, Any]:
    return {"detail": {name: list(tests)}}


@pytest.mark.parametrize(
    "pattern",
    [
        {"resources": INSTANCE["resources"], "detail": {"state": ["initializing", "running"]}},
        {"time": [{"prefix": "2017-10-02"}]},
        {"source": [{"suffix": "ec2"}]},
        {"source": [{"equals-ignore-case": "AWS.EC2"}]},
        {"source": [{"wildcard": "aws*2"}]},
        {"source": [{"wildcard": "*.*"}]},
        {"source": [{"prefix": {"equals-ignore-case": "AWS."}}]},
        {"source": [{"suffix": {"equals-ignore-case": ".EC2"}}]},
        detail("state", {"anything-but": "initializing"}),
        detail("x-limit", {"anything-but": 123}),
        detail("state", {"anything-but": ["stopped", "overloaded"]}),
        detail("x-limit", {"anything-but": [100, 200, 300]}),
        detail("state", {"anything-but": {"prefix": "init"}}),
        detail("state", {"anything-but": {"prefix": ["init", "over"]}}),
        detail("state", {"anything-but": {"suffix": "ed"}}),
        detail("state", {"anything-but": {"equals-ignore-case": ["STOPPED", "Init"]}}),
        detail("state", {"anything-but": {"wildcard": "*/lib/*"}}),
        detail("c-count", {"numeric": [">", 0, "<=", 5]}),
        detail("d-count", {"numeric": ["<", 10]}),
        detail("x-limit", {"numeric": ["=", 3.018e2]}),
        detail("source-ip", {"cidr": "10.0.0.0/24"}),
        detail("c-count", {"exists": True}),
        detail("missing", {"exists": False}),
        {"detail": {"deeper": {"missing": [{"exists": False}]}}},
        detail("none", None),
        detail("empty", ""),
        detail("on", True),
        detail("c-count", 5.0),
        detail("state", "stopped", {"prefix": "run"}),
        {"$or": [{"source": ["aws.s3"]}, {"detail": {"state": ["running"]}}]},
        {"source": ["aws.ec2"], "detail": {"$or": [{"c-count": [1]}, {"d-count": [3]}]}},
    ],
    ids=json.dumps,
)
def test_pattern_matches_the_example_of_event_ruler(pattern: dict[str, Any]) -> None:
    assert matches(pattern, INSTANCE)


@pytest.mark.parametrize(
    "pattern",
    [
        {"detail": {"state": ["initializing"]}},
        {"source": [{"prefix": "ec2"}]},
        {"source": [{"suffix": "aws"}]},
        {"source": [{"equals-ignore-case": "AWS"}]},
        {"source": [{"wildcard": "aws*3"}]},
        {"source": [{"wildcard": "aws.ec2*2"}]},
        detail("state", {"anything-but": "running"}),
        detail("state", {"anything-but": ["stopped", "running"]}),
        detail("state", {"anything-but": {"prefix": "run"}}),
        detail("state", {"anything-but": {"suffix": ["ed", "ing"]}}),
        detail("state", {"anything-but": {"equals-ignore-case": "RUNNING"}}),
        detail("state", {"anything-but": {"wildcard": "r*g"}}),
        detail("missing", {"anything-but": "running"}),
        detail("x-limit", {"anything-but": 301.8}),
        detail("c-count", {"numeric": [">", 5]}),
        detail("c-count", {"numeric": [">", 0, "<", 5]}),
        detail("state", {"numeric": ["<", 10]}),
        detail("on", {"numeric": ["=", 1]}),
        detail("source-ip", {"cidr": "10.0.1.0/24"}),
        detail("source-ip", {"cidr": "2001:db8::/32"}),
        detail("state", {"cidr": "0.0.0.0/0"}),
        detail("c-count", {"exists": False}),
        detail("missing", {"exists": True}),
        detail("missing", None),
        detail("none", ""),
        detail("empty", None),
        detail("on", 1),
        detail("one", True),
        detail("c-count", "5"),
        {"detail": {"state": {"deeper": ["running"]}}},
        {"detail": ["running"]},
        {"$or": [{"source": ["aws.s3"]}, {"detail": {"state": ["stopped"]}}]},
        {"source": ["aws.s3"], "$or": [{"detail": {"c-count": [5]}}, {"detail": {"d-count": [3]}}]},
    ],
    ids=json.dumps,
)
def test_pattern_that_differs_from_the_example_does_not_match(pattern: dict[str, Any]) -> None:
    assert not matches(pattern, INSTANCE)


def test_existing_field_is_a_leaf() -> None:
    event = {"detail": {"c-count": {"c1": 100}}}
    assert matches(detail("c-count", {"exists": False}), event)
    assert not matches(detail("c-count", {"exists": True}), event)
    assert not matches(detail("c-count", {"exists": False}), {"detail": {"c-count": [[1]]}})


def test_address_of_version_6_is_inside_its_block() -> None:
    assert matches(detail("ip", {"cidr": "2001:db8::/32"}), {"detail": {"ip": "2001:db8::1"}})
    assert not matches(detail("ip", {"cidr": "2001:db8::/32"}), {"detail": {"ip": "2001:db9::1"}})


@pytest.mark.parametrize(
    ("wildcard", "value", "is_match"),
    [
        ("dir/*.png", "dir/a.png", True),
        ("dir/*.png", "dir/.png", True),
        ("dir/*.png", "dir/a.jpg", False),
        ("a*a", "a", False),
        ("a*b*c", "a-bb-b-c", True),
        ("a*bc*cd", "abcd", False),
        (r"\*", "*", True),
        (r"\*", "a", False),
        (r"a\\*", "a\\b", True),
        (r"*\**", "a*b", True),
        (r"*\**", "ab", False),
        ("*", "", True),
        ("plain", "plain", True),
        ("plain", "plainer", False),
    ],
)
def test_wildcard_stands_for_any_characters(wildcard: str, value: str, is_match: bool) -> None:
    assert matches(detail("file", {"wildcard": wildcard}), {"detail": {"file": value}}) is is_match


def test_wildcard_takes_no_time_for_a_text_that_almost_matches() -> None:
    pattern = detail("file", {"wildcard": "*a" * 1_000 + "*b"})
    event = {"detail": {"file": "a" * 32_000}}
    began = time.process_time()
    assert not matches(pattern, event)
    assert time.process_time() - began < 2


def test_array_matches_by_any_element() -> None:
    event = {"tags": ["new", ["sale", "blue"], 7]}
    assert matches({"tags": ["blue"]}, event)
    assert matches({"tags": [{"numeric": [">", 6]}]}, event)
    assert not matches({"tags": ["red"]}, event)
    assert matches({"tags": [{"exists": False}]}, {"tags": []})


PEOPLE = {"people": [{"first": "Anna", "last": "Xu"}, {"first": "Bob", "last": "Yi"}, "nobody in particular"]}


def test_members_of_an_object_match_one_element_of_an_array() -> None:
    assert matches({"people": {"first": ["Anna"], "last": ["Xu"]}}, PEOPLE)
    assert not matches({"people": {"first": ["Anna"], "last": ["Yi"]}}, PEOPLE)
    assert matches({"people": {"$or": [{"first": ["Bob"]}, {"last": ["Zoe"]}], "last": ["Yi"]}}, PEOPLE)
    assert not matches({"people": {"$or": [{"first": ["Bob"]}, {"last": ["Zoe"]}], "last": ["Xu"]}}, PEOPLE)


def test_field_is_absent_only_if_no_element_has_it() -> None:
    event = {"people": [{"first": "Anna"}, {"first": "Bob", "last": "Yi"}]}
    assert not matches({"people": {"last": [{"exists": False}]}}, event)
    assert matches({"people": {"middle": [{"exists": False}], "first": ["Bob"]}}, event)


@pytest.mark.parametrize(
    ("pattern", "path", "text"),
    [
        ({}, "", "an empty object"),
        ({"a": {}}, "a", "an empty object"),
        ({"a": []}, "a", "an empty array"),
        ({"a": "b"}, "a", "must be an object, or an array"),
        ({"a": [["b"]]}, "a/0", "an array in an array"),
        ({"a": [{}]}, "a/0", "exactly one operator, and this one has 0"),
        ({"a": [{"prefix": "a", "suffix": "b"}]}, "a/0", "and this one has 2"),
        ({"a": [{"contains": "b"}]}, "a/0/contains", "use prefix, suffix"),
        ({"a": [{"prefix": 1}]}, "a/0/prefix", "must be a string"),
        ({"a": [{"prefix": {"suffix": "a"}}]}, "a/0/prefix/suffix", "use equals-ignore-case"),
        ({"a": ["b", {"prefix": {"equals-ignore-case": 1}}]}, "a/1/prefix/equals-ignore-case", "a string"),
        ({"a": [{"exists": "yes"}]}, "a/0/exists", "true or false"),
        ({"a": [{"wildcard": "a**"}]}, "a/0/wildcard", "two asterisks"),
        ({"a": [{"wildcard": "a\\b"}]}, "a/0/wildcard", "a backslash"),
        ({"a": [{"wildcard": "a\\"}]}, "a/0/wildcard", "a backslash"),
        ({"a": [{"numeric": []}]}, "a/0/numeric", "one or two comparisons"),
        ({"a": [{"numeric": ["=>", 1]}]}, "a/0/numeric/0", "must be one of"),
        ({"a": [{"numeric": [">", "1"]}]}, "a/0/numeric/1", "must be a number"),
        ({"a": [{"numeric": [">", True]}]}, "a/0/numeric/1", "must be a number"),
        ({"a": [{"numeric": [">", 5, "<", 5]}]}, "a/0/numeric", "lower bound first"),
        ({"a": [{"numeric": ["<", 5, ">", 0]}]}, "a/0/numeric", "lower bound first"),
        ({"a": [{"cidr": "10.0.0.1"}]}, "a/0/cidr", "not a block of addresses"),
        ({"a": [{"cidr": "10.0.0.0/33"}]}, "a/0/cidr", "not a block of addresses"),
        ({"a": [{"anything-but": []}]}, "a/0/anything-but", "excludes nothing"),
        ({"a": [{"anything-but": [None]}]}, "a/0/anything-but/0", "a string or a number"),
        ({"a": [{"anything-but": True}]}, "a/0/anything-but", "a string or a number"),
        ({"a": [{"anything-but": {"cidr": "::/0"}}]}, "a/0/anything-but/cidr", "use prefix"),
        ({"a": [{"anything-but": {"prefix": ["b", ""]}}]}, "a/0/anything-but/prefix", "exclude each string"),
        (
            {"a": [{"anything-but": {"wildcard": ["a", "**"]}}]},
            "a/0/anything-but/wildcard/1",
            "two asterisks",
        ),
        ({"$or": [{"a": ["b"]}]}, "$or", "at least two objects"),
        ({"$or": [{"a": ["b"]}, {}]}, "$or/1", "an empty object"),
        ({"a": [str(each) for each in range(201)]}, "a/200", "at most 200 values"),
        ({"a": [{"wildcard": f"{each}*"} for each in range(21)]}, "a/20", "at most 20 wildcards"),
        ({"a": ["b", {"anything-but": [*range(200)]}]}, "a/1", "at most 200 values"),
        ({"a": [{"anything-but": {"prefix": ["b"] * 201}}]}, "a/0", "at most 200 values"),
        ({"a": [{"anything-but": {"wildcard": ["b*"] * 21}}]}, "a/0", "at most 20 wildcards"),
    ],
)
def test_pattern_that_cannot_be_is_refused_with_the_path_of_its_fault(
    pattern: dict[str, Any], path: str, text: str
) -> None:
    with pytest.raises(InvalidValueError) as refused:
        encode_pattern(pattern)
    assert "/".join(refused.value.path) == f"pattern/{path}".rstrip("/")
    assert text in str(refused.value)


@pytest.mark.parametrize("name", ["a", "$or"])
def test_pattern_that_is_too_deep_is_refused(name: str) -> None:
    pattern: Any = {"a": ["b"]}
    for _ in range(29):
        pattern = {"a": pattern} if name == "a" else {"$or": [{"c": ["d"]}, pattern]}
    with pytest.raises(InvalidValueError, match="10 objects deep"):
        encode_pattern(pattern)


def test_pattern_that_is_too_large_is_refused() -> None:
    fits = {"a": ["ä" * ((MAX_PATTERN_BYTES - len('{"a":[""]}')) // 2)]}
    assert encode_pattern(fits)
    with pytest.raises(InvalidValueError, match="at most 4096 bytes, not 4098"):
        encode_pattern({"a": ["ä" * ((MAX_PATTERN_BYTES - len('{"a":[""]}')) // 2 + 1)]})


def test_deep_event_is_matched_without_recursion() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    assert matches({"a": [1]}, {"a": deep})


def comparisons(pattern: dict[str, Any], event: dict[str, Any], patterns: int = 1) -> int:
    """How many comparisons so many equal patterns take together."""
    matching = Matching(event)
    for _ in range(patterns):
        matching.is_match(compiled(encode_pattern(pattern)))
    return matching.comparisons


@contextmanager
def counted_calls() -> Iterator[list[int]]:
    """The number of calls of functions, in Python and in C: a measure of work that no other process changes."""
    calls = [0]

    def count(_frame: object, kind: str, _argument: object) -> None:
        calls[0] += kind in ("call", "c_call")

    sys.setprofile(count)
    try:
        yield calls
    finally:
        sys.setprofile(None)


BUDGET = 20_000
MANY: dict[str, list[Any]] = {
    "texts": ["a"] * 8_000,
    "addresses": [f"10.{each // 200}.{each % 200}.1" for each in range(2_500)],
    "numbers": [7] * 16_000,
    "objects": [{}] * 10_000,
    "arrays": [[]] * 10_000,
    "short texts": ["aaaaaaa"] * 3_200,
    "long text": ["a" * 32_000],
}
HOSTILE: dict[str, Any] = {
    "exact value": ["b"],
    "exact values": [f"b{each}" for each in range(MAX_TESTS)],
    "anything but": [{"anything-but": ["a", 7, *(f"b{each}" for each in range(MAX_TESTS - 2))]}],
    "anything but prefixes": [{"anything-but": {"prefix": [f"b{each}" for each in range(MAX_TESTS)]}}],
    "prefixes": [{"prefix": f"b{each}"} for each in range(MAX_TESTS)],
    "in any case": [{"equals-ignore-case": f"b{each}"} for each in range(120)],
    "addresses": [{"cidr": f"11.{each}.0.0/16"} for each in range(150)],
    "ranges": [{"numeric": [">", 0, "<", each + 1]} for each in range(7)],
    "wildcards": [{"wildcard": "*a" * 6 + "*b*"}] * 20,
    "pieces": [{"wildcard": "*a" * 1_500 + "*b*"}],
    "objects": {"b": {"c": {"d": ["e"]}}},
    "alternatives": {"$or": [{f"b{each}": ["c"]} for each in range(MAX_TESTS)]},
    "absence": {"$or": [{f"b{each}": [{"exists": False}], "c": ["d"]} for each in range(60)]},
}


@pytest.mark.parametrize("values", MANY)
@pytest.mark.parametrize("tests", HOSTILE)
def test_event_takes_no_more_calls_than_its_comparisons_allow(
    tests: str, values: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pattern_module, "MAX_COMPARISONS", BUDGET)
    patterns = [compiled(encode_pattern({"data": {"a": HOSTILE[tests]}}))] * MAX_TRIGGERS
    matching = Matching({"data": {"a": MANY[values]}})
    with counted_calls() as calls:
        try:
            matches = [matching.is_match(each) for each in patterns]
        except InvalidValueError as refused:
            assert "comparisons" in str(refused)
            assert refused.path == ("data",)
        else:
            assert len(matches) == MAX_TRIGGERS
    assert calls[0] < 12 * BUDGET


def test_ordinary_event_takes_few_comparisons_with_all_triggers() -> None:
    pattern = {"source": ["shop"], "data": {"amount": [{"numeric": [">=", 100]}], "tags": ["a", "b", "c"]}}
    event = {"source": "shop", "data": {"amount": 120, "tags": [f"t{each}" for each in range(100)]}}
    assert comparisons(pattern, event, MAX_TRIGGERS) < MAX_COMPARISONS // 50


@pytest.mark.parametrize("values", [[*range(MAX_TESTS)], [{"anything-but": [*range(MAX_TESTS)]}]])
def test_exact_values_take_no_more_comparisons_than_one(values: list[Any]) -> None:
    event = {"a": [1_000] * 100}
    assert comparisons({"a": values}, event) <= comparisons({"a": [{"anything-but": 0}]}, event) + 200


def test_address_of_an_event_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = {"a": [{"cidr": f"10.{each}.0.0/16"} for each in range(100)]}
    compiled(encode_pattern(pattern))
    read: list[str] = []
    real = ipaddress.ip_address

    def noted(text: str) -> object:
        read.append(text)
        return real(text)

    monkeypatch.setattr(ipaddress, "ip_address", noted)
    assert comparisons(pattern, {"a": ["11.0.0.1", "11.0.0.1", "none"]}, MAX_TRIGGERS) > 0
    assert read == ["none", "11.0.0.1"]


def test_long_text_is_no_address() -> None:
    assert not matches(detail("ip", {"cidr": "0.0.0.0/0"}), {"detail": {"ip": "1" * 32_000}})
    assert matches(detail("ip", {"cidr": "fe80::/16"}), {"detail": {"ip": "fe80::1%eth0"}})

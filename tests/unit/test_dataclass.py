"""`shared.dataclass` makes what the standard library would make of the same class."""

import copy
import dataclasses
import pickle
from dataclasses import field, fields, replace
from typing import Any

import pytest

from shared.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    x: int
    y: int = 2
    tags: tuple[str, ...] = ()
    seen: int = field(default=0, compare=False)
    secret: str = field(default="s", repr=False)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _Standard:
    x: int
    y: int = 2
    tags: tuple[str, ...] = ()
    seen: int = field(default=0, compare=False)
    secret: str = field(default="s", repr=False)


@dataclass(slots=True)
class Counter:
    """A class with a docstring."""

    value: int = 0
    parts: list[Any] = field(default_factory=list)


@dataclass(frozen=True, slots=True, order=True)
class Version:
    major: int
    minor: int = 0


@dataclass(frozen=True, slots=True)
class Marker:
    pass


VALUES: list[dict[str, Any]] = [
    {"x": 1},
    {"x": 1, "seen": 3},
    {"x": 1, "y": 3},
    {"x": 2, "secret": "t"},
    {"x": 1, "tags": ("a",)},
]


def test_fields_decide_equality_and_hashes_as_in_the_standard_library() -> None:
    for one in VALUES:
        for other in VALUES:
            is_equal = _Standard(**one) == _Standard(**other)
            assert (Point(**one) == Point(**other)) is is_equal
            assert (hash(Point(**one)) == hash(Point(**other))) is is_equal
    others: list[object] = [_Standard(x=1), Version(1)]
    assert Point(x=1) not in others


@pytest.mark.parametrize("values", VALUES)
def test_representation_shows_the_fields_that_may_be_shown(values: dict[str, Any]) -> None:
    assert repr(Point(**values)) == repr(_Standard(**values)).replace("_Standard", "Point")
    assert "secret" not in repr(Point(**values))


def test_tools_of_the_standard_library_see_an_ordinary_dataclass() -> None:
    point = Point(x=1, tags=("a",))
    assert replace(point, y=5) == Point(x=1, y=5, tags=("a",))
    assert [each.name for each in fields(Point)] == [each.name for each in fields(_Standard)]
    assert dataclasses.asdict(point) == dataclasses.asdict(_Standard(x=1, tags=("a",)))
    assert pickle.loads(pickle.dumps(point)) == copy.deepcopy(point) == point
    assert not hasattr(point, "__dict__")


def test_mutable_class_has_no_hash() -> None:
    @dataclass(slots=True)
    class Total:
        value: int

    assert Total(1) == Total(1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(Total(1))


def test_order_is_that_of_the_fields() -> None:
    assert sorted([Version(2), Version(1, 5), Version(1)]) == [Version(1), Version(1, 5), Version(2)]
    assert len({Version(1), Version(1), Version(2)}) == 2


def test_instances_without_fields_are_equal() -> None:
    assert Marker() == Marker()
    assert hash(Marker()) == hash(Marker())
    assert repr(Marker()) == "Marker()"


def test_identity_decides_where_a_class_asks_for_it() -> None:
    @dataclass(slots=True, eq=False)
    class Task:
        name: str

    task = Task("a")
    assert task != Task("a")
    assert {task: 1}[task] == 1


def test_representation_ends_where_an_instance_contains_itself() -> None:
    counter = Counter()
    counter.parts.append(counter)
    assert repr(counter) == "Counter(value=0, parts=[...])"


def test_own_docstring_stays() -> None:
    assert Counter.__doc__ == "A class with a docstring."

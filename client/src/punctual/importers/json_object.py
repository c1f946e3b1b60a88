"""Reads the members of a JSON object of a source, by type, with errors that name the member."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")


class MemberError(ValueError):
    """A member is missing or has another type than the source gives it."""


@dataclass(frozen=True, slots=True)
class JsonObject:
    """An object, and the members that were read; `path` is the object's place in its document."""

    members: Mapping[str, Any]
    path: str = ""
    used: set[str] = field(default_factory=set)

    def get(self, name: str, kind: type[T]) -> T | None:
        """Return a member, or None where it is absent or null. Raises MemberError for another type."""
        self.used.add(name)
        value = self.members.get(name)
        if value is None:
            return None
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise MemberError(f"{self.path}{name}: not a {_NAMES.get(kind, kind.__name__)}")
        return value

    def require(self, name: str, kind: type[T]) -> T:
        """Return a member. Raises MemberError where it is absent or null, too."""
        value = self.get(name, kind)
        if value is None:
            raise MemberError(f"{self.path}{name}: is missing")
        return value

    def object(self, name: str) -> "JsonObject":
        """Return an inner object, which is empty where it is absent."""
        return JsonObject(self.get(name, dict) or {}, f"{self.path}{name}.")

    def skip(self, *names: str) -> None:
        """Count members as read that have no counterpart and no effect on calls."""
        self.used.update(names)

    def unused(self) -> list[str]:
        """Return the members that were not read, sorted, and without those that are null."""
        left = {name for name, value in self.members.items() if value is not None} - self.used
        return sorted(f"{self.path}{name}"[:80] for name in left)


_NAMES: dict[type, str] = {str: "text", int: "whole number", dict: "object", list: "list", bool: "boolean"}

"""Find the route of a request. A path that is one of the table's own is never taken for one with ids."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import field
from typing import Generic, TypeVar

from functions.api.http.problems import Problem, ProblemError
from shared.dataclass import dataclass

T = TypeVar("T")


@dataclass(slots=True)
class _Path(Generic[T]):
    """A path of the table, with the targets of its methods."""

    parts: tuple[str, ...]
    """The names of ids stand in angle brackets."""
    targets: dict[str, T] = field(default_factory=dict)

    def values(self, parts: list[str]) -> dict[str, str] | None:
        """The ids in a path with the same number of parts, by name; None where the path is another."""
        found = {}
        for own, part in zip(self.parts, parts, strict=True):
            if own.startswith("<") and part:
                found[own[1:-1]] = part
            elif own != part:
                return None
        return found


class Router(Generic[T]):
    """Compares whole parts of a path, as they stand: no spelling of a path is that of another one."""

    def __init__(self, table: Mapping[tuple[str, str], T]) -> None:
        """The targets, by method and path."""
        self._paths: dict[str, _Path[T]] = {}
        self._with_ids: dict[int, list[_Path[T]]] = defaultdict(list)
        for (method, text), target in table.items():
            if text not in self._paths:
                path = self._paths[text] = _Path(tuple(text.split("/")))
                if "<" in text:
                    self._with_ids[len(path.parts)].append(path)
            self._paths[text].targets[method] = target

    def find(self, method: str, path: str) -> tuple[T, dict[str, str]]:
        """The target, and the ids in the path by name; ProblemError with a 404 or a 405."""
        matches = self._matches(path)
        for match, values in matches:
            if method in match.targets:
                return match.targets[method], values
        methods = {each for match, _ in matches for each in match.targets}
        if not methods:
            raise ProblemError(Problem.NOT_FOUND, "there is no such path")
        allowed = ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))
        raise ProblemError(
            Problem.METHOD_NOT_ALLOWED,
            f"{path} has {allowed}{self._missing_id(method, path)}",
            headers={"Allow": allowed},
        )

    def _matches(self, path: str) -> list[tuple[_Path[T], dict[str, str]]]:
        literal = self._paths.get(path)
        # A path with the table's own brackets is no literal one: its handler would look for an id in vain.
        if literal is not None and "<" not in path:
            return [(literal, {})]
        parts = path.split("/")
        found = [(each, each.values(parts)) for each in self._with_ids.get(len(parts), ())]
        return [(each, values) for each, values in found if values is not None]

    def _missing_id(self, method: str, path: str) -> str:
        """What a request to an action, such as /v1/jobs/pause, may have left out."""
        parent, _, action = path.rpartition("/")
        known = self._paths.get(f"{parent}/<job_id>/{action}")
        is_action = known is not None and method in known.targets
        return f"; {action} needs the id of a job: {parent}/{{job_id}}/{action}" if is_action else ""

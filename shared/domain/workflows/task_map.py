"""A map: a task that is called once for each element of an array in another task's result."""

import re
from collections.abc import Iterator

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError

MAX_ITEMS = 100
MAX_EXECUTIONS = 1_000
"""Executions that one epoch of a run can have: one for each task, and `MAX_ITEMS` for each map."""
MAX_PATH_BYTES = 256
MAX_PATH_DEPTH = 32
_TOKEN = re.compile(r"(?:[^~]|~[01])*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskMap:
    """Where the array is. The items of a map are the executions for its elements."""

    over: str
    """The task in `after` whose result is the array, or contains it."""
    path: str = ""
    """A JSON Pointer (RFC 6901) into the result; empty for the result itself."""


def pointer_tokens(path: str) -> list[str]:
    """The names and positions along a JSON Pointer; InvalidValueError for any other text."""
    if path and not path.startswith("/"):
        raise InvalidValueError("a JSON Pointer is empty or begins with /, such as /data/files")
    tokens = path.split("/")[1:]
    if len(path.encode(errors="surrogatepass")) > MAX_PATH_BYTES or len(tokens) > MAX_PATH_DEPTH:
        raise InvalidValueError(f"a path has at most {MAX_PATH_BYTES} bytes and {MAX_PATH_DEPTH} names")
    for token in tokens:
        if _TOKEN.fullmatch(token) is None:
            raise InvalidValueError("in a JSON Pointer, write ~0 for ~ and ~1 for / within a name")
    return [token.replace("~1", "/").replace("~0", "~") for token in tokens]


def map_errors(task_map: TaskMap, after: tuple[str, ...], index: int) -> Iterator[InvalidValueError]:
    """The faults of a map in the task with this position."""
    path = ("tasks", str(index), "map")
    if task_map.over not in after:
        text = f"add {task_map.over[:64]!a} to after: a map goes over the result of a task in after"
        yield InvalidValueError(text, path=(*path, "over"))
    try:
        pointer_tokens(task_map.path)
    except InvalidValueError as error:
        yield InvalidValueError(str(error), path=(*path, "path"))

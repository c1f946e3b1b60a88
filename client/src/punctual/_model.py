"""What the generated models build on: structs whose texts hide secrets, and the types of their members."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import msgspec

if TYPE_CHECKING:
    from punctual.problems import ApiError

    Instant = str | datetime
else:
    # A member of JSON has one type; the texts of instants are what is decoded.
    Instant = str

HIDDEN = "[hidden]"


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """An object of the API. Unknown members of an answer are ignored."""

    _hidden: ClassVar[frozenset[str]] = frozenset()
    """The members that are never part of the text of a model."""

    def __repr__(self) -> str:
        """The members that are set, without the values of secret ones."""
        shown = (f"{name}={self._shown(name)}" for name in self.__struct_fields__ if self._is_set(name))
        return f"{type(self).__name__}({', '.join(shown)})"

    def __rich_repr__(self) -> Any:
        """The same for rich, which would otherwise read the members itself."""
        for name in self.__struct_fields__:
            if self._is_set(name):
                yield name, HIDDEN if name in self._hidden else getattr(self, name)

    def _is_set(self, name: str) -> bool:
        return getattr(self, name) is not msgspec.UNSET

    def _shown(self, name: str) -> str:
        value = getattr(self, name)
        return HIDDEN if name in self._hidden and value is not None else repr(value)


class Request(Model, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An object of a request. `UNSET` members are not sent; `None` is sent as null."""


class HasId(Protocol):
    """A job, an execution, or another object with an `id`."""

    @property
    def id(self) -> str:
        """The id in the API."""


Ref = str | HasId
"""An id, or an object that has one."""


class BatchResults(Model, frozen=True, kw_only=True):
    """The results of a batch, in the order of its jobs."""

    results: tuple[Any, ...]

    @property
    def refused(self) -> "tuple[tuple[int, ApiError], ...]":
        """The place in the batch, from 0, and the error of each job that was not created."""
        from punctual._problem_documents import error_of

        return tuple(
            (place, error_of(result.status, _document(result.problem)))
            for place, result in enumerate(self.results)
            if result.problem is not None
        )

    def raise_for_refused(self) -> None:
        """Raise BatchRefusedError unless every job was created."""
        from punctual.errors import BatchRefusedError

        if refused := self.refused:
            raise BatchRefusedError(refused, total=len(self.results))


def _document(problem: Any) -> Mapping[str, Any]:
    document: Mapping[str, Any] = msgspec.to_builtins(problem)
    return document

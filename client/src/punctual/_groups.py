"""What the groups of methods ask of their client."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from punctual._model import Ref
from punctual._operation import Operation, T
from punctual._values import IfMatch
from punctual.models import Batch, JobIn


class Page(Protocol):
    """A page of a list."""

    @property
    def next_cursor(self) -> str | None:
        """Leads to the next page; None on the last."""


P = TypeVar("P", bound=Page)
Item = TypeVar("Item")


class Arguments(Protocol):
    """Arguments of methods as the API wants them."""

    def instant(self, value: Any) -> Any: ...

    def revision_of(self, job: Ref, if_match: IfMatch | None) -> str: ...

    def reference(self, value: Any) -> Any: ...


class Caller(Arguments, Protocol):
    """What `Punctual` does for its groups."""

    def call(self, operation: Operation[T], *ids: Ref, **parts: Any) -> T: ...

    def create_batch(self, jobs: Iterable[JobIn | Mapping[str, Any]], **parts: str | None) -> Batch: ...

    def pages(
        self, read: Callable[[str | None], P], items: Callable[[P], Sequence[Item]]
    ) -> Iterator[Item]: ...


class AsyncCaller(Arguments, Protocol):
    """What `AsyncPunctual` does for its groups."""

    async def call(self, operation: Operation[T], *ids: Ref, **parts: Any) -> T: ...

    async def create_batch(self, jobs: Iterable[JobIn | Mapping[str, Any]], **parts: str | None) -> Batch: ...

    def pages(
        self, read: Callable[[str | None], Awaitable[P]], items: Callable[[P], Sequence[Item]]
    ) -> AsyncIterator[Item]: ...


class Group:
    """Operations about one kind of object."""

    def __init__(self, client: Caller) -> None:
        self._client = client


class AsyncGroup:
    """Operations about one kind of object, to be awaited."""

    def __init__(self, client: AsyncCaller) -> None:
        self._client = client

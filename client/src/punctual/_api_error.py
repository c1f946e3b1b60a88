"""The base of the errors that the API answers with."""

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from punctual.errors import RequestError


class FieldError(NamedTuple):
    """One error in a body: where it is, as a JSON pointer, and what it is."""

    pointer: str
    detail: str


class ApiError(RequestError):
    """The API, or the gateway before it, refused a request."""

    slug: ClassVar[str | None] = None
    """The problem type of the class."""

    def __init__(
        self,
        *,
        status: int,
        type: str | None,  # noqa: A002 - the member of the problem document
        title: str,
        detail: str,
        instance: str | None = None,
        quota: str | None = None,
        errors: Sequence[tuple[str, str]] = (),
        operation: str = "createJobs",
        idempotency_key: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        fields = "".join(
            f"; {pointer or '/'}: {text}" for pointer, text in errors if text != detail or pointer
        )
        told = f" [{instance}]" if instance else ""
        super().__init__(
            f"{status} {type or 'of the gateway'}: {detail}{fields}{told}",
            operation=operation,
            idempotency_key=idempotency_key,
        )
        self.status = status
        """The HTTP status."""
        self.type = type
        """The problem type, such as `not-found`; None for an answer of the gateway."""
        self.title = title
        """The same words for every problem of this type."""
        self.detail = detail
        """What is wrong with this request."""
        self.instance = instance
        """Identifies the request in the operator's logs."""
        self.quota = quota
        """The quota that is used up, or that limits the rate."""
        self.errors = tuple(FieldError(*each) for each in errors)
        """Every error of the body."""
        self.retry_after = retry_after
        """Seconds after which the same request may succeed."""

    @property
    def pointers(self) -> tuple[str, ...]:
        """Where the errors of the body are, as JSON pointers."""
        return tuple(each.pointer for each in self.errors)

    @property
    def pointer(self) -> str | None:
        """Where the first error of the body is."""
        return self.errors[0].pointer if self.errors else None

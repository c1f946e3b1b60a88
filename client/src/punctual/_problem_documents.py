"""Answers of the API that say no, as exceptions."""

from collections.abc import Mapping
from typing import Any

import msgspec

from punctual.problems import (
    PROBLEMS,
    ApiError,
    InternalError,
    PayloadTooLargeError,
    RateLimitedError,
    ServiceUnavailableError,
)

CONTENT_TYPE = "application/problem+json"
URN = "urn:punctual:problem:"
_OF_THE_GATEWAY: dict[int, type[ApiError]] = {
    413: PayloadTooLargeError,
    429: RateLimitedError,
    500: InternalError,
    502: ServiceUnavailableError,
    503: ServiceUnavailableError,
    504: ServiceUnavailableError,
}
"""What the gateway answers by itself, without a problem document."""


def document_of(headers: Mapping[str, str], body: bytes) -> dict[str, Any] | None:
    """The problem document of an answer; None if it has none, as the answers of a gateway or proxy."""
    if headers.get("content-type", "").partition(";")[0].strip().lower() != CONTENT_TYPE:
        return None
    try:
        document = msgspec.json.decode(body)
    except (msgspec.DecodeError, ValueError):
        return None
    return document if isinstance(document, dict) else None


def error_of(status: int, document: Mapping[str, Any] | None, **sent: Any) -> ApiError:
    """The error for an answer, of the class of its problem type.

    A type that this version does not know is an `ApiError`. `sent` has what `ApiError` knows of the request.
    """
    if document is None:
        kind = _OF_THE_GATEWAY.get(status, ApiError)
        return kind(
            status=status, type=None, title="", detail=f"status {status} without a problem document", **sent
        )
    slug = _text(document, "type").removeprefix(URN)
    return PROBLEMS.get(slug, ApiError)(
        status=status,
        type=slug,
        title=_text(document, "title"),
        detail=_text(document, "detail"),
        instance=_text(document, "instance") or None,
        quota=_text(document, "quota") or None,
        errors=tuple(_errors(document.get("errors"))),
        **sent,
    )


def _text(document: Mapping[str, Any], name: str) -> str:
    value = document.get(name)
    return value if isinstance(value, str) else ""


def _errors(errors: Any) -> list[tuple[str, str]]:
    listed = errors if isinstance(errors, list | tuple) else []
    return [(_text(each, "pointer"), _text(each, "detail")) for each in listed if isinstance(each, dict)]

"""Answers, as a page shows them and as they are: of the API, and of receivers."""

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from shared.domain.delivery.callback import CallbackResponse, Reason

ANY = "..."


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request that reached the API, and the answer."""

    request: str
    status: int
    text: str


def receiver_response(status: int, headers: dict[str, str], body: bytes = b"") -> CallbackResponse:
    """The outcome of a call whose receiver answers so. The body counts for tasks whose results are needed."""
    is_success = 200 <= status < 300
    retry_after = headers.get("Retry-After")
    no_retry = headers.get("X-Punctual-No-Retry") == "true"
    failed = Reason.RECEIVER_GAVE_UP if no_retry else Reason.HTTP_STATUS
    return CallbackResponse(
        reason=Reason.OK if is_success else failed,
        duration_ms=5,
        status=status,
        retry_after_seconds=int(retry_after) if retry_after else None,
        body=body,
        async_accepted=status == HTTPStatus.ACCEPTED and headers.get("X-Punctual-Async") == "true",
    )


def compare(shown: Any, real: Any, place: str = "") -> None:
    """AssertionError where an answer is not as shown."""
    if isinstance(shown, str) and ANY in shown:
        pattern = ".*".join(re.escape(part) for part in shown.split(ANY))
        assert shown == ANY or re.fullmatch(pattern, str(real)), (place, shown, real)
    elif isinstance(shown, dict):
        assert isinstance(real, dict), (place, real)
        names = shown.keys() - {ANY}
        assert names <= real.keys() and (ANY in shown or names == real.keys()), (place, names ^ real.keys())
        for name in sorted(names):
            compare(shown[name], real[name], f"{place}/{name}")
    elif isinstance(shown, list):
        has_rest = shown[-1:] == [ANY]
        items = shown[: len(shown) - has_rest]
        assert isinstance(real, list) and len(items) <= len(real), (place, real)
        assert has_rest or len(items) == len(real), (place, real)
        for number, item in enumerate(items):
            compare(item, real[number], f"{place}/{number}")
    else:
        assert shown == real and type(shown) is type(real), (place, shown, real)


def check_success(exchange: Exchange) -> None:
    """AssertionError for a request that did not succeed."""
    assert exchange.status < HTTPStatus.MULTIPLE_CHOICES, exchange

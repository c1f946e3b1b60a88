"""An event that starts jobs, and the body with which it reaches them."""

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from shared.dataclass import dataclass
from shared.domain.delivery.request import Request
from shared.domain.errors import InvalidStateError, InvalidValueError, ScheduleError, ScheduleInPastError
from shared.domain.schedules.instants import check_once
from shared.names import MAX_PAYLOAD_BYTES

MAX_DATA_BYTES: Final = 32 * 1024
"""Of the data of an event, as compact JSON in UTF-8."""
MAX_TEXT: Final = 256
"""Characters of the source, the type and the ID of an event."""
DEDUPLICATION_SECONDS: Final = 86_400
"""How long an event with the same source and ID is a repetition."""
_WITHOUT_BODY: Final = ("GET", "HEAD")


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Source and ID name an event: another one with both is a repetition. InvalidValueError for one that is none."""

    source: str
    type: str
    id: str
    data: Mapping[str, Any]
    deliver_at: int | None = None
    """The instant at which the event counts, in UTC ms; None for now."""

    def __post_init__(self) -> None:
        for name in ("source", "type", "id"):
            text = getattr(self, name)
            if not 1 <= len(text) <= MAX_TEXT or not text.isprintable():
                raise InvalidValueError(f"must have 1 to {MAX_TEXT} printable characters", path=(name,))
        size = len(_json(self.data).encode())
        if size > MAX_DATA_BYTES:
            raise InvalidValueError(
                f"the data has at most {MAX_DATA_BYTES} bytes, not {size}", path=("data",)
            )

    @property
    def document(self) -> dict[str, Any]:
        """What patterns match, and what reaches the call."""
        return {"source": self.source, "type": self.type, "id": self.id, "data": self.data}

    @property
    def encoded(self) -> bytes:
        """Equal for repetitions of one event alone."""
        return _json([self.document, self.deliver_at], sort_keys=True).encode()


def passed_instant(event: Event, now_ms: int) -> InvalidValueError | None:
    """The refusal of an instant in the past, which a repetition may have. InvalidValueError for one too far ahead."""
    try:
        check_once(now_ms if event.deliver_at is None else event.deliver_at, now_ms)
    except ScheduleError as error:
        text = str(error).removeprefix("at: ")
        refusal = InvalidValueError(f"deliver_at: {text}", path=("deliver_at",))
        if isinstance(error, ScheduleInPastError):
            return refusal
        raise refusal from error
    return None


def with_event(request: Request, event: Event) -> Request:
    """The request with the event in its body, beside the body that it had. A GET or HEAD request has no body and stays
    as it is. The start of a workflow gets the event as the input of its run.

    InvalidStateError where both together are too large for a body.
    """
    if request.workflow_id is not None:
        return replace(request, body=_json(event.document).encode())
    if request.method in _WITHOUT_BODY:
        return request
    body = _body({"event": event.document, **_own_body(request.body)})
    if len(body) > MAX_PAYLOAD_BYTES:
        raise InvalidStateError(
            f"the event and the job's own body have {len(body)} bytes together: at most {MAX_PAYLOAD_BYTES} are sent"
        )
    if request.target is not None:
        return replace(request, body=body)
    headers = tuple(each for each in request.headers if each[0].lower() != "content-type")
    return replace(request, body=body, headers=(*headers, ("Content-Type", "application/json")))


def _own_body(body: bytes) -> dict[str, Any]:
    """The job's own body: as JSON if it is JSON, as text if it is text, and otherwise in base64."""
    if not body:
        return {"body": None}
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return {"body_base64": b64encode(body).decode()}
    try:
        own = {"body": json.loads(text)}
        # Some JSON has no JSON form in UTF-8 once it is read, such as 1e999 and half a surrogate pair.
        _body(own)
    except (ValueError, RecursionError):
        return {"body": text}
    return own


def _body(document: dict[str, Any]) -> bytes:
    """As JSON that queues take as well: SQS refuses U+FFFE and U+FFFF."""
    text = _json(document).replace("\ufffe", r"\ufffe").replace("\uffff", r"\uffff")
    return text.encode()


def _json(value: object, *, sort_keys: bool = False) -> str:
    """ValueError for numbers that JSON does not have."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=sort_keys)

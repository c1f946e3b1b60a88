"""Encodes wake-ups as message bodies and decodes them. A body with a newer version is rejected."""

from typing import Annotated, Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from shared.domain.delivery.destination import DESTINATION
from shared.domain.dispatch.wakeup import MAX_KEYS, Wakeup
from shared.domain.errors import InvalidValueError, NewerMessageError
from shared.domain.ids import parse_execution_id
from shared.names import Lane, QueueName

VERSION = 2
FIRST_VERSION = 1
"""Without destinations and waiting. Such messages may be in flight during a deployment."""
MAX_WAITED = 1_000_000
_SINCE_2 = frozenset({"to", "via", "waited", "ends_at"})


class MessageBody(BaseModel):
    """Schema of versions 1 and 2: execution ids and a time. It carries no URL, secret or payload."""

    model_config = ConfigDict(extra="forbid", strict=True)

    v: Annotated[int, Field(ge=FIRST_VERSION, le=VERSION)]
    lane: Annotated[Lane, Field(strict=False)]
    tenant: Annotated[str, Field(min_length=1, max_length=40)]
    keys: Annotated[list[str], Field(min_length=1, max_length=MAX_KEYS)]
    not_before: Annotated[int, Field(ge=0)]
    to: list[Annotated[str, Field(pattern=f"^(?:{DESTINATION})?$")]] | None = None
    via: Annotated[QueueName, Field(strict=False)] | None = None
    waited: Annotated[int, Field(ge=0, le=MAX_WAITED)] = 0
    ends_at: Annotated[int, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _fits_together(self) -> "MessageBody":
        if self.v == FIRST_VERSION and self.model_fields_set & _SINCE_2:
            raise ValueError("version 1 has no such field")
        if self.to is not None and len(self.to) != len(self.keys):
            raise ValueError("one destination is needed for each key")
        return self


def encode_wakeup(wakeup: Wakeup) -> str:
    body: dict[str, Any] = {
        "v": VERSION,
        "lane": wakeup.lane,
        "tenant": wakeup.tenant_id,
        "keys": [str(key) for key in wakeup.keys],
        "not_before": wakeup.not_before,
    }
    optional = {
        "to": list(wakeup.destinations) or None,
        "via": wakeup.via,
        "waited": min(wakeup.waited, MAX_WAITED) or None,
        "ends_at": wakeup.ends_at,
    }
    body |= {name: value for name, value in optional.items() if value is not None}
    return orjson.dumps(body).decode()


def decode_wakeup(body: str) -> Wakeup:
    """Decode a message body; raises InvalidValueError with a readable reason.

    A body with a newer version, or with a lane or queue that only a newer version knows, raises
    NewerMessageError, whatever else the body contains.
    """
    try:
        message = MessageBody.model_validate_json(body)
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False)
        if any(_is_newer(item) for item in details):
            raise NewerMessageError("a newer version wrote the message") from error
        first = details[0]
        location = ".".join(str(part) for part in first["loc"])
        raise InvalidValueError(f"unreadable message: {location or 'body'}: {first['msg']}") from error
    positions = {parse_execution_id(key): number for number, key in reversed([*enumerate(message.keys)])}
    keys = tuple(dict.fromkeys(parse_execution_id(key) for key in message.keys))
    return Wakeup(
        lane=message.lane,
        tenant_id=message.tenant,
        keys=keys,
        not_before=message.not_before,
        destinations=tuple(message.to[positions[key]] for key in keys) if message.to else (),
        via=message.via,
        waited=message.waited,
        ends_at=message.ends_at,
    )


def _is_newer(error: ErrorDetails) -> bool:
    """Whether the field has a version, a lane or a queue that only a newer release knows."""
    match error:
        case {"loc": ("v",), "type": "less_than_equal"}:
            return True
        case {"loc": ("lane" | "via",), "type": "enum", "input": str()}:
            return True
    return False

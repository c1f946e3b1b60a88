"""Wake-ups as message bodies, and back. The body has a version; a newer one is not guessed at."""

from typing import Annotated

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shared.domain.errors import InvalidValueError
from shared.domain.ids import parse_execution_id
from shared.domain.wakeup import MAX_KEYS, Wakeup
from shared.names import Lane

VERSION = 1


class MessageBody(BaseModel):
    """Schema of version 1. It names executions and says when; it carries no URL, secret or payload."""

    model_config = ConfigDict(extra="forbid", strict=True)

    v: Annotated[int, Field(ge=VERSION, le=VERSION)]
    lane: Annotated[Lane, Field(strict=False)]
    tenant: Annotated[str, Field(min_length=1, max_length=40)]
    keys: Annotated[list[str], Field(min_length=1, max_length=MAX_KEYS)]
    not_before: Annotated[int, Field(ge=0)]


def encode_wakeup(wakeup: Wakeup) -> str:
    """The body of a message."""
    body = {
        "v": VERSION,
        "lane": wakeup.lane,
        "tenant": wakeup.tenant_id,
        "keys": [str(key) for key in wakeup.keys],
        "not_before": wakeup.not_before,
    }
    return orjson.dumps(body).decode()


def decode_wakeup(body: str) -> Wakeup:
    """The wake-up; InvalidValueError, with a reason fit for people, for anything else."""
    try:
        message = MessageBody.model_validate_json(body)
    except ValidationError as fault:
        first = fault.errors(include_input=False, include_url=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InvalidValueError(f"unreadable message: {place or 'body'}: {first['msg']}") from fault
    return Wakeup(
        lane=message.lane,
        tenant_id=message.tenant,
        keys=tuple(dict.fromkeys(parse_execution_id(key) for key in message.keys)),
        not_before=message.not_before,
    )

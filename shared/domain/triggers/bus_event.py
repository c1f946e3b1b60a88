"""Events as Amazon EventBridge delivers them."""

import json
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError
from shared.domain.triggers.event import Event
from shared.domain.triggers.event_source import ACCOUNT

S3: Final = "aws.s3"


@dataclass(frozen=True, slots=True, kw_only=True)
class BusEvent:
    """What routes an event, which is read before the event itself: only what is for a tenant is judged."""

    account: str
    """Whose principal has sent it. EventBridge sets it."""
    source: str
    """As the sender says."""
    envelope: Mapping[str, Any]

    def event(self) -> Event:
        """InvalidValueError for one that no trigger could take."""
        detail = self.envelope.get("detail")
        if not isinstance(detail, Mapping):
            raise InvalidValueError("must be an object", path=("detail",))
        kind = _text(self.envelope, "detail-type")
        try:
            return Event(
                source=self.source,
                type=kind,
                id=_object_id(self.source, kind, detail) or _text(self.envelope, "id"),
                data=detail,
            )
        except InvalidValueError:
            raise
        except (ValueError, RecursionError):
            # Numbers that JSON does not have, half a surrogate pair, or a detail that is too deep.
            raise InvalidValueError("the detail has no JSON form", path=("detail",)) from None


def read_bus_event(text: str) -> BusEvent:
    """InvalidValueError for what has no account and source, as each event of EventBridge has."""
    try:
        envelope = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidValueError("the message is no JSON") from None
    if not isinstance(envelope, Mapping):
        raise InvalidValueError("the message is no JSON object")
    account = _text(envelope, "account")
    if not re.fullmatch(ACCOUNT, account):
        raise InvalidValueError("an account has 12 digits", path=("account",))
    return BusEvent(account=account, source=_text(envelope, "source"), envelope=envelope)


def _text(envelope: Mapping[str, Any], name: str) -> str:
    value = envelope.get(name)
    if not isinstance(value, str):
        raise InvalidValueError("must be a string", path=(name,))
    return value


def _object_id(source: str, kind: str, detail: Mapping[str, Any]) -> str | None:
    """The ID of an event about an object of S3, which may send an event twice under two IDs. The sequencer orders the
    events of a key, and is equal in both. Events of two types are two events. None for any other event."""
    if source != S3:
        return None
    bucket, stored = detail.get("bucket"), detail.get("object")
    if not isinstance(bucket, Mapping) or not isinstance(stored, Mapping):
        return None
    parts = (
        kind,
        bucket.get("name"),
        stored.get("key"),
        stored.get("version-id") or "",
        stored.get("sequencer"),
    )
    if not all(isinstance(part, str) for part in parts) or not parts[-1]:
        return None
    # A key has up to 1,024 bytes, more than an ID.
    return f"s3-{sha256(json.dumps(parts).encode()).hexdigest()}"

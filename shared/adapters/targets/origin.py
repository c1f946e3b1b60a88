"""The execution that a message comes from, inside of a JSON body."""

import json

from shared.domain.delivery.aws_target import TargetCall
from shared.domain.delivery.target_rules import ORIGIN

_PREFIX = "Punctual-"


def with_origin(call: TargetCall) -> bytes:
    """The object with the member `punctual` before its own members, whose text stays as it is."""
    origin = {_member(name): text for name, text in call.attributes}
    member = json.dumps({ORIGIN: origin}, ensure_ascii=False, separators=(",", ":")).encode()
    own = call.body.strip(b" \t\r\n").removeprefix(b"{")
    comma = b"" if own.lstrip(b" \t\r\n").startswith(b"}") else b","
    return member.removesuffix(b"}") + comma + own


def _member(attribute: str) -> str:
    """Such as `scheduled_at` for Punctual-Scheduled-At."""
    return attribute.removeprefix(_PREFIX).lower().replace("-", "_")

"""Encodings of outcome callbacks, of subscriptions to alerts, and of what a notification announces."""

from collections.abc import Iterable, Mapping
from typing import Any

from shared.adapters.dynamodb.codec.versions import known
from shared.domain.delivery.alerts import (
    NO_ALERTS,
    Alert,
    AlertEvent,
    AlertFormat,
    AlertRules,
    AlertTarget,
    AlertWindow,
    ReachedLimit,
)
from shared.domain.delivery.destination import UNKNOWN
from shared.domain.delivery.outcome_callbacks import NO_TARGET, CallbackTarget, OutcomeCallbacks

_NAMES = ("os", "of")
_DESTINATION_BYTES = 10


def callback_attributes(callbacks: OutcomeCallbacks) -> dict[str, bytes | None]:
    """The target of each outcome: unset, explicitly none, or a destination with a sealed URL."""
    listeners = (callbacks.on_success, callbacks.on_failure)
    return dict(zip(_NAMES, map(encode_target, listeners), strict=True))


def read_callbacks(plain: Mapping[str, Any]) -> OutcomeCallbacks:
    """ValueError for malformed text."""
    on_success, on_failure = (read_target(plain.get(name)) for name in _NAMES)
    return OutcomeCallbacks(on_success=on_success, on_failure=on_failure)


def encode_target(listener: CallbackTarget | None) -> bytes | None:
    """Unset, explicitly none, or the destination before the sealed URL."""
    if listener is None:
        return None
    return (
        b"-"
        if listener == NO_TARGET
        else listener.destination.ljust(_DESTINATION_BYTES).encode() + listener.sealed_url
    )


def read_target(stored: bytes | None) -> CallbackTarget | None:
    """ValueError for malformed bytes."""
    if stored is None:
        return None
    if stored == b"-":
        return NO_TARGET
    destination = stored[:_DESTINATION_BYTES].decode("ascii").strip() or UNKNOWN
    return CallbackTarget(sealed_url=stored[_DESTINATION_BYTES:], destination=destination)


ALERTS = "oa"
"""The attribute for the subscription of a job or a tenant. Releases without it announce nothing."""
_EVENT_CODES = {
    AlertEvent.FAILED: "f",
    AlertEvent.RECOVERED: "r",
    AlertEvent.LATE: "l",
    AlertEvent.SKIPPED: "s",
    AlertEvent.GONE: "g",
    AlertEvent.LIMIT_REACHED: "q",
}
_FORMAT_CODES = {AlertFormat.JSON: "", AlertFormat.SLACK: "S"}
"""Upper case, so that no event has the same code."""
_FORMATS = {code: body_format for body_format, code in _FORMAT_CODES.items()}
_EVENTS = {code: event for event, code in _EVENT_CODES.items()}


def encode_alerts(alerts: AlertTarget | None) -> bytes | None:
    """The format, the events and the threshold, such as `Sfl60`, before key and target; None without a
    subscription."""
    if alerts is None:
        return None
    if alerts == NO_ALERTS:
        return b"-"
    late_after = alerts.rules.late_after_seconds
    codes = _encode_announced(alerts.rules.format, alerts.rules.events)
    rules = f"{codes}{'' if late_after is None else late_after}|{alerts.key.ljust(_DESTINATION_BYTES)}"
    return rules.encode() + (encode_target(alerts.target) or b"")


def read_alerts(stored: bytes | None) -> AlertTarget | None:
    """ValueError for malformed bytes."""
    if stored is None:
        return None
    if stored == b"-":
        return NO_ALERTS
    rules, _, target = stored.partition(b"|")
    codes = rules.decode("ascii").rstrip("0123456789")
    late_after, read = rules.decode("ascii")[len(codes) :], read_target(target[_DESTINATION_BYTES:])
    if read is None:
        raise ValueError("a subscription has a target")
    body_format, events = _read_announced(codes)
    return AlertTarget(
        target=read,
        key=target[:_DESTINATION_BYTES].decode("ascii").strip(),
        rules=AlertRules(
            events=frozenset(events),
            late_after_seconds=int(late_after) if late_after else None,
            format=body_format,
        ),
    )


def encode_alert(alert: Alert | None) -> str | None:
    """The format and the events of a notification, with the window of a summary or a reached limit, such as
    `q:concurrency/10/1740000000000`; None for an outcome."""
    if alert is None:
        return None
    codes, limit = _encode_announced(alert.format, alert.events), alert.limit
    if limit is not None:
        return f"{codes}:{limit.quota}/{limit.limit}/{limit.reached_at}"
    return codes + (f"@{alert.window.key}/{alert.window.minute}" if alert.window is not None else "")


def read_alert(text: str | None) -> Alert | None:
    """UnknownVersionError for a format or an event of a newer release."""
    if text is None:
        return None
    codes, _, rest = text.partition("@")
    codes, _, limit = codes.partition(":")
    body_format, events = _read_announced(codes)
    key, _, minute = rest.partition("/")
    window = AlertWindow(key=key, minute=int(minute)) if rest else None
    return Alert(
        events=events, format=body_format, window=window, limit=_read_limit(limit) if limit else None
    )


def _read_limit(text: str) -> ReachedLimit:
    """ValueError for malformed text."""
    quota, limit, reached_at = text.split("/")
    return ReachedLimit(quota=quota, limit=int(limit), reached_at=int(reached_at))


def encode_events(events: Iterable[AlertEvent]) -> str:
    """One letter for each event."""
    return "".join(_EVENT_CODES[event] for event in AlertEvent if event in events)


def read_events(codes: str) -> tuple[AlertEvent, ...]:
    """UnknownVersionError for an event of a newer release."""
    return tuple(known(_EVENTS.__getitem__, code) for code in codes)


def _encode_announced(body_format: AlertFormat, events: Iterable[AlertEvent]) -> str:
    return _FORMAT_CODES[body_format] + encode_events(events)


def _read_announced(codes: str) -> tuple[AlertFormat, tuple[AlertEvent, ...]]:
    format_code = codes[:1] if codes[:1].isupper() else ""
    return known(_FORMATS.__getitem__, format_code), read_events(codes[len(format_code) :])

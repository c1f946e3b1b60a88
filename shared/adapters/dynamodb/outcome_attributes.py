"""Who is told of outcomes, as attributes of executions, jobs and tenants, and back."""

from collections.abc import Mapping
from typing import Any

from shared.domain.destination import UNKNOWN
from shared.domain.outcome_callbacks import NOBODY, Listener, OutcomeCallbacks

_NAMES = ("os", "of")
_DESTINATION_BYTES = 10


def callback_attributes(callbacks: OutcomeCallbacks) -> dict[str, bytes | None]:
    """What a job or a tenant says of each outcome: nothing, nobody, or a destination and a sealed URL."""
    listeners = (callbacks.on_success, callbacks.on_failure)
    return dict(zip(_NAMES, map(_encode, listeners), strict=True))


def read_callbacks(plain: Mapping[str, Any]) -> OutcomeCallbacks:
    """The inverse; ValueError for anything else."""
    on_success, on_failure = (_read(plain.get(name)) for name in _NAMES)
    return OutcomeCallbacks(on_success=on_success, on_failure=on_failure)


def _encode(listener: Listener | None) -> bytes | None:
    if listener is None:
        return None
    return (
        b"-"
        if listener == NOBODY
        else listener.destination.ljust(_DESTINATION_BYTES).encode() + listener.sealed_url
    )


def _read(stored: bytes | None) -> Listener | None:
    if stored is None:
        return None
    if stored == b"-":
        return NOBODY
    destination = stored[:_DESTINATION_BYTES].decode("ascii").strip() or UNKNOWN
    return Listener(sealed_url=stored[_DESTINATION_BYTES:], destination=destination)

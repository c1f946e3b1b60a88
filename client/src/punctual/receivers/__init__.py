"""Receive calls of Punctual: verify them, do each of them once, and report on long work.

`receives` of `punctual.receivers.starlette` (also for FastAPI), `.flask`, `.django` and `.aws_lambda` makes an
endpoint of a handler and a `Receiver`.
"""

from typing import TYPE_CHECKING

from punctual.receivers.errors import AttemptLostError, CallFailedError, ReportError, SeenBusyError
from punctual.receivers.received import ReceivedCall
from punctual.receivers.receiver import Receiver
from punctual.receivers.replies import Accepted, Reply
from punctual.receivers.seen.memory import MemorySeen
from punctual.receivers.seen.store import Seen

if TYPE_CHECKING:
    from punctual.receivers._work import Work
    from punctual.receivers.long_work import LongWork
    from punctual.receivers.seen.sqlite import SqliteSeen

__all__ = [
    "Accepted",
    "AttemptLostError",
    "CallFailedError",
    "LongWork",
    "MemorySeen",
    "ReceivedCall",
    "Receiver",
    "Reply",
    "ReportError",
    "Seen",
    "SeenBusyError",
    "SqliteSeen",
    "Work",
]

# These import modules that a function of Lambda with short work and another store need not load.
_LAZY = {
    "LongWork": "punctual.receivers.long_work",
    "SqliteSeen": "punctual.receivers.seen.sqlite",
    "Work": "punctual.receivers._work",
}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)

"""Work that outlives its call: where its reports go, and how it starts."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx

    from punctual.receivers.timing import Timing

_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
_TOKEN = re.compile(r"[\x21-\x7e]{1,256}")


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a worker needs to report on an attempt."""

    execution: str
    token: str = field(repr=False)
    owner: str | None
    """Who has claimed the call in the store of seen calls."""

    def __post_init__(self) -> None:
        if not (_ID.fullmatch(self.execution) and _TOKEN.fullmatch(self.token)):
            raise ValueError("a ticket has the id of an execution and the token of its attempt")

    def encode(self) -> str:
        """JSON, as secret as a password."""
        return json.dumps({"execution": self.execution, "token": self.token, "owner": self.owner})

    @classmethod
    def decode(cls, ticket: str | Mapping[str, Any]) -> Ticket:
        """ValueError unless `encode` made it; it may have been decoded from JSON since."""
        try:
            parts = json.loads(ticket) if isinstance(ticket, str) else ticket
            return cls(str(parts["execution"]), str(parts["token"]), parts["owner"])
        except (KeyError, TypeError, ValueError):
            raise ValueError(
                "this is no ticket of a call: pass the text that ReceivedCall.ticket returned"
            ) from None


def in_thread(run: Callable[[], None]) -> None:
    """Run it in a thread, for which the process waits before it ends."""
    threading.Thread(target=run, name="punctual-work").start()


@dataclass(frozen=True, slots=True, kw_only=True)
class LongWork:
    """Where reports of long work go, and how `ReceivedCall.later` starts the work.

    `api_url` is configuration, and is never taken from a call: headers are not signed, and a forged URL would
    receive the tokens of attempts. ConfigurationError unless it is https, or http to this machine.
    """

    api_url: str
    http: httpx.Client | None = field(default=None, repr=False)
    """For `with call.work()`; None: a client for each work."""
    async_http: httpx.AsyncClient | None = field(default=None, repr=False)
    """For `async with call.work()`; None: a client for each work."""
    start: Callable[[Callable[[], None]], object] = in_thread
    """Starts work that is no coroutine: by default in a thread of its own; `executor.submit` bounds their number."""
    report_seconds: float = 60.0
    """How long an outcome is repeated until the API has recorded it."""
    timing: Timing | None = None
    """Clocks, pauses and chance; those of the machine by default."""

    def __post_init__(self) -> None:
        from punctual._config import checked_url  # only receivers of long work need its modules

        object.__setattr__(self, "api_url", checked_url(self.api_url))

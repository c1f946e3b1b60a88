"""Shows calls as they arrive: a live table in a terminal, otherwise a line or a JSON object per call."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from infra.local.calls import Call

MAX_LAG_MS = 1500
FRAME_LINES = 9
"""Terminal lines that the frame of the table takes."""


@dataclass(slots=True, kw_only=True)
class Totals:
    """Totals over all calls. Only first attempts count towards lag, because a retry is late by design."""

    calls: int = 0
    retries: int = 0
    forged: int = 0
    lags: list[float] = field(default_factory=list)

    def add(self, call: Call) -> None:
        self.calls += 1
        self.forged += call.genuine is False
        if call.attempt > 1:
            self.retries += 1
        elif call.lag_ms is not None:
            self.lags.append(call.lag_ms)

    def as_dict(self) -> dict[str, Any]:
        return {
            "calls": self.calls,
            "retries": self.retries,
            "bad_signatures": self.forged,
            "max_lag_ms": round(max(self.lags), 1) if self.lags else None,
            "min_lag_ms": round(min(self.lags), 1) if self.lags else None,
        }

    def line(self) -> str:
        lag = f", lag {min(self.lags):.0f} to {max(self.lags):.0f} ms" if self.lags else ""
        forged = f", {self.forged} with a bad signature" if self.forged else ""
        return f"{self.calls} calls, {self.retries} of them retries{lag}{forged}"


class Screen:
    """Shows calls; the last part of a call's path identifies its job."""

    def __init__(self, console: Console, *, as_json: bool = False) -> None:
        self.totals = Totals()
        self._console = console
        self._as_json = as_json
        self._calls: list[Call] = []
        self._live: Live | None = None

    @contextmanager
    def live(self) -> Iterator[None]:
        """Show the live table; does nothing without a terminal."""
        if self._as_json or not self._console.is_terminal:
            yield
            return
        with Live(self, console=self._console, refresh_per_second=4) as self._live:
            yield

    def add(self, call: Call) -> None:
        self.totals.add(call)
        self._calls.append(call)
        del self._calls[:-200]
        if self._as_json:
            self._console.out(json.dumps(self._fields(call)), highlight=False)
        elif self._live is None:
            self._console.out("  ".join(self._columns(call)), highlight=False)

    def __rich__(self) -> Group:
        """Return the current table; rich calls this at each refresh."""
        # Narrower than the terminal, so that an echoed ^C does not wrap and shift the frame by a line.
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        for column in ("arrived", "job", "execution", "attempt", "scheduled"):
            table.add_column(column, no_wrap=True)
        table.add_column("lag ms", justify="right", no_wrap=True)
        rows = max(3, self._console.size.height - FRAME_LINES)
        for call in self._calls[-rows:]:
            table.add_row(*self._columns(call)[:-1], _coloured(call))
        head = Text.assemble(("Punctual", "bold"), f"  {self.totals.line()}   Ctrl-C stops")
        return Group(head, table)

    def _columns(self, call: Call) -> tuple[str, ...]:
        lag = "-" if call.lag_ms is None else f"{call.lag_ms:.0f}"
        return (
            _clock(call.arrived_at),
            _hook(call),
            _short(call.execution_id),
            str(call.attempt),
            _clock(call.scheduled_at) if call.scheduled_at else "-",
            lag,
        )

    def _fields(self, call: Call) -> dict[str, Any]:
        return {
            "arrived_at": call.arrived_at.isoformat(),
            "hook": _hook(call),
            "job_id": call.job_id,
            "execution_id": call.execution_id,
            "attempt": call.attempt,
            "scheduled_at": call.scheduled_at.isoformat() if call.scheduled_at else None,
            "lag_ms": call.lag_ms,
            "genuine": call.genuine,
        }


def _hook(call: Call) -> str:
    return call.path.rpartition("/")[2]


def _clock(instant: datetime) -> str:
    return instant.astimezone().strftime("%H:%M:%S.%f")[:-3]


def _short(execution_id: str) -> str:
    """Return the random end of an id; the beginning encodes the time and the shard."""
    return f"…{execution_id[-8:]}" if len(execution_id) > 10 else execution_id


def _coloured(call: Call) -> Text:
    if call.lag_ms is None:
        return Text("-")
    if call.attempt > 1:
        return Text(f"{call.lag_ms:.0f}", style="dim")
    in_time = 0 <= call.lag_ms <= MAX_LAG_MS
    return Text(f"{call.lag_ms:.0f}", style="green" if in_time else "bold red")

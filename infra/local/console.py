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
LAG = "lag ms"
COLUMNS = {
    "arrived": 12,
    "path": 12,
    "status": 6,
    "signature": 9,
    "attempt": 7,
    "execution": 9,
    "scheduled": 12,
    LAG: 6,
}
"""The heads of the columns, and the widths of columns in a pipe."""
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
    """Shows calls."""

    def __init__(self, console: Console, *, as_json: bool = False) -> None:
        self.totals = Totals()
        self._console = console
        self._as_json = as_json
        self._rows: list[tuple[Call, int]] = []
        self._live: Live | None = None

    @contextmanager
    def live(self) -> Iterator[None]:
        """Show the live table; does nothing without a terminal."""
        if self._as_json or not self._console.is_terminal:
            yield
            return
        with Live(self, console=self._console, refresh_per_second=4) as self._live:
            yield

    def add(self, call: Call, status: int) -> None:
        """Show a call and the status that it was answered with."""
        self.totals.add(call)
        self._rows.append((call, status))
        del self._rows[:-200]
        if self._as_json:
            self._console.out(json.dumps(_fields(call, status)), highlight=False)
        elif self._live is None:
            if self.totals.calls == 1:
                self._print_line(tuple(COLUMNS))
            self._print_line(_columns(call, status))

    def _print_line(self, cells: tuple[str, ...]) -> None:
        line = "  ".join(cell.ljust(width) for cell, width in zip(cells, COLUMNS.values(), strict=True))
        self._console.out(line.rstrip(), highlight=False)

    def __rich__(self) -> Group:
        """Return the current table; rich calls this at each refresh."""
        # Narrower than the terminal, so that an echoed ^C does not wrap and shift the frame by a line.
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        for column in COLUMNS:
            table.add_column(column, no_wrap=True, justify="right" if column == LAG else "left")
        rows = max(3, self._console.size.height - FRAME_LINES)
        for call, status in self._rows[-rows:]:
            table.add_row(*_coloured(call, status))
        head = Text.assemble(("Punctual", "bold"), f"  {self.totals.line()}   Ctrl-C stops")
        return Group(head, table)


def _columns(call: Call, status: int) -> tuple[str, ...]:
    """Return the text of each of `COLUMNS`."""
    return (
        _clock(call.arrived_at),
        call.path,
        str(status),
        _SIGNATURES[call.genuine],
        str(call.attempt),
        _short(call.execution_id),
        _clock(call.scheduled_at) if call.scheduled_at else "-",
        "-" if call.lag_ms is None else f"{call.lag_ms:.0f}",
    )


_SIGNATURES = {True: "genuine", False: "FORGED", None: "-"}


def _fields(call: Call, status: int) -> dict[str, Any]:
    return {
        "arrived_at": call.arrived_at.isoformat(),
        "path": call.path,
        "status": status,
        "genuine": call.genuine,
        "attempt": call.attempt,
        "job_id": call.job_id,
        "execution_id": call.execution_id,
        "scheduled_at": call.scheduled_at.isoformat() if call.scheduled_at else None,
        "lag_ms": call.lag_ms,
    }


def _clock(instant: datetime) -> str:
    return instant.astimezone().strftime("%H:%M:%S.%f")[:-3]


def _short(execution_id: str) -> str:
    """Return the random end of an id; the beginning encodes the time and the shard."""
    return f"…{execution_id[-8:]}" if len(execution_id) > 10 else execution_id


def _coloured(call: Call, status: int) -> list[Text]:
    """Return the cells with what needs attention in red, and the lag of retries, late by design, dimmed."""
    cells = dict(zip(COLUMNS, map(Text, _columns(call, status)), strict=True))
    cells["status"].stylize("green" if 200 <= status < 300 else "bold red")
    cells["signature"].stylize("bold red" if call.genuine is False else "green")
    if call.lag_ms is not None:
        in_time = 0 <= call.lag_ms <= MAX_LAG_MS
        cells[LAG].stylize("dim" if call.attempt > 1 else "green" if in_time else "bold red")
    return list(cells.values())

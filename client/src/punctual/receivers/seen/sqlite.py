"""A store in a file, for all processes of one machine."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from os import PathLike

PURGE_SECONDS = 3_600
_TABLE = """
CREATE TABLE IF NOT EXISTS seen (call_id TEXT PRIMARY KEY, entry TEXT NOT NULL, forget_at INTEGER NOT NULL)
WITHOUT ROWID
"""


class SqliteSeen:
    """Creates the file with its first use. A commit is durable when it returns.

    Each use opens the file, so threads and forks are safe. The file must be on a local disk, because SQLite's
    locks do not work on network file systems. `wait_seconds` is how long a use waits for other processes;
    sqlite3.OperationalError after that. Old entries are purged once an hour. `clock` returns seconds since 1970.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        wait_seconds: float = 5.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        if str(path) in ("", ":memory:"):
            raise ValueError(
                "SqliteSeen needs a file that all processes share; use MemorySeen for one process"
            )
        self._path = path
        self._wait_seconds = wait_seconds
        self._clock = clock
        self._purge_at = 0.0

    def get(self, call_id: str) -> str | None:
        with self._opened() as file:
            row = file.execute("SELECT entry FROM seen WHERE call_id = ?", (call_id,)).fetchone()
            return None if row is None else str(row[0])

    def replace(self, call_id: str, before: str | None, after: str, forget_at: int) -> bool:
        with self._opened() as file:
            self._purge(file)
            if before is None:
                changed = file.execute(
                    "INSERT INTO seen VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (call_id, after, forget_at)
                )
            else:
                changed = file.execute(
                    "UPDATE seen SET entry = ?, forget_at = ? WHERE call_id = ? AND entry = ?",
                    (after, forget_at, call_id, before),
                )
            return changed.rowcount == 1

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """Each statement commits by itself."""
        with closing(sqlite3.connect(self._path, timeout=self._wait_seconds, isolation_level=None)) as file:
            file.execute(_TABLE)
            yield file

    def _purge(self, file: sqlite3.Connection) -> None:
        now = self._clock()
        if now >= self._purge_at:
            self._purge_at = now + PURGE_SECONDS
            file.execute("DELETE FROM seen WHERE forget_at <= ?", (int(now),))

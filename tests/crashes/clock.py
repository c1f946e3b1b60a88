"""One time for all processes of a run, which they share through a file and which only the test moves.

Sweeps, leases and delays are matters of minutes. Here they pass in an instant, for the workers and for the emulator's
queues alike, without a setting in the product. The clock either stands until it is moved, so that a run takes the same
course on a slow machine as on a fast one, or it goes with the machine's own, ahead of it by an offset.
"""

import mmap
import struct
import time
from pathlib import Path

_SHARED = struct.Struct("=qq")
_real_time_ns = time.time_ns


class SharedClock:
    """The clock of every process that opened the same file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("r+b") as file:
            self._shared = mmap.mmap(file.fileno(), _SHARED.size)

    @classmethod
    def create(cls, path: Path, *, goes: bool) -> "SharedClock":
        """A clock that shows the machine's time."""
        path.write_bytes(_SHARED.pack(0 if goes else _real_ms(), goes))
        return cls(path)

    @property
    def goes(self) -> bool:
        """Whether it goes by itself."""
        return bool(self._read()[1])

    def now_ms(self) -> int:
        """The instant that every process of the run takes for now."""
        shown_ms, goes = self._read()
        return shown_ms + _real_ms() if goes else shown_ms

    def seconds(self) -> float:
        """The same, as `time.time` counts."""
        return self.now_ms() / 1000

    def advance(self, seconds: float) -> None:
        """Let time pass for everybody at once."""
        shown_ms, goes = self._read()
        _SHARED.pack_into(self._shared, 0, shown_ms + round(seconds * 1000), goes)

    def stop(self) -> None:
        """From now on it stands until it is moved."""
        _SHARED.pack_into(self._shared, 0, self.now_ms(), 0)

    def _read(self) -> tuple[int, int]:
        shown_ms, goes = _SHARED.unpack_from(self._shared)
        return int(shown_ms), int(goes)


def _real_ms() -> int:
    return _real_time_ns() // 1_000_000

"""One time for all processes of a run: the machine's clock, moved on by an offset that they share through a file.

Sweeps, leases and delays are matters of minutes. Moving the offset lets them pass in an instant, for the workers and
for the emulator's queues alike, without a setting in the product.
"""

import mmap
import struct
import time
from pathlib import Path

_OFFSET = struct.Struct("=q")
_real_time = time.time


class SharedClock:
    """The clock of every process that opened the same file; only the test moves it, and only forward."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("r+b") as file:
            self._offset = mmap.mmap(file.fileno(), _OFFSET.size)

    @classmethod
    def create(cls, path: Path) -> "SharedClock":
        """A clock that shows the machine's time."""
        path.write_bytes(_OFFSET.pack(0))
        return cls(path)

    @property
    def offset_ms(self) -> int:
        """How far this clock is ahead of the machine's."""
        (offset_ms,) = _OFFSET.unpack_from(self._offset)
        return int(offset_ms)

    def now_ms(self) -> int:
        """The instant that every process of the run takes for now."""
        return time.time_ns() // 1_000_000 + self.offset_ms

    def seconds(self) -> float:
        """The same, as `time.time` counts."""
        return _real_time() + self.offset_ms / 1000

    def advance(self, seconds: float) -> None:
        """Let time pass for everybody at once."""
        _OFFSET.pack_into(self._offset, 0, self.offset_ms + round(seconds * 1000))

"""The state directory of the local stack, with a lock so that only one process uses it."""

import fcntl
import json
import os
import secrets
import shutil
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROJECT_ROOT = Path(__file__).resolve().parents[2]
DEFAULT_STATE_DIR = PROJECT_ROOT / ".local"
LOCK_SECONDS = 10.0


class LocalStackError(RuntimeError):
    """The local stack cannot continue; the message tells the user what to do."""


@dataclass(frozen=True, slots=True)
class StateDir:
    """The state directory: everything that a restart needs, independent of other state directories."""

    root: Path = DEFAULT_STATE_DIR

    @property
    def state(self) -> Path:
        """The state that the emulator saved at its last orderly stop."""
        return self.root / "state"

    @property
    def tmp(self) -> Path:
        """Unpacked function code of the running workers; deleted after a stop."""
        return self.root / "tmp"

    @property
    def log(self) -> Path:
        """The emulator's log of this run, including the functions' output."""
        return self.root / "emulator.log"

    def prepare(self) -> None:
        """Create the directory, readable only by its owner, because it holds keys and tenants' data."""
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.discard_tmp()
        self.tmp.mkdir()

    def discard_tmp(self) -> None:
        """Move `tmp` aside and delete it in a process of its own: its 10,000 files take seconds to delete."""
        discarded = self.root / f"discarded-{secrets.token_hex(4)}"
        with suppress(FileNotFoundError):
            self.tmp.rename(discarded)
            # The shell starts `rm` in the background and exits, so that the stop does not wait for it.
            subprocess.run(  # noqa: S603 - no external input
                ["/bin/sh", "-c", 'rm -rf "$0" &', str(discarded)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                check=True,
            )

    def wipe(self) -> None:
        """Delete the emulator's state and the files about it."""
        shutil.rmtree(self.state, ignore_errors=True)
        self.discard_tmp()
        for name in ("emulator.json", "deployed.json", "demo.json"):
            (self.root / name).unlink(missing_ok=True)

    def read(self, name: str) -> dict[str, Any]:
        """Read a small JSON document; a missing or unreadable document reads as empty."""
        try:
            value = json.loads((self.root / name).read_text())
        except (OSError, ValueError):
            return {}
        return value if isinstance(value, dict) else {}

    def write(self, name: str, value: dict[str, Any]) -> None:
        """Replace a small JSON document atomically; only its owner can read it, because it may hold a key."""
        path = self.root / name
        draft = path.with_suffix(".draft")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(value, file, indent=2)
        draft.replace(path)

    def lock(self, *, wait_seconds: float | None = None) -> int:
        """Lock the directory for this process and return the descriptor of the lock.

        The emulator inherits the descriptor. If the owner is killed, the directory stays locked until the
        orphaned emulator has saved its state and exited, so `lock` waits.
        """
        fd = os.open(self.root / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        deadline = time.monotonic() + (LOCK_SECONDS if wait_seconds is None else wait_seconds)
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    os.close(fd)
                    raise LocalStackError(
                        f"{self.root} is in use by another local stack; stop it first"
                    ) from None
                time.sleep(0.2)
            else:
                return fd

"""Lists the emulator's processes from /proc, or from `ps` on systems without /proc."""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A running process of a group; zombies are not listed."""

    pid: int
    command: str


def in_group(group: int) -> list[Process]:
    """Return the processes of a process group, including its leader.

    The emulator leads its own group and its workers stay in it, so the group holds exactly the emulator's
    processes.
    """
    processes = _from_proc() if Path("/proc/self/stat").exists() else _from_ps()
    return [Process(pid=pid, command=command) for pid, pgid, command in processes if pgid == group]


def _from_proc() -> Iterator[tuple[int, int, str]]:
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            # The second field is the program's name in parentheses and may contain any character.
            state, _parent, group = (entry / "stat").read_text().rpartition(")")[2].split()[:3]
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        except (OSError, ValueError):
            continue
        if state != "Z":
            yield int(entry.name), int(group), command


def _from_ps() -> Iterator[tuple[int, int, str]]:
    listing = subprocess.run(
        ["/bin/ps", "-axo", "pid=,pgid=,stat=,command="], capture_output=True, text=True, check=True
    )
    for line in listing.stdout.splitlines():
        pid, group, state, command = line.split(None, 3)
        if not state.startswith("Z"):
            yield int(pid), int(group), command

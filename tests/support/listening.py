"""The addresses on which a process listens, from the Linux kernel."""

import contextlib
from pathlib import Path

LISTEN = "0A"
LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}


def listening_addresses(pids: list[int]) -> set[str]:
    """Hexadecimal addresses of the TCP sockets on which these processes listen."""
    mine = {inode for pid in pids for inode in _sockets(pid)}
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTEN and fields[9] in mine:
                found.add(fields[1].partition(":")[0])
    return found


def _sockets(pid: int) -> set[str]:
    found = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        # A descriptor may be closed while the directory is read.
        with contextlib.suppress(OSError):
            target = str(link.readlink())
            if target.startswith("socket:["):
                found.add(target[8:-1])
    return found

"""Shows the phases of a start, each when it begins."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

Report = Callable[[str], None]
"""Tells the user which phase begins."""


def silent(_phase: str) -> None:
    """Print no progress: for tests and scripts."""


@contextmanager
def progress(console: Console) -> Iterator[Report]:
    """Print each phase with the seconds since the start; a terminal also shows that the program is alive."""
    begun = time.monotonic()
    with console.status("") as status:

        def report(phase: str) -> None:
            console.print(f"{time.monotonic() - begun:6.1f} s  {phase} …", highlight=False, soft_wrap=True)
            status.update(f"{phase} …")

        yield report

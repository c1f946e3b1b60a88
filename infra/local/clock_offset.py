"""The clock offset of the local stack, for people who test clients and receivers with another clock."""

import re
from pathlib import Path

MAX_SECONDS = 3600
"""One hour, the error of a clock that confuses local time with UTC. Receivers tolerate 5 minutes."""
_OFFSET = re.compile(r"[+-]?[0-9]{1,4}")


def parse_clock_offset(text: str) -> int:
    """Parse `90`, `+90` or `-90`. ValueError, with a text for users, if it cannot be read."""
    if not _OFFSET.fullmatch(text) or abs(int(text)) > MAX_SECONDS:
        raise ValueError(
            f"a clock offset is a whole number of seconds from -{MAX_SECONDS} to {MAX_SECONDS}, "
            f"such as 90 or -90, not {text!r}"
        )
    return int(text)


def clock_variables(seconds: int) -> dict[str, str]:
    """Return the environment variables that shift the wall clock of a Python process and of its children."""
    if not seconds:
        return {}
    directory = Path(__file__).with_name("shifted_clock")
    return {"PYTHONPATH": str(directory), "CLOCK_OFFSET_SECONDS": str(seconds)}

"""Durations in words, by the rule of the API's own sentences."""


def duration(ms: int | None) -> str:
    """Two digits or a few more, such as `340 ms`, `4.1 s`, `41 s`, `12 min`, `2.5 h`; empty for None."""
    if ms is None:
        return ""
    if ms < 0:
        return f"-{duration(-ms)}"
    if ms < 1_000:
        return f"{ms} ms"
    seconds = ms / 1_000
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 119.5:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7_170 else f"{seconds / 3_600:.1f} h"

"""Numbers as a line of small bars."""

from collections.abc import Callable, Sequence

BARS = "▁▂▃▄▅▆▇█"
UNKNOWN = " "
"""In the place of a number that is not known."""


def sparkline(values: Sequence[float | None], most: float | None = None) -> str:
    """One character for each number: the lowest bar for 0 alone, and the highest for `most`, by default the greatest
    number."""
    greatest = max((value for value in values if value is not None), default=0) if most is None else most
    return "".join(_bar(value, greatest) for value in values)


def _bar(value: float | None, greatest: float) -> str:
    if value is None:
        return UNKNOWN
    if value <= 0 or greatest <= 0:
        return BARS[0]
    above_zero = len(BARS) - 1
    return BARS[min(above_zero, 1 + int(value / greatest * (above_zero - 1)))]


def joined(
    values: Sequence[float | None], width: int, join: Callable[[Sequence[float]], float] = sum
) -> list[float | None]:
    """At most `width` numbers, each of which joins equally many of the given ones; the last may join fewer.

    A number is unknown only if all that it joins are.
    """
    size = max(1, -(-len(values) // width))
    groups = [values[place : place + size] for place in range(0, len(values), size)]
    return [_join(group, join) for group in groups]


def _join(group: Sequence[float | None], join: Callable[[Sequence[float]], float]) -> float | None:
    known = [value for value in group if value is not None]
    return join(known) if known else None

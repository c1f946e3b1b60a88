"""Faults of a receiver, to test retries: answers that fail, and answers that are late."""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

MAX_DELAY_SECONDS = 600.0
_FORM = re.compile(r"(?P<value>[^:]+)(?::(?P<percent>[0-9]{1,3}(?:\.[0-9]{1,3})?)%)?")
_DELAY = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,3})?)(ms|s|m)")
T = TypeVar("T")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0}


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens to one call. Both may happen, and mostly neither does."""

    status: int | None = None
    """The status of an answer that is given in the place of the receiver."""
    delay_seconds: float = 0.0
    """How much later the answer arrives."""


@dataclass(frozen=True, slots=True)
class Faults:
    """The shares of calls that fail, and of calls whose answers are late, each from 0 to 1."""

    failing: tuple[tuple[int, float], ...] = ()
    """A status, and its share. The shares are at most 1 in all."""
    slow: tuple[tuple[float, float], ...] = ()
    """Seconds, and their share."""


class FaultDraw:
    """Draws the fault of each call, in the order of their arrival: the same for the same seed."""

    def __init__(self, faults: Faults, seed: int) -> None:
        self._faults = faults
        self._random = random.Random(seed)  # noqa: S311 - no secret

    def next(self) -> Fault:
        """The fault of the next call. Each call takes two numbers, so one option does not move the other's."""
        failing, slow = self._random.random(), self._random.random()
        return Fault(_chosen(self._faults.failing, failing), _chosen(self._faults.slow, slow) or 0.0)


def parse_faults(failing: Sequence[str], slow: Sequence[str]) -> Faults:
    """Read `503` and `503:30%`, and `5s` and `500ms:10%`; ValueError says what to give instead."""
    return Faults(
        _checked("--fail", [_share(each, "--fail", "503:30%", _status) for each in failing]),
        _checked("--slow", [_share(each, "--slow", "5s:10%", _seconds) for each in slow]),
    )


def _chosen(shares: tuple[tuple[T, float], ...], drawn: float) -> T | None:
    for value, share in shares:
        if drawn < share:
            return value
        drawn -= share
    return None


def _share(text: str, option: str, example: str, read: Callable[[str], T | None]) -> tuple[T, float]:
    form = _FORM.fullmatch(text.strip())
    value = read(form["value"]) if form else None
    share = float(form["percent"] or 100) / 100 if form else 0.0
    if value is None or not 0 < share <= 1:
        raise ValueError(f"{option} {text!r} cannot be read: give one such as {example}")
    return value, share


def _status(text: str) -> int | None:
    """Any final status that fails a call."""
    return int(text) if re.fullmatch(r"[345][0-9]{2}", text) else None


def _seconds(text: str) -> float | None:
    found = _DELAY.fullmatch(text)
    seconds = float(found[1]) * _SECONDS[found[2]] if found else 0.0
    return seconds if 0 < seconds <= MAX_DELAY_SECONDS else None


def _checked(option: str, shares: list[tuple[T, float]]) -> tuple[tuple[T, float], ...]:
    if sum(share for _, share in shares) > 1 + 1e-9:
        raise ValueError(f"the shares of {option} are more than 100% in all")
    return tuple(shares)

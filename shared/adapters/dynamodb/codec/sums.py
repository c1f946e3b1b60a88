"""Sums of executions as compressed JSON: those of a small tenant fit into one write unit.

A histogram is a list of codes, each followed by its count. A minute has its number in the hour, the ended and the
failed executions, and the histogram of its lags.
"""

import json
import zlib
from collections import Counter
from itertools import chain
from typing import Any

import orjson

from shared.domain.archive.histogram import Histogram
from shared.domain.archive.statistics import MinuteSums, Sums
from shared.domain.archive.unit import ArchiveUnit
from shared.domain.errors import UnreadableItemError

LARGEST = 1_000_000
"""Bytes of JSON: sixty minutes with every code have about a third."""


def encode_sums(unit: ArchiveUnit, sums: Sums) -> bytes:
    first = unit.buckets.start
    document = {
        "s": _sorted(sums.states),
        "e": _sorted(sums.end_reasons),
        "c": _sorted(sums.statuses),
        "a": sums.attempts,
        "u": sums.unended,
        "q": _flat(sums.queue),
        "w": _flat(sums.wait),
        "d": _flat(sums.duration),
        "m": [
            [number - first, minute.ended, minute.failed, _flat(minute.lag)]
            for number, minute in sorted(sums.minutes.items())
        ],
    }
    return zlib.compress(json.dumps(document, separators=(",", ":")).encode(), 9)


def read_sums(unit: ArchiveUnit, content: bytes, *, by_minute: bool = True) -> Sums:
    """The sums, without `by_minute` with all minutes joined in the first; UnreadableItemError for anything else."""
    try:
        unpacked = zlib.decompressobj().decompress(content, LARGEST)
        buckets = unit.buckets
        document: Any = orjson.loads(unpacked)
        every = document["m"]
        return Sums(
            states=Counter(document["s"]),
            end_reasons=Counter(document["e"]),
            statuses=Counter(document["c"]),
            attempts=document["a"],
            unended=document["u"],
            queue=_histogram(document["q"]),
            wait=_histogram(document["w"]),
            duration=_histogram(document["d"]),
            minutes={
                buckets[number]: MinuteSums(ended=ended, failed=failed, lag=_histogram(lag))
                for number, ended, failed, lag in (every if by_minute else _joined(every))
            },
        )
    except (zlib.error, KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise UnreadableItemError("an item of statistics is broken") from error


def _joined(every: list[list[Any]]) -> list[list[Any]]:
    """At most one minute, with the sums of all."""
    if not every:
        return []
    counts: dict[int, int] = {}
    for *_, lag in every:
        for code, count in zip(lag[::2], lag[1::2], strict=True):
            counts[code] = counts.get(code, 0) + count
    ended, failed = (sum(minute[place] for minute in every) for place in (1, 2))
    return [[every[0][0], ended, failed, list(chain.from_iterable(counts.items()))]]


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))


def _flat(histogram: Histogram) -> list[int]:
    return list(chain.from_iterable(sorted(histogram.counts.items())))


def _histogram(flat: list[int]) -> Histogram:
    counts: Counter[int] = Counter()
    # Not the constructor of Counter, which takes longer than the rest of the reading.
    dict.update(counts, zip(flat[::2], flat[1::2], strict=True))
    return Histogram(counts)

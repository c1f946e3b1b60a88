"""Whether something still grows at the end of a steady run."""

from collections.abc import Mapping, Sequence
from math import sqrt

TOLERANCE = 0.1
LEAST_SAMPLES = 6


def grows(samples: Sequence[float]) -> bool:
    """Whether the last third of the samples exceeds the first third by a tenth and by the noise of counts."""
    third = len(samples) // 3
    if len(samples) < LEAST_SAMPLES:
        raise ValueError(f"growth shows in {LEAST_SAMPLES} samples or more")
    first, last = sum(samples[:third]) / third, sum(samples[-third:]) / third
    return last > first * (1 + TOLERANCE) + 3 * sqrt(max(first, 1))


def growing(samples: Mapping[str, Sequence[float]]) -> list[str]:
    return [name for name, counts in samples.items() if grows(counts)]

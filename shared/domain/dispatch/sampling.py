"""Samples by hash: the same keys belong to a sample wherever it is drawn."""

from zlib import crc32

MAX_LEVEL = 8
"""At this level, one in 256 keys is in the sample."""


def hash_level(key: str) -> int:
    """The highest level whose sample has the key. One in 2^n keys is in the sample of level n, all are in that
    of level 0."""
    digest = crc32(key.encode())
    return next((level for level in range(MAX_LEVEL) if digest >> level & 1), MAX_LEVEL)


def sample_tag(level: int) -> str:
    """A word of the log lines whose key is in the sample of this level."""
    return f"sample-{level}"


def sample_tags(key: str) -> str:
    """The tags of every level from 1 on whose sample has the key, separated by spaces; half of the keys have
    none."""
    return " ".join(sample_tag(level) for level in range(1, hash_level(key) + 1))


def sample_percent(level: int) -> float:
    """The share of keys in the sample of this level."""
    return 100 / (1 << level)

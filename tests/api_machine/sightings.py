"""What the machine has met, so that a test can tell whether it gets anywhere."""

from collections import Counter

SEEN: Counter[str] = Counter()

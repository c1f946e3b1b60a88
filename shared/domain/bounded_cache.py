"""A dict that stays small: the one kind of cache of this project."""

from collections import OrderedDict
from contextlib import suppress
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class BoundedCache(OrderedDict[Key, Value]):
    """Holds the `size` entries that were written last: one more evicts the oldest entry, never all of them.

    A cache that is emptied when it is full reads everything again as soon as it is one entry too small.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size

    def __setitem__(self, key: Key, value: Value) -> None:
        super().__setitem__(key, value)
        with suppress(KeyError):  # another thread may have evicted it in between
            self.move_to_end(key)
        if len(self) > self._size:
            self.popitem(last=False)

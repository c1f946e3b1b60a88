"""`dataclass` of the standard library, without most of the methods that it compiles for each class.

A cold start makes 100 to 260 dataclasses. The standard library compiles six methods for each of them, which
took a third of the start. Here it compiles `__init__` alone, and the other methods are closures.

Type checkers, `fields`, `replace` and `asdict` see ordinary dataclasses. That nothing assigns to a field of a
frozen one is left to the type checker. No class may define a method that is made here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True, order=False, **options):
        """As in the standard library."""
        if cls is None:
            return partial(dataclass, frozen=frozen, eq=eq, order=order, **options)
        # Else the standard library inspects a signature to write a docstring.
        cls.__doc__ = cls.__doc__ or cls.__name__
        made = dataclasses.dataclass(cls, eq=order, order=order, repr=False, **options)
        fields = dataclasses.fields(made)
        made.__repr__ = _representation([field.name for field in fields if field.repr])
        if eq:
            compared = [field.name for field in fields if field.compare]
            # Without fields, all instances are equal.
            values = attrgetter(*compared) if compared else type
            made.__eq__ = _equality(values)
            made.__hash__ = _hashing(values) if frozen else None
        return made


def _representation(shown: list[str]) -> Callable[[object], str]:
    @recursive_repr()
    def represent(self: object) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{type(self).__qualname__}({values})"

    return represent


def _equality(values: Callable[[object], object]) -> Callable[[object, object], bool]:
    def equals(self: object, other: object) -> bool:
        return values(self) == values(other) if type(other) is type(self) else NotImplemented

    return equals


def _hashing(values: Callable[[object], object]) -> Callable[[object], int]:
    return lambda self: hash(values(self))

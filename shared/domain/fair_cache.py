"""A cache of what belongs to tenants, in which none of them can take the place of the others."""

from typing import Generic, TypeVar

Key = TypeVar("Key", bound=tuple[str, ...])
"""It begins with the id of a tenant."""
Value = TypeVar("Value")


class FairCache(Generic[Key, Value]):
    """Holds `size` entries. One too many evicts the oldest entry of the tenant with the most."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._count = 0
        self._of_tenants: dict[str, dict[Key, Value]] = {}

    def __len__(self) -> int:
        return self._count

    def get(self, key: Key) -> Value | None:
        return self._of_tenants.get(key[0], {}).get(key)

    def put(self, key: Key, value: Value) -> None:
        """The entry becomes the youngest of its tenant."""
        self.remove(key)
        self._of_tenants.setdefault(key[0], {})[key] = value
        self._count += 1
        if self._count > self._size:
            largest = max(self._of_tenants.values(), key=len)
            self.remove(next(iter(largest)))

    def remove(self, key: Key) -> None:
        of_tenant = self._of_tenants.get(key[0], {})
        if key in of_tenant:
            del of_tenant[key]
            self._count -= 1
        if not of_tenant:
            self._of_tenants.pop(key[0], None)

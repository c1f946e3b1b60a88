"""What deduplication needs of a store: an atomic compare-and-swap of one entry."""

from typing import Protocol


class Seen(Protocol):
    """Entries by the id of a call. Every error of a store may be raised: the call is then retried."""

    def get(self, call_id: str) -> str | None:
        """The entry of a call as last replaced by any process; None without one."""

    def replace(self, call_id: str, before: str | None, after: str, forget_at: int) -> bool:
        """Replace the entry if it is still `before`, atomically; False, and no change, if it is another one.

        None is no entry. `forget_at`, in seconds since 1970, is when the store may delete the new entry.
        """

"""The deletion of a suspended tenant: a durable task, and the record of what it has deleted."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import field, replace
from enum import StrEnum
from typing import Any

from shared.dataclass import dataclass
from shared.domain.bucket import HOURLY_MS
from shared.domain.errors import InvalidStateError, InvalidValueError
from shared.domain.tenancy.forgetting import FORGET_AFTER_MS, Forgetting
from shared.domain.tenancy.suspension import Suspensions

BEGINS_AFTER_MS = 3_600_000
"""A deletion begins this long after the suspension took effect: calls have ended, and the reconciler has compared
every acknowledged job with the tables."""
ASKED_BY = r"^[^\x00-\x1f\x7f]{1,256}$"
SETTLED_MS = 900_000
"""The pause between two passes: no function runs longer, so nothing is written behind a pass that finds nothing."""


class DeletionStep(StrEnum):
    """The parts of a pass, in order. Definitions come first, because the reconciler continues their chains."""

    DEFINITIONS = "definitions"
    EXECUTIONS = "executions"


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantDeletion:
    """Each finished page makes a new version, which is the fencing token of the lease."""

    tenant_id: str
    asked_at: int
    asked_by: str
    """As the operator names who asked for it, such as a ticket. The caller of the command is known to AWS."""
    next_at: int
    """No page is processed before this instant."""
    step: DeletionStep = DeletionStep.DEFINITIONS
    counts: Mapping[str, int] = field(default_factory=dict)
    """What was deleted, by kind. A worker that crashed may have deleted more."""
    found: bool = False
    """Whether the present pass has found anything: then another pass follows."""
    began_at: int | None = None
    ended_at: int | None = None
    forgetting: Forgetting | None = None
    """What is left in the archive; None before the end of the deletion."""
    ended_before: int | None = None
    """The end of the deletion that is repeated, because a restore has brought its rows back; else None."""
    version: int = 1
    lease_until: int = 0

    def __post_init__(self) -> None:
        """InvalidValueError for a name that a record cannot show."""
        if not re.fullmatch(ASKED_BY, self.asked_by):
            raise InvalidValueError(
                "asked-by is 1 to 256 characters, none of them a control character", path=("asked_by",)
            )

    def leased(self, now_ms: int, until: int) -> "TenantDeletion":
        """The next version, leased to one worker."""
        began_at = now_ms if self.began_at is None else self.began_at
        return replace(self, lease_until=until, began_at=began_at, version=self.version + 1)

    def after_page(self, deleted: Mapping[str, int], now_ms: int) -> "TenantDeletion":
        """The next version after a page; an empty page ends its step."""
        following = replace(self, version=self.version + 1, lease_until=0, next_at=now_ms)
        if deleted:
            counts = dict(Counter(self.counts) + Counter(deleted))
            return replace(following, counts=counts, found=True)
        if self.step is DeletionStep.DEFINITIONS:
            return replace(following, step=DeletionStep.EXECUTIONS)
        return replace(following, step=DeletionStep.DEFINITIONS, found=False, next_at=now_ms + SETTLED_MS)

    def is_complete_after(self, deleted: Mapping[str, int]) -> bool:
        """Whether the pass that this page ends has found nothing."""
        return not deleted and not self.found and self.step is DeletionStep.EXECUTIONS

    def ended(self, deleted: Mapping[str, int], now_ms: int) -> "TenantDeletion":
        """The record: with the tenant itself nothing is left."""
        counts = dict(Counter(self.counts) + Counter(deleted))
        return replace(
            self,
            version=self.version + 1,
            lease_until=0,
            counts=counts,
            ended_at=now_ms,
            forgetting=Forgetting(),
            ended_before=None,
        )

    def repeated(self, now_ms: int) -> "TenantDeletion":
        """The next version of an ended deletion, from its beginning. It waits for runs that were under way."""
        return replace(
            self,
            version=self.version + 1,
            lease_until=0,
            next_at=now_ms + BEGINS_AFTER_MS,
            step=DeletionStep.DEFINITIONS,
            found=False,
            ended_at=None,
            forgetting=None,
            ended_before=self.ended_at,
        )

    def is_forgettable(self, now_ms: int) -> bool:
        """Whether no pass of the archiver can put rows or sums of the tenant any more, and the archive has some."""
        if self.ended_at is None or self.forgetting is None or self.forgetting.ended_at is not None:
            return False
        return now_ms >= self.ended_at + FORGET_AFTER_MS

    def archived_hours(self, since: int) -> range:
        """The hours whose files may have rows of the tenant; `since` is the first hour of the archive."""
        if self.ended_at is None or self.forgetting is None:
            return range(0)
        return range(max(since, self.forgetting.hour), self.ended_at // HOURLY_MS + 1)

    def after_forgetting(self, **changes: Any) -> "TenantDeletion":
        """The next version, with changes of what is left in the archive."""
        before = self.forgetting or Forgetting()
        return replace(self, version=self.version + 1, forgetting=replace(before, **changes))


def first_page_at(suspensions: Suspensions, now_ms: int) -> int:
    """When the deletion of a tenant begins that is asked for now.

    InvalidStateError unless a suspension without an end has taken effect.
    """
    latest = suspensions[-1] if suspensions else None
    if latest is None or latest.until_at is not None or now_ms < latest.from_at:
        raise InvalidStateError("suspend the tenant first, and wait for effective_at")
    return max(now_ms, latest.from_at + BEGINS_AFTER_MS)

"""Stores of workflows and of their runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from shared.dataclass import dataclass
from shared.domain.ids import ExecutionId
from shared.domain.workflows.run import Run, TaskProgress
from shared.domain.workflows.workflow import Workflow, WorkflowHead

if TYPE_CHECKING:
    from shared.domain.workflows.map_items import MapItems

MAX_EXAMINED = 200
"""Heads, deleted ones among them, that a page examines beyond the requested ones: some 50 read units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadPage:
    """A page of workflows, which may be short, or empty, although `next_after` shows that more follow."""

    heads: Sequence[WorkflowHead]
    next_after: str | None
    """The ID after which the next page begins; None on the last page."""


class WorkflowStore(Protocol):
    """Definitions: a head, which changes, and the revisions, which never do."""

    def create(self, workflow: Workflow) -> WorkflowHead | None:
        """Write head and revision in one transaction; None if written, otherwise the existing head.

        A workflow with a key is written with the record of the key, if no workflow has the key yet: otherwise the
        existing head is that of the key's workflow. UnavailableError if that one is being deleted.
        """
        ...

    def keyed(self, tenant_id: str, key: str) -> str | None:
        """The ID of the workflow that has the key; strongly consistent. None once it is deleted."""
        ...

    def head(self, tenant_id: str, workflow_id: str) -> WorkflowHead | None:
        """Strongly consistent; also of a deleted workflow, until it expires."""
        ...

    def revision(self, tenant_id: str, workflow_id: str, revision: int) -> Workflow | None:
        """Strongly consistent. None once the revision has expired. A revision that was read may be cached."""
        ...

    def replace(self, before: WorkflowHead, after: Workflow, expires_at_s: int) -> bool:
        """Write the next revision and its head in one transaction, and let the former revision expire.

        False if the head is not `before`. `expires_at_s` must outlive the runs of the former revision.
        """
        ...

    def delete(self, before: WorkflowHead, expires_at_s: int) -> bool:
        """Mark the head as deleted, let it and its revision expire, and free its key, in one transaction.

        False if the head is not `before`.
        """
        ...

    def keep_revision(self, tenant_id: str, workflow_id: str, revision: int, expires_at_s: int) -> None:
        """Extend the expiry of a revision, if it has one: a redriven run needs it."""
        ...

    def page(self, tenant_id: str, *, after: str | None, limit: int) -> HeadPage:
        """At most `limit` heads that are not deleted, oldest first, strictly behind the ID `after`.

        Strongly consistent. Examines at most `MAX_EXAMINED` heads and the requested ones; those that cannot be
        decoded are left out.
        """
        ...

    def count(self, tenant_id: str, at_most: int) -> int:
        """Workflows that are not deleted; counting stops at `at_most`. Eventually consistent: a workflow of the
        last second may be missing."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunUpdate:
    """The stored run after an update, whether or not it was written."""

    run: Run
    is_written: bool


class RunStore(Protocol):
    """Runs, each beside the executions of the minute in which it began, so that the sweeper finds it.

    Every write is one conditional write; reads are strongly consistent, apart from the list.
    """

    def put_if_absent(self, run: Run, *, expires_at_s: int | None = None) -> Run | None:
        """Insert a run if its key is free; None if written, otherwise the existing run, unchanged.

        `expires_at_s` is set if and only if the run has ended.
        """
        ...

    def get(self, run_id: ExecutionId) -> Run | None:
        """UnreadableItemError for an item of an unknown version, or a broken one."""
        ...

    def get_many(self, run_ids: Sequence[ExecutionId]) -> dict[ExecutionId, Run]:
        """Read at most 100 runs; IDs without an item are missing from the result."""
        ...

    def update(self, before: Run, after: Run, *, expires_at_s: int | None = None) -> RunUpdate:
        """Write the difference of two values of the same run.

        The condition: each changed task is stored as in `before`. Unless the difference only adds ends of chosen
        tasks, the stored state and epoch must also be those of `before`. Other tasks may have changed: the result
        shows them, so no end is lost, and each process that sees a task ready can choose it.

        An update that is stored already counts as written, since the response of its first try may have been
        lost. NotFoundError if there is no run. `expires_at_s` is set if and only if `after` has ended.
        """
        ...

    def page(
        self, tenant_id: str, workflow_id: str, *, before: ExecutionId | None, limit: int
    ) -> Sequence[ExecutionId]:
        """Runs of a workflow, latest first, strictly before a run; eventually consistent."""
        ...


class MapStore(Protocol):
    """The items of maps: one record for each map of a run, apart from the run. Every write is one conditional write;
    reads are strongly consistent."""

    def put(self, items: MapItems) -> MapItems | None:
        """Insert the record of a map if there is none; None if written, otherwise the existing one, unchanged."""
        ...

    def replace(self, before: MapItems, after: MapItems) -> MapItems | None:
        """Write the record of the next epoch, without an expiry, if the stored one is in the epoch of `before`.

        None if written, otherwise the existing one. UnavailableError if there is none.
        """
        ...

    def get(self, run_id: ExecutionId, key: str) -> MapItems | None:
        """UnreadableItemError for an item of an unknown version, or a broken one."""
        ...

    def record(
        self, run_id: ExecutionId, key: str, ends: Mapping[int, TaskProgress]
    ) -> tuple[MapItems | None, bool]:
        """Record ends of items, by position, if each is still open in the epoch and with the instant of its end.

        The stored record, with the ends of others, and whether this call has written. None if there is no record.
        """
        ...

    def conclude(self, items: MapItems, result: bytes, expires_at_s: int) -> bool:
        """Store the sealed result, if any, and let the record expire. False if it is in another epoch."""
        ...

    def keep(self, run_id: ExecutionId, key: str, expires_at_s: int) -> bool:
        """Extend the expiry of a record, if it has one; False if there is no record."""
        ...

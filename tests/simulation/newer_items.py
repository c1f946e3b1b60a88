"""Executions with a value that only the newer release of a run knows. An older release must leave them alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, ValuesView
from copy import copy
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from tests.simulation.faults import Strike, Weather
from tests.support.fakes.execution_store import FakeExecutionStore
from tests.support.fakes.one_off_batches import FakeOneOffBatches
from tests.support.fakes.table import Damage, FakeTable, Row

if TYPE_CHECKING:
    from tests.simulation.releases import Release
    from tests.simulation.world import World

T = TypeVar("T")
FILED_SHARE = 0.4
"""Of the executions that the newer release files: those with a value that only it knows."""
RECORDED_SHARE = 0.5
"""Of the outcomes that it records."""


class NewerItems:
    """Which executions have such a value. A value stays: outcomes are never removed."""

    def __init__(self, seed: int) -> None:
        self.ids: set[ExecutionId] = set()
        self._rng = Random(f"newer items {seed}")

    def note_outcome(self, execution_id: ExecutionId) -> None:
        """The newer release has recorded an outcome."""
        self._note(execution_id, RECORDED_SHARE)

    def note_filed(self, execution_id: ExecutionId) -> None:
        """The newer release has filed an execution."""
        self._note(execution_id, FILED_SHARE)

    def _note(self, execution_id: ExecutionId, share: float) -> None:
        if self._rng.random() < share:
            self.ids.add(execution_id)


class RowsOfOlder(Mapping[ExecutionId, Row]):
    """The rows as a process of the older release finds them."""

    def __init__(self, table: FakeTable, newer: NewerItems, weather: Weather) -> None:
        self._rows, self._newer, self._weather = table.executions, newer, weather

    def __getitem__(self, execution_id: ExecutionId) -> Row:
        row = self._rows[execution_id]
        if self.is_newer(row):
            self._weather.note(Strike.NEWER_ITEM)
        return self.seen(row)

    def __iter__(self) -> Iterator[ExecutionId]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, execution_id: object) -> bool:
        return execution_id in self._rows

    def values(self) -> ValuesView[Row]:
        """Every row, for scans."""
        return {key: self.seen(row) for key, row in self._rows.items()}.values()

    def seen(self, row: Row) -> Row:
        """No transition of an older release matches a newer row, so that nothing is written to the copy."""
        return replace(row, damage=Damage.NEWER) if self.is_newer(row) else row

    def is_newer(self, row: Row) -> bool:
        """Whether the older release lacks a value of the row."""
        return row.execution.id in self._newer.ids


class _TableOfOlder:
    """The table of a world, but for its rows."""

    def __init__(self, table: FakeTable, executions: RowsOfOlder) -> None:
        self._table = table
        self.executions = executions

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)


class _TableOfNewest:
    """The table of a world, where executions may be filed with a newer value."""

    def __init__(self, table: FakeTable, newer: NewerItems) -> None:
        self._table, self._newer = table, newer

    def insert(self, execution: Execution, expires_at_s: int | None) -> None:
        """See the table."""
        self._table.insert(execution, expires_at_s)
        self._newer.note_filed(execution.id)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)


def parked_items(world: World) -> list[str]:
    """Items that a process gave up as broken, although a newer release can read them. No item of a run is broken."""
    return [
        f"{message.message_id} was parked: {message.reason}"
        for message in world.parked_messages.messages.values()
        if "the item is broken" in message.reason
    ]


def seen_by(release: Release, world: World, store: T) -> T:
    """A store as a process of the release uses it."""
    if not world.releases.has_newer_items:
        return store
    own: Any = copy(store)
    newer = world.releases.newer_items
    table: Any = _TableOfNewest(world.table, newer)
    if release.is_newest:
        own.on_outcome = newer.note_outcome
    else:
        table = _TableOfOlder(world.table, RowsOfOlder(world.table, newer, world.weather))
    if isinstance(own, FakeOneOffBatches):
        own._store = FakeExecutionStore(table)
    own._table = table
    return own

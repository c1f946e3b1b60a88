"""Executions with a value that only the newer release of a run knows. An older release must leave them alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, ValuesView
from copy import copy
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

from shared.domain.ids import ExecutionId
from tests.simulation.faults import Strike, Weather
from tests.support.fakes.execution_store import FakeExecutionStore
from tests.support.fakes.one_off_batches import FakeOneOffBatches
from tests.support.fakes.table import Damage, FakeTable, Row

if TYPE_CHECKING:
    from tests.simulation.releases import Release
    from tests.simulation.world import World

T = TypeVar("T")
NEWER_SHARE = 0.5
"""Of the outcomes that the newer release records: those with a reason that only it knows."""


class NewerItems:
    """Which executions have such a value. A value stays: outcomes are never removed."""

    def __init__(self, seed: int) -> None:
        self.ids: set[ExecutionId] = set()
        self._rng = Random(f"newer items {seed}")

    def note_outcome(self, execution_id: ExecutionId) -> None:
        """The newer release has recorded an outcome."""
        if self._rng.random() < NEWER_SHARE:
            self.ids.add(execution_id)


class _RowsOfOlder(Mapping[ExecutionId, Row]):
    """The rows as a process of the older release finds them."""

    def __init__(self, table: FakeTable, newer: NewerItems, weather: Weather) -> None:
        self._rows, self._newer, self._weather = table.executions, newer, weather

    def __getitem__(self, execution_id: ExecutionId) -> Row:
        if execution_id in self._newer.ids and execution_id in self._rows:
            self._weather.note(Strike.NEWER_ITEM)
        return self._seen(self._rows[execution_id])

    def __iter__(self) -> Iterator[ExecutionId]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, execution_id: object) -> bool:
        return execution_id in self._rows

    def values(self) -> ValuesView[Row]:
        """Every row, for scans."""
        return {key: self._seen(row) for key, row in self._rows.items()}.values()

    def _seen(self, row: Row) -> Row:
        """No transition of an older release matches a newer row, so that nothing is written to the copy."""
        return replace(row, damage=Damage.NEWER) if row.execution.id in self._newer.ids else row


class _TableOfOlder:
    """The table of a world, but for its rows."""

    def __init__(self, table: FakeTable, executions: _RowsOfOlder) -> None:
        self._table = table
        self.executions = executions

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
    if release.is_newest:
        own.on_outcome = newer.note_outcome
        return own
    table: Any = _TableOfOlder(world.table, _RowsOfOlder(world.table, newer, world.weather))
    if isinstance(own, FakeOneOffBatches):
        own._store = FakeExecutionStore(table)
    own._table = table
    return own

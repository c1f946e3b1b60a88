"""Clients that redrive dead letters: one by one, twice at once, in bulk; and that take some of it back.

What they do is drawn from a stream of its own, so that seeds without them run as they would without this file.
"""

from dataclasses import dataclass, field
from functools import partial
from random import Random

from shared.bootstrap.use_cases import UseCases
from shared.domain.dead_letters.redrive_task import TaskState
from shared.domain.errors import InvalidStateError, NotFoundError
from shared.domain.listings.filters import DeadLetterFilter
from shared.usecases.dead_letters.start_redrive import NewRedrive
from tests.simulation.evidence import Press
from tests.simulation.requests import request
from tests.simulation.world import TENANTS, World

SHARE = 0.5
"""So many runs have such clients."""
LOOKS = 6
PRESSED_AT_MOST = 3
UNTIL_MS = 200_000
"""They go on for so long after the load."""


@dataclass(slots=True)
class _Bulk:
    """One bulk redrive as its client knows it."""

    key: str
    rate: int
    task_id: str | None = None
    undone: bool = False


@dataclass(slots=True)
class Redrivers:
    """What was asked for, and answered."""

    world: World
    presses: dict[str, Press] = field(default_factory=dict)
    """By the execution that was pressed."""
    paced: set[str] = field(default_factory=set)
    """Tenants that redrive in bulk, too."""
    rng: Random = field(init=False)

    def __post_init__(self) -> None:
        """A stream of its own."""
        self.rng = Random(f"redrives {self.world.seed}")

    def start(self, from_ms: int, load_ms: int) -> None:
        """Look at the dead letters at some times, and do something about them."""
        if self.rng.random() >= SHARE:
            return
        for number in range(LOOKS):
            at_ms = from_ms + self.rng.randint(20_000, load_ms + UNTIL_MS)
            tenant = self.rng.choice(TENANTS)
            if self.rng.random() < 0.7:
                request(self.world, "redriver", partial(self._look, tenant, Random(self.rng.random())), at_ms)
            else:
                self._draw_bulk(
                    tenant, _Bulk(key=f"redrive{number}", rate=self.rng.choice((1, 3, 50))), at_ms
                )

    def _draw_bulk(self, tenant: str, bulk: _Bulk, at_ms: int) -> None:
        self.paced.add(tenant)
        request(self.world, "redriver", partial(self._bulk, tenant, bulk), at_ms)
        if self.rng.random() < 0.5:
            undo_at_ms = at_ms + self.rng.choice(
                (self.rng.randint(50, 3_000), self.rng.randint(1_000, 90_000))
            )
            request(self.world, "redriver", partial(self._undo, tenant, bulk), undo_at_ms)

    def _look(self, tenant: str, rng: Random, cases: UseCases) -> None:
        """Press some of what the list shows, some of them twice, and change one's mind about some."""
        page = cases.dead_letters.list_dead_letters.execute(tenant, limit=20)
        for dead in page.executions[:PRESSED_AT_MOST]:
            at_ms = self.world.hub.now_ms + rng.randint(0, 20_000)
            fresh = Press(execution_id=str(dead.id), tenant=tenant, is_paced=tenant in self.paced)
            press = self.presses.setdefault(str(dead.id), fresh)
            for _ in range(rng.choice((1, 1, 2))):
                ask = partial(self._press, press)
                request(self.world, "redriver", ask, at_ms + rng.choice((0, rng.randint(0, 40_000))))
            if rng.random() < 0.3:
                request(self.world, "redriver", partial(self._cancel, press), at_ms + rng.randint(10, 5_000))

    def _press(self, press: Press, cases: UseCases) -> None:
        press.tries += 1
        try:
            made = cases.dead_letters.redrive_execution.execute(press.tenant, press.execution_id)
        except (InvalidStateError, NotFoundError) as fault:
            self._note(press.execution_id, f"redrive was refused: {fault}")
            return
        answer = str(made.execution.id)
        press.answers.setdefault(answer, self.world.hub.now_ms)
        self._note(press.execution_id, f"redrive was answered: {answer}")

    def _cancel(self, press: Press, cases: UseCases) -> None:
        for answer in list(press.answers):
            try:
                cases.dead_letters.cancel_redrive.execute(press.tenant, answer)
            except (InvalidStateError, NotFoundError):
                continue
            press.cancelled.setdefault(answer, self.world.hub.now_ms)

    def _bulk(self, tenant: str, bulk: _Bulk, cases: UseCases) -> None:
        new = NewRedrive(criteria=DeadLetterFilter(), rate=bulk.rate)
        try:
            made = cases.dead_letters.start_redrive.execute(self.world.tenant(tenant), new, bulk.key)
        except InvalidStateError as fault:
            self._note(tenant, f"bulk redrive was refused: {fault}")
            return
        bulk.task_id = made.task.id
        self._note(made.task.id, "bulk redrive was answered")
        if not made.replayed:
            cases.dead_letters.process_bulk_redrives.page(made.task)

    def _undo(self, tenant: str, bulk: _Bulk, cases: UseCases) -> None:
        if bulk.task_id is None:
            return
        try:
            task = cases.dead_letters.undo_redrive.execute(tenant, bulk.task_id)
        except InvalidStateError as fault:
            self._note(bulk.task_id, f"undo was refused: {fault}")
            return
        bulk.undone = task.state in (TaskState.UNDOING, TaskState.UNDONE)
        self._note(bulk.task_id, "undo was answered")

    def _note(self, about: str, text: str) -> None:
        self.world.trace.note(self.world.hub.now_ms, "client", text, [about])

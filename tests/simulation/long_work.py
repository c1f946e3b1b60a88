"""Receivers that answer that they have begun: they show signs of life, report what came of it, or die of it.

What they do is drawn from a stream of its own, so that seeds without them run as they would without this file.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from random import Random

from shared.bootstrap.use_cases import UseCases
from shared.domain.errors import InvalidStateError
from tests.simulation.descriptions import ASYNC_ACCEPTED
from tests.simulation.evidence import Arrival, Order, Report
from tests.simulation.requests import request
from tests.simulation.world import World

SHARE = 0.4
"""So many runs have such receivers."""
ORDERS_SHARE = 0.4
"""And so many of their jobs, among those that are neither changed nor backfilled."""
BEAT_MS = ASYNC_ACCEPTED.heartbeat_seconds * 1000
ENDS = ("complete", "complete", "complete", "fail", "")


class LongWork:
    """All receivers that report later, and what they reported."""

    def __init__(self, world: World, seed: int) -> None:
        self.reports: list[Report] = []
        self._world = world
        self._rng = Random(f"long work {seed}")
        self._is_on = self._rng.random() < SHARE
        self._urls: set[str] = set()
        world.receiver.async_accepted = self._begins

    def draw(self, orders: list[Order]) -> None:
        """Choose whose receivers work on."""
        backfilled = {order.backfill.of.number for order in orders if order.backfill is not None}
        for order in orders:
            is_plain = order.habits is None and order.number not in backfilled
            order.async_accepted = self._is_on and is_plain and self._rng.random() < ORDERS_SHARE
        self._urls = {order.url for order in orders if order.async_accepted}

    def _begins(self, arrival: Arrival, answered_at: int) -> bool:
        """A worker may be done, or give up, before its first answer has arrived; some are never heard of again."""
        if arrival.url not in self._urls:
            return False
        verb = self._rng.choice(ENDS)
        lasts_ms = self._rng.choice((-5, self._rng.randint(1, BEAT_MS), self._rng.randint(1, 4 * BEAT_MS)))
        at_ms = answered_at + lasts_ms
        beats = range(answered_at + BEAT_MS // 2, at_ms, BEAT_MS // 2)
        for beat_at in beats:
            self._report(arrival, "heartbeat", beat_at)
        if verb:
            self._report(arrival, verb, max(at_ms, self._world.hub.now_ms + 1))
        return True

    def _report(self, arrival: Arrival, verb: str, at_ms: int) -> None:
        report = Report(execution_id=arrival.execution_id, attempt=arrival.attempt, verb=verb)
        self.reports.append(report)
        tries = {"tries": 1} if verb == "heartbeat" else {}
        request(self._world, verb, partial(self._ask, report, arrival.token), at_ms, **tries)

    def _ask(self, report: Report, token: str, cases: UseCases) -> None:
        """An answer counts once; the same report may be sent twice, and is answered alike."""
        world = self._world
        report.asked_at = report.asked_at or world.hub.now_ms
        ask: dict[str, Callable[[str, str], object]] = {
            "heartbeat": cases.attempts.heartbeat_execution.execute,
            "complete": cases.attempts.report_outcome.complete,
            "fail": cases.attempts.report_outcome.fail,
        }
        with suppress(InvalidStateError):
            ask[report.verb](report.execution_id, token)
            report.acked_at = report.acked_at or world.hub.now_ms
            world.note(
                "receiver", f"{report.verb} of attempt {report.attempt} was heard", report.execution_id
            )
            return
        report.refused_at = report.refused_at or world.hub.now_ms
        world.note("receiver", f"{report.verb} of attempt {report.attempt} was refused", report.execution_id)

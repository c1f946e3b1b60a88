"""Clients that have what a job missed made up for: they ask for backfills, hold them back, and end them.

A backfill is an order of its own. Its client asks under a key until it is answered; a refusal is the end of it.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from random import Random

from shared.bootstrap.use_cases import UseCases
from shared.domain.errors import InvalidStateError, NotFoundError, ScheduleError
from shared.domain.jobs.new_backfill import NewBackfill
from shared.domain.schedules.overlap import OverlapPolicy
from shared.names import Lane
from tests.simulation.evidence import Hold, Order, Range
from tests.simulation.requests import request
from tests.simulation.world import World

MINUTE_MS = 60_000
SLACK_MS = 5_000
"""A range ends so long before the request: clocks differ, and only what is past can be made up for."""
PACES = (1, 2, 5, 11)


def draw_backfills(
    rng: Random, parent: Order, world: World, orders: list[Order], cancel: Callable[..., None]
) -> None:
    """One or two backfills of a job, some of which are paused and resumed, or cancelled, or race with its deletion."""
    for _ in range(rng.randint(1, 2)):
        asked_at = parent.asked_at + rng.randint(2_000, 120_000)
        from_at = asked_at - rng.randint(1, 12) * MINUTE_MS
        asked = Range(of=parent, from_at=from_at, to_at=asked_at - SLACK_MS, every_seconds=rng.choice(PACES))
        order = replace(
            parent,
            number=parent.number,
            lane=rng.choice(tuple(Lane)),
            key=f"b{len(orders)}",
            asked_at=asked_at,
            habits=None,
            backfill=asked,
        )
        orders.append(order)
        request(world, "backfill", partial(_make, world, order), asked_at)
        _draw_holds(rng, world, order, asked)
        if rng.random() < 0.2:
            cancel(order, asked_at + rng.randint(50, 40_000))
        if rng.random() < 0.2:
            cancel(parent, asked_at + rng.randint(-100, 100))


def _draw_holds(rng: Random, world: World, order: Order, asked: Range) -> None:
    at_ms = order.asked_at
    for verb in rng.choice(((), (), ("pause", "resume"), ("pause", "resume", "pause", "resume"), ("pause",))):
        at_ms += rng.choice((rng.randint(20, 3_000), rng.randint(1_000, 30_000)))
        hold = Hold(verb=verb)
        asked.holds.append(hold)
        request(world, verb, partial(_hold, world, order, hold), at_ms)


def _make(world: World, order: Order, cases: UseCases) -> None:
    asked = order.backfill
    assert asked is not None
    if order.acked_at is not None or asked.of.acked_at is None or asked.of.job_id is None:
        return
    new = NewBackfill(
        from_at=asked.from_at,
        to_at=asked.to_at,
        every_seconds=asked.every_seconds,
        overlap_policy=OverlapPolicy.ALLOW,
        lane=Lane(order.lane),
    )
    try:
        made = cases.jobs.backfill_job.execute(
            world.tenant(order.tenant), asked.of.job_id, new, order.key
        ).job
    except (InvalidStateError, NotFoundError, ScheduleError) as fault:
        world.note("client", f"backfill was refused: {fault}", asked.of.job_id)
        return
    if order.acked_at is not None:
        return
    order.job_id, order.created_at, order.acked_at = made.id, made.created_at, world.hub.now_ms
    world.accepted.note(order.acked_at, order.tenant, made.id)
    world.note("client", "was answered 201", made.id)


def _hold(world: World, order: Order, hold: Hold, cases: UseCases) -> None:
    if order.job_id is None or order.cancel_asked_at is not None or hold.acked_at is not None:
        return
    hold.asked_at = hold.asked_at or world.hub.now_ms
    lifecycle = cases.core.lifecycle
    change = lifecycle.pause if hold.verb == "pause" else lifecycle.resume
    try:
        job = change.execute(order.tenant, order.job_id)
    except InvalidStateError as fault:
        world.note("client", f"{hold.verb} was refused: {fault}", order.job_id)
        return
    if hold.acked_at is None:
        hold.acked_at, hold.state = world.hub.now_ms, job.state.value
        world.note("client", f"{hold.verb} was answered: {hold.state}", order.job_id)

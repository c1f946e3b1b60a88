"""One hostile tenant beside all others.

At his quota of creations, each job has an outcome callback to a URL that does not exist. A thousand jobs run
each second with `catch_up: all`, on a receiver that is dead for 20 minutes and then well.
"""

from __future__ import annotations

from functools import partial

from shared.domain.bucket import MINUTE_MS
from shared.domain.schedules.catch_up import MAX_CATCH_UP_LIMIT, CatchUp, CatchUpPolicy
from tests.scale.loads import Load, Mix
from tests.scale.receivers import DEAD, QUICK, WRONG
from tests.scale.stage import LARGE, START_MS, Slice
from tests.scale.steady import WARM_UP_MS, Result, Run, begin
from tests.scale.table import rows_of

OTHERS = 2_000
"""Jobs a second of all other tenants. Fewer jobs make the hostile tenant's share larger."""
JOBS = 1_000
CREATES_PER_SECOND = 100
CALM_MINUTES = 3
DEAD_MINUTES = 20
WELL_MINUTES = 6
CALM, DOWN, WELL = "calm", "receiver dead", "receiver well"
ALL = CatchUpPolicy(mode=CatchUp.ALL, limit=MAX_CATCH_UP_LIMIT)


def hostile(shards: int, *, seed: int = 1, dead_minutes: float = DEAD_MINUTES) -> Run:
    """The phases one after another; the table is of both phases with the hostile tenant."""
    world, load = begin(Slice(stage=LARGE, shards=shards), lambda _: OTHERS, Mix(), seed=seed)
    calm_ends = START_MS + WARM_UP_MS + CALM_MINUTES * MINUTE_MS
    dead_until = calm_ends + int(dead_minutes * MINUTE_MS)
    world.receivers.dead_until_ms = dead_until
    _add_jobs(load, calm_ends)
    world.receivers.phase, world.receivers.is_measured = CALM, False
    world.hub.run_until(START_MS + WARM_UP_MS)
    world.receivers.is_measured = True
    world.hub.run_until(calm_ends)
    world.begin()
    load.each(1_000, lambda: _create(load))
    world.receivers.phase = DOWN
    world.hub.run_until(dead_until)
    world.receivers.phase = WELL
    world.hub.run_until(dead_until + WELL_MINUTES * MINUTE_MS)
    return Run(world, load, rows_of(world, load))


def _add_jobs(load: Load, first_at: int) -> None:
    """The jobs begin when the calm phase ends."""
    for number in range(load.count(JOBS / load.world.slice.factor)):
        load.add_recurring(number, load.world.names[0], first_at, 1_000, DEAD, ALL)


def _create(load: Load) -> None:
    due_at = int(load.world.hub.now_ms) // 1_000 * 1_000 + 5_000
    for _ in range(load.count(CREATES_PER_SECOND / load.world.slice.factor)):
        draft = load.draft(load.world.names[0], due_at, QUICK.replace("quick", "own"), WRONG)
        load.request(partial(load.file_one, draft=draft))


def hostile_result(shards: int) -> Result:
    """The p99 of no other tenant may double."""
    run = hostile(shards)
    calm_ms = run.p99_ms(CALM)
    p99_ms = {phase: run.p99_ms(phase) for phase in (CALM, DOWN, WELL)}
    broken = [
        f"p99 of other tenants, {phase}: {ms} ms after {calm_ms} ms"
        for phase, ms in p99_ms.items()
        if ms >= 2 * calm_ms
    ]
    facts = [f"p99 of other tenants' lag in ms: {p99_ms}"]
    return run.result(f"one hostile tenant beside {OTHERS:,} jobs/s", facts, broken)

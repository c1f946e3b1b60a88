"""Which changes the clients of a seed ask for, and what is special about the jobs that they change."""

from collections.abc import Callable
from random import Random

from tests.simulation.changes import ask
from tests.simulation.evidence import Order
from tests.simulation.habits import Change, Habits
from tests.simulation.rhythms import Rhythm
from tests.simulation.world import World


def draw_habits(rng: Random, start_ms: int) -> Habits:
    """Of a job that recurs: about half of them are special in some way."""
    return Habits(
        overlap_policy=rng.choice(("allow", "allow", "skip", "queue_one")),
        catch_up=rng.choice(("coalesce", "coalesce", "skip", "all")),
        late_tolerance_seconds=rng.choice((5, 60)),
        jitter_seconds=rng.choice((0, 0, 2, 15)),
        max_runs=rng.choice((None, None, None, 3, 12)),
        end_at=rng.choice((None, None, None, start_ms // 1000 * 1000 + rng.randint(150, 330) * 1000)),
    )


def draw_one_off_habits(rng: Random) -> Habits:
    """Of a job that runs once."""
    return Habits(
        jitter_seconds=rng.choice((0, 0, 100)), start_deadline_seconds=rng.choice((None, None, 3, 70))
    )


def draw_recurring(rng: Random, order: Order, world: World, rhythms: Callable[[], Rhythm]) -> None:
    """A few changes, one after the other; sometimes two clients want something at the same time."""
    at_ms, is_paused = order.asked_at, False
    for _ in range(rng.randint(1, 5)):
        at_ms += rng.choice((rng.randint(1_000, 20_000), rng.randint(10_000, 90_000)))
        verb = rng.choice(("pause", "update", "reschedule", "trigger", "pause"))
        verb = "resume" if is_paused and rng.random() < 0.7 else verb
        is_paused = verb == "pause" or (is_paused and verb != "resume")
        ask(world, order, _drawn(verb, at_ms, rhythms), at_ms)
        if rng.random() < 0.25:
            rival = rng.choice(("pause", "resume", "update", "reschedule", "trigger"))
            rival_at = at_ms + rng.randint(0, 60)
            ask(world, order, _drawn(rival, rival_at, rhythms), rival_at)


def _drawn(verb: str, at_ms: int, rhythms: Callable[[], Rhythm]) -> Change:
    if verb != "reschedule":
        return Change(verb=verb)
    return Change(verb="update", rhythm=rhythms(), start_at=at_ms // 1000 * 1000)


def draw_one_off(rng: Random, order: Order, world: World) -> None:
    """A few edits before the job is due, or a little too late; some give it another time."""
    at_ms = order.asked_at
    for _ in range(rng.randint(1, 3)):
        at_ms += rng.randint(200, 40_000)
        due_at = at_ms + rng.randint(-5_000, 150_000) if rng.random() < 0.6 else None
        ask(world, order, Change(verb="edit", due_at=due_at), at_ms)
        if rng.random() < 0.25:
            ask(world, order, Change(verb="edit"), at_ms + rng.randint(0, 60))


def draw_described_anew(rng: Random, order: Order, world: World) -> None:
    """A few changes that leave the schedule as it is."""
    at_ms = order.asked_at
    for verb in rng.choice(
        (("update",), ("pause", "resume"), ("pause", "update", "resume"), ("update", "update"))
    ):
        at_ms += rng.choice((rng.randint(500, 5_000), rng.randint(5_000, 60_000)))
        ask(world, order, Change(verb=verb), at_ms)

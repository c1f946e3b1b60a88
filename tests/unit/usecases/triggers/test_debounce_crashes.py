"""Events that share a run, and processes that die anywhere: no acknowledged event is without its run."""

import json
from dataclasses import replace

import pytest

from shared.domain.bucket import EVERY_SHARD
from shared.domain.errors import UnavailableError
from shared.domain.executions.states import EndReason, State, Transition
from shared.domain.jobs.job import Job
from shared.domain.schedules.timing import Every
from shared.domain.tenancy.suspension import Suspension
from shared.domain.tenancy.tenant import Tenant
from shared.domain.triggers.event import Event
from shared.domain.triggers.pattern import encode_pattern
from shared.domain.triggers.trigger import Throttle, Trigger
from shared.usecases.triggers.matches import Match, Outcome
from tests.support.builders import EXPIRES_AT_S, TENANT
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.world import World

TRIGGER = Trigger(
    name="paid",
    version=0,
    changed_at=0,
    pattern=encode_pattern({"source": ["shop"]}),
    job_id="job_r" + "0" * 27,
    debounce_seconds=30,
)
MINUTE_MS = 60_000


def event(number: int) -> Event:
    return Event(source="shop", type="paid", id=f"order-{number}", data={"note": "n" * 2_000})


class Shop:
    """A world with a trigger that waits for 30 seconds without an event."""

    def __init__(self, trigger: Trigger = TRIGGER) -> None:
        self.world = World()
        job = self.world.accept(Every(86_400))
        assert isinstance(job, Job)
        self.job = job
        self.put(trigger)
        self.lanes = Lanes(self.world)
        self.world.steps.taken.clear()

    @property
    def tenant(self) -> Tenant:
        tenant = self.world.cases.core.read_tenant.execute(self.job.tenant_id)
        assert tenant is not None
        return tenant

    def put(self, trigger: Trigger) -> None:
        self.world.cases.triggers.triggers.put(self.tenant.id, replace(trigger, job_id=self.job.id))

    def send(self, number: int) -> Match:
        """The match, whatever its trigger has started."""
        (match,) = self.world.cases.triggers.receive_event.execute(self.tenant, event(number))
        return replace(match, trigger=TRIGGER)

    def crash(self, number: int, moment: int) -> bool:
        """Send an event with a crash at this moment; False if the event was acknowledged before."""
        begun = 2 * len(self.world.steps.taken)
        self.world.steps.at_each = lambda at, _: die() if at == begun + moment else None
        try:
            self.send(number)
        except Crash:
            return True
        else:
            return False
        finally:
            self.world.steps.calm()

    def pass_seconds(self, seconds: int) -> None:
        self.lanes.until(self.world.clock.time_ms + seconds * 1000)

    def sweep(self, minutes: int) -> None:
        """Messages, a watcher and a sweeper."""
        for _ in range(minutes):
            self.world.watch.execute(EVERY_SHARD)
            self.pass_seconds(60)
            self.world.sweep.execute()
        self.pass_seconds(60)

    def calls(self) -> list[str]:
        bodies = [json.loads(call.callback.body) for call in self.world.sender.calls]
        return [body["event"]["id"] for body in bodies if "event" in body]


def _steps(events: int) -> int:
    """The calls of the last one of some events."""
    shop = Shop()
    for number in range(events):
        shop.world.steps.taken.clear()
        shop.send(number)
    return len(shop.world.steps.taken)


FIRST, SECOND = _steps(1), _steps(2)


@pytest.mark.parametrize("moment", range(2 * FIRST))
def test_first_event_sent_again_after_a_crash_starts_one_run(moment: int) -> None:
    shop = Shop()
    assert shop.crash(1, moment)
    first = shop.send(1)
    assert first.execution_id is not None
    assert shop.send(1) == replace(first, outcome=Outcome.REPEATED)
    shop.pass_seconds(40)
    assert shop.calls() == ["order-1"]
    assert shop.send(1).outcome is Outcome.REPEATED
    shop.pass_seconds(100)
    assert shop.calls() == ["order-1"]


@pytest.mark.parametrize("moment", range(2 * SECOND))
def test_second_event_sent_again_after_a_crash_shares_the_run(moment: int) -> None:
    shop = Shop()
    first = shop.send(1)
    assert shop.crash(2, moment)
    second = shop.send(2)
    assert second.execution_id == first.execution_id
    shop.pass_seconds(100)
    assert shop.calls() == ["order-2"]
    assert shop.send(2).outcome is Outcome.REPEATED
    shop.pass_seconds(100)
    assert shop.calls() == ["order-2"]


@pytest.mark.parametrize("moment", range(2 * FIRST))
def test_event_that_follows_a_crash_gets_a_run_though_the_first_one_is_never_repeated(moment: int) -> None:
    """The crash may have left a run without a message, which the sweep wakes."""
    shop = Shop()
    assert shop.crash(1, moment)
    assert shop.send(2).execution_id is not None
    shop.sweep(4)
    assert shop.calls()[-1] == "order-2"
    assert len(shop.calls()) == 1


@pytest.mark.parametrize("moment", range(2 * SECOND))
def test_event_repeated_after_its_run_has_begun_without_it_starts_another(moment: int) -> None:
    shop = Shop()
    shop.send(1)
    assert shop.crash(2, moment)
    shop.pass_seconds(100)
    begun = shop.calls()
    again = shop.send(2)
    shop.pass_seconds(100)
    assert shop.calls() == [*begun, *(["order-2"] if begun == ["order-1"] else [])]
    assert shop.send(2) == replace(again, outcome=Outcome.REPEATED)
    shop.pass_seconds(100)
    assert shop.calls().count("order-2") == 1


@pytest.mark.parametrize("step", ["store.postpone", "idempotency.claim", "store.get", "triggers.all"])
@pytest.mark.parametrize("lost", [False, True])
def test_event_is_not_acknowledged_while_its_run_may_lack_it(step: str, *, lost: bool) -> None:
    shop = Shop()
    shop.send(1)
    (shop.world.steps.lose_answer if lost else shop.world.steps.fail)(step)
    with pytest.raises(UnavailableError):
        shop.send(2)
    assert shop.send(2).outcome in (Outcome.DEBOUNCED, Outcome.REPEATED)
    shop.pass_seconds(100)
    assert shop.calls() == ["order-2"]


@pytest.mark.parametrize("step", ["triggers.start", "idempotency.claim", "jobs.file_beside", "queue.send"])
def test_first_events_that_race_share_one_run(step: str) -> None:
    shop = Shop()
    raced: list[Match] = []
    shop.world.steps.before(step, lambda: raced.append(shop.send(2)))
    first = shop.send(1)
    assert {each.execution_id for each in raced} == {first.execution_id}
    shop.pass_seconds(100)
    assert len(shop.calls()) == 1


def test_later_events_that_race_share_the_run_and_the_latest_data() -> None:
    shop = Shop()
    shop.send(1)
    shop.world.clock.time_ms += 1_000
    raced: list[Match] = []

    def overtake() -> None:
        shop.world.clock.time_ms += 1_000
        raced.append(shop.send(3))

    shop.world.steps.before("store.postpone", overtake)
    slow = shop.send(2)
    assert raced[0].execution_id == slow.execution_id
    assert slow.due_at == raced[0].due_at
    shop.pass_seconds(100)
    assert shop.calls() == ["order-3"]


def test_later_event_replaces_an_earlier_one_of_a_fast_clock() -> None:
    shop = Shop()
    shop.world.clock.time_ms += 2_000
    shop.send(1)
    shop.world.clock.time_ms -= 1_000
    assert shop.send(2).outcome is Outcome.DEBOUNCED
    shop.pass_seconds(100)
    assert shop.calls() == ["order-2"]


def test_event_that_loses_to_the_claim_of_the_run_starts_another() -> None:
    shop = Shop()
    first = shop.send(1)
    shop.world.clock.time_ms += 20_000
    shop.world.steps.before("store.postpone", lambda: shop.pass_seconds(30))
    second = shop.send(2)
    assert second.execution_id != first.execution_id
    assert shop.send(2) == replace(second, outcome=Outcome.REPEATED)
    shop.pass_seconds(100)
    assert shop.calls() == ["order-1", "order-2"]


def test_event_that_precedes_the_claim_of_the_run_postpones_it() -> None:
    shop = Shop()
    shop.send(1)
    shop.world.steps.before("claimer.claim", lambda: shop.send(2))
    shop.pass_seconds(31)
    assert shop.calls() == []
    shop.pass_seconds(100)
    assert shop.calls() == ["order-2"]


def test_event_after_a_cancelled_run_starts_another() -> None:
    shop = Shop()
    first = shop.send(1)
    assert first.execution_id is not None
    cancelled = EndReason.CANCELLED
    shop.world.store.cancel(
        first.execution_id, Transition.CANCEL, reason=cancelled, expires_at_s=EXPIRES_AT_S
    )
    assert shop.send(2).execution_id != first.execution_id
    assert shop.send(1).execution_id == first.execution_id
    shop.pass_seconds(100)
    assert shop.calls() == ["order-2"]


def test_trigger_that_changes_while_an_event_starts_a_run_makes_the_sender_repeat_it() -> None:
    shop = Shop()
    shop.world.steps.before("triggers.start", lambda: shop.put(replace(TRIGGER, debounce_seconds=10)))
    with pytest.raises(UnavailableError):
        shop.send(1)
    assert shop.send(1).outcome is Outcome.FILED
    shop.pass_seconds(100)
    assert shop.calls() == ["order-1"]


THROTTLED = replace(TRIGGER, debounce_seconds=0, throttle=Throttle(count=1, per_seconds=60))


def test_throttle_never_lets_more_runs_start_whatever_crashes() -> None:
    for moment in range(40):
        shop = Shop(THROTTLED)
        crashed = shop.crash(1, moment)
        outcomes = [shop.send(number).outcome for number in (2, 1, 3, 1)]
        shop.pass_seconds(30)
        assert len(shop.calls()) <= 1, (moment, outcomes)
        # Nothing is lost for good: the window ends.
        shop.pass_seconds(60)
        assert shop.send(2).outcome in (Outcome.FILED, Outcome.REPEATED)
        if not crashed:
            return
    raise AssertionError("an event takes fewer steps")


def test_only_event_of_a_window_that_is_sent_again_after_a_crash_starts_its_run() -> None:
    """The crash may have counted a run that does not stand: it is that of the event."""
    for moment in range(40):
        shop = Shop(THROTTLED)
        crashed = shop.crash(1, moment)
        shop.world.clock.time_ms += 20_000
        assert shop.send(1).outcome in (Outcome.FILED, Outcome.REPEATED), moment
        assert shop.send(2).outcome is Outcome.THROTTLED
        shop.pass_seconds(10)
        assert shop.calls() == ["order-1"]
        if not crashed:
            return
    raise AssertionError("an event takes fewer steps")


def test_event_does_not_file_the_run_that_a_throttle_has_counted_for_another_one() -> None:
    """The other one would be told of a run that has not its data."""
    for moment in range(40):
        shop = Shop(THROTTLED)
        crashed = shop.crash(1, moment)
        started = [number for number in (2, 1) if shop.send(number).outcome is not Outcome.THROTTLED]
        shop.pass_seconds(10)
        assert shop.calls() == [f"order-{number}" for number in started], moment
        if not crashed:
            return
    raise AssertionError("an event takes fewer steps")


def test_throttled_events_that_race_start_as_many_runs_as_the_window_has() -> None:
    shop = Shop(replace(THROTTLED, throttle=Throttle(count=2, per_seconds=60)))
    raced: list[Match] = []
    shop.world.steps.before("triggers.start", lambda: raced.extend(shop.send(each) for each in (2, 3)))
    last = shop.send(1)
    assert [each.outcome for each in (*raced, last)] == [Outcome.FILED, Outcome.FILED, Outcome.THROTTLED]
    shop.pass_seconds(30)
    assert len(shop.calls()) == 2


def suspended(from_seconds: int, until_seconds: int) -> Shop:
    """A shop whose workers know a suspension before it begins, in seconds from now."""
    shop = Shop()
    now_ms = shop.world.clock.time_ms
    suspension = Suspension(from_at=now_ms + from_seconds * 1000, until_at=now_ms + until_seconds * 1000)
    shop.world.tenants.tenants[TENANT] = replace(shop.world.tenant, suspensions=(suspension,))
    shop.world.cases.core.read_tenant.execute(TENANT, 0)
    return shop


def end_of_run(shop: Shop, match: Match) -> tuple[State, EndReason | None, int]:
    assert match.execution_id is not None
    run = shop.world.standing(match.execution_id)
    return run.state, run.progress.end_reason, run.attempt


def test_event_that_postpones_a_run_past_a_suspension_reaches_the_call() -> None:
    """The run was first due during the suspension, and waits until it is over."""
    shop = suspended(20, 120)
    first = shop.send(1)
    shop.pass_seconds(119)
    assert shop.calls() == []
    shop.world.clock.time_ms += 1_000
    second = shop.send(2)
    assert (second.outcome, second.execution_id) == (Outcome.DEBOUNCED, first.execution_id)
    shop.pass_seconds(60)
    assert shop.calls() == ["order-2"]
    assert end_of_run(shop, second) == (State.SUCCEEDED, None, 1)


def test_run_that_events_postpone_into_a_suspension_ends_without_a_call() -> None:
    shop = suspended(40, 120)
    shop.send(1)
    shop.pass_seconds(20)
    second = shop.send(2)
    assert second.outcome is Outcome.DEBOUNCED
    shop.pass_seconds(180)
    assert shop.calls() == []
    assert end_of_run(shop, second) == (State.SKIPPED, EndReason.SUSPENDED, 0)

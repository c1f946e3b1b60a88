"""An event whose process dies anywhere is completed by the same event, and starts each run once."""

import json
from dataclasses import replace

import pytest

from shared.domain.delivery.destination import DESTINATION_CONTEXT, destination_id, origin_of
from shared.domain.delivery.request import Request
from shared.domain.errors import InvalidValueError, UnavailableError
from shared.domain.jobs.job import Job
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.timing import Every
from shared.domain.tenancy.tenant import Tenant
from shared.domain.triggers.event import Event
from shared.domain.triggers.pattern import encode_pattern
from shared.domain.triggers.trigger import Trigger
from shared.usecases.triggers.matches import Match, Outcome
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.world import REQUEST, World

OTHER = replace(REQUEST, url="https://other.example/hook", body=b'{"n":2}')
EVERY = Every(86_400)
PAID = Event(source="shop", type="order.paid", id="order-1", data={"note": "n" * 2_000})


class Shop:
    """A world with two triggers of one recurring job."""

    def __init__(self) -> None:
        self.world = World()
        job = self.world.accept(EVERY)
        assert isinstance(job, Job)
        self.job = job
        for name in ("first", "second"):
            pattern = encode_pattern({"source": ["shop"]})
            trigger = Trigger(name=name, version=0, changed_at=0, pattern=pattern, job_id=self.job.id)
            self.world.cases.triggers.triggers.put(self.tenant.id, trigger)
        self.world.steps.taken.clear()

    @property
    def tenant(self) -> Tenant:
        tenant = self.world.cases.core.read_tenant.execute(self.job.tenant_id)
        assert tenant is not None
        return tenant

    def send(self, event: Event = PAID) -> list[Match]:
        return self.world.cases.triggers.receive_event.execute(self.tenant, event)

    def change(self) -> None:
        """The job gets another URL and body."""
        new = NewJob(timing=EVERY, request=OTHER)
        self.world.revise_job.execute(self.tenant, self.job, REQUEST, new, revision=self.job.revision)

    def filed(self, match: Match) -> Request:
        """The request of a run, which has the destination that its limits hold for."""
        assert match.execution_id is not None
        run = self.world.standing(match.execution_id)
        request = self.world.open_request.execute(self.tenant, run)
        code = self.world.vault.code(self.tenant, DESTINATION_CONTEXT, origin_of(request.url))
        assert run.call.destination == destination_id(code)
        return request

    def calls(self) -> list[str]:
        """The ids of the events in the calls that were made within a minute."""
        Lanes(self.world).until(self.world.clock.time_ms + 60_000)
        bodies = [json.loads(call.callback.body) for call in self.world.sender.calls]
        return [body["event"]["id"] for body in bodies if "event" in body]


def _steps() -> int:
    shop = Shop()
    shop.send()
    return len(shop.world.steps.taken)


STEPS = _steps()


@pytest.mark.parametrize("moment", range(2 * STEPS))
def test_event_that_is_sent_again_after_a_crash_starts_each_run_once(moment: int) -> None:
    shop = Shop()
    shop.world.steps.at_each = lambda at, _: die() if at == moment else None
    with pytest.raises(Crash):
        shop.send()
    shop.world.steps.calm()
    matches = shop.send()
    assert [each.trigger.name for each in matches] == ["first", "second"]
    assert len({each.execution_id for each in matches}) == 2
    assert shop.calls() == ["order-1", "order-1"]
    assert {each.outcome for each in shop.send()} == {Outcome.REPEATED}


@pytest.mark.parametrize("moment", range(2 * STEPS))
def test_event_of_the_future_is_completed_after_its_instant_by_the_event_sent_again(moment: int) -> None:
    """Its instant is in the past by then. Only an event of which nothing was received may be refused for that."""
    shop = Shop()
    event = replace(PAID, deliver_at=shop.world.clock.time_ms + 30_000)
    shop.world.steps.at_each = lambda at, _: die() if at == moment else None
    with pytest.raises(Crash):
        shop.send(event)
    shop.world.steps.calm()
    shop.world.clock.time_ms += 120_000
    try:
        matches = shop.send(event)
    except InvalidValueError as refused:
        assert refused.path == ("deliver_at",)
        key, now_ms = f"event\nfirst\n{shop.job.id}\nshop\norder-1", shop.world.clock.time_ms
        assert shop.world.idempotency.find(shop.tenant.id, key, now_ms) is None
        assert shop.calls() == []
    else:
        assert len({each.execution_id for each in matches}) == 2
        assert shop.calls() == ["order-1", "order-1"]


def shown(request: Request) -> tuple[str, object]:
    return request.url, json.loads(request.body)["body"]


BEFORE, AFTER = (REQUEST.url, {"n": 1}), (OTHER.url, {"n": 2})


@pytest.mark.parametrize("moment", range(2 * STEPS))
def test_event_that_is_sent_again_after_a_change_of_the_job_files_its_runs_in_one_piece(moment: int) -> None:
    shop = Shop()
    shop.world.steps.at_each = lambda at, _: die() if at == moment else None
    with pytest.raises(Crash):
        shop.send()
    shop.world.steps.calm()
    stands = set(shop.world.table.executions)
    shop.change()
    for match in shop.send():
        request = shown(shop.filed(match))
        assert request == (BEFORE if match.execution_id in stands else AFTER)


@pytest.mark.parametrize(
    "step", ["idempotency.claim", "jobs.put_payload", "jobs.file_beside", "queue.send", "triggers.all"]
)
def test_event_is_not_acknowledged_while_a_run_may_be_missing(step: str) -> None:
    shop = Shop()
    shop.world.steps.fail(step)
    with pytest.raises(UnavailableError):
        shop.send()
    shop.send()
    assert shop.calls() == ["order-1", "order-1"]


def test_events_that_race_start_each_run_once() -> None:
    shop = Shop()
    shop.world.steps.before("idempotency.claim", shop.send)
    raced = shop.send()
    assert [each.outcome for each in raced] == [Outcome.REPEATED, Outcome.REPEATED]
    assert shop.calls() == ["order-1", "order-1"]


def test_event_has_the_body_of_the_job_as_it_is_when_the_run_is_filed() -> None:
    shop = Shop()
    shop.world.steps.before("jobs.file_beside", shop.change)
    matches = shop.send()
    assert {each.outcome for each in matches} == {Outcome.FILED}
    assert [shown(shop.filed(each)) for each in matches] == [AFTER, AFTER]
    assert shop.calls() == ["order-1", "order-1"]
    assert {call.callback.url for call in shop.world.sender.calls} == {OTHER.url}

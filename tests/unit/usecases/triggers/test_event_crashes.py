"""An event whose process dies anywhere is completed by the same event, and starts each run once."""

import json

import pytest

from shared.domain.errors import UnavailableError
from shared.domain.tenancy.tenant import Tenant
from shared.domain.triggers.event import Event
from shared.domain.triggers.pattern import encode_pattern
from shared.domain.triggers.trigger import Trigger
from shared.usecases.triggers.receive_event import Match, Outcome
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.world import World

PAID = Event(source="shop", type="order.paid", id="order-1", data={"note": "n" * 2_000})


class Shop:
    """A world with two triggers of one recurring job."""

    def __init__(self) -> None:
        self.world = World()
        self.job = self.world.recurring()
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

    def send(self) -> list[Match]:
        return self.world.cases.triggers.receive_event.execute(self.tenant, PAID)

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
    change = shop.world.cases.core.lifecycle
    shop.world.steps.before("jobs.file_beside", lambda: change.pause.execute(shop.tenant.id, shop.job.id))
    assert {each.outcome for each in shop.send()} == {Outcome.FILED}
    assert shop.calls() == ["order-1", "order-1"]

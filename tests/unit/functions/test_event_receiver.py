"""The receiver of events from the event bus: SQS records in, runs of the tenant's jobs, and what is delivered again."""

import importlib
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest

from shared.adapters.sqs.event_queue import SqsEventQueue
from shared.domain.delivery.depth import MAX_DEPTH
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.tenant import TenantState
from shared.domain.triggers.queued_event import MAX_REDELIVERIES, Cause, LaterEvent, Redeliveries
from shared.names import Metric
from shared.observability import metrics
from tests.support.api.api_world import REMEMBER_MS
from tests.support.api.emitted import flushed
from tests.support.api.environment import ENVIRONMENT
from tests.support.api.event_shop import Shop
from tests.support.builders import TENANT
from tests.support.fakes.event_queue import FakeEventQueue, SentLater
from tests.support.fakes.sqs import FakeSqs
from tests.support.sources import ROOT

ACCOUNT = "222222222222"
GUIDE = (ROOT / "docs" / "guides" / "react-to-files.md").read_text(encoding="utf-8")


def shown(name: str) -> Any:
    """A JSON block of the guide."""
    (block,) = re.findall(rf"```json bus {name}\n(.*?)```", GUIDE, re.DOTALL)
    return json.loads(block)


FILE: dict[str, Any] = shown("event")


class Bus(Shop):
    """A job that files of a bucket start, and an operator's route for its account."""

    def __init__(self, module: ModuleType) -> None:
        super().__init__()
        self.module = module
        self.left_ms = 30_000
        self.put("large", pattern=shown("trigger"))
        self.map("aws.s3")

    def map(self, *prefixes: str, tenant: str = TENANT) -> None:
        routes = [{"source_prefix": prefix, "tenant_id": tenant} for prefix in prefixes]
        sources = self.api.world.cases.triggers.event_sources
        from functions.api.resources.event_sources.models import EventSourceIn

        sources.put(EventSourceIn.model_validate({"routes": routes}).event_source(ACCOUNT))

    def receive(self, *events: Any) -> list[str]:
        """The numbers of the events that are sent again. SQS itself delivers none again, unless it refuses them."""
        before = len(self.queue.later)
        bodies = [each if isinstance(each, str) else json.dumps(each) for each in events]
        returned = self.handle(
            [{"messageId": str(number), "body": body} for number, body in enumerate(bodies)]
        )
        assert returned == [], "in flight until the end of the visibility timeout"
        return [str(bodies.index(each.event.body)) for each in self.queue.later[before:]]

    def handle(self, records: list[dict[str, Any]]) -> list[str]:
        """The messages that SQS itself is to deliver again."""
        self.api.world.clock.time_ms += 1
        answer = self.module.handler(
            {"Records": records}, SimpleNamespace(get_remaining_time_in_millis=lambda: self.left_ms)
        )
        return [each["itemIdentifier"] for each in answer["batchItemFailures"]]

    @property
    def queue(self) -> FakeEventQueue:
        return self.api.world.event_queue

    def deliver_again(self) -> list[int]:
        """Deliver the last event that was sent again, after its delay, until it is so no more; the delays."""
        delays: list[int] = []
        while self.queue.later:
            sent = self.queue.later.pop()
            delays.append(sent.delay_seconds)
            self.api.world.clock.time_ms += sent.delay_seconds * 1000
            assert self.handle([record(sent)]) == []
        return delays


def record(sent: SentLater) -> dict[str, Any]:
    """As Lambda hands over what the adapter has sent."""
    (entry,) = entries_of(
        [
            LaterEvent(
                event=sent.event,
                redeliveries=cast(Redeliveries, sent.event.redeliveries),
                delay_seconds=sent.delay_seconds,
            )
        ]
    )
    attributes = {
        name: {"dataType": value["DataType"], "stringValue": value["StringValue"]}
        for name, value in entry["MessageAttributes"].items()
    }
    return {"messageId": entry["Id"], "body": entry["MessageBody"], "messageAttributes": attributes}


class Sent:
    """The adapter over a queue that takes all."""

    def __init__(self) -> None:
        self.entries: list[Any] = []
        client: Any = FakeSqs(self._accept)
        self.queue = SqsEventQueue(client, "queue", "dead")

    def _accept(self, _url: str, entry: Any) -> bool:
        self.entries.append(entry)
        return True


def entries_of(events: list[LaterEvent]) -> list[Any]:
    sent = Sent()
    sent.queue.send_later(events)
    return sent.entries


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bus]:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    metrics.clear_metrics()
    name = "functions.event_receiver.handler"
    module = importlib.import_module(name)
    made = Bus(module)
    monkeypatch.setattr(module, "receive", made.api.world.cases.triggers.receive_queued_events)
    yield made
    sys.modules.pop(name)


def counted(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    output = [line for line in capsys.readouterr().out.splitlines() if "_aws" in line]
    return flushed("\n".join(output))


def test_file_of_the_guide_starts_the_job_with_its_event(
    bus: Bus, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bus.receive(FILE) == []
    bus.pass_seconds(5)
    (body,) = bus.bodies()
    call = shown("call")
    assert body["event"]["id"].startswith("s3-")
    assert body["event"] == call["event"] | {"id": body["event"]["id"]}
    assert counted(capsys) == {Metric.EVENTS_RECEIVED: 1}


def test_event_that_comes_twice_starts_one_run(bus: Bus) -> None:
    assert bus.receive(FILE, FILE | {"id": "of another delivery"}) == []
    assert bus.receive(FILE) == []
    bus.pass_seconds(5)
    assert len(bus.bodies()) == 1


def test_file_that_the_pattern_does_not_name_starts_nothing(bus: Bus) -> None:
    detail = FILE["detail"]
    other = {"key": "orders/2026-11-12.txt"}
    assert bus.receive(FILE | {"detail": detail | {"object": detail["object"] | other}}) == []
    bus.pass_seconds(5)
    assert bus.bodies() == []


@pytest.mark.parametrize("changes", [{"account": "333333333333"}, {"source": "aws.ec2"}])
def test_event_that_no_operator_has_mapped_is_counted_and_charged_to_nobody(
    bus: Bus, capsys: pytest.CaptureFixture[str], changes: dict[str, str]
) -> None:
    bus.api.allow(Quota.CREATES_PER_SECOND, 0)
    assert bus.receive(FILE | changes) == []
    assert counted(capsys) == {Metric.EVENTS_UNMAPPED: 1}


@pytest.mark.parametrize(
    "changes", [{"detail": {"a": "b" * 40_000}}, {"detail": None}, {"detail-type": None}]
)
def test_event_that_no_operator_has_mapped_is_dropped_whatever_it_has(
    bus: Bus, capsys: pytest.CaptureFixture[str], changes: dict[str, Any]
) -> None:
    assert bus.receive(FILE | {"account": "333333333333"} | changes) == []
    assert counted(capsys) == {Metric.EVENTS_UNMAPPED: 1}


def test_event_of_a_tenant_over_its_quota_is_not_judged(bus: Bus, capsys: pytest.CaptureFixture[str]) -> None:
    bus.api.allow(Quota.CREATES_PER_SECOND, 0)
    assert bus.receive(FILE | {"detail": {"a": "b" * 40_000}}) == ["0"]
    assert counted(capsys) == {Metric.EVENTS_DELAYED: 1}


def test_event_that_is_refused_is_logged_with_account_and_source(
    bus: Bus, caplog: pytest.LogCaptureFixture
) -> None:
    assert bus.receive(FILE | {"detail": {"a": "b" * 40_000}}) == []
    (line,) = [vars(each) for each in caplog.records if each.message == "event refused"]
    assert (line["account"], line["source"]) == (ACCOUNT, "aws.s3")


def test_event_of_a_suspended_tenant_is_dropped(bus: Bus, capsys: pytest.CaptureFixture[str]) -> None:
    tenants = bus.api.world.tenants.tenants
    tenants[TENANT] = replace(tenants[TENANT], state=TenantState.SUSPENDED)
    bus.api.world.clock.time_ms += REMEMBER_MS
    assert bus.receive(FILE) == []
    assert counted(capsys) == {Metric.EVENTS_NO_TENANT: 1}
    bus.pass_seconds(5)
    assert bus.bodies() == []


@pytest.mark.parametrize("quota", [Quota.CREATES_PER_SECOND, Quota.DUE_PER_MINUTE])
def test_event_of_a_tenant_over_its_quota_is_delivered_again(
    bus: Bus, capsys: pytest.CaptureFixture[str], quota: Quota
) -> None:
    bus.api.allow(quota, 0)
    assert bus.receive(FILE, FILE | {"account": "333333333333"}) == ["0"]
    assert counted(capsys) == {Metric.EVENTS_DELAYED: 1, Metric.EVENTS_UNMAPPED: 1}
    bus.api.allow(quota, 10)
    assert bus.receive(FILE) == []
    bus.pass_seconds(5)
    assert len(bus.bodies()) == 1


@pytest.mark.parametrize("step", ["triggers.all", "jobs.file_beside", "event_sources.get", "queue.send"])
def test_event_is_delivered_again_while_a_store_does_not_answer(bus: Bus, step: str) -> None:
    bus.api.world.steps.fail(step)
    assert bus.receive(FILE) == ["0"]
    assert bus.receive(FILE) == []
    bus.pass_seconds(5)
    assert len(bus.bodies()) == 1


@pytest.mark.parametrize(
    "event",
    [
        "{",
        {"Records": []},
        FILE | {"account": 1},
        FILE | {"detail": {"a": "b" * 40_000}},
        FILE | {"source": None},
        FILE | {"detail-type": ""},
    ],
)
def test_event_that_cannot_be_received_is_refused_with_a_clear_log(
    bus: Bus, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, event: Any
) -> None:
    assert bus.receive(event, FILE) == []
    (line,) = [each for each in caplog.records if each.message == "event refused"]
    (dead,) = bus.queue.dead
    assert dead.event.body == (event if isinstance(event, str) else json.dumps(event))
    assert vars(line)["reason"] == dead.reason != ""
    assert "bbb" not in str(vars(line))
    assert counted(capsys) == {Metric.EVENTS_REFUSED: 1, Metric.EVENTS_RECEIVED: 1}


def test_fault_of_one_event_holds_up_no_other(bus: Bus, capsys: pytest.CaptureFixture[str]) -> None:
    def broken() -> None:
        raise RuntimeError("planted")

    bus.api.world.steps.before("triggers.all", broken)
    assert bus.receive(FILE, FILE | {"account": "333333333333"}) == ["0"]
    assert counted(capsys) == {
        Metric.EVENTS_DELAYED: 1,
        Metric.EVENTS_FAILED: 1,
        Metric.EVENTS_UNMAPPED: 1,
    }
    assert bus.receive(FILE) == []


def test_events_for_which_the_receiver_has_no_time_are_delivered_again(
    bus: Bus, capsys: pytest.CaptureFixture[str]
) -> None:
    def slow() -> None:
        bus.left_ms = bus.module.STOP_BEFORE_END_MS

    bus.api.world.steps.before("triggers.all", slow)
    unmapped = FILE | {"account": "333333333333"}
    assert bus.receive(FILE, unmapped, unmapped) == ["1", "1"]
    assert counted(capsys) == {Metric.EVENTS_RECEIVED: 1, Metric.EVENTS_DELAYED: 2}


def looped(number: int, depth: object) -> dict[str, Any]:
    """The event of a job whose target is the bus."""
    return FILE | {"id": str(number), "source": "com.acme.loop", "detail": {"punctual": {"depth": depth}}}


def depths(bus: Bus) -> list[str]:
    """Those of all calls so far."""
    bus.pass_seconds(5)
    return [dict(call.callback.headers)["Punctual-Depth"] for call in bus.api.world.sender.calls]


def test_loop_over_the_bus_ends_at_the_greatest_depth(bus: Bus, caplog: pytest.LogCaptureFixture) -> None:
    bus.put("loop", pattern={"source": ["com.acme.loop"]})
    bus.map("com.acme.")
    assert bus.receive(looped(0, None)) == []
    for number in range(MAX_DEPTH):
        assert depths(bus)[-1].startswith(f"{number}.")
        assert bus.receive(looped(number + 1, depths(bus)[-1])) == []
    assert bus.receive(looped(100, depths(bus)[-1])) == []
    (line,) = [vars(each) for each in caplog.records if each.message == "event refused"]
    assert "8 times in a row" in line["reason"]
    assert len(depths(bus)) == MAX_DEPTH + 1


@pytest.mark.parametrize("depth", ["8." + "A" * 43, "8", 8, {}, None])
def test_event_with_the_depth_of_another_tenant_begins_anew(bus: Bus, depth: object) -> None:
    bus.put("loop", pattern={"source": ["com.acme.loop"]})
    bus.map("com.acme.")
    assert bus.receive(looped(1, depth)) == []
    (called,) = depths(bus)
    assert called.startswith("0.")


def test_change_of_a_route_counts_within_a_minute(bus: Bus) -> None:
    assert bus.receive(FILE) == []
    bus.map("com.acme.")
    bus.pass_seconds(61)
    assert len(bus.bodies()) == 1
    detail = FILE["detail"]
    other = FILE | {"detail": detail | {"object": detail["object"] | {"sequencer": "618"}}}
    assert bus.receive(other) == []
    bus.pass_seconds(5)
    assert len(bus.bodies()) == 1


def test_event_over_the_quota_is_sent_again_with_longer_and_longer_delays_until_it_is_dead(
    bus: Bus, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    bus.api.allow(Quota.CREATES_PER_SECOND, 0)
    received_at = bus.api.world.clock.time_ms + 1
    assert bus.receive(FILE) == ["0"]
    assert bus.queue.later[0].account == ACCOUNT
    delays = bus.deliver_again()
    assert len(delays) == MAX_REDELIVERIES[Cause.OVER_QUOTA]
    assert all(30 <= delay <= 60 for delay in delays[:1])
    assert all(450 <= delay <= 900 for delay in delays[5:])
    assert 3_600 < sum(delays) < 4 * 3_600
    (dead,) = bus.queue.dead
    assert (dead.first_at, dead.reason) == (received_at, "over_quota: RateLimitedError")
    assert counted(capsys)[Metric.EVENTS_GIVEN_UP] == 1
    (line,) = [vars(each) for each in caplog.records if each.message == "event given up"]
    assert line["first_received_at"] == received_at


def test_event_over_the_quota_starts_its_run_once_there_is_room(bus: Bus) -> None:
    bus.api.allow(Quota.CREATES_PER_SECOND, 0)
    assert bus.receive(FILE) == ["0"]
    (sent,) = bus.queue.later
    bus.api.allow(Quota.CREATES_PER_SECOND, 10)
    bus.queue.later.clear()
    assert bus.handle([record(sent)]) == []
    bus.pass_seconds(5)
    assert len(bus.bodies()) == 1
    assert bus.queue.later == []


def test_event_outlives_a_store_that_is_away_for_hours(bus: Bus) -> None:
    for _ in range(60):
        sent = bus.queue.later.pop() if bus.queue.later else None
        bus.api.world.clock.time_ms += 900_000
        bus.api.world.steps.fail("triggers.all")
        assert bus.receive(FILE) == ["0"] if sent is None else bus.handle([record(sent)]) == []
    assert bus.queue.dead == []
    assert bus.handle([record(bus.queue.later.pop())]) == []
    bus.pass_seconds(5)
    assert len(bus.bodies()) == 1


def test_event_is_dead_before_a_repetition_would_start_a_second_run(bus: Bus) -> None:
    bus.api.world.steps.fail("triggers.all")
    assert bus.receive(FILE) == ["0"]
    bus.api.world.clock.time_ms += 20 * 3_600_000
    bus.api.world.steps.fail("triggers.all")
    assert bus.handle([record(bus.queue.later.pop())]) == []
    assert [each.reason for each in bus.queue.dead] == ["unavailable: UnavailableError"]


def test_event_that_fails_by_a_bug_is_dead_within_the_hour(bus: Bus) -> None:
    def broken() -> None:
        raise RuntimeError("planted, with the payload of the event")

    bus.api.world.steps.before("triggers.all", broken, times=100)
    assert bus.receive(FILE) == ["0"]
    delays = bus.deliver_again()
    assert len(delays) == MAX_REDELIVERIES[Cause.FAILED]
    assert 900 < sum(delays) < 3_600
    assert [each.reason for each in bus.queue.dead] == ["failed: RuntimeError"]


def test_events_of_a_burst_come_apart(bus: Bus) -> None:
    bus.api.allow(Quota.CREATES_PER_SECOND, 0)
    events = [FILE | {"detail": {"number": number}} for number in range(10)]
    assert len(bus.receive(*events)) == 10
    assert len({each.delay_seconds for each in bus.queue.later}) > 3


def test_event_that_cannot_be_sent_is_left_to_sqs(bus: Bus) -> None:
    bus.queue.refuses = True
    bus.api.allow(Quota.CREATES_PER_SECOND, 0)
    bodies = [json.dumps(FILE), "{", json.dumps(FILE | {"account": "333333333333"})]
    assert bus.handle([{"messageId": str(n), "body": body} for n, body in enumerate(bodies)]) == ["0", "1"]


def test_event_that_was_dead_begins_anew_after_its_redrive(bus: Bus) -> None:
    """A redrive keeps the attributes of the dead message: its reason and first receipt, and no redeliveries."""
    bus.api.allow(Quota.CREATES_PER_SECOND, 0)
    assert bus.receive(FILE) == ["0"]
    bus.deliver_again()
    dead = Sent()
    dead.queue.send_dead(bus.queue.dead)
    (entry,) = dead.entries
    attributes = {
        name: {"stringValue": value["StringValue"]} for name, value in entry["MessageAttributes"].items()
    }
    redriven = {"messageId": "r", "body": entry["MessageBody"], "messageAttributes": attributes}
    assert bus.handle([redriven]) == []
    assert len(bus.queue.dead) == 1
    (again,) = bus.queue.later
    assert again.event.redeliveries == Redeliveries(first_at=bus.api.world.clock.time_ms, over_quota=1)


@pytest.mark.parametrize("text", ["", "1,2,3", "1,2,3,4,5", "-1,0,0,0", "1,a,0,0", "\u0661,0,0,0"])
def test_redeliveries_of_another_form_count_as_none(bus: Bus, text: str) -> None:
    bus.api.allow(Quota.CREATES_PER_SECOND, 0)
    attributes = {"punctual.redeliveries": {"stringValue": text, "dataType": "String"}}
    assert bus.handle([{"messageId": "0", "body": json.dumps(FILE), "messageAttributes": attributes}]) == []
    (sent,) = bus.queue.later
    assert sent.event.redeliveries == Redeliveries(first_at=bus.api.world.clock.time_ms, over_quota=1)


def test_event_is_not_dropped_by_a_route_that_was_read_before_it_came(bus: Bus) -> None:
    bus.map("com.other.")
    assert bus.receive(FILE) == []
    bus.map("aws.s3")
    assert bus.receive(FILE) == []
    bus.pass_seconds(5)
    assert len(bus.bodies()) == 1


def test_event_is_not_dropped_by_a_tenant_that_was_read_before_it_came(bus: Bus) -> None:
    tenants = bus.api.world.tenants.tenants
    active = tenants[TENANT]
    tenants[TENANT] = replace(active, state=TenantState.SUSPENDED)
    bus.api.world.clock.time_ms += REMEMBER_MS
    assert bus.receive(FILE) == []
    tenants[TENANT] = active
    assert bus.receive(FILE) == []
    bus.pass_seconds(5)
    assert len(bus.bodies()) == 1


def test_batch_of_dropped_events_costs_one_read_and_one_line(
    bus: Bus, caplog: pytest.LogCaptureFixture
) -> None:
    assert bus.receive(FILE | {"source": "aws.ec2"}) == []
    caplog.clear()
    reads: list[None] = []
    bus.api.world.steps.before("event_sources.get", lambda: reads.append(None), times=100)
    assert bus.receive(*[FILE | {"source": "aws.ec2", "id": str(number)} for number in range(10)]) == []
    assert len(reads) == 1
    (line,) = [vars(each) for each in caplog.records if each.message == "events dropped"]
    assert (line["reason"], line["account"], line["source"]) == ("unmapped", ACCOUNT, "aws.ec2")
    assert line["events"] == 10

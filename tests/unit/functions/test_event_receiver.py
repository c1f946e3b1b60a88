"""The receiver of events from the event bus: SQS records in, runs of the tenant's jobs, and what is delivered again."""

import importlib
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from shared.domain.delivery.depth import MAX_DEPTH
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.tenant import TenantState
from shared.names import Metric
from shared.observability import metrics
from tests.support.api.api_world import REMEMBER_MS
from tests.support.api.emitted import flushed
from tests.support.api.environment import ENVIRONMENT
from tests.support.api.event_shop import Shop
from tests.support.builders import TENANT
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
        """The numbers of the events that SQS is to deliver again."""
        bodies = [each if isinstance(each, str) else json.dumps(each) for each in events]
        records = [{"messageId": str(number), "body": body} for number, body in enumerate(bodies)]
        answer = self.module.handler(
            {"Records": records}, SimpleNamespace(get_remaining_time_in_millis=lambda: self.left_ms)
        )
        return [each["itemIdentifier"] for each in answer["batchItemFailures"]]


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bus]:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    metrics.clear_metrics()
    name = "functions.event_receiver.handler"
    module = importlib.import_module(name)
    made = Bus(module)
    monkeypatch.setattr(module, "route_event", made.api.world.cases.triggers.route_event)
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
    bus.receive(FILE | {"detail": {"a": "b" * 40_000}})
    (line,) = [vars(each) for each in caplog.records if each.message == "event refused"]
    assert (line["account"], line["source"]) == (ACCOUNT, "aws.s3")


def test_event_of_a_suspended_tenant_is_dropped(bus: Bus, capsys: pytest.CaptureFixture[str]) -> None:
    tenants = bus.api.world.tenants.tenants
    tenants[TENANT] = replace(tenants[TENANT], state=TenantState.SUSPENDED)
    bus.api.world.clock.time_ms += REMEMBER_MS
    assert bus.receive(FILE) == []
    assert counted(capsys) == {Metric.EVENTS_UNMAPPED: 1}
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
    assert bus.receive(event, FILE) == ["0"]
    (line,) = [each for each in caplog.records if each.message == "event refused"]
    assert vars(line)["reason"]
    assert counted(capsys) == {Metric.EVENTS_REFUSED: 1, Metric.EVENTS_RECEIVED: 1}


def test_fault_of_one_event_holds_up_no_other(bus: Bus, capsys: pytest.CaptureFixture[str]) -> None:
    def broken() -> None:
        raise RuntimeError("planted")

    bus.api.world.steps.before("triggers.all", broken)
    assert bus.receive(FILE, FILE | {"account": "333333333333"}) == ["0"]
    assert counted(capsys) == {Metric.EVENTS_DELAYED: 1, Metric.EVENTS_UNMAPPED: 1}
    assert bus.receive(FILE) == []


def test_events_for_which_the_receiver_has_no_time_are_delivered_again(
    bus: Bus, capsys: pytest.CaptureFixture[str]
) -> None:
    def slow() -> None:
        bus.left_ms = bus.module.STOP_BEFORE_END_MS

    bus.api.world.steps.before("triggers.all", slow)
    unmapped = FILE | {"account": "333333333333"}
    assert bus.receive(FILE, unmapped, unmapped) == ["1", "2"]
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
    assert bus.receive(looped(100, depths(bus)[-1])) == ["0"]
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

"""The canary's entry points around a deployment in memory: what arrives, what is reported, and what strangers get."""

import base64
import importlib
import json
import sys
from collections import Counter
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from shared.domain.bucket import MINUTE_MS
from shared.domain.canary import MAX_BODY_BYTES, ProbePath
from shared.domain.delivery.signing import new_secret, sign
from shared.domain.ids import ExecutionId
from shared.domain.schedules.instants import format_instant
from shared.names import CANARY_CALLS_PER_CYCLE, CANARY_CYCLE_MINUTES, CanarySecret, Metric
from tests.support.api.api_world import logged
from tests.support.api.emitted import flushed
from tests.support.api.environment import ENVIRONMENT
from tests.support.usecases.canary_world import START, CanaryWorld, url_event

ONE_BODY = b'{"canary":"due_soon"}'


@pytest.fixture
def world() -> CanaryWorld:
    return CanaryWorld()


def _entry(name: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    for key, value in ENVIRONMENT.items():
        monkeypatch.setenv(key, value)
    module = f"functions.{name}.handler"
    yield importlib.import_module(module)
    sys.modules.pop(module)


@pytest.fixture
def receiver(world: CanaryWorld, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The receiver's entry point, with the parameters and the clock of the world."""
    for module in _entry("canary_receiver", monkeypatch):
        monkeypatch.setattr(module, "receive", world.receiver())
        world.receive_event = module.handler
        yield module


@pytest.fixture
def prober(world: CanaryWorld, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The prober's entry point, with the API, the parameters and the clock of the world."""
    for module in _entry("canary_prober", monkeypatch):
        monkeypatch.setattr(module, "probe", world.prober())
        yield module


def _paths(world: CanaryWorld) -> Counter[str]:
    return Counter(json.loads(call.body)["canary"] for call in world.calls)


def test_cycle_brings_four_genuine_calls_and_each_path_has_its_share(
    world: CanaryWorld, prober: ModuleType, receiver: ModuleType
) -> None:
    for _ in range(2 * CANARY_CYCLE_MINUTES):
        world.minute(lambda: prober.handler({}, None))
    world.calls.clear()
    for _ in range(4 * CANARY_CYCLE_MINUTES):
        world.minute(lambda: prober.handler({}, None))
    assert _paths(world) == {ProbePath.DUE_SOON: 4, ProbePath.WATCHED: 4, ProbePath.RECURRING: 8}
    assert len(world.calls) == 4 * CANARY_CALLS_PER_CYCLE
    assert set(world.statuses) == {200}


def test_lag_of_each_call_is_reported_from_the_scheduled_instant(
    world: CanaryWorld, prober: ModuleType, receiver: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    with logged() as records:
        for _ in range(9):
            world.minute(lambda: prober.handler({}, None))
    lags = [vars(record)["lag_ms"] for record in records if record.message == "canary received"]
    assert len(lags) == len(world.calls) > 0
    assert all(0 <= lag < 1_000 for lag in lags)
    assert flushed(capsys.readouterr().out).keys() >= {Metric.CANARY_LAG_MS, Metric.CANARY_REQUEST_MS}


def test_calls_on_a_broken_path_are_missing_in_every_cycle_and_the_others_are_not(
    world: CanaryWorld, prober: ModuleType, receiver: ModuleType
) -> None:
    """The reason for the threshold of `CanaryMissing`."""
    world.lost = {ProbePath.WATCHED}
    for _ in range(2 * CANARY_CYCLE_MINUTES):
        world.minute(lambda: prober.handler({}, None))
    for _ in range(3):
        world.statuses.clear()
        for _ in range(CANARY_CYCLE_MINUTES):
            world.minute(lambda: prober.handler({}, None))
        assert len(world.statuses) == CANARY_CALLS_PER_CYCLE - 1


def test_repeated_tick_of_a_minute_creates_no_second_job_and_is_no_failure(
    world: CanaryWorld, prober: ModuleType, receiver: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    def twice() -> None:
        prober.handler({}, None)
        prober.handler({}, None)

    for _ in range(6):
        world.minute(twice)
    keys = Counter(sent["idempotency-key"] for sent in world.client.sent)
    assert set(keys.values()) == {2}
    assert Metric.CANARY_FAILED not in flushed(capsys.readouterr().out)
    table = world.world.table
    assert len({row.execution.job_id for row in table.executions.values()}) == len(keys) == 6


def test_tick_creates_the_job_of_its_own_minute_also_if_it_comes_in_the_next_one(
    world: CanaryWorld, prober: ModuleType, receiver: ModuleType
) -> None:
    """Late ticks of one minute, and early ones of the next, would otherwise be two of one minute."""
    begin = world.world.clock.time_ms // MINUTE_MS
    world.world.clock.time_ms = (begin + 1) * MINUTE_MS + 2_000
    for minute in (begin, begin + 1):
        prober.handler({"time": format_instant(minute * MINUTE_MS)}, None)
    keys = [sent["idempotency-key"] for sent in world.client.sent]
    assert keys == [f"canary-{begin}", f"canary-{begin + 1}"]


def test_canary_leaves_no_job_that_runs_for_ever(
    world: CanaryWorld, prober: ModuleType, receiver: ModuleType
) -> None:
    for _ in range(6):
        world.minute(lambda: prober.handler({}, None))
    for _ in range(6):
        world.minute(lambda: None)
    calls = len(world.calls)
    for _ in range(10):
        world.minute(lambda: None)
    assert len(world.calls) == calls


@pytest.mark.parametrize("fault", ["down", "revoked", "unprovisioned"])
def test_api_that_does_not_accept_the_job_is_counted_and_logged_without_the_key(
    world: CanaryWorld, prober: ModuleType, capsys: pytest.CaptureFixture[str], fault: str
) -> None:
    parameters = world.world.parameters
    key_name = CanarySecret.API_KEY.parameter(world.world.settings.stage)
    key = parameters.texts[key_name]
    if fault == "down":
        world.client.is_down = True
    elif fault == "revoked":
        parameters.texts[key_name] = key[:-1] + ("0" if key[-1] != "0" else "1")
    else:
        del parameters.texts[key_name]
    with logged() as records:
        prober.handler({}, None)
    assert flushed(capsys.readouterr().out) == {Metric.CANARY_FAILED: 1}
    (record,) = [vars(each) for each in records if each.message == "canary refused"]
    expected = {"down": "did not answer", "revoked": "answered 401", "unprovisioned": "run create-canary"}
    assert expected[fault] in record["failure"]
    assert key[4:] not in json.dumps(record, default=str)


def _id(due_at: int, number: int = 1) -> str:
    return str(ExecutionId(cell="0", dispatch_at=due_at, shard=0, entropy=number))


ONE_ID = _id(START)


def _signed(
    world: CanaryWorld, body: bytes = ONE_BODY, message_id: str = ONE_ID, **changes: str
) -> dict[str, str]:
    secret = world.world.parameters.texts[CanarySecret.SIGNING_SECRET.parameter("test")]
    timestamp_s = int(changes.pop("timestamp", str(world.world.clock.time_ms // 1000)))
    signature = sign(message_id=message_id, timestamp_s=timestamp_s, body=body, secrets=[secret])
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp_s),
        "webhook-signature": signature,
        **changes,
    }


def _status(receiver: ModuleType, *arguments: Any, **others: Any) -> int:
    status: int = receiver.handler(url_event(*arguments, **others), None)["statusCode"]
    return status


def test_genuine_call_is_accepted_as_text_and_in_base64(world: CanaryWorld, receiver: ModuleType) -> None:
    headers = _signed(world)
    assert _status(receiver, headers, ONE_BODY.decode()) == 200
    assert _status(receiver, headers, base64.b64encode(ONE_BODY).decode(), is_base64=True) == 200


def test_call_that_arrives_twice_is_answered_and_counted_once(
    world: CanaryWorld, receiver: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    """So it does not make up for a lost call, and its later arrival is no lag."""
    world.world.clock.time_ms = START + 300
    first, second = _signed(world), _signed(world, message_id=_id(START, 2))
    with logged() as records:
        for headers in (first, first, second, first):
            assert _status(receiver, headers, ONE_BODY.decode()) == 200
            world.world.clock.time_ms += 50_000
    assert [vars(record)["lag_ms"] for record in records] == [300, 100_300]
    lags = [json.loads(line)[Metric.CANARY_LAG_MS] for line in capsys.readouterr().out.splitlines()]
    assert lags == [300, 100_300]


def test_lag_of_a_call_comes_from_what_is_signed(world: CanaryWorld, receiver: ModuleType) -> None:
    world.world.clock.time_ms = START + 300
    headers = _signed(world) | {"x-scheduled-at": "2020-01-01T00:00:00Z"}
    with logged() as records:
        assert _status(receiver, headers, ONE_BODY.decode()) == 200
    assert [vars(record)["lag_ms"] for record in records] == [300]


def test_stranger_gets_a_refusal_and_no_metric_and_one_line_a_minute(
    world: CanaryWorld, receiver: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    body, genuine, now_s = ONE_BODY.decode(), _signed(world), world.world.clock.time_ms // 1000
    other = new_secret(bytes(32))
    forged = sign(message_id=ONE_ID, timestamp_s=now_s, body=ONE_BODY, secrets=[other])
    unsigned = {name: value for name, value in genuine.items() if name != "webhook-signature"}
    refused = {
        "no headers": ({}, body),
        "unsigned": (unsigned, body),
        "another secret": (genuine | {"webhook-signature": forged}, body),
        "no ASCII": (genuine | {"webhook-signature": "v1,é"}, body),
        "half a surrogate pair": (genuine | {"webhook-id": "\ud800"}, body),
        "another body": (genuine, body.replace("due_soon", "watched")),
        "no body": (genuine, None),
        "another id": (genuine | {"webhook-id": _id(START, 2)}, body),
        "old": (_signed(world, timestamp=str(now_s - 301)), body),
        "early": (_signed(world, timestamp=str(now_s + 301)), body),
        "timestamp that is no number": (genuine | {"webhook-timestamp": "٣"}, body),
        "endless timestamp": (genuine | {"webhook-timestamp": "9" * 5_000}, body),
        "many signatures": (genuine | {"webhook-signature": "v1,x " * 1_000}, body),
    }
    with logged() as records:
        answers = {name: _status(receiver, *arguments) for name, arguments in refused.items()}
        assert answers == dict.fromkeys(refused, 401)
        assert _status(receiver, genuine, body, method="GET") == 405
        assert _status(receiver, genuine, "x" * (2 * MAX_BODY_BYTES + 1)) == 413
        assert _status(receiver, genuine, "a", is_base64=True) == 400
    assert [vars(record)["failure"] for record in records] == ["no valid signature"]
    assert capsys.readouterr().out == ""
    assert world.world.parameters.reads == 1, "strangers cause no reads"


def test_calls_with_a_wrong_secret_show_in_a_line_each_minute(
    world: CanaryWorld, receiver: ModuleType
) -> None:
    headers = _signed(world) | {"webhook-signature": "v1,x"}
    with logged() as records:
        for _ in range(180):
            assert _status(receiver, headers, ONE_BODY.decode()) == 401
            world.world.clock.time_ms += 1_000
    assert [record.message for record in records] == ["canary not verified"] * 3


def test_call_without_a_signature_leaves_no_line(world: CanaryWorld, receiver: ModuleType) -> None:
    with logged() as records:
        assert _status(receiver, {}, ONE_BODY.decode()) == 401
    assert records == []


@pytest.mark.parametrize(
    ("body", "changes"),
    [
        (b'{"canary":"other"}', {}),
        (b"[1]", {}),
        (b"\xff", {}),
        (ONE_BODY, {"message_id": ""}),
        (ONE_BODY, {"message_id": "exe_1"}),
    ],
)
def test_signed_call_of_no_probe_is_refused(
    world: CanaryWorld, receiver: ModuleType, body: bytes, changes: dict[str, str]
) -> None:
    encoded = base64.b64encode(body).decode()
    assert _status(receiver, _signed(world, body, **changes), encoded, is_base64=True) == 401


def test_receiver_without_its_secret_says_so_and_asks_for_a_repetition(
    world: CanaryWorld, receiver: ModuleType
) -> None:
    headers = _signed(world)
    world.world.parameters.is_down = True
    with logged() as records:
        assert [_status(receiver, headers, ONE_BODY.decode()) for _ in range(3)] == [503] * 3
    assert [record.message for record in records] == ["canary not verified"]
    assert world.world.parameters.reads == 1

"""The production ports: as many as `Ports` names, each made once and for the settings that it needs."""

from typing import Any

import pytest

from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.denials import ReportedDenials
from shared.adapters.aws.errors import AwsError
from shared.adapters.aws.http_call import HttpCall
from shared.adapters.aws.throttles import ReportedThrottles
from shared.adapters.dynamodb.executions.grouped_writes import GroupedWrites
from shared.adapters.dynamodb.jobs.grouped_reads import GroupedReads
from shared.adapters.greenlets import GreenletSpread
from shared.adapters.sqs.grouped_sends import GroupedSends
from shared.adapters.thread_pools import ThreadOffload, ThreadSpread
from shared.bootstrap.dynamo_ports import DynamoPorts, dynamo_ports
from shared.bootstrap.ports import Ports
from shared.bootstrap.reports import reported_denials
from shared.domain.errors import InvalidValueError
from shared.names import Env, Metric, Transport
from shared.observability import JsonLines
from shared.settings import (
    ApiSettings,
    ArchiverSettings,
    AuditorSettings,
    EventReceiverSettings,
    ExecutorSettings,
    ReadingSettings,
    ReconcilerSettings,
    Settings,
)
from tests.support.api.api_world import logged
from tests.support.api.emitted import emitted
from tests.support.api.environment import ENVIRONMENT

AUDIT = {"audit_log", "trail_progress", "trail_segments"}
READING = {"archive_reader", "history", "search_files"}
ARCHIVE = READING | {"tenant_rows"}
TOKENS = {"identity_tokens", "token_keys"}
EVENTS = {"event_queue"}
OF_OTHERS = (
    AUDIT
    | ARCHIVE
    | TOKENS
    | EVENTS
    | {"accepted_log", "archive_objects", "sender", "signed_sender", "targets", "vault"}
)


def made(kind: type[Settings], **environment: str) -> Ports:
    return dynamo_ports(kind.from_env(ENVIRONMENT | environment))


@pytest.fixture(autouse=True)
def _aws(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


def test_production_has_each_port_and_no_other() -> None:
    names = {name for part in DynamoPorts.__mro__[:-1] for name in vars(part)}
    own = {name for name in names if not name.startswith("_")}
    assert own | {"clock", "entropy", "pause"} == set(Ports.__annotations__)


def test_port_is_made_once_for_all_who_use_it() -> None:
    ports: Any = made(Settings)
    for name in sorted(set(Ports.__annotations__) - OF_OTHERS):
        assert getattr(ports, name) is getattr(ports, name)
    assert ports.queue is ports.backlog
    assert ports.live_items is ports.recurring_jobs


def test_a_port_without_its_settings_is_refused() -> None:
    for kind, own in (
        (Settings, set()),
        (ApiSettings, AUDIT | ARCHIVE | TOKENS | {"vault"}),
        (AuditorSettings, AUDIT),
        (EventReceiverSettings, EVENTS | TOKENS | {"vault"}),
        (ExecutorSettings, TOKENS | {"sender", "signed_sender", "targets", "vault"}),
        (ReconcilerSettings, {"accepted_log"}),
        (ReadingSettings, READING),
        (ArchiverSettings, {"archive_objects", "history", "vault"}),
    ):
        ports = made(kind)
        for name in own:
            assert getattr(ports, name)
        for name in OF_OTHERS - own:
            with pytest.raises(TypeError, match=f"{kind.__name__} has not what"):
                getattr(ports, name)


def test_executor_sends_to_targets_with_the_roles_that_its_stage_allows() -> None:
    targets: Any = made(ExecutorSettings).targets
    assert targets.allowed_roles == ENVIRONMENT[Env.TARGET_ROLES]
    environment = {name: value for name, value in ENVIRONMENT.items() if name != Env.TARGET_ROLES}
    targets = dynamo_ports(ExecutorSettings.from_env(environment)).targets
    assert targets.allowed_roles is None


def within(client: AwsClient) -> object:
    """The calls whose denials are reported."""
    assert isinstance(client.call, ReportedDenials)
    return client.call._call


def test_only_executors_make_groups_and_their_requests_are_not_repeated() -> None:
    plain = within(DynamoPorts(Settings.from_env(ENVIRONMENT))._dynamodb)
    assert isinstance(plain, ReportedThrottles)
    assert isinstance(plain._call, HttpCall)
    ports = DynamoPorts(ExecutorSettings.from_env(ENVIRONMENT))
    reported, sends = within(ports._dynamodb), within(ports._sqs)
    assert isinstance(reported, ReportedThrottles)
    reads = reported._call
    assert isinstance(reads, GroupedReads)
    writes = reads._call
    assert isinstance(writes, GroupedWrites)
    assert isinstance(sends, GroupedSends)
    assert reads._once is writes._once
    for grouped in (writes, sends):
        assert isinstance(grouped._once, HttpCall)
        assert isinstance(grouped._call, HttpCall)
        assert (grouped._call.repeats, grouped._once.repeats) == (True, False)
        assert grouped._once.budget is grouped._call.budget


def test_group_that_failed_is_counted_and_logged() -> None:
    ports = DynamoPorts(ExecutorSettings.from_env(ENVIRONMENT))
    sends = within(ports._sqs)
    assert isinstance(sends, GroupedSends)
    with logged() as records:
        sends._failed("AccessDeniedException")
    assert emitted()[Metric.GROUPS_FAILED] == 1
    assert [(record.message, vars(record)["fault"]) for record in records] == [
        ("group commit failed", "AccessDeniedException")
    ]


def test_throttled_request_is_counted_and_logged_with_its_table() -> None:
    ports = DynamoPorts(Settings.from_env(ENVIRONMENT))
    throttles = within(ports._dynamodb)
    assert isinstance(throttles, ReportedThrottles)
    with logged() as records:
        throttles._report(2, "Query", ["arn:aws:dynamodb:eu-west-1:111111111111:table/jobs"])
    assert emitted()[Metric.THROTTLED_REQUESTS] == 2
    (record,) = records
    assert (record.message, vars(record)["operation"], vars(record)["requests"]) == ("throttled", "Query", 2)
    assert vars(record)["resources"] == ["arn:aws:dynamodb:eu-west-1:111111111111:table/jobs"]


def test_threads_are_for_the_sdk_alone() -> None:
    assert isinstance(made(Settings).spread, GreenletSpread)
    ports = made(Settings, **{Env.TRANSPORT: Transport.BOTO3})
    assert isinstance(ports.spread, ThreadSpread)
    assert isinstance(ports.offload, ThreadOffload)


def test_denied_request_is_logged_with_its_operation_and_its_code() -> None:
    def refused(operation: str, params: Any) -> Any:
        raise AwsError(operation, {"Error": {"Code": "AccessDenied", "Message": "not authorized: s3cr3t"}})

    with logged() as records, pytest.raises(AwsError):
        reported_denials(refused).send_message_batch(QueueUrl="https://sqs.example/q")
    (record,) = records
    assert (record.message, record.levelname) == ("denied", "ERROR")
    line = vars(record)
    assert (line["aws_operation"], line["aws_error"]) == ("SendMessageBatch", "AccessDenied")
    assert "s3cr3t" not in JsonLines().format(record)


def test_trail_of_a_stage_without_a_bucket_is_refused_with_a_line() -> None:
    environment = {name: value for name, value in ENVIRONMENT.items() if name != Env.AUDIT_BUCKET}
    ports = dynamo_ports(ApiSettings.from_env(environment))
    with pytest.raises(InvalidValueError, match="its audit_lock_days is 0"):
        _ = ports.trail_segments

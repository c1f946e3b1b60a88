"""The auditor: its entry point, and hours over the adapters, with no call that its role does not allow."""

import importlib
import sys
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import boto3
import pytest
from moto import mock_aws

from shared.adapters.aws.boto_call import BotoCall
from shared.adapters.aws.errors import AwsError
from shared.adapters.dynamodb.tenancy.audit_log import audit_item
from shared.bootstrap.dynamo_ports import DynamoPorts
from shared.bootstrap.use_cases import UseCases, use_cases
from shared.domain.audit_trail.progress import DAY_MS, GRACE_MS, HOUR_MS
from shared.domain.audit_trail.segment import read_segment
from shared.domain.tenancy.audit import AuditRecord
from shared.names import Env, Metric, Transport
from shared.observability import metrics
from shared.settings import ApiSettings, AuditorSettings, Settings
from shared.usecases.audit_trail.export_audit import ExportReport, TrailFault
from tests.crashes.grant_check import GrantCheck
from tests.support.api.api_world import logged
from tests.support.api.emitted import flushed
from tests.support.api.environment import ENVIRONMENT
from tests.support.builders import EXPIRES_AT_S, api_key, tenant
from tests.support.conformance.dynamo_lab import REGION
from tests.support.conformance.tables import create_tables
from tests.support.fakes.clock import VirtualClock
from tests.support.function_grants import kinds_of_grants
from tests.support.usecases.audit_trail import START_MS, record


@pytest.fixture
def handler(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    metrics.clear_metrics()
    yield importlib.import_module("functions.auditor.handler")
    sys.modules.pop("functions.auditor.handler")


def run(module: ModuleType, report: ExportReport, left_ms: int = 600_000) -> tuple[Any, list[bool]]:
    """The answer of a tick with this report, and whether it has time."""
    asked: list[bool] = []

    def execute(has_time: Callable[[], bool]) -> ExportReport:
        asked.append(has_time())
        return report

    module.export = SimpleNamespace(execute=execute)  # type: ignore[attr-defined]
    context = SimpleNamespace(get_remaining_time_in_millis=lambda: left_ms)
    return module.handler({}, context), asked


def test_tick_reports_that_nothing_is_overdue_and_nothing_else(
    handler: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a value, the alarm would take the auditor for dead."""
    assert run(handler, ExportReport())[0] == {"segments": 0, "records": 0}
    assert flushed(capsys.readouterr().out) == {Metric.AUDIT_TRAIL_OVERDUE_SECONDS: 0}


@pytest.mark.parametrize(("left_ms", "has_time"), [(120_001, True), (120_000, False)])
def test_segment_has_two_minutes_at_least(handler: ModuleType, left_ms: int, has_time: bool) -> None:
    assert run(handler, ExportReport(), left_ms)[1] == [has_time]


def test_findings_are_counted_and_logged(handler: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    report = ExportReport(
        segments=2,
        records=7,
        late=1,
        faults=[TrailFault(3, "it cannot be read")],
        is_overtaken=True,
        overdue_ms=90_500,
    )
    with logged() as records:
        answer, _ = run(handler, report)
    assert answer == {"segments": 2, "records": 7}
    output = [line for line in capsys.readouterr().out.splitlines() if "_aws" in line]
    assert flushed("\n".join(output)) == {
        Metric.AUDIT_TRAIL_OVERDUE_SECONDS: 90.5,
        Metric.AUDIT_TRAIL_MISMATCH: 1,
    }
    lines = {each.message: vars(each) for each in records}
    broken = lines["audit trail broken"]
    assert (broken["segment"], broken["reason"]) == (3, "it cannot be read")
    assert lines["late audit records"]["records"] == 1
    assert lines["audit trail left to the next run"]["overtaken"] is True


_SDK: Any = boto3
BUCKET = "audit-trail"


class Deployed:
    """The auditor over moto, whose calls are checked against the grants of its role."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.dynamodb = _SDK.client("dynamodb", region_name=REGION)
        self.s3 = _SDK.client("s3", region_name="us-east-1")
        names = create_tables(self.dynamodb)
        self.audit = names.audit
        self.s3.create_bucket(Bucket=BUCKET, ObjectLockEnabledForBucket=True)
        self.s3.put_object_lock_configuration(
            Bucket=BUCKET,
            ObjectLockConfiguration={
                "ObjectLockEnabled": "Enabled",
                "Rule": {"DefaultRetention": {"Mode": "COMPLIANCE", "Days": 400}},
            },
        )
        self.variables = ENVIRONMENT | {
            Env.REGION: REGION,
            Env.TRANSPORT: Transport.BOTO3,
            Env.EXECUTIONS_TABLE: names.executions,
            Env.JOBS_TABLE: names.jobs,
            Env.TENANTS_TABLE: names.tenants,
            Env.LEASES_TABLE: names.leases,
            Env.AUDIT_TABLE: names.audit,
            Env.AUDIT_BUCKET: BUCKET,
        }
        self.variables.pop(Env.LANE)
        self.clock = VirtualClock(START_MS)
        self.used: set[str] = set()
        self._monkeypatch = monkeypatch
        self.cases(AuditorSettings).core.ports.tenants.create(tenant(), api_key())

    def cases(self, kind: type[Settings]) -> UseCases:
        settings = kind.from_env(self.variables)
        ports: Any = DynamoPorts(settings)
        ports.clock = self.clock
        return use_cases(ports, settings)

    def append(self, *records: AuditRecord) -> None:
        """moto crashes on the INSERT of the API."""
        for each in records:
            self.dynamodb.put_item(TableName=self.audit, Item=audit_item(each, EXPIRES_AT_S))

    def tick(self, at: int) -> ExportReport:
        """A run in a process of its own, whose calls are checked."""
        self.clock.time_ms = at
        check = GrantCheck("auditor", self.variables)
        original = BotoCall.__call__

        def checked(call: BotoCall, operation: str, params: Any) -> Any:
            check.check(call.client.meta.service_model.service_name, operation, params)
            return original(call, operation, params)

        with self._monkeypatch.context() as patched:
            patched.setattr(BotoCall, "__call__", checked)
            report = self.cases(AuditorSettings).audit_trail.export.execute()
        taken = check.take()
        assert taken["denied"] == []
        self.used |= set(taken["used"])
        return report


@pytest.fixture
def deployed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployed]:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    with mock_aws():
        yield Deployed(monkeypatch)


def test_hours_are_exported_and_verified_by_allowed_calls_alone(deployed: Deployed) -> None:
    assert deployed.tick(START_MS + GRACE_MS).segments == 1
    deployed.append(record(1), record(2, START_MS + 1, before=None, after=None))
    report = deployed.tick(START_MS + HOUR_MS + GRACE_MS)
    assert (report.segments, report.records, report.faults) == (1, 2, [])
    deployed.append(record(3))
    assert deployed.tick(START_MS + HOUR_MS + DAY_MS).late == 1
    listed = deployed.s3.list_objects_v2(Bucket=BUCKET)["Contents"]
    contents = [deployed.s3.get_object(Bucket=BUCKET, Key=each["Key"])["Body"].read() for each in listed]
    records = [each.id for content in contents for each in read_segment(content).records]
    assert records == [f"aud_{number:016d}" for number in (1, 2, 3)]
    granted = {kind for kind in kinds_of_grants() if kind.startswith("auditor")}
    # The bucket is never listed: the grant makes S3 answer 404 for an object that does not exist.
    assert granted - deployed.used == {"auditor s3:ListBucket audit-trail"}


def test_no_call_of_the_auditor_can_change_what_is_written(deployed: Deployed) -> None:
    deployed.tick(START_MS + GRACE_MS)
    check = GrantCheck("auditor", deployed.variables)
    for service, operation, params in (
        ("s3", "DeleteObject", {"Bucket": BUCKET}),
        ("s3", "PutObjectRetention", {"Bucket": BUCKET}),
        ("dynamodb", "PutItem", {"TableName": deployed.audit}),
        ("dynamodb", "UpdateItem", {"TableName": deployed.audit}),
        ("dynamodb", "DeleteItem", {"TableName": deployed.audit}),
    ):
        with pytest.raises(AwsError, match="AccessDenied"):
            check.check(service, operation, params)


def test_operator_verifies_what_the_auditor_has_written(deployed: Deployed) -> None:
    deployed.append(record(1, START_MS - 1))
    deployed.tick(START_MS + GRACE_MS)
    verify = deployed.cases(ApiSettings).audit_trail.verify
    verdict = verify.execute(0, deployed.clock.now_ms())
    assert (verdict.segments, verdict.records) == (1, 1)
    # The virtual clock is years behind that of the bucket, and no segment has a later lock than that.
    assert verdict.findings == []

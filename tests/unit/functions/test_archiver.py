"""The archiver: its entry point, and a whole unit over the adapters, with no call that its role does not allow."""

import importlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BytesIO
from types import ModuleType, SimpleNamespace
from typing import Any

import boto3
import pytest
from moto import mock_aws

from shared.adapters.aws.boto_call import BotoCall
from shared.adapters.kms.vault import KmsVault
from shared.bootstrap.dynamo_ports import DynamoPorts
from shared.bootstrap.use_cases import use_cases
from shared.domain.archive.manifest import read_manifest
from shared.domain.archive.unit import ArchiveUnit
from shared.domain.bucket import ShardRange
from shared.domain.executions.states import EndReason, State
from shared.domain.tenancy.forgetting import FORGET_AFTER_MS, Forgetting
from shared.domain.tenancy.tenant import Tenant
from shared.names import Env, Metric, Transport
from shared.observability import metrics
from shared.ports.archive import PlanMark
from shared.ports.dispatch import ShardRecord
from shared.settings import ArchiverSettings
from shared.usecases.archive.archive_unit import PassEnd, PassResult
from shared.usecases.archive.forget_tenants import ForgetReport
from shared.usecases.archive.run_archive import ArchiveReport
from shared.usecases.archive.verify_hour import CountMismatch
from shared.usecases.archive.verify_sample import Part, SampleMismatch
from tests.crashes.grant_check import UNUSED, GrantCheck
from tests.support.api.api_world import logged
from tests.support.api.emitted import flushed
from tests.support.api.environment import ENVIRONMENT
from tests.support.builders import (
    EXPIRES_AT_S,
    ONE_SHARD,
    TENANT,
    api_key,
    deletion,
    in_state,
    one_off,
    tenant,
)
from tests.support.conformance.dynamo_lab import REGION
from tests.support.conformance.tables import create_tables
from tests.support.fakes.clock import SeededEntropy, VirtualClock
from tests.support.usecases.archive import DAY_MS, FIRST_PASS, SEAL, UNIT


@pytest.fixture
def handler(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    metrics.clear_metrics()
    yield importlib.import_module("functions.archiver.handler")
    sys.modules.pop("functions.archiver.handler")


def run(module: ModuleType, report: ArchiveReport, left_ms: int = 900_000) -> tuple[Any, list[bool]]:
    """The answer of a tick with this report, and whether it has time."""
    asked: list[bool] = []

    def execute(has_time: Callable[[], bool], part: ShardRange) -> ArchiveReport:
        assert part == ShardRange(index=1, of=2)
        asked.append(has_time())
        return report

    module.archive = SimpleNamespace(execute=execute)  # type: ignore[attr-defined]
    context = SimpleNamespace(get_remaining_time_in_millis=lambda: left_ms)
    return module.handler({"range": {"index": 1, "of": 2}}, context), asked


def test_tick_reports_that_nothing_is_overdue_and_nothing_else(
    handler: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a value, the alarm would take the archiver for dead."""
    assert run(handler, ArchiveReport())[0] == {"passes": 0, "sealed": 0, "rows": 0}
    assert flushed(capsys.readouterr().out) == {Metric.ARCHIVE_OVERDUE_SECONDS: 0}


@pytest.mark.parametrize(("left_ms", "has_time"), [(600_001, True), (600_000, False)])
def test_pass_has_ten_minutes_at_least(handler: ModuleType, left_ms: int, has_time: bool) -> None:
    assert run(handler, ArchiveReport(), left_ms)[1] == [has_time]


def test_findings_are_counted_and_logged(handler: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    other = ArchiveUnit(hour=UNIT.hour, group=1)
    report = ArchiveReport(
        passes=[
            PassResult(unit=UNIT, end=PassEnd.MISMATCH, rows=3),
            PassResult(unit=other, end=PassEnd.SEALED, rows=4),
            PassResult(unit=other, end=PassEnd.OVERTAKEN, unreadable=tuple(map(str, range(20)))),
        ],
        damaged=[other],
        mismatches=[CountMismatch(hour=UNIT.hour, tenant_id="acme", archived=1, indexed=2)],
        sample=SampleMismatch(unit=other, part=Part.STATISTICS, tenant_id="acme"),
        forgetting=ForgetReport(rewritten=3, forgotten=2, overtaken=1, damaged=[UNIT], unavailable=1),
        unavailable=1,
        overdue_ms=90_500,
    )
    with logged() as records:
        answer, _ = run(handler, report)
    assert answer == {"passes": 3, "sealed": 1, "rows": 7}
    output = [line for line in capsys.readouterr().out.splitlines() if "_aws" in line]
    assert flushed("\n".join(output)) == {Metric.ARCHIVE_OVERDUE_SECONDS: 90.5, Metric.ARCHIVE_MISMATCH: 5}
    lines = {record.message: vars(record) for record in records}
    assert lines["archive reads back otherwise"]["hour"] == UNIT.hour
    unreadable = [vars(each)["group"] for each in records if each.message == "archive unreadable"]
    assert unreadable == [1, 0]
    assert lines["archive counts differ"]["indexed"] == 2
    assert len(lines["archive waits for unreadable rows"]["rows"]) == 10
    assert lines["archive left to the next run"]["overtaken"] == 2
    assert lines["archive left to the next run"]["unavailable"] == 2
    sample, forgets = lines["archive sample differs"], lines["archive forgets tenants"]
    assert (sample["hour"], sample["group"], sample["part"], sample["tenant"]) == (
        UNIT.hour,
        1,
        "statistics",
        "acme",
    )
    assert (forgets["files"], forgets["forgotten"]) == (3, 2)


_SDK: Any = boto3


class FirstEntropy(SeededEntropy):
    """A sample is the first unit."""

    def draw(self) -> float:
        return 0.0


class Deployed:
    """The archiver over moto, whose calls are checked against the grants of its role."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        clients: dict[str, Any] = {
            name: _SDK.client(name, region_name=REGION) for name in ("dynamodb", "s3", "kms")
        }
        names = create_tables(clients["dynamodb"])
        clients["s3"].create_bucket(Bucket="archive")
        key_id = clients["kms"].create_key()["KeyMetadata"]["KeyId"]
        self.variables = ENVIRONMENT | {
            Env.REGION: REGION,
            Env.TRANSPORT: Transport.BOTO3,
            Env.EXECUTIONS_TABLE: names.executions,
            Env.JOBS_TABLE: names.jobs,
            Env.TENANTS_TABLE: names.tenants,
            Env.LEASES_TABLE: names.leases,
            Env.HISTORY_TABLE: names.history,
            Env.KMS_KEY_ID: key_id,
        }
        self.variables.pop(Env.LANE)
        self.settings = ArchiverSettings.from_env(self.variables)
        self.clock = VirtualClock(FIRST_PASS)
        self.vault = KmsVault(_client(clients["kms"]), key_id, SeededEntropy())
        self.tenant: Tenant = tenant(data_key=self.vault.new_data_key(TENANT))
        plain = self.ports()
        plain.tenants.create(self.tenant, api_key())
        plain.shard_counts.begin(ShardRecord(counts=ONE_SHARD, open_from=UNIT.buckets.start))
        plain.ledger.note_swept_through(UNIT.buckets.stop - 1)
        # The hours after this one would take moto a minute.
        plain.archive_units.open(UNIT, next_pass_at=FIRST_PASS, sealable_from=SEAL)
        plain.archive_units.note_planned(PlanMark(hour=UNIT.hour + 100_000, recorded=ONE_SHARD))
        self.s3 = clients["s3"]
        self.used: set[str] = set()
        self._monkeypatch = monkeypatch

    def ports(self) -> Any:
        ports: Any = DynamoPorts(self.settings)
        ports.clock, ports.entropy = self.clock, FirstEntropy()
        return ports

    def forget(self) -> None:
        """The tenant is deleted."""
        ports = self.ports()
        marked = replace(self.tenant, is_being_deleted=True, revision=2)
        ended = deletion(version=2, ended_at=UNIT.end_ms, forgetting=Forgetting())
        assert ports.tenant_deletions.begin(self.tenant, marked, deletion())
        assert ports.tenant_records.delete_executions(TENANT, 1)
        assert ports.tenant_deletions.finish(deletion(), ended, marked)

    def tick(self, at: int) -> ArchiveReport:
        """A run in a process of its own, whose calls are checked."""
        self.clock.time_ms = at
        check = GrantCheck("archiver", self.variables)
        original = BotoCall.__call__

        def checked(call: BotoCall, operation: str, params: Any) -> Any:
            check.check(call.client.meta.service_model.service_name, operation, params)
            return original(call, operation, params)

        with self._monkeypatch.context() as patched:
            patched.setattr(BotoCall, "__call__", checked)
            report = use_cases(self.ports(), self.settings).archive.run.execute()
        taken = check.take()
        assert taken["denied"] == []
        self.used |= set(taken["used"])
        return report

    def get(self, key: str) -> bytes:
        content: bytes = self.s3.get_object(Bucket="archive", Key=key)["Body"].read()
        return content


def _client(client: Any) -> Any:
    from shared.adapters.aws.client import AwsClient

    return AwsClient(BotoCall(client))


@pytest.fixture
def deployed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployed]:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    with mock_aws():
        yield Deployed(monkeypatch)


def test_hour_is_archived_sealed_and_compared_by_allowed_calls_alone(deployed: Deployed) -> None:
    store = deployed.ports().executions
    done = in_state(one_off(1), State.SUCCEEDED)
    failed = in_state(
        one_off(2),
        State.FAILED,
        attempt=1,
        last_body=b"no such invoice",
        end_reason=EndReason.ATTEMPTS_USED_UP,
    )
    for execution in (done, failed):
        assert store.put_if_absent(execution, expires_at_s=EXPIRES_AT_S) is None
    (first,) = deployed.tick(FIRST_PASS).passes
    assert (first.end, first.rows) == (PassEnd.OPEN, 2)
    report = deployed.tick(SEAL)
    assert [each.end for each in report.passes if each.unit == UNIT] == [PassEnd.SEALED]
    assert report.mismatched == report.unavailable == 0
    manifest = read_manifest(deployed.get(UNIT.manifest_key(REGION)))
    assert manifest.sealed
    assert manifest.file.tenants == {TENANT: 2}
    # A record is put into the sealed hour: it is opened again, and sealed once more.
    deployed.clock.time_ms = SEAL + DAY_MS
    late = in_state(one_off(3), State.SKIPPED, end_reason=EndReason.JOB_PAUSED)
    ports = use_cases(deployed.ports(), deployed.settings).core.ports
    assert ports.executions.put_if_absent(late, expires_at_s=EXPIRES_AT_S) is None
    for days in (1, 2, 3):
        deployed.tick(SEAL + days * DAY_MS + 1)
    assert read_manifest(deployed.get(UNIT.manifest_key(REGION))).file.rows == 3
    import duckdb

    path = BytesIO(deployed.get(UNIT.file_key(REGION)))
    assert path.getvalue()[:4] == b"PAR1"
    assert duckdb.__version__
    granted = {kind for kind in UNUSED if kind.startswith("archiver")}
    # The bucket is never listed: the grant makes S3 answer 404 for an object that does not exist.
    assert granted - deployed.used == {"archiver s3:ListBucket archive"}


def test_deleted_tenant_is_forgotten_and_files_are_compared_again_by_allowed_calls_alone(
    deployed: Deployed,
) -> None:
    store = deployed.ports().executions
    mine = in_state(one_off(1), State.SUCCEEDED)
    other = in_state(one_off(2, tenant_id="globex"), State.SUCCEEDED)
    for execution in (mine, other):
        assert store.put_if_absent(execution, expires_at_s=EXPIRES_AT_S) is None
    deployed.tick(FIRST_PASS)
    assert deployed.tick(SEAL).mismatched == 0
    deployed.forget()
    later = SEAL + FORGET_AFTER_MS
    report = deployed.tick(later)
    assert (report.forgetting.rewritten, report.forgetting.forgotten, report.mismatched) == (1, 1, 0)
    manifest = read_manifest(deployed.get(UNIT.manifest_key(REGION)))
    assert (manifest.sealed, manifest.file.tenants) == (True, {"globex": 1})
    assert sum(manifest.file.forgotten.values()) == 1
    history, deletions = deployed.ports().history, deployed.ports().tenant_deletions
    assert history.of_unit(TENANT, UNIT) is None
    assert history.of_unit(None, UNIT) == history.of_unit("globex", UNIT)
    assert deletions.forgetting() == []
    record = deletions.get(TENANT)
    assert record.forgetting.ended_at == later
    assert record.forgetting.rows == 1
    assert deployed.tick(later + DAY_MS).mismatched == 0
    changed = deployed.get(UNIT.file_key(REGION))[:-1] + b"?"
    deployed.s3.put_object(Bucket="archive", Key=UNIT.file_key(REGION), Body=changed)
    report = deployed.tick(later + 2 * DAY_MS)
    assert report.sample == SampleMismatch(unit=UNIT, part=Part.FILE)
    assert report.mismatched == 1

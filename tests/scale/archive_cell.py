"""An archiver over executions that are computed, with S3 and the table `history` of the emulator."""

import os
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from infra.local.clients import CREDENTIALS, REGION
from shared.adapters.aws.errors import AwsError
from shared.adapters.clients import Clients
from shared.adapters.clock import SystemClock, SystemEntropy
from shared.adapters.dynamodb.archive.history import DynamoHistoryStore
from shared.adapters.greenlets import GreenletSpread
from shared.adapters.parquet.files import ParquetFiles
from shared.adapters.s3.object_store import LateS3Call, S3ObjectStore
from shared.bootstrap.dynamo_ports import AT_ONCE
from shared.bootstrap.reports import reported_denials
from shared.bootstrap.use_cases import UseCases, use_cases
from shared.domain.archive.unit import HOUR_MS, MINUTES_PER_HOUR, SEALED_AFTER_MS, ArchiveUnit, hour_end_ms
from shared.domain.tenancy.tenant import Tenant
from shared.names import Transport
from shared.ports.dispatch import ShardRecord
from shared.usecases.archive.archive_unit import PassEnd
from tests.bench.units import item_bytes, units_of
from tests.scale.archive_traffic import ArchiveTraffic, GeneratedCounts, GeneratedExecutions
from tests.support.aws_steps import Call, Parsed, around_aws_calls
from tests.support.settings import settings_of
from tests.support.usecases.ports import FakePorts

FIRST_PASS_MS = 2 * HOUR_MS


@dataclass(frozen=True, slots=True)
class ArchiveStorage:
    """Where a cell keeps its files and sums."""

    endpoint: str
    bucket: str
    history: str

    def enter(self) -> None:
        """Point the clients of this process at the emulator."""
        os.environ.update(CREDENTIALS, AWS_ENDPOINT_URL=self.endpoint, AWS_DEFAULT_REGION=REGION)


@dataclass(slots=True)
class Archived:
    """What a run of some hours did."""

    rows: int = 0
    passes: int = 0
    sealed: int = 0
    cpu_seconds: float = 0.0
    counted: Counter[str] = field(default_factory=Counter)
    """Requests and units that AWS bills, and bytes."""
    faults: list[str] = field(default_factory=list)

    def add(self, other: "Archived") -> None:
        self.rows += other.rows
        self.passes += other.passes
        self.sealed += other.sealed
        self.cpu_seconds += other.cpu_seconds
        self.counted += other.counted
        self.faults += other.faults


class ArchiveCell:
    """Fakes for all that the archive does not read or write in bulk."""

    def __init__(self, traffic: ArchiveTraffic, storage: ArchiveStorage, first_hour: int) -> None:
        storage.enter()
        self.traffic = traffic
        self.fakes = FakePorts(first_hour * HOUR_MS, counts=traffic.counts)
        self.executions = GeneratedExecutions(traffic)
        self._begin(first_hour)
        self._add_tenants()
        ports: Any = self.fakes.ports()
        ports.executions = self.executions
        ports.index_counts = GeneratedCounts(traffic)
        ports.archive_objects = S3ObjectStore(reported_denials(LateS3Call(REGION)), storage.bucket)
        ports.archive_files = ParquetFiles()
        clients = Clients(Transport.HTTP, REGION, SystemClock(), SystemEntropy())
        ports.history = DynamoHistoryStore(clients("dynamodb"), storage.history, REGION)
        ports.spread = GreenletSpread(AT_ONCE)
        self.ports = ports

    def use_cases(self, **settings: Any) -> UseCases:
        own = settings_of(self.fakes.plan, self.fakes.retention, region=REGION, **settings)
        return use_cases(self.ports, own)

    def _begin(self, first_hour: int) -> None:
        record = ShardRecord(counts=self.traffic.counts, open_from=first_hour * MINUTES_PER_HOUR)
        self.fakes.shard_counts.begin(record)

    def _add_tenants(self) -> None:
        create = use_cases(self.fakes.ports(), settings_of(self.fakes.plan, self.fakes.retention))
        for name in self.traffic.names:
            create.tenancy.create_tenant.execute(name)
        for job in self.traffic.jobs:
            self.fakes.table.jobs[job.tenant_id, job.id] = job

    def tenant(self, number: int) -> Tenant:
        return self.fakes.tenants.tenants[self.traffic.names[number]]


def archive_hours(
    traffic: ArchiveTraffic, storage: ArchiveStorage, hours: range, *, in_time: bool
) -> Archived:
    """Archive hours as a stage does: a pass after the end of each, and a second one on day 12, which seals it.

    Without `in_time`, the archiver was away for 12 days: each hour has one pass.
    """
    cell, found = ArchiveCell(traffic, storage, hours.start), Archived()
    _list_no_hours_after(cell, hours)
    run, clock = cell.use_cases().archive.run, cell.fakes.clock
    ends = [hour_end_ms(hour) for hour in hours]
    if in_time:
        ticks = [end + FIRST_PASS_MS for end in ends] + [
            ends[-1] + after
            for after in range(2 * FIRST_PASS_MS, SEALED_AFTER_MS + FIRST_PASS_MS, 2 * FIRST_PASS_MS)
        ]
    else:
        ticks = [ends[-1] + SEALED_AFTER_MS + HOUR_MS]
    begun = time.process_time()
    with around_aws_calls(counting(found.counted)):
        for tick in ticks:
            clock.time_ms = max(clock.time_ms, tick)
            cell.fakes.ledger.note_swept_through(min(tick // 60_000, hours.stop * MINUTES_PER_HOUR) - 1)
            report = run.execute()
            found.passes += len(report.passes)
            found.rows += sum(each.rows for each in report.passes if each.end is PassEnd.SEALED)
            found.sealed += report.count(PassEnd.SEALED)
            found.faults += [f"mismatch: {each}" for each in report.mismatches]
            found.faults += [
                f"{each.unit} ended as {each.end.name}" for each in report.passes if _is_wrong(each.end)
            ]
            found.faults += [f"{report.unavailable} units had no answer"] * bool(report.unavailable)
    found.cpu_seconds = time.process_time() - begun
    wanted = len(hours) * traffic.rows_per_hour
    if found.rows != wanted:
        found.faults.append(f"{found.rows} rows are archived, and {wanted} executions have ended")
    return found


def _list_no_hours_after(cell: ArchiveCell, hours: range) -> None:
    """The clock goes on for twelve days after the last hour, and later hours belong to another process."""
    units = cell.fakes.archive_units
    opened = units.open

    def open_own(unit: ArchiveUnit, **states: Any) -> None:
        if unit.hour in hours:
            opened(unit, **states)

    cell.ports.archive_units = units
    units.open = open_own  # type: ignore[method-assign]


def counting(counted: Counter[str]) -> Any:
    """A step that counts what AWS bills for each call."""

    def step(service: str, operation: str, params: Parsed, call: Call) -> Parsed:
        counted[operation] += 1
        if operation == "PutItem":
            counted["history units"] += units_of(params["Item"])
        if operation == "PutObject" and params["Key"].endswith(".parquet"):
            counted["file bytes"] += os.fstat(params["Body"].fileno()).st_size
        try:
            answer = call(params)
        except AwsError:
            counted["refused"] += 1
            raise
        if operation == "GetObject":
            counted["bytes read"] += answer["ContentLength"]
        if operation == "Query":
            counted["history bytes"] += sum(map(item_bytes, answer["Items"]))
        return answer

    return step


def _is_wrong(end: PassEnd) -> bool:
    return end in (PassEnd.MISMATCH, PassEnd.OVERTAKEN)

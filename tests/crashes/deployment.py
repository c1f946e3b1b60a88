"""One deployment of the functions over the engines: tables, queues, a tenant, and a process for each function."""

import json
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from typing import Any

from infra.local.clients import ACCOUNT, REGION
from infra.local.state_dir import PROJECT_ROOT
from shared.domain.ids import DEFAULT_CELL
from shared.names import Env, QueueName
from tests.crashes.crash_points import CrashPoint
from tests.crashes.engines import Engines
from tests.crashes.printed import LogGroup
from tests.crashes.process_pool import Invocation, ProcessPool, Sandbox, SandboxDiedError
from tests.support.conformance.tables import TableNames, create_tables
from tests.support.fakes.budgets import GENEROUS

VISIBILITY_SECONDS = 450
DEAD_VISIBILITY_SECONDS = 360
EVENTS_VISIBILITY_SECONDS = 180
MAX_RECEIVES = 5
LOCK_DAYS = 400
TENANT, SCOPES = "acme", "read,write,admin"
"""As the infrastructure sets them; not imported from there, since that would load the whole CDK."""
TARGET_ROLES = "arn:aws:iam::*:role/punctual/*"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/punctual/{TENANT}"
"""With it the tenant's jobs may send to queues."""


@dataclass(slots=True)
class Worker:
    """A place for one process of a function: where it died a fresh one takes over, as in Lambda."""

    process_pool: ProcessPool
    module: str
    environment: dict[str, str]
    sandbox: Sandbox | None = None
    is_busy: bool = False
    """Whether an invocation is under way."""

    def invoke(self, event: Any, point: CrashPoint | None = None) -> Invocation:
        """One event; SandboxDiedError where the process ended in the middle of it."""
        self.sandbox = sandbox = self.sandbox or self.process_pool.sandbox(self.module, self.environment)
        self.is_busy = True
        try:
            return sandbox.invoke(event, point)
        except SandboxDiedError:
            self.sandbox = None
            raise
        finally:
            self.is_busy = False

    def renew(self) -> None:
        """End the process, so that the next event meets one that remembers nothing."""
        sandbox, self.sandbox = self.sandbox, None
        if sandbox is not None:
            sandbox.end()


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A queue and what it is the source of events for."""

    url: str
    arn: str


@dataclass(slots=True, kw_only=True)
class Deployment:
    """Everything that stands; workers are made when they are first asked for."""

    engines: Engines
    process_pool: ProcessPool
    tables: TableNames
    lanes: dict[QueueName, Queue]
    dead: dict[QueueName, Queue]
    events: Queue
    """Of the event bus."""
    dead_events: Queue
    target: Queue
    """The tenant's own."""
    environment: dict[str, str]
    shards: int
    api_log: LogGroup
    api_key: str = ""
    signing_secret: str = ""
    workers: list[Worker] = field(default_factory=list)

    def worker(self, package: str, lane: QueueName | None = None) -> Worker:
        """A place for a process of one function, with the variables that Lambda would set for it."""
        own = {Env.LANE: str(lane)} if lane else {}
        worker = Worker(self.process_pool, f"functions.{package}.handler", self.environment | own)
        self.workers.append(worker)
        return worker

    def stop(self) -> None:
        """End all processes."""
        for worker in self.workers:
            worker.renew()
        self.process_pool.stop()


def deploy(engines: Engines, *, shards: int) -> Deployment:
    """Fresh tables and queues, one tenant."""
    tables = create_tables(engines.store.client("dynamodb"))
    dead = {
        lane: _queue(engines, f"{lane}-dead-{tables.jobs}", DEAD_VISIBILITY_SECONDS) for lane in QueueName
    }
    lanes = {
        lane: _queue(engines, f"{lane}-{tables.jobs}", VISIBILITY_SECONDS, dead[lane].arn)
        for lane in QueueName
    }
    group = f"api-{tables.jobs}"
    environment = engines.environment | _variables(engines, tables, lanes, dead, shards)
    environment[Env.API_LOG_GROUP] = group
    dead_events = _queue(engines, f"events-dead-{tables.jobs}", EVENTS_VISIBILITY_SECONDS)
    events = _queue(engines, f"events-{tables.jobs}", EVENTS_VISIBILITY_SECONDS, dead_events.arn)
    environment |= {Env.EVENTS_QUEUE_URL: events.url, Env.DEAD_EVENTS_QUEUE_URL: dead_events.url}
    created = _create_tenant(environment)
    process_pool = ProcessPool(environment, engines.clock.path, engines.root / f"logs-{tables.jobs}")
    return Deployment(
        engines=engines,
        process_pool=process_pool,
        tables=tables,
        lanes=lanes,
        dead=dead,
        events=events,
        dead_events=dead_events,
        target=_queue(engines, f"target-{tables.jobs}", EVENTS_VISIBILITY_SECONDS),
        environment=environment,
        shards=shards,
        api_log=LogGroup(engines.others.client("logs"), group, process_pool.log("api"), engines.clock),
        api_key=created["api_key"],
        signing_secret=created["signing_secret"],
    )


def _queue(engines: Engines, name: str, visibility_seconds: int, dead_arn: str | None = None) -> Queue:
    attributes = {"VisibilityTimeout": str(visibility_seconds)}
    if dead_arn is not None:
        redrive = {"deadLetterTargetArn": dead_arn, "maxReceiveCount": MAX_RECEIVES}
        attributes["RedrivePolicy"] = json.dumps(redrive)
    created = engines.others.client("sqs").create_queue(QueueName=name, Attributes=attributes)
    return Queue(url=created["QueueUrl"], arn=f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}")


def _bucket(engines: Engines, name: str) -> str:
    s3 = engines.others.client("s3")
    s3.create_bucket(Bucket=name)
    s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
    return name


def _locked_bucket(engines: Engines, name: str) -> str:
    s3 = engines.others.client("s3")
    s3.create_bucket(Bucket=name, ObjectLockEnabledForBucket=True)
    rule = {"DefaultRetention": {"Mode": "GOVERNANCE", "Days": LOCK_DAYS}}
    s3.put_object_lock_configuration(
        Bucket=name, ObjectLockConfiguration={"ObjectLockEnabled": "Enabled", "Rule": rule}
    )
    return name


def _variables(
    engines: Engines,
    tables: TableNames,
    lanes: dict[QueueName, Queue],
    dead: dict[QueueName, Queue],
    shards: int,
) -> dict[str, str]:
    plan = {"from": "2026-01-01T00:00Z", "normal": shards, "quarter": shards, "midnight": shards}
    return {
        Env.STAGE: "crashes",
        Env.REGION: REGION,
        Env.CELL: DEFAULT_CELL,
        Env.EXECUTIONS_TABLE: tables.executions,
        Env.JOBS_TABLE: tables.jobs,
        Env.TENANTS_TABLE: tables.tenants,
        Env.LEASES_TABLE: tables.leases,
        Env.AUDIT_TABLE: tables.audit,
        Env.AUDIT_RETENTION_DAYS: "400",
        Env.AUDIT_ONE_OFFS: "false",
        Env.HISTORY_TABLE: tables.history,
        Env.ARCHIVE_DAYS: "400",
        Env.DEFAULT_QUOTAS: json.dumps(asdict(GENEROUS)),
        Env.LANE_QUEUE_URLS: json.dumps({str(lane): queue.url for lane, queue in lanes.items()}),
        Env.DEAD_LETTER_ARNS: json.dumps({str(lane): queue.arn for lane, queue in dead.items()}),
        Env.ARCHIVE_BUCKET: _bucket(engines, f"archive-{tables.jobs}"),
        Env.AUDIT_BUCKET: _locked_bucket(engines, f"audit-{tables.jobs}"),
        Env.AUDIT_LOCK_DAYS: str(LOCK_DAYS),
        Env.SHARD_PLAN: json.dumps([plan]),
        Env.RETENTION_DAYS: "14",
        Env.KMS_KEY_ID: engines.others.client("kms").create_key()["KeyMetadata"]["KeyId"],
        Env.DIAL_EXCEPTIONS: "127.0.0.0/8",
        Env.API_HOSTS: "api.example",
        Env.TARGET_ROLES: TARGET_ROLES,
        "POWERTOOLS_SERVICE_NAME": "crashes",
        "LOG_LEVEL": "INFO",
    }


def _create_tenant(environment: dict[str, str]) -> dict[str, str]:
    """By the operator's own commands."""
    created = _administer(environment, "create-tenant", TENANT, "--scopes", SCOPES)
    _administer(environment, "change-tenant", TENANT, "--target-role", ROLE)
    return created


def _administer(environment: dict[str, str], *command: str) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "functions.admin", *command],
        cwd=PROJECT_ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    answer: dict[str, str] = json.loads(done.stdout)
    return answer

"""The table of Lambda functions: name, code, timeout, memory and capabilities."""

from dataclasses import dataclass

from infra.components.construct_ids import construct_id
from infra.config import FunctionMemory
from shared.names import ARCHIVER_TIMEOUT_SECONDS, EXECUTOR_TIMEOUT_SECONDS, CanarySecret, QueueName

LIVE = "live"
"""The alias of each function: event sources, rules and the API invoke the version that it points to."""
DEAD_LETTER_TIMEOUT_SECONDS = 60
EVENT_RECEIVER = "event-receiver"
EVENT_RECEIVER_TIMEOUT_SECONDS = 30
EVENT_RECEIVER_MEMORY_MB = 1_024
RECONCILER_TIMEOUT_SECONDS = 600
ARCHIVER_MEMORY_MB = 2_048
"""The library of Parquet files takes up to 0.8 GB of it, and a pass has more than a core."""
ARCHIVER_DISK_GIB = 6
"""The rows of a busy hour of four shards as JSON, the old file and the new one, and what a sort spills."""
AUDITOR_TIMEOUT_SECONDS = 600
AUDITOR_MEMORY_MB = 512
ARCHIVE_READER = "archive-reader"
READER_MEMORY_MB = 1_769
"""A whole core: a client waits for the answer, most of which is processor time. The library may take 0.8 GB."""
CANARY_MEMORY_MB = 512
"""Of both functions of the canary: they run for milliseconds, and less memory would stretch their cold starts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionSpec:
    """A Lambda function. `service` is its name in logs, metrics and alarms."""

    service: str
    package: str
    timeout_seconds: int
    memory_mb: int
    lane: QueueName | None = None
    """The queue that the function consumes."""
    makes_callbacks: bool = False
    """Decrypts tenants' secrets and checks callback addresses, so it gets the KMS key and the dial
    exceptions."""
    manages_tenants: bool = False
    """Manages tenants, enforces their quotas and records changes."""
    is_scheduled: bool = False
    """Invoked on a schedule: a failed run is not retried, because the next tick does its work."""
    reads_dead_letters: bool = False
    """Reads the dead-letter queues."""
    reads_api_log: bool = False
    """Reads the API's log of acknowledged jobs."""
    receives_events: bool = False
    """Reads the queue of the event bus, and enforces tenants' quotas."""
    allows_recursion: bool = False
    """Sends to the queue that invokes it (retries, successors, returned messages, events that are delivered again).
    Lambda's loop detection would stop such a chain after about 16 passes; `max_attempts`, the schedule and
    `MAX_REDELIVERIES` bound it instead."""

    archives: bool = False
    """Reads and writes the bucket of the archive, and has the library of Parquet files in its bundle."""

    exports_audit: bool = False
    """Copies audit records to the bucket of the audit trail, and can change neither."""
    reads_archive: bool = False
    """Reads the bucket of the archive, with the same bundle, and has no other access to the deployment."""
    asks_archive: bool = False
    """Invokes the function that reads the archive, and reads the files of searches."""
    assumes_roles: bool = False
    """Assumes the roles of tenants, for targets in AWS."""
    signs_tokens: bool = False
    """Signs identity tokens."""
    shows_token_keys: bool = False
    """Reads the public keys of identity tokens."""
    searches: bool = False
    """Finds executions for searches of tenants, and writes and deletes the files."""

    secret: CanarySecret | None = None
    """The secret that a function of the canary reads. Such a function has no other access to the deployment."""

    @property
    def is_of_canary(self) -> bool:
        return self.secret is not None

    @property
    def uses_s3(self) -> bool:
        """Whether the function works on a bucket, has the second bundle and puts no execution."""
        return self.archives or self.reads_archive or self.exports_audit

    @property
    def has_tables(self) -> bool:
        """Whether the function works on the tables and queues."""
        return not (self.is_of_canary or self.reads_archive)

    @property
    def construct_id(self) -> str:
        return construct_id(self.service)

    @property
    def consumes(self) -> bool:
        """Whether the function reads wake-ups or events from queues."""
        return self.lane is not None or self.reads_dead_letters or self.receives_events


def function_specs(
    memory: FunctionMemory,
    *,
    canary: bool = False,
    archive: bool = True,
    audit_trail: bool = True,
    target_roles: bool = False,
    token_keys: bool = False,
    event_bus: bool = False,
) -> tuple[FunctionSpec, ...]:
    return (
        *(_CANARY if canary else ()),
        *(_ARCHIVER + _READER if archive else ()),
        *(_AUDITOR if audit_trail else ()),
        *(_EVENT_RECEIVER if event_bus else ()),
        # The gateway returns 503 after 30 s, so work after that is wasted.
        FunctionSpec(
            service="api",
            package="api",
            timeout_seconds=25,
            memory_mb=memory.api,
            makes_callbacks=True,
            manages_tenants=True,
            asks_archive=archive,
            shows_token_keys=token_keys,
        ),
        # Longer than a tick on purpose: leases separate overlapping runs, and a full bucket may need the
        # time.
        FunctionSpec(
            service="watcher",
            package="watcher",
            timeout_seconds=110,
            memory_mb=memory.watcher,
            is_scheduled=True,
        ),
        FunctionSpec(
            service="sweeper",
            package="sweeper",
            timeout_seconds=110,
            memory_mb=memory.sweeper,
            is_scheduled=True,
        ),
        FunctionSpec(
            service="reconciler",
            package="reconciler",
            timeout_seconds=RECONCILER_TIMEOUT_SECONDS,
            memory_mb=memory.sweeper,
            is_scheduled=True,
            reads_api_log=True,
        ),
        # Longer than a tick, like a watcher: leases separate overlapping runs.
        FunctionSpec(
            service="redriver",
            package="redriver",
            timeout_seconds=110,
            memory_mb=memory.redriver,
            is_scheduled=True,
            asks_archive=archive,
            searches=True,
        ),
        *(
            _executor(queue, memory, assumes_roles=target_roles, signs_tokens=token_keys)
            for queue in QueueName
        ),
        FunctionSpec(
            service="dead-letter",
            package="dead_letter",
            timeout_seconds=DEAD_LETTER_TIMEOUT_SECONDS,
            memory_mb=memory.dead_letter,
            reads_dead_letters=True,
            allows_recursion=True,
        ),
    )


_ARCHIVER = (
    FunctionSpec(
        service="archiver",
        package="archiver",
        timeout_seconds=ARCHIVER_TIMEOUT_SECONDS,
        memory_mb=ARCHIVER_MEMORY_MB,
        is_scheduled=True,
        archives=True,
    ),
)
_AUDITOR = (
    FunctionSpec(
        service="auditor",
        package="auditor",
        # Longer than the five minutes of a tick: a run that overlaps with the next one gives way.
        timeout_seconds=AUDITOR_TIMEOUT_SECONDS,
        memory_mb=AUDITOR_MEMORY_MB,
        is_scheduled=True,
        exports_audit=True,
    ),
)
_EVENT_RECEIVER = (
    FunctionSpec(
        service=EVENT_RECEIVER,
        package="event_receiver",
        timeout_seconds=EVENT_RECEIVER_TIMEOUT_SECONDS,
        memory_mb=EVENT_RECEIVER_MEMORY_MB,
        makes_callbacks=True,
        receives_events=True,
        allows_recursion=True,
    ),
)
_READER = (
    FunctionSpec(
        service=ARCHIVE_READER,
        package="archive_reader",
        timeout_seconds=10,
        memory_mb=READER_MEMORY_MB,
        reads_archive=True,
    ),
)
_CANARY = (
    FunctionSpec(
        service="canary-prober",
        package="canary_prober",
        # More than three reads of the key and the request to the API may take, and less than the minute until the
        # next tick: an API that does not answer is reported by the function, which Lambda must not end before.
        timeout_seconds=50,
        memory_mb=CANARY_MEMORY_MB,
        is_scheduled=True,
        secret=CanarySecret.API_KEY,
    ),
    FunctionSpec(
        service="canary-receiver",
        package="canary_receiver",
        timeout_seconds=15,
        memory_mb=CANARY_MEMORY_MB,
        secret=CanarySecret.SIGNING_SECRET,
    ),
)


def _executor(
    lane: QueueName, memory: FunctionMemory, *, assumes_roles: bool, signs_tokens: bool
) -> FunctionSpec:
    return FunctionSpec(
        service=f"executor-{lane}",
        package="executor",
        timeout_seconds=EXECUTOR_TIMEOUT_SECONDS,
        memory_mb=memory.of_executor(lane),
        lane=lane,
        makes_callbacks=True,
        assumes_roles=assumes_roles,
        signs_tokens=signs_tokens,
        allows_recursion=True,
    )

"""Every figure that the scale model and the sizing do not compute themselves: latencies, processor time, counts per
job, limits of AWS.

Each figure names its source. `COUNTED` was counted on the emulator by `make bench`, `EMULATED` is a result of
`make scale`. `MEASURED` was measured on a machine like the build's, never on AWS; the note names the command or
the measurement. `DOCUMENTED` is a public document of AWS. `ASSUMED` is an assumption: nothing in this project has
measured the figure.
"""

from dataclasses import dataclass
from enum import StrEnum


class Source(StrEnum):
    COUNTED = "counted"
    EMULATED = "emulated"
    MEASURED = "measured"
    DOCUMENTED = "documented"
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its source. `note` says where it comes from, or why it was assumed."""

    value: float
    source: Source
    note: str


def counted(value: float, note: str) -> Figure:
    return Figure(value, Source.COUNTED, note)


def emulated(value: float, note: str) -> Figure:
    return Figure(value, Source.EMULATED, note)


def measured(value: float, note: str) -> Figure:
    return Figure(value, Source.MEASURED, note)


def documented(value: float, note: str) -> Figure:
    return Figure(value, Source.DOCUMENTED, note)


def assumed(value: float, note: str) -> Figure:
    return Figure(value, Source.ASSUMED, note)


_USUAL = "usual single-digit milliseconds of the service inside a region"

LATENCY_MS = {
    "get": assumed(4, _USUAL),
    "write": assumed(6, _USUAL),
    "transaction": assumed(15, "two phases"),
    "batch_get": assumed(10, "100 keys in parallel"),
    "batch_statement": assumed(12, "25 statements in parallel"),
    "query_page": assumed(5, "an empty page"),
    "query_row": assumed(0.07, "a page of 500 rows of 0.8 KB in 40 ms, as in docs/design/capacity.md"),
    "sqs": assumed(12, "SendMessageBatch of ten, as in docs/design/capacity.md"),
    "s3": assumed(20, "a request of a file of some megabytes inside a region"),
    "kms": assumed(10, "Decrypt of a data key"),
    "invoke": assumed(15, "from the message's visibility to the handler: long poll and invocation"),
    "cold_start": assumed(700, "0.38 s of processor time, as executor_start_cpu_ms; the rest is the sandbox"),
    "tick": assumed(1_000, "EventBridge starts a tick up to some seconds late"),
}
"""Milliseconds of one request, without the caller's own processor time."""

CPU_MS = {
    "request": measured(
        1.3, "a boto3 request of DynamoDB or SQS: 1.2 to 1.4 ms of process_time, stubbed AWS"
    ),
    "claim": measured(0.14, "BatchExecuteStatement of ten claims takes 1.4 ms"),
    "execution": measured(0.05, "read_execution: 50 us"),
    "scanned_row": measured(0.097, "a sweep reads 10,300 rows/s on one full core"),
    "batch_get_row": measured(0.06, "parsing by botocore and read_execution"),
    "ledger_row": assumed(0.05, "decode_all and read_open_shard, like read_execution"),
    "message": measured(0.013, "encode_wakeup 5.7, pack 5.1, single_wakeup 1.4 us"),
    "decode": measured(0.019, "decode_wakeup: 18.6 us"),
    "put": measured(0.033, "execution_item: 33 us"),
    "hop": measured(0.47, "26 % of 3,645 us a job are hand-offs between loop and threads: two hops a job"),
    "compose": measured(
        0.15, "AES, HMAC and the request: 8.5 % use cases of 3,645 us, shared with claim and settle"
    ),
    "call": measured(
        0.2, "upper bound: a call took 0.17 to 0.21 ms over aiohttp, and takes less than half of it now"
    ),
    "reconciled": measured(
        2.4,
        "reconcile_definitions over fakes: a job with a cron line of five minutes; 0.2 ms with a fixed rate",
    ),
    "seal": measured(0.03, "AES-GCM of 0.5 KB with the key at hand"),
}
"""Processor milliseconds of a step, on one full core."""

CREATE_CPU_MS = measured(3.4, "POST of one job through the handler, stubbed AWS")
BATCH_CREATE_CPU_MS = measured(0.67, "each job of a batch of 100, through the handler")
REPORT_CPU_MS = measured(2.6, "GET of a job through the handler; a heartbeat is one read, one write")

ITEM_BYTES = measured(
    460, "an item after completion, without its body: a one-off 420, a run of a cron line more"
)
ITEM_KB = measured(0.84, "an item after completion with a body of 400 bytes")
PAYLOAD_BYTES = measured(254, "a request that is stored apart, without its body")
ENVELOPE_BYTES = measured(200, "URL, two headers and seal of a request, without its body")
INLINE_BYTES = measured(600, "a longer sealed request is stored apart; shared/domain/delivery/request.py")
PAYLOAD_SPARE_DAYS = measured(
    16, "a request that is stored apart is kept this much longer; shared/domain/executions/retention.py"
)
INDEX_ENTRY_BYTES = assumed(200, "keys, name and tags of an execution in the index of its tenant")
ITEM_OVERHEAD_BYTES = documented(
    100, "DynamoDB: storage of an item and of an index entry beyond its attributes"
)
OPEN_ROW_BYTES = measured(45, "the sort key of an open row and its separator in a ledger row")
LEDGER_ROW_BYTES = measured(220, "a ledger row without open rows")
HOT_SCOPE_BYTES = assumed(40, "name and instant of one hot scope")

MB_OF_ONE_CORE = documented(1_769, "Lambda: memory that gives one full vCPU")

CREATION_LEASES = counted(
    0.07, "write units of rate limits and quotas a creation, a hundred at a time; 0.1 if one comes each 1.3 s"
)
KEYED_WRITES = counted(1, "write units that an Idempotency-Key adds to a creation")
TENANT_LIFETIME_SECONDS = measured(
    60, "a process reads a tenant again after this time; docs/design/capacity.md"
)

EXECUTOR_WAIT_MS = assumed(
    320,
    "mean wait of a batch until its jobs are due: SQS counts whole seconds, and a rest of 0.8 s is rounded up",
)
WINDOW_WAIT_MS = assumed(
    150, "the same for messages of watchers, which send them 100 to 200 ms before the fraction of a second"
)
EXECUTOR_CPU_MS = measured(
    1.45, "executor, one-off, on a busy machine: more than in docs/performance.md, as Lambda's differs"
)
OCCURRENCE_CPU_MS = measured(1.98, "executor, occurrence, on the same machine")
EXECUTOR_START_CPU_MS = measured(
    380, "cold start, executor, on the same machine, to the end of its first job"
)
EXECUTOR_PROCESS_MB = measured(40, "resident memory of an executor after its first job")
BODY_COPIES = measured(
    5, "rounded up from 4.5: 100 jobs with bodies of 200 kB in one batch took 90 MB above the process"
)
JOBS_PER_BATCH = emulated(2.5, "mean batch at 10,000 jobs/s; a full batch has 10, thin traffic 1")

EXECUTOR_LOG_BYTES = measured(440, "metrics of a batch of ten: the line of an executor's log")
ACCEPTED_LOG_BYTES = measured(310, "the line of the API's log for an accepted job: 308 bytes with one sample")
BATCH_ACCEPTED_LOG_BYTES = measured(128, "its share of the lines of a batch of 100")
TICK_LOG_BYTES = measured(205, "the metric of a tick that finds nothing: its only line")
ACCESS_LOG_BYTES = measured(125, "a line of the gateway's access log for the creation of a job")
CALL_BYTES = assumed(700, "headers, signature and TLS of a call, beyond the body")

IDLE_POLLS_PER_MINUTE = documented(
    15,
    "Lambda: five parallel long polls of an empty queue, each for 20 s; users see about 15 empty receives a minute",
)
POLLER_POLLS_PER_MINUTE = assumed(3, "a provisioned poller of an empty queue, polling for 20 s")
WATCH_WRITES = counted(
    4, "write units of watchers a shard and minute: two takes and a finish, two of them refused"
)
SWEEP_WRITES = counted(
    2, "write units of sweepers a shard and minute: a pass is taken, and the shard is closed"
)
LEDGER_READS = counted(
    32, "read units of sweepers a minute: 16 partitions for their ranges, and 16 for the list"
)
SWEEPER_READS = counted(
    10, "read units of one sweeper's tick: shard counts, mark, and 16 items of hot scopes"
)
ARCHIVE_PASSES = assumed(
    2, "passes over an hour whose executions end within two hours: the first and the sealing one"
)
ARCHIVE_ROW_BYTES = measured(48, "of a file of 100,000 executions that succeeded, of 100 tenants")
ARCHIVE_ROW_MS = measured(
    0.13, "processor time of a pass: read_execution, a line of JSON, the merge and the summary of its file"
)
ARCHIVE_TICK_READS = assumed(
    60, "read units of an archiver's tick: 16 partitions of the ledger twice, and twelve days of units"
)
ARCHIVE_UNIT_WRITES = counted(6, "write units of a unit: opened, taken twice, recorded, sealed and closed")
HISTORY_ITEM_BYTES = measured(
    430, "item of a tenant with 40 executions in the hour; 1.8 KB with 1,000 of them, and 7.6 KB with 100,000"
)
ARCHIVE_UNIT_PUTS = counted(4, "a file and a manifest, in each of two passes")
ARCHIVE_UNIT_GETS = counted(
    6, "the manifest and the file in two passes, the file read back, and the manifest compared"
)
ARCHIVE_SAMPLE_GETS = counted(
    3, "a sealed file that is compared again each hour: its manifest twice, and the file"
)
DELETED_EXECUTION_WRITES = counted(2, "write units: the row, and its entry in the index of its tenant")
DELETED_EXECUTION_READS = counted(1, "read units: the row by its key; its entry is listed beside")
FORGOTTEN_FILE_PUTS = counted(2, "a file without the rows of a deleted tenant, and its manifest")
FORGOTTEN_FILE_GETS = counted(
    2, "the file, and the file read back; its manifest is read as that of every unit"
)
FORGOTTEN_FILE_WRITES = counted(2, "the sums of the tenant are deleted, and those of all tenants put again")
FORGOTTEN_ROW_MS = measured(0.032, "a file of 40,000 rows: read, merged, read back, and its jobs counted")
DAY_ITEM_UNITS = counted(9, "write units of the 500 busiest jobs of a tenant; one up to some 40 jobs")
DAY_COUNTS = assumed(3, "counts of the jobs of a day: at its end, after late ends, and when it is sealed")
ARCHIVE_DAY_READS = assumed(21, "read units of an hourly look at 14 days without executions")
REDRIVER_READS = counted(
    5,
    "read units of a redriver's tick: redrives, bulk operations, searches, deletions of tenants and parked messages",
)
RECONCILER_IDLE_MS = assumed(1_000, "a reconciler's run over an empty index and log")
MARK_WRITES = counted(1, "write units of sweepers a minute: the mark of the swept buckets")
IDLE_METRICS = counted(
    5,
    "ticks of watchers, sweepers and redriver, and two ages of the reconcilers; each count of zero is left out",
)
BUSY_METRICS = counted(
    14,
    "calls that succeed: three metrics of each lane and one of all, two of the API and two of the watchers; others "
    "add to them",
)
ALARM_METRICS = counted(
    47, "metrics of the alarms in a stage's template, and one for each rule of ticks; tests/infra counts them"
)
ROLLOUT_ALARM = counted(2, "metrics of the alarm that ends a gradual rollout; tests/infra counts them")
ARCHIVE_ALARMS = counted(2, "metrics of the archive's alarms, beside its rules; tests/infra counts them")
AUDIT_TRAIL_ALARMS = counted(3, "metrics of the audit trail's alarms, and its rule; tests/infra counts them")
AUDIT_HOUR_READS = assumed(
    300, "read units for an hour of audit records: a query for each of 100 tenants, in three passes"
)
AUDIT_HOUR_WRITES = assumed(
    12,
    "write units for an hour: its progress is noted three times, with the week of hours that are read again",
)
AUDIT_TICK_GETS = counted(2, "the last segment, and a look for the next one")
AUDIT_RECORD_BYTES = assumed(120, "of a record in a segment, in gzip: digests and ids are random")
AUDIT_HOUR_RECORDS = assumed(100, "records of changes in an hour")
CANARY_ALARMS = counted(4, "metrics of the canary's alarms, and its rule; tests/infra counts them")
CANARY_METRICS = assumed(
    10,
    "the canary's two, and those of its jobs: three of the lane and one of all, one of the API, two of the watchers "
    "and one of the reconcilers",
)
CANARY_JOB_METRICS = assumed(7, "those of the canary's jobs that jobs of tenants report in any case")
CANARY_LEASES = assumed(2, "write units of rate limits and quotas of a creation, if one comes a minute")
CANARY_RECURRING_WRITES = assumed(6, "write units of a recurring job and of its index, from creation to end")
PROBER_MS = assumed(400, "a prober's run: a TLS handshake and a request to the API, on a part of a core")
CANARY_RECEIVER_MS = assumed(15, "a receiver's run, on a part of a core")
INSIGHT_RULES = assumed(
    10,
    "two rules of the stack, and DynamoDB's for throttled keys: two for each of the executions table, its indexes and "
    "the leases table",
)
SCALING_ALARMS = assumed(
    24, "DynamoDB: four alarms for each of the six policies that scale the executions table and its indexes"
)
SANDBOX_IDLE_SECONDS = assumed(300, "an idle sandbox is kept at least this long")
HOURS_PER_MONTH = assumed(730, "the month of AWS's own calculator")

KEY_WRITES = documented(1_000, "DynamoDB: write units a second of one partition key")
KEY_READS = documented(3_000, "DynamoDB: read units a second of one partition key")
TABLE_QUOTA = documented(
    40_000, "DynamoDB: default quota of write units a second of a table, on demand; adjustable"
)
ACCOUNT_QUOTA = documented(
    80_000, "DynamoDB: default quota of provisioned units of an account and region, reads and writes each"
)
NEW_INDEX = documented(4_000, "DynamoDB: write units a second of a new table or index, on demand")
IN_FLIGHT = documented(120_000, "SQS: messages in flight of a standard queue")
POLLERS_FIRST = documented(5, "Lambda: batches of an SQS event source at first")
POLLERS_PER_MINUTE = documented(300, "Lambda: more concurrent batches of an SQS event source each minute")
PROVISIONED_PER_MINUTE = documented(
    1_000, "Lambda: more concurrent batches of an SQS event source with provisioned pollers each minute"
)
SANDBOXES_AT_ONCE = documented(1_000, "Lambda: more sandboxes of one function each ten seconds")
GATEWAY_REQUESTS = documented(10_000, "API Gateway: default requests a second of an account and region")
KMS_REQUESTS = documented(10_000, "KMS: symmetric requests a second of an account in the smallest regions")
RECURRING = assumed(3_000_000, "definitions if all 10,000 jobs/s were runs of cron lines of five minutes")
RECONCILE_SECONDS = documented(900, "EventBridge: the rule of the reconcilers, each with its segments")
TICK_SECONDS = documented(60, "EventBridge: the shortest interval of a rule")

POLLERS_WAIT_MS = assumed(
    250, "an event source adds pollers while its oldest visible message waits this long"
)
CALLBACK_MS = assumed(100, "mean duration of a callback")
SANDBOX_HOURS = assumed(2, "age at which Lambda replaces a sandbox; decides how warm its data keys are")
HEARTBEAT_SECONDS = assumed(30, "receivers of long jobs report at half of the default heartbeat of 60 s")


def cpu(name: str) -> float:
    return CPU_MS[name].value


def latency(name: str) -> float:
    return LATENCY_MS[name].value


def all_figures() -> dict[str, Figure]:
    """Every figure by name, for the report and its test."""
    found = {name.lower(): value for name, value in globals().items() if isinstance(value, Figure)}
    found |= {f"latency {name}": figure for name, figure in LATENCY_MS.items()}
    return found | {f"cpu {name}": figure for name, figure in CPU_MS.items()}

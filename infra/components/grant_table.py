"""The grants of the functions and of operators: AWS actions on resources that have the names of this table.

The roles and the operators' policy are made from this table. The emulators enforce neither, so the tests compare
the calls of functions and commands with it. Therefore this module loads no CDK.
"""

from dataclasses import dataclass

from infra.components.function_specs import ARCHIVE_READER, FunctionSpec
from infra.components.table_grants import TableGrants
from infra.target_roles import ASSUME, TARGET_ROLES
from infra.token_keys import SHOW_KEY, SIGN, TOKEN_KEYS
from shared.names import CanarySecret, Lane, QueueName

GET, PUT, UPDATE, DELETE = "GetItem", "PutItem", "UpdateItem", "DeleteItem"
QUERY, SCAN, BATCH_GET, BATCH_WRITE = "Query", "Scan", "BatchGetItem", "BatchWriteItem"
PARTIQL, INSERT, CHECK = "PartiQLUpdate", "PartiQLInsert", "ConditionCheckItem"

SEND = ("sqs:SendMessage",)
QUEUE_DEPTH = ("sqs:GetQueueAttributes",)
RECEIVE = ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes")
"""Lambda makes these calls for a function that consumes a queue."""
RETURN = ("sqs:ChangeMessageVisibility",)
DECRYPT, MAKE_DATA_KEY = "kms:Decrypt", "kms:GenerateDataKeyWithoutPlaintext"
LOG = ("logs:CreateLogStream", "logs:PutLogEvents")
READ_LOG = ("logs:FilterLogEvents",)
READ_PARAMETER = ("ssm:GetParameter",)
"""The key `aws/ssm` lets each principal of the account decrypt what Systems Manager lets it read."""
WRITE_PARAMETER = ("ssm:PutParameter",)
READ_ALARMS = ("cloudwatch:DescribeAlarms",)
"""CloudWatch checks a list of alarms against one resource, all metric alarms of a region, whatever it filters by."""
READ_SETTINGS = ("lambda:GetFunctionConfiguration",)
LIST_BUCKET = ("s3:ListBucket",)
"""Without it, S3 answers 403 for an object that does not exist."""
READ_OBJECTS = ("s3:GetObject",)
READ_AND_WRITE_OBJECTS = (*READ_OBJECTS, "s3:PutObject")
INVOKE = ("lambda:InvokeFunction",)
DELETE_VERSIONS = ("s3:DeleteObjectVersion",)
LIST_VERSIONS = ("s3:ListBucketVersions",)
READ_VERSIONS = ("s3:GetObjectVersion", "s3:GetObjectRetention")
"""S3 shows the lock of a version to those who may read it."""
ALARMS = "alarms"
AUDIT_TRAIL = "audit-trail"
"""The name of the bucket of the audit trail."""
SEGMENTS = "segments"
ARCHIVE = "archive"
"""The name of the bucket of archived executions."""
ARCHIVED_OBJECTS = "archived"
SEARCHED = "searched"
"""The files of searches, in the bucket of the archive."""
KEY = "key"
"""The name of the key that wraps the tenants' data keys."""
API = "api"
EVENTS = "events"
"""The name of the queue of the event bus."""
DEAD_EVENTS = "dead-events"
"""The name of its dead-letter queue."""


GRANTS: dict[str, TableGrants] = {
    "api": TableGrants(
        executions=(GET, PUT, INSERT, UPDATE, PARTIQL, BATCH_GET, QUERY),
        failed_index=(QUERY,),
        tenant_index=(QUERY,),
        jobs=(GET, PUT, INSERT, UPDATE, DELETE, BATCH_GET, QUERY, CHECK, BATCH_WRITE),
        live_index=(QUERY,),
        tenants=(GET, PUT, UPDATE, BATCH_GET, QUERY),
        leases=(GET, UPDATE, DELETE, QUERY, BATCH_GET),
        audit=(INSERT, QUERY),
        history=(GET, QUERY),
        reads_queue_depth=True,
        reads_alarms=True,
        decrypts=True,
        makes_data_keys=True,
    ),
    "watcher": TableGrants(executions=(QUERY,), jobs=(GET,), tenants=(BATCH_GET,), leases=(UPDATE,)),
    "sweeper": TableGrants(
        executions=(GET, PUT, INSERT, UPDATE, QUERY, BATCH_GET),
        jobs=(GET, PUT, UPDATE, QUERY),
        tenants=(GET, BATCH_GET),
        leases=(GET, UPDATE, DELETE, QUERY, BATCH_GET),
        reads_queue_depth=True,
    ),
    "redriver": TableGrants(
        executions=(GET, PUT, INSERT, UPDATE, PARTIQL, BATCH_GET, BATCH_WRITE),
        failed_index=(QUERY,),
        tenant_index=(QUERY,),
        jobs=(GET, PUT, UPDATE, QUERY, CHECK, BATCH_GET, BATCH_WRITE),
        tenants=(GET, PUT, DELETE, BATCH_GET, QUERY),
        leases=(GET, UPDATE, DELETE, QUERY),
        history=(QUERY,),
    ),
    "reconciler": TableGrants(
        executions=(GET, PUT, UPDATE, QUERY, BATCH_GET),
        jobs=(GET, PUT, UPDATE, QUERY, BATCH_GET, CHECK),
        live_index=(SCAN,),
        tenants=(GET, BATCH_GET),
        leases=(GET, PUT, UPDATE, QUERY),
    ),
    "executor": TableGrants(
        executions=(GET, PUT, INSERT, UPDATE, BATCH_GET, PARTIQL),
        jobs=(GET, PUT, UPDATE, BATCH_GET, QUERY),
        tenants=(GET, BATCH_GET),
        leases=(GET, PUT, UPDATE, BATCH_GET),
        decrypts=True,
    ),
    "dead_letter": TableGrants(
        executions=(GET, PUT, INSERT, UPDATE, BATCH_GET),
        jobs=(GET, PUT, UPDATE, QUERY),
        tenants=(GET, BATCH_GET),
        leases=(GET, PUT, UPDATE),
    ),
    "event_receiver": TableGrants(
        executions=(GET, PUT, UPDATE, BATCH_GET, QUERY),
        jobs=(GET, PUT, UPDATE, QUERY, CHECK),
        tenants=(GET, BATCH_GET),
        leases=(GET, UPDATE),
        decrypts=True,
    ),
    "archiver": TableGrants(
        executions=(QUERY,),
        tenant_index=(QUERY,),
        jobs=(GET,),
        tenants=(GET,),
        leases=(GET, PUT, UPDATE, DELETE, QUERY),
        history=(GET, PUT, UPDATE, DELETE, QUERY),
        decrypts=True,
    ),
    "auditor": TableGrants(tenants=(QUERY,), leases=(GET, UPDATE), audit=(QUERY,)),
    "archive_reader": TableGrants(),
    "canary_prober": TableGrants(),
    "canary_receiver": TableGrants(),
}
"""Keys are packages under `functions/`."""

COMMANDS = TableGrants(
    executions=(GET, BATCH_GET),
    tenant_index=(QUERY,),
    jobs=(GET, QUERY),
    live_index=(QUERY,),
    tenants=(GET, PUT, UPDATE, BATCH_GET, QUERY),
    leases=(GET, QUERY, DELETE),
    audit=(INSERT, QUERY),
    history=(QUERY,),
    decrypts=True,
    makes_data_keys=True,
)
"""What the operators' command line uses, with an operator's own credentials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """One statement of a role."""

    actions: tuple[str, ...]
    resources: tuple[str, ...]
    """Names of resources, such as `jobs`, `lane/standard` or `log/api`."""


LIST_TENANTS = Grant(actions=(f"dynamodb:{QUERY}",), resources=("tenants",))
"""Of a role that may read the list of tenants and nothing else of the table."""
FORGET_TENANTS = Grant(
    actions=tuple(f"dynamodb:{verb}" for verb in (QUERY, PUT, DELETE)), resources=("tenants",)
)
"""Of a role that may change the records of deletions, and their list, and nothing else of the table."""


def grants_of(spec: FunctionSpec) -> list[Grant]:
    """Return all statements of a function's role."""
    tables = GRANTS[spec.package]
    return [
        *_table_grants(tables),
        *_grants(
            (SEND, _sent_to(spec)),
            (QUEUE_DEPTH if tables.reads_queue_depth else (), _lanes()),
            (READ_ALARMS if tables.reads_alarms else (), [ALARMS]),
            (RECEIVE if spec.lane is None else RECEIVE + RETURN, _consumed(spec)),
            (RECEIVE if spec.receives_events else (), [EVENTS]),
            (SEND if spec.receives_events else (), [EVENTS, DEAD_EVENTS]),
            (LIST_BUCKET if spec.archives or spec.reads_archive else (), [ARCHIVE]),
            (READ_AND_WRITE_OBJECTS if spec.archives else (), [ARCHIVED_OBJECTS]),
            (FORGET_TENANTS.actions if spec.archives else (), [*FORGET_TENANTS.resources]),
            (LIST_TENANTS.actions if spec.archives else (), [*LIST_TENANTS.resources]),
            # No deletion and no retention: what S3 has locked is out of this role's reach.
            (LIST_BUCKET if spec.exports_audit else (), [AUDIT_TRAIL]),
            (READ_AND_WRITE_OBJECTS if spec.exports_audit else (), [SEGMENTS]),
            (READ_OBJECTS if spec.reads_archive else (), [ARCHIVED_OBJECTS]),
            *(_of_searches(spec) if spec.asks_archive else ()),
            (ASSUME if spec.assumes_roles else (), [TARGET_ROLES]),
            (SIGN if spec.signs_tokens else (), [TOKEN_KEYS]),
            (SHOW_KEY if spec.shows_token_keys else (), [TOKEN_KEYS]),
            (LOG, [log_name(spec.service)]),
            (READ_LOG if spec.reads_api_log else (), [log_name(API)]),
            (READ_PARAMETER, [parameter_name(spec.secret)] if spec.secret is not None else []),
        ),
    ]


def grants_of_commands(*, audit_trail: bool = True, archive: bool = True) -> list[Grant]:
    """Return all statements of the policy of the operators' command line."""
    return [
        *_table_grants(COMMANDS),
        *_grants(
            (READ_SETTINGS, [function_name(API)]),
            (READ_PARAMETER, [parameter_name(CanarySecret.API_KEY)]),
            (WRITE_PARAMETER, [parameter_name(secret) for secret in CanarySecret]),
            (LIST_VERSIONS if audit_trail else (), [AUDIT_TRAIL]),
            (READ_VERSIONS if audit_trail else (), [SEGMENTS]),
            (LIST_BUCKET if archive else (), [ARCHIVE]),
            (READ_OBJECTS if archive else (), [ARCHIVED_OBJECTS]),
        ),
    ]


def _of_searches(spec: FunctionSpec) -> list[tuple[tuple[str, ...], list[str]]]:
    """The API signs the URLs of files, each of which can do what the API may do itself."""
    own: list[tuple[tuple[str, ...], list[str]]] = [(INVOKE, [function_name(ARCHIVE_READER)])]
    if not spec.searches:
        return [*own, (READ_OBJECTS, [SEARCHED])]
    return [*own, (LIST_VERSIONS, [ARCHIVE]), ((*READ_AND_WRITE_OBJECTS, *DELETE_VERSIONS), [SEARCHED])]


LIST_SEARCHED = Grant(actions=LIST_VERSIONS, resources=(ARCHIVE,))
"""Of a role that may list the files of searches and nothing else of the bucket."""


def _table_grants(tables: TableGrants) -> list[Grant]:
    by_table = {
        "executions": tables.executions,
        "failed_index": tables.failed_index,
        "tenant_index": tables.tenant_index,
        "jobs": tables.jobs,
        "live_index": tables.live_index,
        "tenants": tables.tenants,
        "leases": tables.leases,
        "audit": tables.audit,
        "history": tables.history,
    }
    key_actions = (DECRYPT,) * tables.decrypts + (MAKE_DATA_KEY,) * tables.makes_data_keys
    on_tables = ((tuple(f"dynamodb:{verb}" for verb in verbs), [name]) for name, verbs in by_table.items())
    return _grants(*on_tables, (key_actions, [KEY]))


def _grants(*granted: tuple[tuple[str, ...], list[str]]) -> list[Grant]:
    """A statement for each pair of actions and resources, unless either is empty."""
    return [
        Grant(actions=actions, resources=tuple(resources))
        for actions, resources in granted
        if actions and resources
    ]


def queue_name(queue: QueueName) -> str:
    return f"{'slow-path' if queue.is_slow else 'lane'}/{queue}"


def dead_letters_name(queue: QueueName) -> str:
    return f"dead-letters/{queue}"


def log_name(service: str) -> str:
    return f"log/{service}"


def parameter_name(secret: CanarySecret) -> str:
    return f"parameter/{secret}"


def function_name(service: str) -> str:
    return f"function/{service}"


def _lanes() -> list[str]:
    return [queue_name(QueueName(lane)) for lane in Lane]


def _sent_to(spec: FunctionSpec) -> list[str]:
    """Return the lanes, plus an executor's own slow path, to which it moves slow or deferred calls.

    The handler of dead messages sends newer messages back to the queue from which they came.
    """
    if spec.is_of_canary or spec.uses_s3:
        return []
    if spec.reads_dead_letters:
        return [queue_name(queue) for queue in QueueName]
    own = [queue_name(spec.lane.slow_path)] if spec.lane is not None else []
    return _lanes() + own


def _consumed(spec: FunctionSpec) -> list[str]:
    if spec.lane is not None:
        return [queue_name(spec.lane)]
    return [dead_letters_name(queue) for queue in QueueName] if spec.reads_dead_letters else []

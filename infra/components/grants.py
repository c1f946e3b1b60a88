"""The IAM statements of all functions, from the table of their grants.

No statement has a wildcard action or a resource that its function does not use.
"""

from collections.abc import Sequence

from aws_cdk import aws_iam as iam

from infra.components.function_specs import FunctionSpec
from infra.components.grant_table import GRANTS
from infra.components.lanes import Lanes
from infra.components.tables import Tables
from shared.names import ENCRYPTION_CONTEXT_TENANT, Index

SEND = ("sqs:SendMessage",)
QUEUE_DEPTH = ("sqs:GetQueueAttributes",)
CONSUME = (
    "sqs:ReceiveMessage",
    "sqs:DeleteMessage",
    "sqs:ChangeMessageVisibility",
    "sqs:GetQueueAttributes",
)
LOG = ("logs:CreateLogStream", "logs:PutLogEvents")
READ_LOG = ("logs:FilterLogEvents",)


def statements(
    spec: FunctionSpec, *, tables: Tables, lanes: Lanes, key_arn: str, emulated: bool
) -> list[iam.PolicyStatement]:
    """Return the statements of a function's role, except the statements for logs."""
    grants = GRANTS[spec.package]
    executions = tables.executions.table_arn
    grants_table: list[tuple[tuple[str, ...], list[str]]] = [
        (_dynamodb(grants.executions), [executions]),
        (_dynamodb(grants.failed_index), [f"{executions}/index/{Index.FAILED}"]),
        (_dynamodb(grants.tenant_index), [f"{executions}/index/{Index.BY_TENANT}"]),
        (_dynamodb(grants.jobs), [tables.jobs.table_arn]),
        (_dynamodb(grants.tenants), [tables.tenants.table_arn]),
        (_dynamodb(grants.leases), [tables.leases.table_arn]),
        (_dynamodb(grants.audit), [tables.audit.table_arn]),
        (SEND, _sent_to(spec, lanes)),
        (QUEUE_DEPTH if grants.reads_queue_depth else (), _of_lanes(lanes)),
        (CONSUME, _consumed(spec, lanes)),
    ]
    allowed = [allow(actions, resources) for actions, resources in grants_table if actions and resources]
    if grants.decrypts:
        actions = [
            "kms:Decrypt",
            *(["kms:GenerateDataKeyWithoutPlaintext"] if grants.makes_data_keys else []),
        ]
        allowed.append(_use_key(key_arn, actions, emulated=emulated))
    if emulated:
        # AWS checks the actions of a batch's parts; the emulator checks an action that AWS does not have.
        allowed.append(allow(["dynamodb:BatchExecuteStatement", "sqs:SendMessageBatch"], ["*"]))
    return allowed


def allow(actions: Sequence[str], resources: Sequence[str]) -> iam.PolicyStatement:
    return iam.PolicyStatement(actions=list(actions), resources=list(resources))


def _dynamodb(verbs: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"dynamodb:{verb}" for verb in verbs)


def _of_lanes(lanes: Lanes) -> list[str]:
    return [pair.main.queue_arn for queue, pair in lanes.queues.items() if not queue.is_slow]


def _sent_to(spec: FunctionSpec, lanes: Lanes) -> list[str]:
    """Return the lanes, plus an executor's own slow path, to which it moves slow or deferred calls.

    The handler of dead messages sends newer messages back to the queue from which they came.
    """
    if spec.reads_dead_letters:
        return [pair.main.queue_arn for pair in lanes.queues.values()]
    own = [lanes.queues[spec.lane.slow_path].main.queue_arn] if spec.lane is not None else []
    return _of_lanes(lanes) + own


def _consumed(spec: FunctionSpec, lanes: Lanes) -> list[str]:
    if spec.lane is not None:
        return [lanes.queues[spec.lane].main.queue_arn]
    return [pair.dead.queue_arn for pair in lanes.queues.values()] if spec.reads_dead_letters else []


def _use_key(key_arn: str, actions: list[str], *, emulated: bool) -> iam.PolicyStatement:
    """Allow key actions only with a tenant in the encryption context."""
    statement = allow(actions, [key_arn])
    # The emulator's policy engine does not know this condition key and would deny all calls.
    if not emulated:
        names = {"kms:EncryptionContextKeys": ENCRYPTION_CONTEXT_TENANT}
        statement.add_condition("ForAnyValue:StringEquals", names)
    return statement

"""The IAM statements of all functions, from the table of their grants.

No statement has a wildcard action or a resource that its function does not use.
"""

from collections.abc import Mapping

from aws_cdk import aws_iam as iam

from infra.components.function_specs import FunctionSpec
from infra.components.grant_table import KEY, Grant, dead_letters_name, grants_of, queue_name
from infra.components.lanes import Lanes
from infra.components.tables import Tables
from shared.names import ENCRYPTION_CONTEXT_TENANT, Index


def arns_by_name(tables: Tables, lanes: Lanes, key_arn: str) -> dict[str, str]:
    """Return the ARNs of all resources except logs, by their names in the table of grants."""
    executions = tables.executions.table_arn
    return {
        "executions": executions,
        "failed_index": f"{executions}/index/{Index.FAILED}",
        "tenant_index": f"{executions}/index/{Index.BY_TENANT}",
        "jobs": tables.jobs.table_arn,
        "live_index": f"{tables.jobs.table_arn}/index/{Index.LIVE}",
        "tenants": tables.tenants.table_arn,
        "leases": tables.leases.table_arn,
        "audit": tables.audit.table_arn,
        **{queue_name(queue): pair.main.queue_arn for queue, pair in lanes.queues.items()},
        **{dead_letters_name(queue): pair.dead.queue_arn for queue, pair in lanes.queues.items()},
        KEY: key_arn,
    }


def statements(spec: FunctionSpec, arns: Mapping[str, str]) -> list[iam.PolicyStatement]:
    """Return the statements of a function's role. `arns` is by the names of the table of grants."""
    return [_statement(grant, arns) for grant in grants_of(spec)]


def _statement(grant: Grant, arns: Mapping[str, str]) -> iam.PolicyStatement:
    statement = iam.PolicyStatement(
        actions=[*grant.actions], resources=[arns[name] for name in grant.resources]
    )
    if grant.resources == (KEY,):
        # The key may be used only with a tenant in the encryption context.
        names = {"kms:EncryptionContextKeys": ENCRYPTION_CONTEXT_TENANT}
        statement.add_condition("ForAnyValue:StringEquals", names)
    return statement

"""The IAM statements of functions and of operators' commands, from the table of grants.

No statement has a wildcard action or a resource that is not used. The one list of AWS, of the alarms, is granted for
all alarms of a region, since CloudWatch grants it for no part of them.
"""

from collections.abc import Mapping

from aws_cdk import Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.components.function_specs import FunctionSpec
from infra.components.grant_table import (
    ALARMS,
    ARCHIVE,
    ARCHIVED_OBJECTS,
    AUDIT_TRAIL,
    FORGET_TENANTS,
    KEY,
    LIST_SEARCHED,
    LIST_TENANTS,
    SEARCHED,
    SEGMENTS,
    Grant,
    dead_letters_name,
    grants_of,
    parameter_name,
    queue_name,
)
from infra.components.lanes import Lanes
from infra.components.tables import Tables
from infra.config import StageConfig
from infra.target_roles import TARGET_ROLES
from infra.token_keys import TOKEN_KEYS
from shared.names import (
    DELETION_RECORDS,
    ENCRYPTION_CONTEXT_TENANT,
    FORGETTING,
    FORGOTTEN,
    SEARCHES_PREFIX,
    TENANT_LIST,
    CanarySecret,
    Index,
    token_key_alias,
)

OBJECTS = "v1/*"
"""The names of the files and manifests of the archive, and of the segments of the audit trail."""
SEARCHED_OBJECTS = f"{SEARCHES_PREFIX}*"
"""The names of the files of searches."""


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
        "history": tables.history.table_arn,
        **{queue_name(queue): pair.main.queue_arn for queue, pair in lanes.queues.items()},
        **{dead_letters_name(queue): pair.dead.queue_arn for queue, pair in lanes.queues.items()},
        KEY: key_arn,
    }


def parameter_arns(scope: Construct, stage: StageConfig) -> dict[str, str]:
    """Return the ARNs of the canary's parameters, which an operator's command creates."""
    return {
        parameter_name(secret): Stack.of(scope).format_arn(
            service="ssm", resource="parameter", resource_name=secret.parameter(stage.name).removeprefix("/")
        )
        for secret in CanarySecret
    }


def alarm_arns(scope: Construct) -> dict[str, str]:
    """Return the ARN of all metric alarms of the region."""
    stack = Stack.of(scope)
    return {ALARMS: f"arn:{stack.partition}:cloudwatch:{stack.region}:{stack.account}:alarm:*"}


def role_arns(stage: StageConfig) -> dict[str, str]:
    """Return the pattern of the roles that executors may assume, if the stage has one."""
    return {} if stage.target_roles is None else {TARGET_ROLES: stage.target_roles}


def token_key_arns(scope: Construct, stage: StageConfig) -> dict[str, str]:
    """Return the pattern of the keys of identity tokens, if the stage has any. The statement names their aliases."""
    if not stage.token_keys:
        return {}
    stack = Stack.of(scope)
    return {TOKEN_KEYS: f"arn:{stack.partition}:kms:{stack.region}:{stack.account}:key/*"}


def archive_arns(bucket: s3.IBucket | None) -> dict[str, str]:
    """Return the ARNs of the bucket of the archive and of its objects, if the stage has one."""
    if bucket is None:
        return {}
    return {
        ARCHIVE: bucket.bucket_arn,
        ARCHIVED_OBJECTS: bucket.arn_for_objects(OBJECTS),
        SEARCHED: bucket.arn_for_objects(SEARCHED_OBJECTS),
    }


def audit_arns(bucket: s3.IBucket | None) -> dict[str, str]:
    """Return the ARNs of the bucket of the audit trail and of its segments, if the stage has one."""
    if bucket is None:
        return {}
    return {AUDIT_TRAIL: bucket.bucket_arn, SEGMENTS: bucket.arn_for_objects(OBJECTS)}


def statements(spec: FunctionSpec, arns: Mapping[str, str], stage: StageConfig) -> list[iam.PolicyStatement]:
    """Return the statements of a function's role. `arns` is by the names of the table of grants."""
    made = [(grant, statement(grant, arns)) for grant in grants_of(spec)]
    for grant, found in made:
        if grant.resources == (TOKEN_KEYS,):
            # A key cannot be named by its alias as a resource, and it is no other stage's: the request names it so.
            # All of them, since processes of the former order still run while a deployment goes on.
            aliases = [token_key_alias(stage.name, number) for number in stage.token_keys]
            found.add_condition("StringEquals", {"kms:RequestAlias": aliases})
    return [found for _, found in made]


def statement(grant: Grant, arns: Mapping[str, str]) -> iam.PolicyStatement:
    """Return one statement. `arns` is by the names of the table of grants."""
    made = iam.PolicyStatement(actions=[*grant.actions], resources=[arns[name] for name in grant.resources])
    if grant.resources == (KEY,):
        # The key may be used only with a tenant in the encryption context.
        names = {"kms:EncryptionContextKeys": ENCRYPTION_CONTEXT_TENANT}
        made.add_condition("ForAnyValue:StringEquals", names)
    if grant == LIST_TENANTS:
        # The list of tenants is one partition: no key and no secret is in it.
        made.add_condition("ForAllValues:StringEquals", {"dynamodb:LeadingKeys": [TENANT_LIST]})
    if grant == LIST_SEARCHED:
        made.add_condition("StringLike", {"s3:prefix": [SEARCHED_OBJECTS]})
    if grant == FORGET_TENANTS:
        # Tenants and their keys are in other partitions.
        leading = [FORGETTING, FORGOTTEN, f"{DELETION_RECORDS}*"]
        made.add_condition("ForAllValues:StringLike", {"dynamodb:LeadingKeys": leading})
    return made

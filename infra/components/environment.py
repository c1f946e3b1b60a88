"""The environment variables of the functions: a common set, and additions for each kind of function."""

import json
from dataclasses import asdict, dataclass

from aws_cdk import Stack
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.components.event_bus import EventBus
from infra.components.function_specs import FunctionSpec
from infra.components.lanes import Lanes
from infra.components.shard_plan import plan_json
from infra.components.tables import Tables
from infra.config import StageConfig
from shared.names import Env

RESOLVER_OPTIONS = "timeout:2 attempts:2"
"""Options of the system's resolver: it gives up on a silent name server within the 5 s timeout of a
callback's DNS lookup, so that no thread outlives its call by much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedResources:
    """Resources that all functions use."""

    tables: Tables
    key: kms.IKey
    lanes: Lanes
    generation: str
    """Changes with the tables and the key."""
    archive: s3.IBucket | None = None
    """The bucket of archived executions; None for a stage without an archive."""
    audit_trail: s3.IBucket | None = None
    """The bucket of the audit trail; None for a stage without one."""
    events: EventBus | None = None
    """The event bus; None for a stage without one."""


def environment(
    scope: Construct, stage: StageConfig, spec: FunctionSpec, shared: SharedResources
) -> dict[str, str]:
    """Return the variables of a function, as `shared.settings` reads them."""
    every_function = {
        Env.STAGE: stage.name,
        Env.REGION: stage.region,
        Env.TRANSPORT: stage.transport,
        "POWERTOOLS_SERVICE_NAME": spec.service,
        # The API's lines for accepted jobs, of the level INFO, are records that the reconciler reads.
        "LOG_LEVEL": "INFO" if spec.manages_tenants else stage.log_level,
    }
    if spec.reads_archive and shared.archive is not None:
        return {**every_function, Env.ARCHIVE_BUCKET: shared.archive.bucket_name}
    if not spec.has_tables:
        return every_function
    urls = {str(lane): pair.main.queue_url for lane, pair in shared.lanes.queues.items()}
    variables = {
        **every_function,
        Env.CELL: stage.cell,
        Env.EXECUTIONS_TABLE: shared.tables.executions.table_name,
        Env.JOBS_TABLE: shared.tables.jobs.table_name,
        Env.TENANTS_TABLE: shared.tables.tenants.table_name,
        Env.LEASES_TABLE: shared.tables.leases.table_name,
        # The URLs are known only at deployment, so CloudFormation assembles this JSON.
        Env.LANE_QUEUE_URLS: Stack.of(scope).to_json_string(urls),
        Env.SHARD_PLAN: plan_json(stage.shard_plan),
        Env.RETENTION_DAYS: str(stage.retention_days),
        Env.ARCHIVE_DAYS: str(stage.archive_days),
    }
    if spec.lane is not None:
        variables[Env.LANE] = spec.lane
        variables["RES_OPTIONS"] = RESOLVER_OPTIONS
    if spec.receives_events and shared.events is not None:
        variables[Env.EVENTS_QUEUE_URL] = shared.events.queue.queue_url
        variables[Env.DEAD_EVENTS_QUEUE_URL] = shared.events.dead.queue_url
    if spec.reads_dead_letters:
        arns = {str(lane): pair.dead.queue_arn for lane, pair in shared.lanes.queues.items()}
        variables[Env.DEAD_LETTER_ARNS] = Stack.of(scope).to_json_string(arns)
    if spec.manages_tenants or spec.exports_audit:
        variables[Env.AUDIT_TABLE] = shared.tables.audit.table_name
        if shared.audit_trail is not None:
            # The API has no access to it: operators' commands read the API's variables.
            variables[Env.AUDIT_BUCKET] = shared.audit_trail.bucket_name
    if spec.exports_audit:
        variables[Env.AUDIT_LOCK_DAYS] = str(stage.audit_lock_days)
    if spec.manages_tenants:
        variables[Env.AUDIT_RETENTION_DAYS] = str(stage.audit_retention_days)
        variables[Env.AUDIT_ONE_OFFS] = str(stage.audit_one_offs).lower()
    accepts_jobs = spec.manages_tenants or spec.lane is not None
    if accepts_jobs and stage.target_roles is not None:
        variables[Env.TARGET_ROLES] = stage.target_roles
    if accepts_jobs or spec.receives_events or spec.searches:
        variables[Env.DEFAULT_QUOTAS] = json.dumps(asdict(stage.default_quotas), separators=(",", ":"))
    reads_history = spec.manages_tenants or spec.searches
    if reads_history or spec.archives:
        variables[Env.HISTORY_TABLE] = shared.tables.history.table_name
    if (reads_history or spec.archives) and shared.archive is not None:
        variables[Env.ARCHIVE_BUCKET] = shared.archive.bucket_name
    if spec.makes_callbacks or spec.archives:
        variables[Env.KMS_KEY_ID] = shared.key.key_id
    if (spec.manages_tenants or spec.lane is not None) and stage.token_keys:
        variables[Env.TOKEN_KEYS] = ",".join(map(str, stage.token_keys))
        if stage.domain is not None:
            variables[Env.TOKEN_ISSUER] = f"https://{stage.domain.name}"
    if spec.makes_callbacks:
        variables[Env.DIAL_EXCEPTIONS] = ",".join(stage.dial_exceptions)
    return variables

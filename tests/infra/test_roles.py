"""Least privilege: what the roles may do, read from the template."""

from collections import Counter
from typing import Any

import pytest

from infra.components.function_specs import FunctionSpec, function_specs
from infra.components.grant_table import FORGET_TENANTS, GRANTS, grants_of
from infra.config import FunctionMemory
from shared.names import ENCRYPTION_CONTEXT_TENANT, Index, Lane, QueueName
from tests.infra.conftest import Synthesised
from tests.support.template import Resource, environment, resolve

SPECS = function_specs(FunctionMemory(), canary=True, event_bus=True)
KMS_CONDITION = {"ForAnyValue:StringEquals": {"kms:EncryptionContextKeys": ENCRYPTION_CONTEXT_TENANT}}
every_function = pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.service)
every_function_of_two_stages = pytest.mark.parametrize(
    ("stage", "spec"),
    [
        pytest.param(stage, spec, id=f"{stage}-{spec.service}")
        for stage in ("cloud", "local")
        for spec in function_specs(
            FunctionMemory(),
            canary=stage == "cloud",
            target_roles=stage == "local",
            token_keys=stage == "local",
            event_bus=True,
        )
    ],
)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _role(stacks: Synthesised, service: str) -> Resource:
    return stacks.service.referred(stacks.service.functions()[service]["Role"])


def _statements(stacks: Synthesised, service: str) -> list[Resource]:
    (policy,) = _role(stacks, service)["Policies"]
    statements: list[Resource] = policy["PolicyDocument"]["Statement"]
    return statements


def _allowed(stacks: Synthesised, service: str) -> set[tuple[str, str]]:
    """Pairs of action and resource; a resource by its last words, which contain its name in the template."""
    return {
        (action, resolve(resource))
        for statement in _statements(stacks, service)
        for action in _listed(statement["Action"])
        for resource in _listed(statement["Resource"])
    }


def test_every_function_has_a_role_of_its_own_and_nobody_else_has_one(cloud: Synthesised) -> None:
    functions = cloud.service.functions()
    used = [function["Role"]["Fn::GetAtt"][0] for function in functions.values()]
    roles = {
        name
        for name in cloud.service.of_type("AWS::IAM::Role")
        if not name.startswith("ApiRolloutServiceRole")
    }
    assert sorted(used) == sorted(roles)
    kinds = {made["Type"] for made in cloud.service.body["Resources"].values()}
    assert "AWS::IAM::Policy" not in kinds
    for made in cloud.service.properties("AWS::IAM::ManagedPolicy"):
        assert not made.keys() & {"Roles", "Users", "Groups"}


@every_function_of_two_stages
def test_no_statement_has_a_wildcard(request: pytest.FixtureRequest, stage: str, spec: FunctionSpec) -> None:
    stacks: Synthesised = request.getfixturevalue(stage)
    assert "ManagedPolicyArns" not in _role(stacks, spec.service)
    for statement in _statements(stacks, spec.service):
        assert statement["Effect"] == "Allow"
        assert "NotAction" not in statement
        assert "NotResource" not in statement
    for action, resource in _allowed(stacks, spec.service):
        assert "*" not in action
        if action == "cloudwatch:DescribeAlarms":
            # CloudWatch checks a list of alarms against this resource alone, whatever the list filters by.
            assert (spec.service, resource.rpartition(":alarm:")[2]) == ("api", "*")
            continue
        if action == "sts:AssumeRole":
            # The roles are in accounts of customers; the stage limits their names.
            assert (spec.package, resource) == ("executor", stacks.stage.target_roles)
            continue
        if action in ("kms:Sign", "kms:GetPublicKey"):
            # IAM names a key by its alias in a condition alone: tests/infra/test_token_keys.py.
            assert resource.endswith(":key/*")
            continue
        own = "/v1/*" if spec.uses_s3 else "/searches/*" if spec.asks_archive else None
        assert "*" not in resource or (own is not None and resource.endswith(own))


@every_function_of_two_stages
def test_role_allows_nothing_beside_the_table_of_grants(
    request: pytest.FixtureRequest, stage: str, spec: FunctionSpec
) -> None:
    allowed = Counter(action for action, _ in _allowed(request.getfixturevalue(stage), spec.service))
    wanted = {
        (action, resource)
        for grant in grants_of(spec)
        for action in grant.actions
        for resource in grant.resources
    }
    assert allowed == Counter(action for action, _ in wanted)


@every_function
def test_the_role_is_for_lambda_alone(cloud: Synthesised, spec: FunctionSpec) -> None:
    (trust,) = _role(cloud, spec.service)["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": "lambda.amazonaws.com"}


@every_function
def test_role_has_exactly_the_granted_verbs_on_every_table(cloud: Synthesised, spec: FunctionSpec) -> None:
    grants = GRANTS[spec.package]
    wanted = {
        "TablesExecutions": grants.executions,
        "TablesJobs": grants.jobs,
        "TablesTenants": grants.tenants,
        "TablesLeases": grants.leases,
        "TablesAudit": grants.audit,
        "TablesHistory": grants.history,
    }
    allowed = _allowed(cloud, spec.service)
    for table, verbs in wanted.items():
        own = {action for action, name in allowed if table in name and "/index/" not in name}
        of_deletions = FORGET_TENANTS.actions if spec.archives and table == "TablesTenants" else ()
        assert own == {*(f"dynamodb:{verb}" for verb in verbs), *of_deletions}
    indexes = {(action, name.rsplit("/", 1)[-1]) for action, name in allowed if "/index/" in name}
    assert indexes == {
        (f"dynamodb:{verb}", index)
        for index, verbs in (
            (Index.FAILED, grants.failed_index),
            (Index.BY_TENANT, grants.tenant_index),
            (Index.LIVE, grants.live_index),
        )
        for verb in verbs
    }


INDEX_READERS = {
    "api": {("Query", Index.BY_TENANT), ("Query", Index.FAILED), ("Query", Index.LIVE)},
    "redriver": {("Query", Index.BY_TENANT), ("Query", Index.FAILED)},
    "archiver": {("Query", Index.BY_TENANT)},
    "reconciler": {("Scan", Index.LIVE)},
}


def test_indexes_are_read_by_functions_that_list(cloud: Synthesised) -> None:
    """Only the reconciler reads an index as a whole."""
    for spec in SPECS:
        indexed = {
            (action.removeprefix("dynamodb:"), name.rpartition("/")[2])
            for action, name in _allowed(cloud, spec.service)
            if "/index/" in name
        }
        assert indexed == INDEX_READERS.get(spec.package, set())


@every_function
def test_only_its_own_queues_are_consumed(cloud: Synthesised, spec: FunctionSpec) -> None:
    consumed = {name for action, name in _allowed(cloud, spec.service) if action == "sqs:ReceiveMessage"}
    mapped = {
        resolve(mapping["EventSourceArn"])
        for mapping in cloud.service.properties("AWS::Lambda::EventSourceMapping")
        if cloud.service.invoked(mapping["FunctionName"]) == cloud.service.functions()[spec.service]
    }
    assert consumed == mapped


@every_function
def test_executors_alone_return_messages_and_to_their_own_queues(
    cloud: Synthesised, spec: FunctionSpec
) -> None:
    allowed = _allowed(cloud, spec.service)
    returned = {name for action, name in allowed if action == "sqs:ChangeMessageVisibility"}
    consumed = {name for action, name in allowed if action == "sqs:ReceiveMessage"}
    assert returned == (consumed if spec.lane is not None else set())


def _queue_arns(stacks: Synthesised) -> dict[QueueName, str]:
    """By the mapping that feeds each to its executor."""
    functions = {spec.lane: spec.service for spec in SPECS if spec.lane is not None}
    fed = {
        environment(stacks.service.invoked(mapping["FunctionName"]))["POWERTOOLS_SERVICE_NAME"]: resolve(
            mapping["EventSourceArn"]
        )
        for mapping in stacks.service.properties("AWS::Lambda::EventSourceMapping")
    }
    return {queue: fed[functions[queue]] for queue in QueueName}


@every_function
def test_function_sends_only_to_lanes_and_an_executor_to_its_own_slow_path_too(
    cloud: Synthesised, spec: FunctionSpec
) -> None:
    arns = _queue_arns(cloud)
    sent_to = [name for action, name in _allowed(cloud, spec.service) if action == "sqs:SendMessage"]
    wanted = {arns[QueueName(lane)] for lane in Lane}
    if spec.lane is not None:
        wanted.add(arns[spec.lane.slow_path])
    if spec.reads_dead_letters:
        wanted = set(arns.values())
    if spec.is_of_canary or spec.uses_s3:
        wanted = set()
    # The receiver of events sends them again, or to their dead-letter queue.
    own = {name for name in sent_to if spec.receives_events and name.startswith("Events")}
    assert sorted(name[:10] for name in own) == ["EventsDead", "EventsQueu"] * spec.receives_events
    assert set(sent_to) - own == wanted
    assert not any("Dead" in name for name in set(sent_to) - own)


def test_sweeper_and_api_alone_ask_how_much_waits_in_the_lanes(cloud: Synthesised) -> None:
    """The event sources ask that of the queues that they consume."""
    arns = _queue_arns(cloud)
    for spec in SPECS:
        allowed = _allowed(cloud, spec.service)
        seen = {name for action, name in allowed if action == "sqs:GetQueueAttributes"}
        consumed = {name for action, name in allowed if action == "sqs:ReceiveMessage"}
        wanted = {arns[QueueName(lane)] for lane in Lane} if spec.service in ("sweeper", "api") else set()
        assert seen - consumed == wanted


def test_data_keys_are_unwrapped_only_for_a_named_tenant_by_callers_and_the_archiver(
    cloud: Synthesised,
) -> None:
    for spec in SPECS:
        found = [
            made for made in _statements(cloud, spec.service) if "kms:Decrypt" in _listed(made["Action"])
        ]
        assert len(found) == (spec.makes_callbacks or spec.archives)
        assert all(statement["Condition"] == KMS_CONDITION for statement in found)


def test_the_only_wildcard_resource_is_the_key_policys_own_key(cloud: Synthesised) -> None:
    """AWS requires both: a key policy names its key by `*`, and without the account as its administrator a key
    can become unmanageable; use of the key is still granted by the roles above alone."""
    (key,) = cloud.data.properties("AWS::KMS::Key")
    (statement,) = key["KeyPolicy"]["Statement"]
    assert statement["Resource"] == "*"
    assert resolve(statement["Principal"]["AWS"]).endswith("111111111111:root")


def test_audit_table_can_be_changed_or_deleted_by_no_function(cloud: Synthesised) -> None:
    """It is appended to and read. PutItem would overwrite a record; an INSERT never does."""
    for spec in SPECS:
        on_audit = {action for action, name in _allowed(cloud, spec.service) if "TablesAudit" in name}
        wanted = {
            "api": {"dynamodb:PartiQLInsert", "dynamodb:Query"},
            "auditor": {"dynamodb:Query"},
        }.get(spec.service, set())
        assert on_audit == wanted


def test_auditor_adds_segments_and_can_change_none(cloud: Synthesised) -> None:
    """No deletion, no retention, no bypass: a lock of S3 is out of the reach of every function."""
    for spec in SPECS:
        on_trail = {action for action, name in _allowed(cloud, spec.service) if "AuditTrail" in name}
        wanted = {"s3:ListBucket", "s3:GetObject", "s3:PutObject"} if spec.service == "auditor" else set()
        assert on_trail == wanted
        assert not any(
            verb in action
            for action, name in _allowed(cloud, spec.service)
            for verb in ("DeleteObject", "Retention", "LegalHold", "ObjectLock", "PutBucket")
            if not name.endswith("/searches/*")
        )


def test_files_of_searches_are_written_and_deleted_by_the_redriver_and_read_by_the_api(
    cloud: Synthesised,
) -> None:
    """URLs that the API signs can do no more than the API itself."""
    for spec in SPECS:
        on_files = {action for action, name in _allowed(cloud, spec.service) if name.endswith("/searches/*")}
        wanted = {
            "api": {"s3:GetObject"},
            "redriver": {"s3:GetObject", "s3:PutObject", "s3:DeleteObjectVersion"},
        }.get(spec.service, set())
        assert on_files == wanted
    (listing,) = [
        made
        for made in _statements(cloud, "redriver")
        if _listed(made["Action"]) == ["s3:ListBucketVersions"]
    ]
    assert listing["Condition"] == {"StringLike": {"s3:prefix": ["searches/*"]}}


def test_auditor_reads_the_list_of_tenants_alone(cloud: Synthesised) -> None:
    (on_tenants,) = [
        made for made in _statements(cloud, "auditor") if "TablesTenants" in resolve(made["Resource"])
    ]
    assert on_tenants["Action"] == "dynamodb:Query"
    assert on_tenants["Condition"] == {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["tenants"]}}


def test_archiver_reads_the_list_of_tenants_and_writes_the_records_of_deletions_alone(
    cloud: Synthesised,
) -> None:
    on_tenants = {
        "+".join(_listed(made["Action"])): made.get("Condition")
        for made in _statements(cloud, "archiver")
        if "TablesTenants" in str(resolve(made["Resource"]))
    }
    leading = {"dynamodb:LeadingKeys": ["forgetting", "forgotten", "deletion#*"]}
    assert on_tenants == {
        "dynamodb:GetItem": None,
        "dynamodb:Query+dynamodb:PutItem+dynamodb:DeleteItem": {"ForAllValues:StringLike": leading},
        "dynamodb:Query": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["tenants"]}},
    }


def test_data_keys_are_made_by_the_api_alone(cloud: Synthesised) -> None:
    making = "kms:GenerateDataKeyWithoutPlaintext"
    makers = {
        spec.service for spec in SPECS if any(action == making for action, _ in _allowed(cloud, spec.service))
    }
    assert makers == {"api"}


def test_tenants_are_changed_by_the_api_and_deleted_by_the_redriver_alone(cloud: Synthesised) -> None:
    for spec in SPECS:
        actions = {action for action, name in _allowed(cloud, spec.service) if "TablesTenants" in name}
        reading = (
            {"dynamodb:Query"} if spec.service == "auditor" else {"dynamodb:GetItem", "dynamodb:BatchGetItem"}
        )
        assert spec.service in ("api", "redriver", "archiver") or actions <= reading
        assert spec.service in ("redriver", "archiver") or "dynamodb:DeleteItem" not in actions

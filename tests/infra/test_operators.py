"""The managed policies for people: what each allows, on which resources, and that nothing in the stage has them."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from infra.components.grant_table import COMMANDS, grants_of_commands
from infra.components.on_call_grants import ON_CALL, On
from infra.lifecycle.commands import resume
from infra.lifecycle.stacks import Stacks
from tests.infra.conftest import Synthesised
from tests.support.template import Resource, resolve

POLICY_BYTES = 6_144
"""The most that IAM stores of a managed policy, without white space."""


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _policy(stacks: Synthesised, name: str) -> list[Resource]:
    """The statements of the managed policy of an output."""
    output = stacks.service.body["Outputs"][f"{name}PolicyArn"]["Value"]
    statements: list[Resource] = stacks.service.referred(output)["PolicyDocument"]["Statement"]
    return statements


def _allowed(statements: list[Resource]) -> set[tuple[str, str]]:
    return {
        (action, resolve(resource))
        for statement in statements
        for action in _listed(statement["Action"])
        for resource in _listed(statement["Resource"])
    }


def test_policy_of_the_command_line_allows_its_table_of_grants_and_no_other_wildcard_than_segments(
    cloud: Synthesised,
) -> None:
    allowed = _allowed(_policy(cloud, "Commands"))
    expected = [
        (action, name)
        for grant in grants_of_commands()
        for action in grant.actions
        for name in grant.resources
    ]
    assert sorted(action for action, _ in allowed) == sorted(action for action, _ in expected)
    for action, resource in allowed:
        assert "*" not in action
        assert "*" not in resource or resource.endswith("/v1/*")
    on_trail = {action for action, resource in allowed if "AuditTrail" in resource}
    assert on_trail == {
        "s3:ListBucketVersions",
        "s3:GetObjectVersion",
        "s3:GetObjectRetention",
    }
    on_tables = {
        "TablesExecutions": (*COMMANDS.executions, *COMMANDS.tenant_index),
        "TablesJobs": (*COMMANDS.jobs, *COMMANDS.live_index),
        "TablesTenants": COMMANDS.tenants,
        "TablesLeases": COMMANDS.leases,
        "TablesAudit": COMMANDS.audit,
    }
    for table, verbs in on_tables.items():
        own = {action for action, resource in allowed if table in resource}
        assert own == {f"dynamodb:{verb}" for verb in verbs}


def test_operator_uses_the_key_for_a_named_tenant_alone(cloud: Synthesised) -> None:
    (on_key,) = (made for made in _policy(cloud, "Commands") if "kms:Decrypt" in _listed(made["Action"]))
    assert on_key["Condition"] == {
        "ForAnyValue:StringEquals": {"kms:EncryptionContextKeys": "punctual:tenant"}
    }


def test_on_call_policy_allows_its_table_on_resources_of_the_stage_alone(cloud: Synthesised) -> None:
    statements = _policy(cloud, "OnCall")
    assert {action for action, _ in _allowed(statements)} == {
        each for made in ON_CALL.values() for each in made
    }
    for action, resource in _allowed(statements):
        assert "*" not in action
        is_named = "punctual-test-" in resource or "GetAttTables" in resource
        assert is_named != (action in ON_CALL[On.ANY] or action in ON_CALL[On.SOURCES]), (action, resource)
    (sources,) = (made for made in statements if "lambda:UpdateEventSourceMapping" in _listed(made["Action"]))
    (pattern,) = _listed(sources["Condition"]["ArnLike"]["lambda:FunctionArn"])
    assert resolve(pattern).endswith(":function:punctual-test-service-*")


def test_on_call_policy_names_the_tables_that_the_data_stack_has_and_not_their_usual_names(
    cloud: Synthesised,
) -> None:
    """A restored table that the stack has adopted keeps the name that the restore gave it."""
    allowed = _allowed(_policy(cloud, "OnCall"))
    for action, tables in (
        ("DescribeTable", {"Executions", "Jobs", "Tenants", "Leases", "Audit", "History"}),
        ("GetItem", {"Executions", "Jobs"}),
    ):
        named = [resource for each, resource in allowed if each == f"dynamodb:{action}"]
        found = {re.fullmatch(r"ExportsOutputFnGetAttTables([A-Za-z]+)\w{8}Arn\w{8}", each) for each in named}
        assert {match[1] for match in found if match} == tables
        assert len(named) == len(tables)


class Called:
    """A client that answers from templates, and lists the actions that IAM would check."""

    def __init__(self, service: str, template: Resource, actions: set[str]) -> None:
        self._service = service
        self._template = template
        self._actions = actions

    def get_paginator(self, operation: str) -> "Called":
        self._note(operation)
        return self

    def paginate(self, **request: Any) -> list[Resource]:
        names = self._template["Resources"]
        ids = ("LogicalResourceId", "PhysicalResourceId")
        return [
            {
                "StackResourceSummaries": [
                    {**dict.fromkeys(ids, name), "ResourceStatus": "CREATE_COMPLETE"} for name in names
                ]
            }
        ]

    def __getattr__(self, operation: str) -> Callable[..., Resource]:
        self._note(operation)
        return lambda **request: {"TemplateBody": self._template}

    def _note(self, operation: str) -> None:
        self._actions.add(f"{self._service}:{''.join(part.capitalize() for part in operation.split('_'))}")


def test_on_call_policy_allows_the_calls_of_resume(cloud: Synthesised) -> None:
    made: set[str] = set()
    stacks = Stacks(lambda service: Called(service, cloud.service.body, made), bucket="none", url="none")
    resume(stacks, "punctual-test-service")
    assert {"cloudformation:GetTemplate", "lambda:PutFunctionConcurrency"} < made
    assert made <= {each for actions in ON_CALL.values() for each in actions}


def test_engineer_on_call_opens_no_request_and_changes_no_table() -> None:
    actions = {each for made in ON_CALL.values() for each in made}
    assert not {each for each in actions if each.startswith(("kms:", "iam:", "sts:", "s3:"))}
    assert {each for each in actions if each.startswith("dynamodb:")} == {
        "dynamodb:CreateBackup",
        "dynamodb:DescribeContinuousBackups",
        "dynamodb:DescribeTable",
        "dynamodb:GetItem",
        "dynamodb:ListBackups",
    }
    assert {each for each in actions if each.startswith("sqs:")} == {
        "sqs:GetQueueAttributes",
        "sqs:ListQueues",
    }


def test_actions_on_all_resources_change_nothing_but_a_quota() -> None:
    changes = {
        each for each in ON_CALL[On.ANY] if not each.partition(":")[2].startswith(("Get", "List", "Describe"))
    }
    assert changes == {"servicequotas:RequestServiceQuotaIncrease"}


@pytest.mark.parametrize("stage", ["cloud", "local"])
@pytest.mark.parametrize("name", ["Commands", "OnCall"])
def test_policy_is_for_people_and_fits_into_iam(
    stage: str, name: str, request: pytest.FixtureRequest
) -> None:
    stacks: Synthesised = request.getfixturevalue(stage)
    made = stacks.service.referred(stacks.service.body["Outputs"][f"{name}PolicyArn"]["Value"])
    assert not made.keys() & {"Roles", "Users", "Groups"}
    # References are longer than what they stand for, but for the account and the region.
    assert len(str(made["PolicyDocument"])) < POLICY_BYTES + 2_000

"""Teardown and attachment: the templates, and what the command line refuses."""

import json
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

import pytest

from infra.lifecycle.__main__ import main, parse
from infra.lifecycle.attachment import (
    IDENTIFIERS,
    detached,
    import_template,
    parts,
    resources_to_import,
    unretained,
)
from infra.lifecycle.stacks import UNDER_REVIEW, LifecycleError, Stacks
from tests.infra.conftest import Synthesised
from tests.support.template import references

NAMES = {
    name: f"old-{name}"
    for name in ("executions", "jobs", "tenants", "leases", "audit", "history", "key", "archive", "trail")
}
BUCKETS = {"archive": True, "trail": True}
"""Both exist, and both have a policy."""


def test_stack_is_attached_of_tables_key_buckets_and_domain_without_outputs(cloud: Synthesised) -> None:
    template = import_template(cloud.data.body, restored=(), existing_domains=(), buckets=BUCKETS)
    imported = {each["LogicalResourceId"]: each for each in resources_to_import(cloud.data.body, NAMES)}
    assert imported.keys() == template["Resources"].keys()
    assert "Outputs" not in template
    left = {name: made for name, made in cloud.data.body["Resources"].items() if name not in imported}
    for name, made in template["Resources"].items():
        if made["Type"].startswith("AWS::S3::"):
            continue
        assert made == cloud.data.body["Resources"][name]
    assert not {made["Type"] for made in left.values()} & IDENTIFIERS.keys(), "a deployment makes the queries"
    assert all(made["DeletionPolicy"] == "Retain" for made in template["Resources"].values())
    found = {(each["ResourceType"], *each["ResourceIdentifier"].items()) for each in imported.values()}
    assert ("AWS::KMS::Key", ("KeyId", "old-key")) in found
    assert ("AWS::DynamoDB::GlobalTable", ("TableName", "old-jobs")) in found
    for bucket in ("old-archive", "old-trail"):
        assert ("AWS::S3::Bucket", ("BucketName", bucket)) in found
        assert ("AWS::S3::BucketPolicy", ("Bucket", bucket)) in found


def test_bucket_is_attached_by_what_never_changes_and_the_next_deployment_sets_the_rest(
    cloud: Synthesised,
) -> None:
    """The stage file may have other days than the stack that was torn down."""
    before = deepcopy(cloud.data.body)
    template = import_template(cloud.data.body, restored=(), existing_domains=(), buckets=BUCKETS)
    assert cloud.data.body == before
    names = parts(cloud.data.body)
    assert template["Resources"][names["archive"]]["Properties"] == {}
    assert template["Resources"][names["trail"]]["Properties"] == {"ObjectLockEnabled": True}
    assert parts(template) == names


@pytest.mark.parametrize(
    ("buckets", "types"),
    [
        ({}, []),
        ({"archive": False, "trail": True}, ["AWS::S3::Bucket", "AWS::S3::Bucket", "AWS::S3::BucketPolicy"]),
        ({"trail": True}, ["AWS::S3::Bucket", "AWS::S3::BucketPolicy"]),
    ],
    ids=["none", "policy-of-the-archive-is-gone", "archive-is-new"],
)
def test_bucket_or_policy_that_does_not_exist_is_left_to_the_next_deployment(
    cloud: Synthesised, buckets: dict[str, bool], types: list[str]
) -> None:
    template = import_template(cloud.data.body, restored=(), existing_domains=(), buckets=buckets)
    found = [made["Type"] for made in template["Resources"].values() if made["Type"].startswith("AWS::S3::")]
    assert sorted(found) == types
    imported = {each["LogicalResourceId"] for each in resources_to_import(template, NAMES)}
    assert imported == template["Resources"].keys()


def test_restored_table_is_attached_without_the_settings_that_the_next_deployment_has_to_make(
    large: Synthesised,
) -> None:
    before = deepcopy(large.data.body)
    template = import_template(large.data.body, restored={"executions"}, existing_domains=(), buckets={})
    assert large.data.body == before
    names = parts(large.data.body)
    restored = template["Resources"][names["executions"]]["Properties"]
    text = json.dumps(restored)
    for lost in ("TimeToLive", "Stream", "PointInTime", "DeletionProtection", "Throughput"):
        assert lost not in text
    assert restored["Replicas"] == [{"Region": "eu-west-1"}]
    assert [index["IndexName"] for index in restored["GlobalSecondaryIndexes"]] == ["by_tenant", "failed"]
    assert template["Resources"][names["jobs"]] == before["Resources"][names["jobs"]]


def test_key_of_identity_tokens_is_attached_if_its_alias_exists_and_is_otherwise_left_to_the_next_deployment(
    large: Synthesised,
) -> None:
    """A second key with the alias of the first would stand in the way of the deployment."""
    first, second = "alias/punctual-test-token-1", "alias/punctual-test-token-2"
    for existing in ({}, {second: "key-2"}, {first: "key-1", second: "key-2"}):
        template = import_template(
            large.data.body,
            restored=(),
            existing_domains=(),
            buckets=BUCKETS,
            existing_token_keys=existing,
        )
        imported = resources_to_import(template, NAMES, existing)
        assert {each["LogicalResourceId"] for each in imported} == template["Resources"].keys()
        identifiers = [tuple(each["ResourceIdentifier"].items()) for each in imported]
        found = {value for each in identifiers for name, value in each if name in ("AliasName", "KeyId")}
        assert found == {NAMES["key"], *existing, *existing.values()}


def test_domain_is_attached_if_it_exists_and_otherwise_left_to_the_next_deployment(
    large: Synthesised,
) -> None:
    for existing in (set[str](), {"api.example.com"}):
        template = import_template(large.data.body, restored=(), existing_domains=existing, buckets=BUCKETS)
        imported = {each["LogicalResourceId"]: each for each in resources_to_import(template, NAMES)}
        assert imported.keys() == template["Resources"].keys()
        found = {
            each["ResourceIdentifier"]["DomainName"]
            for each in imported.values()
            if each["ResourceType"] == "AWS::ApiGatewayV2::DomainName"
        }
        assert found == existing


def test_detached_service_differs_in_nothing_but_the_imports(cloud: Synthesised) -> None:
    body = cloud.service.body
    exports = {
        made["Export"]["Name"]: f"value of {name}"
        for name, made in cloud.data.body["Outputs"].items()
        if "Export" in made
    }
    found = detached(body, exports)
    assert "Fn::ImportValue" in json.dumps(body)
    assert "Fn::ImportValue" not in json.dumps(found)
    assert found["Resources"].keys() == body["Resources"].keys()
    assert sorted(references(found)) == sorted(references(body))


def test_version_of_each_function_names_the_data_stack_so_that_other_tables_publish_another(
    cloud: Synthesised,
) -> None:
    for kind in ("AWS::Lambda::Version", "AWS::Lambda::Function"):
        for properties in cloud.service.properties(kind):
            assert "AWSStackId" in json.dumps(properties.get("Description")), kind


def test_table_bucket_or_key_that_its_stack_would_delete_is_known(
    cloud: Synthesised, local: Synthesised
) -> None:
    assert unretained(cloud.data.body) == []
    kept = {"trail"} if "trail" in parts(local.data.body) else set()
    assert unretained(local.data.body) == sorted(parts(local.data.body).keys() - kept)


def test_stage_without_a_file_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["teardown", "nowhere"]) == 1
    assert "there is no stages/nowhere.toml" in capsys.readouterr().err


def test_options_of_attach_are_names_and_an_instant() -> None:
    given: Any = parse(["attach", "prod", "jobs=a", "key=b=c", "--sweep-from", "2026-11-20T03:00"])
    assert dict(given.tables) == {"jobs": "a", "key": "b=c"}
    assert given.sweep_from == datetime(2026, 11, 20, 3, tzinfo=UTC)


@pytest.mark.parametrize("argument", ["jobs", "=x", "jobs="])
def test_pair_without_name_or_value_is_refused(argument: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["attach", "prod", argument])
    assert "give a table as executions=<name>" in capsys.readouterr().err


def test_instant_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["attach", "prod", "jobs=a", "--sweep-from", "yesterday"])
    assert "give an instant as 2026-11-20T03:00Z, not 'yesterday'" in capsys.readouterr().err


class _CloudFormation:
    """Answers with one status, and records what is deleted."""

    def __init__(self, status: str) -> None:
        self.status = status
        self.acts: list[str] = []

    def describe_stacks(self, **request: str) -> dict[str, Any]:
        return {"Stacks": [{"StackStatus": self.status}]}

    def update_termination_protection(self, **request: Any) -> None:
        self.acts.append("unprotect")

    def delete_stack(self, **request: str) -> None:
        self.acts.append("delete")
        self.status = "DELETE_COMPLETE"


def _stacks(cloudformation: _CloudFormation) -> Stacks:
    return Stacks(lambda service: cloudformation, bucket="b", url="{bucket}{key}", poll_seconds=0)


def test_stack_that_has_a_change_set_alone_does_not_exist_and_can_be_deleted() -> None:
    """So does a stack remain whose import CloudFormation refused."""
    cloudformation = _CloudFormation(UNDER_REVIEW)
    stacks = _stacks(cloudformation)
    assert not stacks.exists("a")
    stacks.check_idle("a")
    stacks.delete("a")
    assert cloudformation.acts == ["delete"]
    assert not stacks.exists("a")


def test_stack_that_another_command_changes_is_left_alone() -> None:
    stacks = _stacks(_CloudFormation("UPDATE_IN_PROGRESS"))
    with pytest.raises(LifecycleError, match="stack a is UPDATE_IN_PROGRESS: wait until it is done"):
        stacks.check_idle("a")


def test_protected_stack_is_deleted_after_its_protection() -> None:
    cloudformation = _CloudFormation("UPDATE_COMPLETE")
    _stacks(cloudformation).delete("a")
    assert cloudformation.acts == ["unprotect", "delete"]

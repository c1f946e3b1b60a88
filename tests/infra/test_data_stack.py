"""The tables and the key: what the adapters rely on, and what keeps the data alive."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from infra.stages import local_stage
from shared.adapters.parquet.schema import COLUMNS
from shared.domain.archive.search_task import RESULT_DAYS
from shared.domain.archive.unit import ArchiveUnit, hour_of
from shared.names import SEARCHES_PREFIX, Attr, Index
from tests.infra.conftest import Synthesised, synthesise, usual_stage
from tests.support.builders import DUE_AT
from tests.support.template import Resource, resolve

TABLES = ("Executions", "Jobs", "Tenants", "Leases", "Audit", "History")


def _table(stacks: Synthesised, name: str) -> Resource:
    tables = stacks.data.of_type("AWS::DynamoDB::GlobalTable")
    assert len(tables) == len(TABLES)
    (found,) = (made for logical_id, made in tables.items() if logical_id.startswith(f"Tables{name}"))
    return found


def _replica(stacks: Synthesised, name: str) -> Resource:
    (replica,) = _table(stacks, name)["Properties"]["Replicas"]
    return dict(replica)


def _key(pk: str, sk: str) -> list[dict[str, str]]:
    return [{"AttributeName": pk, "KeyType": "HASH"}, {"AttributeName": sk, "KeyType": "RANGE"}]


@pytest.mark.parametrize("name", TABLES)
def test_every_table_has_its_keys_and_lets_finished_items_expire(cloud: Synthesised, name: str) -> None:
    properties = _table(cloud, name)["Properties"]
    assert properties["KeySchema"] == _key(Attr.PK, Attr.SK)
    assert {attribute["AttributeType"] for attribute in properties["AttributeDefinitions"]} == {"S"}
    assert properties["BillingMode"] == "PAY_PER_REQUEST"
    assert properties["TimeToLiveSpecification"] == {"AttributeName": Attr.TTL, "Enabled": True}


@pytest.mark.parametrize("name", TABLES)
def test_every_table_is_a_global_table_with_one_replica(
    cloud: Synthesised, local: Synthesised, name: str
) -> None:
    for stacks in (cloud, local):
        assert _replica(stacks, name)["Region"] == stacks.stage.region


@pytest.mark.parametrize("name", TABLES)
def test_every_replica_carries_the_tags_of_the_stage(large: Synthesised, name: str) -> None:
    found = {tag["Key"]: tag["Value"] for tag in _replica(large, name)["Tags"]}
    assert found == {"punctual:stage": "test", "team": "platform"}


@pytest.mark.parametrize("name", TABLES)
def test_no_deployment_or_deletion_of_the_stack_loses_a_table(cloud: Synthesised, name: str) -> None:
    table = _table(cloud, name)
    assert _replica(cloud, name)["DeletionProtectionEnabled"] is True
    assert (table["DeletionPolicy"], table["UpdateReplacePolicy"]) == ("Retain", "Retain")


def test_every_table_but_the_leases_can_be_restored_to_a_second(cloud: Synthesised) -> None:
    """Leases of another time would let two workers run one execution."""
    recoverable = {
        name
        for name in TABLES
        if _replica(cloud, name)["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"]
    }
    assert recoverable == set(TABLES) - {"Leases"}


def test_the_executions_table_streams_both_images(cloud: Synthesised) -> None:
    stream = _table(cloud, "Executions")["Properties"]["StreamSpecification"]
    assert stream == {"StreamViewType": "NEW_AND_OLD_IMAGES"}


def test_the_executions_table_is_indexed_by_tenant_with_what_a_list_filters_by_and_by_failure(
    cloud: Synthesised,
) -> None:
    indexes = {
        index["IndexName"]: index
        for index in _table(cloud, "Executions")["Properties"]["GlobalSecondaryIndexes"]
    }
    assert indexes.keys() == {Index.BY_TENANT, Index.FAILED}
    assert indexes[Index.BY_TENANT]["KeySchema"] == _key(Attr.TENANT_PK, Attr.TENANT_SK)
    assert indexes[Index.FAILED]["KeySchema"] == _key(Attr.FAILED_PK, Attr.FAILED_SK)
    projection = indexes[Index.BY_TENANT]["Projection"]
    assert projection["ProjectionType"] == "INCLUDE"
    assert set(projection["NonKeyAttributes"]) == {Attr.NAME, Attr.TAGS}
    assert indexes[Index.FAILED]["Projection"] == {"ProjectionType": "KEYS_ONLY"}


def _archive(stacks: Synthesised) -> Resource:
    buckets = stacks.data.of_type("AWS::S3::Bucket")
    (bucket,) = (made for name, made in buckets.items() if name.startswith("Archive"))
    return bucket


def test_archive_is_private_versioned_and_encrypted_and_refuses_plain_http(cloud: Synthesised) -> None:
    properties = _archive(cloud)["Properties"]
    assert set(properties["PublicAccessBlockConfiguration"].values()) == {True}
    assert properties["VersioningConfiguration"] == {"Status": "Enabled"}
    (rule,) = properties["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert rule["ServerSideEncryptionByDefault"]["SSEAlgorithm"] == "AES256"
    policies = cloud.data.of_type("AWS::S3::BucketPolicy")
    (policy,) = (made["Properties"] for name, made in policies.items() if name.startswith("Archive"))
    (denied,) = policy["PolicyDocument"]["Statement"]
    assert (denied["Effect"], denied["Condition"]) == ("Deny", {"Bool": {"aws:SecureTransport": "false"}})


def test_archive_survives_its_stack_and_that_of_the_laptop_does_not(
    cloud: Synthesised, local: Synthesised
) -> None:
    assert _archive(cloud)["DeletionPolicy"] == _archive(cloud)["UpdateReplacePolicy"] == "Retain"
    assert _archive(local)["DeletionPolicy"] == "Delete"


def test_archived_files_become_cold_end_and_lose_their_replaced_versions(cloud: Synthesised) -> None:
    rules = {rule["Id"]: rule for rule in _archive(cloud)["Properties"]["LifecycleConfiguration"]["Rules"]}
    assert rules["archived"]["ExpirationInDays"] == cloud.stage.archive_days == 400
    assert rules["replaced"]["NoncurrentVersionExpiration"] == {"NoncurrentDays": 7}
    assert rules["cold"]["ObjectSizeGreaterThan"] == str(128 * 1024)
    assert rules["cold"]["Transitions"] == [{"StorageClass": "GLACIER_IR", "TransitionInDays": 60}]
    assert {rules[name]["Prefix"] for name in ("archived", "cold")} == {"v1/"}


def test_files_that_end_soon_never_become_cold(tmp_path: Path) -> None:
    """Glacier Instant Retrieval bills ninety days at least."""
    short = synthesise(replace(usual_stage(), archive_days=149), tmp_path)
    rules = _archive(short)["Properties"]["LifecycleConfiguration"]["Rules"]
    assert {rule["Id"] for rule in rules} == {"archived", "answers", "searches", "replaced"}


def test_files_of_searches_end_a_day_after_they_are_offered(cloud: Synthesised) -> None:
    rules = _archive(cloud)["Properties"]["LifecycleConfiguration"]["Rules"]
    (rule,) = (each for each in rules if each["Id"] == "searches")
    assert (rule["Prefix"], rule["ExpirationInDays"]) == (SEARCHES_PREFIX, RESULT_DAYS + 1)
    assert rule["NoncurrentVersionExpiration"] == {"NoncurrentDays": 1}


def test_table_of_the_archive_computes_the_names_that_the_archiver_gives(cloud: Synthesised) -> None:
    (table,) = cloud.data.properties("AWS::Glue::Table")
    described = table["TableInput"]
    unit = ArchiveUnit(hour=hour_of(DUE_AT), group=0)
    start = datetime.fromtimestamp(unit.start_ms / 1000, UTC)
    values = {"cell": cloud.stage.region, "dt": f"{start:%Y-%m-%d}", "hh": f"{start:%H}"}
    parameters = described["Parameters"]
    template = resolve(parameters["storage.location.template"]).rpartition("/v1/")[2]
    for name, value in values.items():
        template = template.replace(f"${{{name}}}", value)
    assert unit.file_key(cloud.stage.region).startswith(f"v1/{template}")
    assert parameters["projection.cell.values"] == cloud.stage.region
    assert [each["Name"] for each in described["PartitionKeys"]] == list(values)
    columns = [each["Name"] for each in described["StorageDescriptor"]["Columns"]]
    assert columns == [column.name for column in COLUMNS]


def test_query_of_the_archive_is_bounded_and_its_answer_is_encrypted(cloud: Synthesised) -> None:
    (group,) = cloud.data.properties("AWS::Athena::WorkGroup")
    settings = group["WorkGroupConfiguration"]
    assert settings["BytesScannedCutoffPerQuery"] == 100 * 1024**3
    assert settings["EnforceWorkGroupConfiguration"] is True
    assert settings["ResultConfiguration"]["EncryptionConfiguration"] == {"EncryptionOption": "SSE_S3"}


def test_the_key_of_the_tenants_rotates_and_survives_and_may_have_replicas(cloud: Synthesised) -> None:
    (key,) = cloud.data.of_type("AWS::KMS::Key").values()
    assert key["Properties"]["EnableKeyRotation"] is True
    assert key["Properties"]["MultiRegion"] is True
    assert key["DeletionPolicy"] == "Retain"


@pytest.mark.parametrize("name", ["data", "service"])
def test_stacks_of_a_protected_stage_refuse_to_be_deleted(
    cloud: Synthesised, local: Synthesised, name: str
) -> None:
    for stacks, refuses in ((cloud, True), (local, False)):
        artifacts = stacks.json("manifest.json")["artifacts"]
        assert isinstance(artifacts, dict)
        properties = artifacts[f"{stacks.stage.prefix}-{name}"]["properties"]
        assert properties.get("terminationProtection", False) is refuses


def test_the_laptop_may_throw_its_data_away(local: Synthesised) -> None:
    assert not local_stage().protect_data
    for name in TABLES:
        assert _table(local, name)["DeletionPolicy"] == "Delete"
        assert not _replica(local, name).get("DeletionProtectionEnabled", False)


def test_new_table_of_a_large_stage_bears_its_first_busy_minute(
    large: Synthesised, cloud: Synthesised
) -> None:
    table = _table(large, "Executions")["Properties"]
    assert table["WarmThroughput"] == {"ReadUnitsPerSecond": 40_000, "WriteUnitsPerSecond": 72_000}
    warm = {index["IndexName"]: index["WarmThroughput"] for index in table["GlobalSecondaryIndexes"]}
    assert warm[Index.BY_TENANT] == {"ReadUnitsPerSecond": 12_000, "WriteUnitsPerSecond": 20_000}
    assert "WarmThroughput" not in _table(cloud, "Executions")["Properties"]

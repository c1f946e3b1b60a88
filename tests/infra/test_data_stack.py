"""The tables and the key: what the adapters rely on, and what keeps the data alive."""

import pytest

from infra.stages import local_stage
from shared.names import Attr, Index
from tests.infra.conftest import Synthesised
from tests.support.template import Resource

TABLES = ("Executions", "Jobs", "Tenants", "Leases", "Audit")


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

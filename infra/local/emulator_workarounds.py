"""Sets properties that the emulator's CloudFormation silently ignores, through direct API calls."""

import json
from typing import Any

from infra.local.assembly import StackArtifact
from infra.local.clients import Clients


def fill_gaps(stack: StackArtifact, clients: Clients) -> None:
    """Enable TTL on the tables, and the locks of the audit trail.

    Point-in-time recovery is ignored too, and stays off: no local run restores.
    """
    resources = json.loads(stack.body())["Resources"]
    described = clients.client("cloudformation").describe_stack_resources(StackName=stack.name)
    ids = {each["LogicalResourceId"]: each["PhysicalResourceId"] for each in described["StackResources"]}
    for logical_id, resource in resources.items():
        expiry = resource.get("Properties", {}).get("TimeToLiveSpecification")
        if resource["Type"] == "AWS::DynamoDB::GlobalTable" and expiry:
            _expire(ids[logical_id], expiry, clients.client("dynamodb"))
        lock = resource.get("Properties", {}).get("ObjectLockConfiguration")
        if resource["Type"] == "AWS::S3::Bucket" and lock:
            clients.client("s3").put_object_lock_configuration(
                Bucket=ids[logical_id], ObjectLockConfiguration=lock
            )


def _expire(table: str, expiry: dict[str, Any], dynamodb: Any) -> None:
    now = dynamodb.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
    if now["TimeToLiveStatus"] != "ENABLED":
        dynamodb.update_time_to_live(TableName=table, TimeToLiveSpecification=expiry)

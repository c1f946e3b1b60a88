"""S12: the executions table is restored to a point in time and takes the place of the damaged one; no job is lost."""

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from tests.smoke.findings import Findings
from tests.smoke.judge.lags import punctuality
from tests.smoke.world import World, arrived, instant

JOBS = 20
DUE_IN_SECONDS = 45 * 60
"""After the restore: it takes up to half an hour."""
BACKUP_LAG_SECONDS = 330
"""The latest restorable instant is up to five minutes ago."""
RESTORE_TRIES = 240
PATIENCE = DUE_IN_SECONDS + 1_200


def run(world: World, findings: Findings) -> None:
    if not findings.can_show("backups", "a restored table takes the place of the damaged one"):
        return
    findings.can_show("protect_data", "tables outlive their stack")
    tenant, path = world.tenant("restored"), world.path("restored")
    sweep_from = datetime.now(UTC)
    due = instant(DUE_IN_SECONDS)
    jobs = {made["id"] for made in tenant.create_many([tenant.job({"at": due}, path)] * JOBS)}
    time.sleep(BACKUP_LAG_SECONDS)
    dynamodb = world.target.client("dynamodb")
    damaged, restored = (
        world.outputs["ExecutionsTableName"],
        f"{world.target.stage.prefix}-restored-{world.run}",
    )
    restore(dynamodb, damaged, restored, world.target.stage.all_tags)
    try:
        world.target.adopt({"executions": restored}, sweep_from, world.outputs["AlarmTopicArn"])
        found = dict(world.target.outputs())
        findings.check("the functions use the restored table", found["ExecutionsTableName"] == restored)
        findings.check("the API keeps its URL", found["ApiUrl"] == world.outputs["ApiUrl"])
        seen = punctuality(arrived(world, path, JOBS, PATIENCE), jobs)
        findings.check("no job was lost, early or called twice", seen.is_kept, seen)
        findings.figure("after the restore", seen.figures())
    finally:
        # What no stack holds any longer: the damaged table, or the restored one if the adoption failed.
        held = world.target.outputs()["ExecutionsTableName"]
        delete_unheld(dynamodb, {damaged, restored} - {held})


def restore(dynamodb: Any, source: str, target: str, tags: Mapping[str, str]) -> None:
    """Restore the latest restorable instant into a new table on demand, and wait until it is active."""
    made = dynamodb.restore_table_to_point_in_time(
        SourceTableName=source,
        TargetTableName=target,
        UseLatestRestorableTime=True,
        BillingModeOverride="PAY_PER_REQUEST",
    )["TableDescription"]
    dynamodb.get_waiter("table_exists").wait(
        TableName=target, WaiterConfig={"Delay": 15, "MaxAttempts": RESTORE_TRIES}
    )
    named = [{"Key": name, "Value": value} for name, value in tags.items()]
    dynamodb.tag_resource(ResourceArn=made["TableArn"], Tags=named)


def delete_unheld(dynamodb: Any, tables: set[str]) -> None:
    """Delete tables, also those that refuse deletion."""
    for table in tables:
        dynamodb.update_table(TableName=table, DeletionProtectionEnabled=False)
        dynamodb.get_waiter("table_exists").wait(TableName=table, WaiterConfig={"Delay": 5})
        dynamodb.delete_table(TableName=table)
        dynamodb.get_waiter("table_not_exists").wait(TableName=table, WaiterConfig={"Delay": 5})

"""The bucket of archived executions, and what operators need to query it with Athena."""

from typing import cast

from aws_cdk import Duration, RemovalPolicy, Stack
from aws_cdk import aws_athena as athena
from aws_cdk import aws_glue as glue
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.components.archive_days import COLD_AFTER_DAYS, is_cold
from infra.components.nag import SERVER_ACCESS_LOGS, acknowledge
from infra.config import StageConfig
from shared.names import SEARCHES_PREFIX

LEAST_COLD_BYTES = 128 * 1024
"""Glacier Instant Retrieval bills smaller objects as if they had this size."""
NONCURRENT_DAYS = 7
"""How long a file is kept that a later pass has replaced."""
ATHENA_PREFIX = "athena/"
"""Where Athena writes the answers of queries."""
SEARCHED_DAYS = 8
"""How long the files of searches are kept: a day longer than they are offered."""
SCANNED_BYTES = 100 * 1024**3
"""A query that reads more is cancelled: about half a dollar."""
COLUMNS = {
    "tenant": "string",
    "id": "string",
    "job_id": "string",
    "due_at": "timestamp",
    "scheduled_at": "timestamp",
    "created_at": "timestamp",
    "started_at": "timestamp",
    "ended_at": "timestamp",
    "state": "string",
    "end_reason": "string",
    "lane": "string",
    "revision": "int",
    "run": "int",
    "attempts": "int",
    "status": "int",
    "reason": "string",
    "destination": "string",
    "name": "string",
    "tags": "array<string>",
    "redrive_of": "string",
    "notification_of": "string",
    "moved_to": "string",
    "missed": "struct<count:bigint,first_at:timestamp,last_at:timestamp>",
    "outcomes": "array<struct<attempt:int,started_at:timestamp,duration_ms:bigint,status:int,reason:string>>",
    "body": "binary",
    "queue_ms": "bigint",
    "wait_ms": "bigint",
    "wait_cause": "string",
    "claim_ms": "bigint",
    "ready_ms": "bigint",
    "connect_ms": "bigint",
    "head_ms": "bigint",
    "refunded_since": "timestamp",
    "run_id": "string",
    "task": "string",
    "epoch": "int",
    "trigger_name": "string",
    "event_source": "string",
    "event_id": "string",
    "postponed_to": "timestamp",
    "item": "int",
}
"""The columns of a file, as Athena has them; a test compares them with those of a file."""


def archive_bucket(scope: Construct, stage: StageConfig) -> s3.Bucket:
    """Create the bucket. In a protected stage, it survives the deletion of the stack."""
    protected, rules = stage.protect_data, _lifecycle(stage)
    bucket = s3.Bucket(
        scope,
        "Archive",
        block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
        encryption=s3.BucketEncryption.S3_MANAGED,
        enforce_ssl=not stage.emulated,
        object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
        versioned=True,
        lifecycle_rules=rules,
        removal_policy=RemovalPolicy.RETAIN if protected else RemovalPolicy.DESTROY,
    )
    if is_cold(stage.archive_days):
        # CDK writes a number, and CloudFormation wants a text. The rule is the last one.
        path = f"LifecycleConfiguration.Rules.{len(rules) - 1}.ObjectSizeGreaterThan"
        cast(s3.CfnBucket, bucket.node.default_child).add_property_override(path, str(LEAST_COLD_BYTES))
    acknowledge(bucket, SERVER_ACCESS_LOGS)
    return bucket


def _lifecycle(stage: StageConfig) -> list[s3.LifecycleRule]:
    """A file is last written twelve days after its hour, and the rules count from there: it is kept a little longer."""
    rules = [
        s3.LifecycleRule(id="archived", prefix="v1/", expiration=Duration.days(stage.archive_days)),
        s3.LifecycleRule(id="answers", prefix=ATHENA_PREFIX, expiration=Duration.days(NONCURRENT_DAYS)),
        s3.LifecycleRule(
            id="searches",
            prefix=SEARCHES_PREFIX,
            expiration=Duration.days(SEARCHED_DAYS),
            noncurrent_version_expiration=Duration.days(1),
        ),
        s3.LifecycleRule(
            id="replaced",
            noncurrent_version_expiration=Duration.days(NONCURRENT_DAYS),
            expired_object_delete_marker=True,
            abort_incomplete_multipart_upload_after=Duration.days(1),
        ),
    ]
    if is_cold(stage.archive_days):
        cold = s3.Transition(
            storage_class=s3.StorageClass.GLACIER_INSTANT_RETRIEVAL,
            transition_after=Duration.days(COLD_AFTER_DAYS),
        )
        rules.append(
            s3.LifecycleRule(
                id="cold", prefix="v1/", object_size_greater_than=LEAST_COLD_BYTES, transitions=[cold]
            )
        )
    return rules


def archive_queries(scope: Construct, stage: StageConfig, bucket: s3.Bucket) -> None:
    """Declare the table of the files and a workgroup for operators. Athena computes the partitions: none is added."""
    database = f"{stage.prefix}_archive".replace("-", "_")
    own = glue.CfnDatabase(
        scope,
        "ArchiveDatabase",
        catalog_id=Stack.of(scope).account,
        database_input=glue.CfnDatabase.DatabaseInputProperty(name=database),
    )
    table = glue.CfnTable(
        scope,
        "ArchiveTable",
        catalog_id=Stack.of(scope).account,
        database_name=database,
        table_input=glue.CfnTable.TableInputProperty(
            name="executions",
            table_type="EXTERNAL_TABLE",
            parameters=_projection(stage, bucket.bucket_name),
            partition_keys=[_column("cell", "string"), _column("dt", "string"), _column("hh", "int")],
            storage_descriptor=glue.CfnTable.StorageDescriptorProperty(
                columns=[_column(name, kind) for name, kind in COLUMNS.items()],
                location=f"s3://{bucket.bucket_name}/v1/executions/",
                input_format="org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat",
                output_format="org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat",
                serde_info=glue.CfnTable.SerdeInfoProperty(
                    serialization_library="org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"
                ),
            ),
        ),
    )
    table.add_resource_dependency(own)
    athena.CfnWorkGroup(
        scope,
        "ArchiveWorkgroup",
        name=f"{stage.prefix}-archive",
        description="Queries of archived executions, for operators.",
        recursive_delete_option=True,
        work_group_configuration=athena.CfnWorkGroup.WorkGroupConfigurationProperty(
            bytes_scanned_cutoff_per_query=SCANNED_BYTES,
            enforce_work_group_configuration=True,
            publish_cloud_watch_metrics_enabled=False,
            result_configuration=athena.CfnWorkGroup.ResultConfigurationProperty(
                output_location=f"s3://{bucket.bucket_name}/{ATHENA_PREFIX}",
                encryption_configuration=athena.CfnWorkGroup.EncryptionConfigurationProperty(
                    encryption_option="SSE_S3"
                ),
            ),
        ),
    )


def _projection(stage: StageConfig, bucket: str) -> dict[str, str]:
    """Partition projection: https://docs.aws.amazon.com/athena/latest/ug/partition-projection-supported-types.html"""
    return {
        "classification": "parquet",
        "projection.enabled": "true",
        "projection.cell.type": "enum",
        "projection.cell.values": stage.region,
        "projection.dt.type": "date",
        "projection.dt.format": "yyyy-MM-dd",
        "projection.dt.range": "2026-01-01,NOW",
        "projection.dt.interval": "1",
        "projection.dt.interval.unit": "DAYS",
        "projection.hh.type": "integer",
        "projection.hh.range": "0,23",
        "projection.hh.digits": "2",
        "storage.location.template": f"s3://{bucket}/v1/executions/cell=${{cell}}/dt=${{dt}}/hh=${{hh}}/",
    }


def _column(name: str, kind: str) -> glue.CfnTable.ColumnProperty:
    return glue.CfnTable.ColumnProperty(name=name, type=kind)

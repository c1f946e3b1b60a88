"""The bucket of the audit trail, in which S3 locks each object for a time."""

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.components.nag import SERVER_ACCESS_LOGS, acknowledge
from infra.config import StageConfig

SPARE_DAYS = 1
"""Between the end of a lock and the deletion of its object."""


def audit_bucket(scope: Construct, stage: StageConfig) -> s3.Bucket:
    """Create the bucket. It survives its stack in every stage: S3 deletes no bucket with locked objects.

    Its policy refuses each caller that would write over an object, or hide one behind the mark of a deletion.
    """
    days = Duration.days(stage.audit_lock_days)
    is_final = stage.audit_lock_mode == "compliance"
    bucket = s3.Bucket(
        scope,
        "AuditTrail",
        block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
        encryption=s3.BucketEncryption.S3_MANAGED,
        enforce_ssl=not stage.emulated,
        object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
        versioned=True,
        object_lock_enabled=True,
        object_lock_default_retention=(
            s3.ObjectLockRetention.compliance(days) if is_final else s3.ObjectLockRetention.governance(days)
        ),
        lifecycle_rules=_lifecycle(stage),
        removal_policy=RemovalPolicy.RETAIN,
    )
    if not stage.emulated:
        for statement in _refusals(bucket):
            bucket.add_to_resource_policy(statement)
        if bucket.policy is not None:
            bucket.policy.apply_removal_policy(RemovalPolicy.RETAIN)
    acknowledge(bucket, SERVER_ACCESS_LOGS)
    return bucket


def _lifecycle(stage: StageConfig) -> list[s3.LifecycleRule]:
    """S3 deletes no version before the end of its lock, whatever a rule says."""
    return [
        s3.LifecycleRule(
            id="ended", prefix="v1/", expiration=Duration.days(stage.audit_lock_days + SPARE_DAYS)
        ),
        s3.LifecycleRule(
            id="deleted",
            noncurrent_version_expiration=Duration.days(SPARE_DAYS),
            expired_object_delete_marker=True,
            abort_incomplete_multipart_upload_after=Duration.days(1),
        ),
    ]


def _refusals(bucket: s3.Bucket) -> list[iam.PolicyStatement]:
    """https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes-enforce.html"""
    objects = [bucket.arn_for_objects("*")]
    return [
        iam.PolicyStatement(
            sid="WriteOnce",
            effect=iam.Effect.DENY,
            principals=[iam.AnyPrincipal()],
            actions=["s3:PutObject"],
            resources=objects,
            conditions={"Null": {"s3:if-none-match": "true"}},
        ),
        iam.PolicyStatement(
            sid="HideNothing",
            effect=iam.Effect.DENY,
            principals=[iam.AnyPrincipal()],
            actions=["s3:DeleteObject"],
            resources=objects,
        ),
    ]

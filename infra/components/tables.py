"""The five DynamoDB tables. The DynamoDB adapters define the meaning of their keys."""

from aws_cdk import RemovalPolicy
from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

from infra.config import StageConfig, Units
from shared.names import PROJECTED, Attr, Index


class Tables(Construct):
    """Executions, jobs, tenants, leases and audit: on-demand capacity, TTL and point-in-time recovery."""

    def __init__(self, scope: Construct, stage: StageConfig) -> None:
        super().__init__(scope, "Tables")
        self._stage = stage
        # The archive reads the stream: both images, because an expired row has only an old image.
        warm = stage.warm_throughput
        self.executions = self._table(
            "Executions",
            stream=dynamodb.StreamViewType.NEW_AND_OLD_IMAGES,
            warm=_warm(warm.executions) if warm else None,
        )
        by_tenant, failed = (_warm(warm.by_tenant), _warm(warm.failed)) if warm else (None, None)
        _index(self.executions, Index.BY_TENANT, Attr.TENANT_PK, Attr.TENANT_SK, warm=by_tenant)
        _index(self.executions, Index.FAILED, Attr.FAILED_PK, Attr.FAILED_SK, warm=failed)
        self.jobs = self._table("Jobs")
        _index(self.jobs, Index.LIVE, Attr.LIVE_PK, Attr.SK)
        self.tenants = self._table("Tenants")
        self.leases = self._table("Leases")
        self.audit = self._table("Audit")

    def by_name(self) -> dict[str, dynamodb.Table]:
        return {
            "executions": self.executions,
            "jobs": self.jobs,
            "tenants": self.tenants,
            "leases": self.leases,
            "audit": self.audit,
        }

    def _table(
        self,
        name: str,
        stream: dynamodb.StreamViewType | None = None,
        warm: dynamodb.WarmThroughput | None = None,
    ) -> dynamodb.Table:
        protected = self._stage.protect_data
        return dynamodb.Table(
            self,
            name,
            partition_key=_string(Attr.PK),
            sort_key=_string(Attr.SK),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            time_to_live_attribute=Attr.TTL,
            stream=stream,
            warm_throughput=warm,
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=True
            ),
            deletion_protection=protected,
            removal_policy=RemovalPolicy.RETAIN if protected else RemovalPolicy.DESTROY,
        )


def _index(
    table: dynamodb.Table, name: str, pk: str, sk: str, *, warm: dynamodb.WarmThroughput | None = None
) -> None:
    projected = PROJECTED[name]
    projection = dynamodb.ProjectionType.INCLUDE if projected else dynamodb.ProjectionType.KEYS_ONLY
    table.add_global_secondary_index(
        index_name=name,
        partition_key=_string(pk),
        sort_key=_string(sk),
        projection_type=projection,
        non_key_attributes=list(projected) or None,
        warm_throughput=warm,
    )


def _warm(units: Units) -> dynamodb.WarmThroughput:
    return dynamodb.WarmThroughput(read_units_per_second=units.reads, write_units_per_second=units.writes)


def _string(name: str) -> dynamodb.Attribute:
    return dynamodb.Attribute(name=name, type=dynamodb.AttributeType.STRING)

"""The five DynamoDB tables. The DynamoDB adapters define the meaning of their keys."""

from dataclasses import dataclass

from aws_cdk import RemovalPolicy
from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

from infra.components.nag import NO_RECOVERY, acknowledge
from infra.config import StageConfig, Units
from infra.provisioned import Autoscaled, MaximumUnits, ProvisionedUnits
from shared.names import PROJECTED, Attr, Index


@dataclass(frozen=True, slots=True)
class Capacity:
    """Of a table or an index: on demand, or provisioned units, which need no warm throughput beside them."""

    warm: dynamodb.WarmThroughput | None = None
    maximum: MaximumUnits | None = None
    units: ProvisionedUnits | None = None

    @classmethod
    def of(cls, stage: StageConfig, name: str) -> "Capacity":
        """Of the executions table, or of one of its indexes."""
        if stage.provisioned is not None:
            return cls(units=stage.provisioned.by_name[name])
        warm = _warm(getattr(stage.warm_throughput, name)) if stage.warm_throughput else None
        return cls(warm=warm, maximum=stage.maximum_units)

    @property
    def reads(self) -> int | None:
        """Provisioned read units at first; None on demand."""
        return self.units.reads.minimum if self.units else None

    @property
    def writes(self) -> int | None:
        """Provisioned write units at first; None on demand."""
        return self.units.writes.minimum if self.units else None

    @property
    def most_reads(self) -> int | None:
        """On demand; None for the account's quota."""
        return self.maximum.reads if self.maximum else None

    @property
    def most_writes(self) -> int | None:
        """On demand; None for the account's quota."""
        return self.maximum.writes if self.maximum else None


class Tables(Construct):
    """Executions, jobs, tenants, leases and audit, with TTL.

    All are on demand, but for the executions of a stage with provisioned units. All but the leases have
    point-in-time recovery.
    """

    def __init__(self, scope: Construct, stage: StageConfig) -> None:
        super().__init__(scope, "Tables")
        self._stage = stage
        # The archive reads the stream: both images, because an expired row has only an old image.
        self.executions = self._table(
            "Executions",
            stream=dynamodb.StreamViewType.NEW_AND_OLD_IMAGES,
            capacity=Capacity.of(stage, "executions"),
        )
        by_tenant, failed = (Capacity.of(stage, name) for name in ("by_tenant", "failed"))
        _index(self.executions, Index.BY_TENANT, Attr.TENANT_PK, Attr.TENANT_SK, by_tenant)
        _index(self.executions, Index.FAILED, Attr.FAILED_PK, Attr.FAILED_SK, failed)
        self.jobs = self._table("Jobs")
        _index(self.jobs, Index.LIVE, Attr.LIVE_PK, Attr.SK)
        self.tenants = self._table("Tenants")
        # A restore leaves this table as it is: leases of another time would let two workers run one execution.
        self.leases = self._table("Leases", is_recoverable=False)
        acknowledge(self.leases, NO_RECOVERY)
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
        capacity: Capacity = Capacity(),
        *,
        is_recoverable: bool = True,
    ) -> dynamodb.Table:
        protected, on_demand = self._stage.protect_data, capacity.units is None
        table = dynamodb.Table(
            self,
            name,
            partition_key=_string(Attr.PK),
            sort_key=_string(Attr.SK),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST
            if on_demand
            else dynamodb.BillingMode.PROVISIONED,
            read_capacity=capacity.reads,
            write_capacity=capacity.writes,
            max_read_request_units=capacity.most_reads,
            max_write_request_units=capacity.most_writes,
            time_to_live_attribute=Attr.TTL,
            stream=stream,
            warm_throughput=capacity.warm,
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=is_recoverable
            ),
            deletion_protection=protected,
            removal_policy=RemovalPolicy.RETAIN if protected else RemovalPolicy.DESTROY,
        )
        if capacity.units:
            reads, writes = capacity.units.reads, capacity.units.writes
            _follow(table.auto_scale_read_capacity(**_range(reads)), reads)
            _follow(table.auto_scale_write_capacity(**_range(writes)), writes)
        return table


def _index(table: dynamodb.Table, name: str, pk: str, sk: str, capacity: Capacity = Capacity()) -> None:
    projected = PROJECTED[name]
    projection = dynamodb.ProjectionType.INCLUDE if projected else dynamodb.ProjectionType.KEYS_ONLY
    table.add_global_secondary_index(
        index_name=name,
        partition_key=_string(pk),
        sort_key=_string(sk),
        projection_type=projection,
        non_key_attributes=list(projected) or None,
        warm_throughput=capacity.warm,
        read_capacity=capacity.reads,
        write_capacity=capacity.writes,
        max_read_request_units=capacity.most_reads,
        max_write_request_units=capacity.most_writes,
    )
    if capacity.units:
        reads, writes = capacity.units.reads, capacity.units.writes
        _follow(table.auto_scale_global_secondary_index_read_capacity(name, **_range(reads)), reads)
        _follow(table.auto_scale_global_secondary_index_write_capacity(name, **_range(writes)), writes)


def _range(units: Autoscaled) -> dict[str, int]:
    return {"min_capacity": units.minimum, "max_capacity": units.maximum}


def _follow(scaling: dynamodb.IScalableTableAttribute, units: Autoscaled) -> None:
    scaling.scale_on_utilization(target_utilization_percent=units.target_percent)


def _warm(units: Units) -> dynamodb.WarmThroughput:
    return dynamodb.WarmThroughput(read_units_per_second=units.reads, write_units_per_second=units.writes)


def _string(name: str) -> dynamodb.Attribute:
    return dynamodb.Attribute(name=name, type=dynamodb.AttributeType.STRING)

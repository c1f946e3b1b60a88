"""The six DynamoDB tables. The DynamoDB adapters define the meaning of their keys.

They are global tables with one replica, because CloudFormation cannot turn another table into one: a replica in a
second region can then be added without a new table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from aws_cdk import CfnTag, RemovalPolicy
from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

from infra.config import StageConfig
from infra.provisioned import Autoscaled, MaximumUnits, ProvisionedUnits
from infra.warm_throughput import Units
from shared.names import PROJECTED, Attr, Index

THROTTLED_KEYS = dynamodb.ContributorInsightsSpecification(
    enabled=True, mode=dynamodb.ContributorInsightsMode.THROTTLED_KEYS
)
"""Of a table and its indexes. The other mode also bills each request that is not throttled."""


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
    def provisioned(self) -> dict[str, dynamodb.Capacity]:
        """Arguments of provisioned reads and writes; none on demand."""
        if self.units is None:
            return {}
        return {
            "read_capacity": _autoscaled(self.units.reads),
            "write_capacity": _autoscaled(self.units.writes),
        }

    @property
    def bounds(self) -> dict[str, int]:
        """Arguments of the most units on demand; none for the account's quota."""
        if self.maximum is None:
            return {}
        return {"max_read_request_units": self.maximum.reads, "max_write_request_units": self.maximum.writes}


class Tables(Construct):
    """Executions, jobs, tenants, leases, audit and history, with TTL.

    All are on demand, but for the executions of a stage with provisioned units. All but the leases have
    point-in-time recovery.
    """

    def __init__(self, scope: Construct, stage: StageConfig) -> None:
        super().__init__(scope, "Tables")
        self._stage = stage
        by_tenant, failed = (Capacity.of(stage, name) for name in ("by_tenant", "failed"))
        # A replica in a second region needs the stream, with both images.
        self.executions = self._table(
            "Executions",
            stream=dynamodb.StreamViewType.NEW_AND_OLD_IMAGES,
            capacity=Capacity.of(stage, "executions"),
            ranks_keys=stage.contributor_insights,
            indexes=(
                _index(Index.BY_TENANT, Attr.TENANT_PK, Attr.TENANT_SK, by_tenant),
                _index(Index.FAILED, Attr.FAILED_PK, Attr.FAILED_SK, failed),
            ),
        )
        self.jobs = self._table("Jobs", indexes=(_index(Index.LIVE, Attr.LIVE_PK, Attr.SK),))
        self.tenants = self._table("Tenants")
        # A restore leaves this table as it is: leases of another time would let two workers run one execution.
        self.leases = self._table("Leases", is_recoverable=False, ranks_keys=stage.contributor_insights)
        self.audit = self._table("Audit")
        # Apart from all others: each hour writes an item for each tenant, and nothing waits for them.
        self.history = self._table("History")

    def by_name(self) -> dict[str, dynamodb.TableV2]:
        return {
            "executions": self.executions,
            "jobs": self.jobs,
            "tenants": self.tenants,
            "leases": self.leases,
            "audit": self.audit,
            "history": self.history,
        }

    def _table(
        self,
        name: str,
        *,
        stream: dynamodb.StreamViewType | None = None,
        capacity: Capacity = Capacity(),
        is_recoverable: bool = True,
        ranks_keys: bool = False,
        indexes: Sequence[dynamodb.GlobalSecondaryIndexPropsV2] = (),
    ) -> dynamodb.TableV2:
        protected = self._stage.protect_data
        return dynamodb.TableV2(
            self,
            name,
            partition_key=_string(Attr.PK),
            sort_key=_string(Attr.SK),
            billing=dynamodb.Billing.provisioned(**capacity.provisioned)
            if capacity.units
            else dynamodb.Billing.on_demand(**capacity.bounds),
            global_secondary_indexes=[*indexes],
            # CloudFormation may pass the tags of a stack on to no replica.
            tags=[CfnTag(key=key, value=value) for key, value in self._stage.all_tags.items()],
            time_to_live_attribute=Attr.TTL,
            dynamo_stream=stream,
            warm_throughput=capacity.warm,
            contributor_insights_specification=THROTTLED_KEYS if ranks_keys else None,
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=is_recoverable
            ),
            deletion_protection=protected,
            removal_policy=RemovalPolicy.RETAIN if protected else RemovalPolicy.DESTROY,
        )


def _index(
    name: str, pk: str, sk: str, capacity: Capacity = Capacity()
) -> dynamodb.GlobalSecondaryIndexPropsV2:
    projected = PROJECTED[name]
    projection = dynamodb.ProjectionType.INCLUDE if projected else dynamodb.ProjectionType.KEYS_ONLY
    settings: dict[str, Any] = {**capacity.provisioned, **capacity.bounds}
    return dynamodb.GlobalSecondaryIndexPropsV2(
        index_name=name,
        partition_key=_string(pk),
        sort_key=_string(sk),
        projection_type=projection,
        non_key_attributes=list(projected) or None,
        warm_throughput=capacity.warm,
        **settings,
    )


def _autoscaled(units: Autoscaled) -> dynamodb.Capacity:
    # Without a seed, CloudFormation refuses to switch a table from on demand to provisioned units.
    return dynamodb.Capacity.autoscaled(
        seed_capacity=units.minimum,
        min_capacity=units.minimum,
        max_capacity=units.maximum,
        target_utilization_percent=units.target_percent,
    )


def _warm(units: Units) -> dynamodb.WarmThroughput:
    return dynamodb.WarmThroughput(read_units_per_second=units.reads, write_units_per_second=units.writes)


def _string(name: str) -> dynamodb.Attribute:
    return dynamodb.Attribute(name=name, type=dynamodb.AttributeType.STRING)

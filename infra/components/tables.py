"""The five tables. Their keys are part of the protocol: see the adapters that build them."""

from aws_cdk import RemovalPolicy
from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

from infra.config import StageConfig
from shared.names import Attr, Index


class Tables(Construct):
    """Executions, jobs, tenants, leases and audit: on demand, with TTL and point-in-time recovery."""

    def __init__(self, scope: Construct, stage: StageConfig) -> None:
        """Declare the tables with the protection of the stage."""
        super().__init__(scope, "Tables")
        self._stage = stage
        # The archive reads the stream: both images, since a row that expires has no new one.
        self.executions = self._table("Executions", stream=dynamodb.StreamViewType.NEW_AND_OLD_IMAGES)
        self._index(Index.BY_TENANT, Attr.TENANT_PK, Attr.TENANT_SK)
        self._index(Index.FAILED, Attr.FAILED_PK, Attr.FAILED_SK)
        self.jobs = self._table("Jobs")
        self.tenants = self._table("Tenants")
        self.leases = self._table("Leases")
        self.audit = self._table("Audit")

    def by_name(self) -> dict[str, dynamodb.Table]:
        """Every table by the word that the design uses for it."""
        return {
            "executions": self.executions,
            "jobs": self.jobs,
            "tenants": self.tenants,
            "leases": self.leases,
            "audit": self.audit,
        }

    def _table(self, name: str, stream: dynamodb.StreamViewType | None = None) -> dynamodb.Table:
        protected = self._stage.protect_data
        return dynamodb.Table(
            self,
            name,
            partition_key=_string(Attr.PK),
            sort_key=_string(Attr.SK),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            time_to_live_attribute=Attr.TTL,
            stream=stream,
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=True
            ),
            deletion_protection=protected,
            removal_policy=RemovalPolicy.RETAIN if protected else RemovalPolicy.DESTROY,
        )

    def _index(self, name: str, pk: str, sk: str) -> None:
        """Keys alone, so that a state change that touches no index key costs no index write."""
        self.executions.add_global_secondary_index(
            index_name=name,
            partition_key=_string(pk),
            sort_key=_string(sk),
            projection_type=dynamodb.ProjectionType.KEYS_ONLY,
        )


def _string(name: str) -> dynamodb.Attribute:
    return dynamodb.Attribute(name=name, type=dynamodb.AttributeType.STRING)

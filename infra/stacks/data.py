"""The data stack: the tables, and the KMS key that wraps tenants' data keys.

A deployment of the service never replaces these resources. In a protected stage, the tables and the key
survive the deletion of the stack, and the tables refuse deletion.
"""

from aws_cdk import CfnOutput, Environment, Fn, RemovalPolicy, Stack
from aws_cdk import aws_kms as kms
from constructs import Construct

from infra.components.tables import Tables
from infra.config import StageConfig


class DataStack(Stack):
    def __init__(self, scope: Construct, stage: StageConfig) -> None:
        super().__init__(
            scope,
            f"{stage.prefix}-data",
            env=Environment(account=stage.account, region=stage.region),
            description="Punctual: tables and KMS key of a deployment. Outlives the service stack.",
            termination_protection=stage.protect_data,
            tags=stage.all_tags,
        )
        self.tables = Tables(self, stage)
        self.key = self._tenant_key(stage)
        self.generation = Fn.select(2, Fn.split("/", self.stack_id))
        """Unique to this stack: another one, of the same name, may have other tables."""
        for name, table in self.tables.by_name().items():
            CfnOutput(
                self,
                f"{name.capitalize()}TableName",
                value=table.table_name,
                description=f"The DynamoDB table of {name}.",
            )
        CfnOutput(
            self,
            "KmsKeyId",
            value=self.key.key_id,
            description="The KMS key that wraps the data keys of tenants.",
        )

    def _tenant_key(self, stage: StageConfig) -> kms.Key:
        return kms.Key(
            self,
            "TenantKey",
            description=f"{stage.prefix}: wraps the data keys of tenants",
            enable_key_rotation=True,
            # No update can change it, and tenants' secrets must stay readable in a second region.
            multi_region=True,
            removal_policy=RemovalPolicy.RETAIN if stage.protect_data else RemovalPolicy.DESTROY,
        )

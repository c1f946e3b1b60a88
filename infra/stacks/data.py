"""The data stack: the tables, the KMS key that wraps tenants' data keys, the keys of identity tokens, the archive, the
audit trail, and the API's custom domain.

A deployment of the service never replaces these resources. In a protected stage, they survive the deletion of the
stack, and the tables refuse deletion.
"""

from aws_cdk import CfnOutput, Environment, Fn, RemovalPolicy, Stack
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_certificatemanager as acm
from aws_cdk import aws_kms as kms
from constructs import Construct

from infra.api_domain import ApiDomain
from infra.components.archive import archive_bucket, archive_queries
from infra.components.audit_trail import audit_bucket
from infra.components.tables import Tables
from infra.components.token_keys import add_token_keys
from infra.config import StageConfig


class DataStack(Stack):
    def __init__(self, scope: Construct, stage: StageConfig) -> None:
        super().__init__(
            scope,
            f"{stage.prefix}-data",
            env=Environment(account=stage.account, region=stage.region),
            description="Punctual: tables, KMS key, archive and domain of a deployment. Outlives the service stack.",
            termination_protection=stage.protect_data,
            tags=stage.all_tags,
        )
        self.tables = Tables(self, stage)
        self.key = self._tenant_key(stage)
        add_token_keys(self, stage)
        self.archive = archive_bucket(self, stage) if stage.archive_days else None
        self.audit_trail = audit_bucket(self, stage) if stage.audit_lock_days else None
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
        if self.archive is not None:
            CfnOutput(
                self,
                "ArchiveBucketName",
                value=self.archive.bucket_name,
                description="The S3 bucket of archived executions.",
            )
            if not stage.emulated:
                archive_queries(self, stage, self.archive)
        if self.audit_trail is not None:
            CfnOutput(
                self,
                "AuditTrailBucketName",
                value=self.audit_trail.bucket_name,
                description="The S3 bucket of the audit trail, whose objects are locked.",
            )
        if stage.domain is not None:
            self._domain(stage.domain, is_protected=stage.protect_data)

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

    def _domain(self, own: ApiDomain, *, is_protected: bool) -> None:
        """The name of the API, whose target in DNS outlives the API. The record stays with the operator: no stack
        changes a zone."""
        domain = apigateway.DomainName(
            self,
            "Domain",
            domain_name=own.name,
            certificate=acm.Certificate.from_certificate_arn(self, "Certificate", own.certificate_arn),
            security_policy=apigateway.SecurityPolicy.TLS_1_2,
        )
        # A domain of an update that is rolled back would stand in the way of the next one.
        domain.apply_removal_policy(
            RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE if is_protected else RemovalPolicy.DESTROY
        )
        CfnOutput(
            self, "DomainUrl", value=f"https://{own.name}", description="The URL of the API for its clients."
        )
        CfnOutput(
            self,
            "DomainTarget",
            value=domain.regional_domain_name,
            description="The target of the CNAME record of the domain: create the record with your DNS service.",
        )

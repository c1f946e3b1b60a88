"""The pipeline stack: roles for the workflows of one repository on GitHub. `make deploy-role` deploys it.

It is no part of a deployment of the stage, so that no workflow changes its own role with the stage.
"""

from aws_cdk import CfnOutput, Environment, Stack
from aws_cdk import aws_iam as iam
from constructs import Construct

from infra.components.nag import acknowledge_patterns
from infra.config import StageConfig
from infra.pipeline import AUDIENCE, ISSUER, Pipeline
from shared.names import CanarySecret

BOOTSTRAP_ROLES = ("deploy-role", "file-publishing-role", "lookup-role")
"""Roles of the CDK's bootstrap stack that its command line assumes. They alone change stacks and assets."""
_QUALIFIER = "hnb659fds"


class PipelineStack(Stack):
    """`deploy` is for jobs in the environment, and `diff` for jobs of pull requests."""

    def __init__(self, scope: Construct, stage: StageConfig, pipeline: Pipeline) -> None:
        super().__init__(
            scope,
            f"{stage.prefix}-pipeline",
            env=Environment(account=stage.account, region=stage.region),
            description="Punctual: roles of the pipeline that deploys a stage.",
            termination_protection=stage.protect_data,
            tags=stage.all_tags,
        )
        provider = self._provider(pipeline)
        deploy = self._role("Deploy", provider, pipeline.deploys, f"deploys {stage.prefix}")
        self._allow(deploy, [self._assumes(), *self._checks(stage)])
        diff = self._role("Diff", provider, pipeline.proposes, f"shows changes of {stage.prefix}")
        self._allow(diff, self._reads(stage))

    def _allow(self, role: iam.Role, statements: list[iam.PolicyStatement]) -> None:
        for statement in statements:
            role.add_to_policy(statement)
        resources = (resource for statement in statements for resource in statement.resources)
        acknowledge_patterns(role, (each for each in resources if each.endswith("*")))

    def _provider(self, pipeline: Pipeline) -> str:
        if pipeline.provider_arn is not None:
            return pipeline.provider_arn
        made = iam.CfnOIDCProvider(self, "Provider", url=f"https://{ISSUER}", client_id_list=[AUDIENCE])
        return made.attr_arn

    def _role(self, name: str, provider: str, subject: str, purpose: str) -> iam.Role:
        # Equality, and no pattern: another branch, environment or repository gets nothing.
        claims = {f"{ISSUER}:aud": AUDIENCE, f"{ISSUER}:sub": subject}
        role = iam.Role(
            self,
            f"{name}Role",
            assumed_by=iam.WebIdentityPrincipal(provider, {"StringEquals": claims}),
            description=purpose,
        )
        CfnOutput(
            self,
            f"{name}RoleArn",
            value=role.role_arn,
            description=f"The role that {purpose} from {subject}.",
        )
        return role

    def _arn(self, owner: str, resource: str, *, global_: bool = False) -> str:
        region = "" if global_ else self.region
        return f"arn:{self.partition}:{owner}:{region}:{self.account}:{resource}"

    def _assumes(self) -> iam.PolicyStatement:
        names = [f"cdk-{_QUALIFIER}-{name}-{self.account}-{self.region}" for name in BOOTSTRAP_ROLES]
        return iam.PolicyStatement(
            actions=["sts:AssumeRole"],
            resources=[self._arn("iam", f"role/{name}", global_=True) for name in names],
        )

    def _checks(self, stage: StageConfig) -> list[iam.PolicyStatement]:
        """What `make deploy` reads of the account before a deployment."""
        found = [
            iam.PolicyStatement(
                actions=["lambda:GetAccountSettings", "dynamodb:DescribeLimits"], resources=["*"]
            ),
            iam.PolicyStatement(
                actions=["lambda:GetFunctionConcurrency"],
                resources=[self._arn("lambda", f"function:{stage.prefix}-service-*")],
            ),
            iam.PolicyStatement(
                actions=["cloudformation:ListStackResources"],
                resources=[self._arn("cloudformation", f"stack/{stage.prefix}-service/*")],
            ),
            self._bootstrap_version(),
        ]
        if stage.canary:
            found.append(self._canary_secrets(stage))
        if stage.domain is not None:
            certificate = iam.PolicyStatement(
                actions=["acm:DescribeCertificate"], resources=[stage.domain.certificate_arn]
            )
            found.append(certificate)
        return found

    def _reads(self, stage: StageConfig) -> list[iam.PolicyStatement]:
        """The deployed templates. The CDK's lookup role would read all tables of the account, too."""
        return [
            iam.PolicyStatement(
                actions=["cloudformation:DescribeStacks", "cloudformation:GetTemplate"],
                resources=[
                    self._arn("cloudformation", f"stack/{stage.prefix}-{part}/*")
                    for part in ("data", "service")
                ],
            ),
            self._bootstrap_version(),
        ]

    def _canary_secrets(self, stage: StageConfig) -> iam.PolicyStatement:
        """Whether the parameters exist, by their tags.

        `ssm:GetParameter` would read the secrets too: the policy of the key `aws/ssm` lets every principal of the
        account decrypt by way of Systems Manager.
        """
        names = [secret.parameter(stage.name) for secret in CanarySecret]
        return iam.PolicyStatement(
            actions=["ssm:ListTagsForResource"],
            resources=[self._arn("ssm", f"parameter{name}") for name in names],
        )

    def _bootstrap_version(self) -> iam.PolicyStatement:
        return iam.PolicyStatement(
            actions=["ssm:GetParameter"],
            resources=[self._arn("ssm", f"parameter/cdk-bootstrap/{_QUALIFIER}/version")],
        )

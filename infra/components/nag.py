"""Accepted findings of cdk-nag with reasons. Any other finding fails the synth."""

from collections.abc import Iterable

from aws_cdk import Acknowledgment, Aws, Validations
from constructs import Construct

RUNTIME = "AwsSolutions::AwsSolutions-L1"
NO_AUTHORIZER = "AwsSolutions::AwsSolutions-APIG4"
CODEDEPLOY_POLICY = (
    "AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/"
    "AWSCodeDeployRoleForLambdaLimited]"
)
WILDCARD = "AwsSolutions::AwsSolutions-IAM5"
SERVER_ACCESS_LOGS = "AwsSolutions::AwsSolutions-S1"
REASONS = {
    SERVER_ACCESS_LOGS: (
        "One function writes the archive, another the files of searches, and operators read it. Data events of "
        "CloudTrail name the caller of each request, and access logs would need a second bucket that cannot log its "
        "own requests."
    ),
    RUNTIME: (
        "The runtime is pinned one version behind the newest: every wheel in requirements.lock exists for "
        "it, and the bundle is tested as a whole before the runtime moves."
    ),
    CODEDEPLOY_POLICY: (
        "CodeDeploy moves the API's alias with AWS's own policy for that purpose, which lets it update aliases and "
        "read alarms, and which CDK attaches to the role of each deployment group."
    ),
    WILDCARD: (
        "CloudFormation begins the names of functions, queues and rules with the name of their stack and draws the "
        "rest, so a policy for people or a pipeline names those of one stage by a pattern. AWS grants lists, metrics "
        "and quotas for no single resource. The archiver may read and write each file of the archive, and the "
        "redriver each file of a search. The API may list the alarms of the region. An executor may assume the roles "
        "of tenants, whose accounts and names the stage limits by a pattern. Keys of identity tokens are named by "
        "their aliases, which IAM takes in conditions alone."
    ),
    NO_AUTHORIZER: (
        "The api function authenticates each request by the tenant's API key before anything else. An "
        "authorizer at the gateway would answer 401 and 403 in the gateway's own words and cost a second call."
    ),
}


def acknowledge(scope: Construct, *rules: str) -> None:
    for rule in rules:
        Validations.of(scope).acknowledge(Acknowledgment(id=rule, reason=REASONS[rule]))


def acknowledge_patterns(scope: Construct, patterns: Iterable[str]) -> None:
    """Accept these resources of the policies below `scope`."""
    for pattern in patterns:
        shown = pattern.replace(Aws.PARTITION, "<AWS::Partition>").replace(Aws.ACCOUNT_ID, "<AWS::AccountId>")
        found = Acknowledgment(id=f"{WILDCARD}[Resource::{shown}]", reason=REASONS[WILDCARD])
        Validations.of(scope).acknowledge(found)

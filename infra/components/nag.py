"""Accepted findings of cdk-nag with reasons. Any other finding fails the synth."""

from aws_cdk import Acknowledgment, Validations
from constructs import Construct

RUNTIME = "AwsSolutions::AwsSolutions-L1"
NO_AUTHORIZER = "AwsSolutions::AwsSolutions-APIG4"
NO_RECOVERY = "AwsSolutions::AwsSolutions-DDB3"
REASONS = {
    RUNTIME: (
        "The runtime is pinned one version behind the newest: every wheel in requirements.lock exists for "
        "it, and the bundle is tested as a whole before the runtime moves."
    ),
    NO_AUTHORIZER: (
        "The api function authenticates each request by the tenant's API key before anything else. An "
        "authorizer at the gateway would answer 401 and 403 in the gateway's own words and cost a second call."
    ),
    NO_RECOVERY: (
        "The table of leases keeps its present state in every restore: leases of another time would let two "
        "workers run one execution, and the sweepers make its rows again."
    ),
}


def acknowledge(scope: Construct, *rules: str) -> None:
    for rule in rules:
        Validations.of(scope).acknowledge(Acknowledgment(id=rule, reason=REASONS[rule]))

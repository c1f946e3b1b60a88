"""Accepted findings of cdk-nag with reasons. Any other finding fails the synth."""

from aws_cdk import Acknowledgment, Stack, Validations

REASONS = {
    "AwsSolutions::AwsSolutions-L1": (
        "The runtime is pinned one version behind the newest: every wheel in requirements.lock exists for "
        "it, and the bundle is tested as a whole before the runtime moves."
    ),
    "AwsSolutions::AwsSolutions-APIG4": (
        "The api function authenticates each request by the tenant's API key before anything else. An "
        "authorizer at the gateway would answer 401 and 403 in the gateway's own words and cost a second call."
    ),
}


def acknowledge(stack: Stack) -> None:
    for rule, reason in REASONS.items():
        Validations.of(stack).acknowledge(Acknowledgment(id=rule, reason=reason))

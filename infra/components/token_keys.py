"""The keys that sign the identity tokens of a stage: RSA keys of KMS, which never leave it.

No stack refers to a key of the other one: a key is named by its alias, so that a number can leave the list.
"""

from aws_cdk import RemovalPolicy
from aws_cdk import aws_kms as kms
from constructs import Construct

from infra.config import StageConfig
from shared.names import token_key_alias


def add_token_keys(scope: Construct, stage: StageConfig) -> None:
    """Make the key of each number, and its alias. Both of a protected stage stay when the number leaves the list, so
    that no other key ever has its name."""
    removal = RemovalPolicy.RETAIN if stage.protect_data else RemovalPolicy.DESTROY
    for number in stage.token_keys:
        key = kms.Key(
            scope,
            f"TokenKey{number}",
            description=f"{stage.prefix}: signs identity tokens, with the number {number}",
            key_spec=kms.KeySpec.RSA_2048,
            key_usage=kms.KeyUsage.SIGN_VERIFY,
            removal_policy=removal,
        )
        alias = kms.Alias(
            scope,
            f"TokenAlias{number}",
            alias_name=token_key_alias(stage.name, number),
            target_key=key,
        )
        alias.apply_removal_policy(removal)

"""The rights of sessions that sign HTTP requests: as few as the URL tells."""

from typing import Any

from shared.adapters.targets.answers import use_of_keys
from shared.domain.delivery.aws_target import Arn
from shared.domain.delivery.sigv4_auth import (
    EXECUTE_API,
    LAMBDA,
    S3,
    SignedCall,
    SigV4Auth,
    partition_of,
    signed_resource,
)

_PREFIXES = {"monitoring": "cloudwatch", "iotdata": "iot", "tagging": "tag"}
"""The prefix of a service's actions where it is not the service of its signatures."""


def statements_of(call: SignedCall) -> list[dict[str, Any]]:
    """The API, or the bucket, of the URL alone; else the service in the region of the signature."""
    auth, partition = call.auth, partition_of(call.auth.region)
    resource = signed_resource(auth.service, call.callback.url)
    if auth.service == EXECUTE_API:
        api = f"arn:{partition}:execute-api:{auth.region}:*:{resource or '*'}"
        return [{"Effect": "Allow", "Action": "execute-api:*", "Resource": f"{api}/*" if resource else api}]
    if auth.service == LAMBDA:
        return _function_urls(f"arn:{partition}:lambda:{auth.region}:*:function:*")
    keys = use_of_keys(auth.service, Arn(partition=partition, region=auth.region, account="", name=""))
    if auth.service == S3 and resource is not None:
        bucket = f"arn:{partition}:s3:::{resource}"
        return [{"Effect": "Allow", "Action": "s3:*", "Resource": [bucket, f"{bucket}/*"]}, keys]
    return [*_service(auth), keys]


def _function_urls(functions: str) -> list[dict[str, Any]]:
    """The URL of a function does not tell which function it calls. No function can be called otherwise."""
    return [
        {"Effect": "Allow", "Action": "lambda:InvokeFunctionUrl", "Resource": functions},
        {
            "Effect": "Allow",
            "Action": "lambda:InvokeFunction",
            "Resource": functions,
            "Condition": {"Bool": {"lambda:InvokedViaFunctionUrl": "true"}},
        },
    ]


def _service(auth: SigV4Auth) -> list[dict[str, Any]]:
    prefix = _PREFIXES.get(auth.service, auth.service)
    return [
        {
            "Effect": "Allow",
            "Action": f"{prefix}:*",
            "Resource": "*",
            "Condition": {"StringEquals": {"aws:RequestedRegion": auth.region}},
        },
        {
            # Such as for tasks of ECS. Without an action of the service, it has no effect.
            "Effect": "Allow",
            "Action": "iam:PassRole",
            "Resource": "*",
            "Condition": {"StringLike": {"iam:PassedToService": f"{prefix}*"}},
        },
    ]

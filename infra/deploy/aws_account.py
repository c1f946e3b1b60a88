"""The account of the AWS credentials, asked with boto3."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError

from infra.deploy.account import Certificate, Concurrency, UnansweredError, UnitQuotas
from infra.provisioned import UnitsPerSecond

BOOTSTRAP_PARAMETER = "/cdk-bootstrap/hnb659fds/version"
_CONFIG = Config(connect_timeout=5, read_timeout=20, retries={"mode": "standard", "max_attempts": 4})


class AwsAccount:
    def __init__(self, region: str) -> None:
        self._region = region

    def account_id(self) -> str:
        with _answered("sts:GetCallerIdentity"):
            return str(self._client("sts").get_caller_identity()["Account"])

    def bootstrap_version(self) -> int | None:
        with _answered("ssm:GetParameter", absent="ParameterNotFound"):
            found = self._client("ssm").get_parameter(Name=BOOTSTRAP_PARAMETER)
            return int(found["Parameter"]["Value"])
        return None

    def has_parameter(self, name: str) -> bool:
        with _answered("ssm:ListTagsForResource", absent="InvalidResourceId"):
            # The tags of a parameter, because the permission to ask for it by its name would show its secret.
            self._client("ssm").list_tags_for_resource(ResourceType="Parameter", ResourceId=name)
            return True
        return False

    def concurrency(self) -> Concurrency:
        with _answered("lambda:GetAccountSettings"):
            limits = self._client("lambda").get_account_settings()["AccountLimit"]
        return Concurrency(
            quota=limits["ConcurrentExecutions"], unreserved=limits["UnreservedConcurrentExecutions"]
        )

    def reserved_by(self, stack: str) -> int:
        functions = self._functions(stack)
        client = self._client("lambda")
        with _answered("lambda:GetFunctionConcurrency"):
            found = [client.get_function_concurrency(FunctionName=name) for name in functions]
        return sum(each.get("ReservedConcurrentExecutions", 0) for each in found)

    def unit_quotas(self) -> UnitQuotas:
        with _answered("dynamodb:DescribeLimits"):
            found = self._client("dynamodb").describe_limits()
        table, account = (
            UnitsPerSecond(
                reads=found[f"{level}MaxReadCapacityUnits"], writes=found[f"{level}MaxWriteCapacityUnits"]
            )
            for level in ("Table", "Account")
        )
        return UnitQuotas(table=table, account=account)

    def certificate(self, arn: str) -> Certificate | None:
        with _answered("acm:DescribeCertificate", absent="ResourceNotFoundException"):
            found = self._client("acm").describe_certificate(CertificateArn=arn)["Certificate"]
            names = (found["DomainName"], *found.get("SubjectAlternativeNames", ()))
            return Certificate(status=found["Status"], names=tuple(dict.fromkeys(names)))
        return None

    def _functions(self, stack: str) -> list[str]:
        with _answered("cloudformation:ListStackResources", absent="ValidationError"):
            pages = self._client("cloudformation").get_paginator("list_stack_resources")
            return [
                resource["PhysicalResourceId"]
                for page in pages.paginate(StackName=stack)
                for resource in page["StackResourceSummaries"]
                if resource["ResourceType"] == "AWS::Lambda::Function" and "PhysicalResourceId" in resource
            ]
        return []

    def _client(self, service: str) -> Any:
        clients: Any = boto3
        return clients.client(service, region_name=self._region, config=_CONFIG)


@contextmanager
def _answered(action: str, absent: str | None = None) -> Iterator[None]:
    """Turn errors into UnansweredError. The code `absent` ends the block instead: what is asked for is not there."""
    try:
        yield
    except NoCredentialsError:
        raise UnansweredError(
            "there are no AWS credentials: set AWS_PROFILE, or sign in with `aws sso login`"
        ) from None
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code == absent:
            return
        raise UnansweredError(
            f"AWS refused {action} with {code}: give the credentials that permission, and check that they are valid"
        ) from None
    except BotoCoreError as error:
        raise UnansweredError(f"AWS did not answer {action}: {error}") from None

"""Messages to topics of SNS."""

from typing import Any

from shared.adapters.aws.services import Endpoint
from shared.adapters.targets.answers import Codes, TargetService, order_of, use_of_keys
from shared.adapters.targets.query_call import QueryCall
from shared.domain.delivery.aws_target import AwsTarget, TargetCall, split_arn


def _message(call: TargetCall, _: Endpoint) -> dict[str, Any]:
    target = call.target
    params = {"Version": "2010-03-31", "TopicArn": target.arn, "Message": call.body.decode()}
    for number, (name, text) in enumerate(call.attributes, start=1):
        entry = f"MessageAttributes.entry.{number}"
        params |= {
            f"{entry}.Name": name,
            f"{entry}.Value.DataType": "String",
            f"{entry}.Value.StringValue": text,
        }
    return params | order_of(call)


def _statements(target: AwsTarget) -> list[dict[str, Any]]:
    return [
        {"Effect": "Allow", "Action": "sns:Publish", "Resource": target.arn},
        use_of_keys("sns", split_arn(target.arn)),
    ]


SNS = TargetService(
    name="sns",
    operation="Publish",
    protocol=QueryCall,
    message=_message,
    statements=_statements,
    codes=Codes(
        not_found={"NotFound", "NotFoundException"},
        denied={"AuthorizationError", "AuthorizationErrorException"},
        throttled={"Throttled", "ThrottledException"},
        final={
            "InvalidParameter",
            "InvalidParameterException",
            "InvalidParameterValue",
            "InvalidParameterValueException",
            "ParameterValueInvalid",
        },
    ),
)

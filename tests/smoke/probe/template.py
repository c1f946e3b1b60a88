"""The stack that the smoke suite deploys beside a stage: a receiver behind a Function URL, an echo behind a gateway of
the API's kind, a consumer that fails in part, an inbox for alarms, and a queue with a role that sends to it.

It is plain CloudFormation, so that AWS and the emulator create it by the same call.
"""

from pathlib import Path
from typing import Any

RUNTIME, ARCHITECTURE = "python3.13", "arm64"
RECEIVER_SECONDS = 75
PARTIAL_VISIBILITY_SECONDS = 60
_HERE = Path(__file__).parent
_ASSUMED = {
    "Version": "2012-10-17",
    "Statement": [
        {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}
    ],
}
_LOGS = {
    "Effect": "Allow",
    "Action": ["logs:CreateLogStream", "logs:PutLogEvents"],
    "Resource": {"Fn::GetAtt": ["Log", "Arn"]},
}
_STORE = {
    "Effect": "Allow",
    "Action": ["dynamodb:PutItem"],
    "Resource": {"Fn::GetAtt": ["Calls", "Arn"]},
}
_CONSUME = {
    "Effect": "Allow",
    "Action": [
        "sqs:ReceiveMessage",
        "sqs:DeleteMessage",
        "sqs:ChangeMessageVisibility",
        "sqs:GetQueueAttributes",
    ],
    "Resource": {"Fn::GetAtt": ["PartialQueue", "Arn"]},
}


def template() -> dict[str, Any]:
    """The template, with the topic of the alarms as its parameter."""
    resources = _storage() | _receiver() | _echo() | _partial() | _inbox() | _target()
    outputs = {
        "CallsTable": {"Ref": "Calls"},
        "ReceiverUrl": {"Fn::GetAtt": ["ReceiverUrl", "FunctionUrl"]},
        "EchoUrl": {"Fn::GetAtt": ["EchoApi", "ApiEndpoint"]},
        "PartialQueueUrl": {"Ref": "PartialQueue"},
        "PartialQueueArn": {"Fn::GetAtt": ["PartialQueue", "Arn"]},
        "TargetQueueUrl": {"Ref": "TargetQueue"},
        "TargetQueueArn": {"Fn::GetAtt": ["TargetQueue", "Arn"]},
        "TargetRoleArn": {"Fn::GetAtt": ["TargetRole", "Arn"]},
        "AlarmInboxUrl": {"Ref": "AlarmInbox"},
        "LoggingRole": {"Fn::GetAtt": ["EchoRole", "Arn"]},
        "LogGroup": {"Ref": "Log"},
    }
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": "Punctual: what the smoke suite needs beside a stage. Deleted at the end of each run.",
        "Parameters": {
            "AlarmTopicArn": {"Type": "String"},
            "TargetExternalId": {"Type": "String", "Default": "of-no-tenant"},
        },
        "Resources": resources,
        "Outputs": {name: {"Value": value} for name, value in outputs.items()},
    }


def _storage() -> dict[str, Any]:
    return {
        "Log": {"Type": "AWS::Logs::LogGroup", "Properties": {"RetentionInDays": 1}},
        "Calls": {
            "Type": "AWS::DynamoDB::Table",
            "Properties": {
                "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            },
        },
    }


def _function(
    name: str, seconds: int, variables: dict[str, Any], *statements: dict[str, Any]
) -> dict[str, Any]:
    """A function of one file, and its role."""
    policy = {"Version": "2012-10-17", "Statement": [_LOGS, *statements]}
    return {
        f"{name}Role": {
            "Type": "AWS::IAM::Role",
            "Properties": {
                "AssumeRolePolicyDocument": _ASSUMED,
                "Policies": [{"PolicyName": "own", "PolicyDocument": policy}],
            },
        },
        f"{name}Function": {
            "Type": "AWS::Lambda::Function",
            "Properties": {
                "Runtime": RUNTIME,
                "Architectures": [ARCHITECTURE],
                "Handler": "index.handler",
                "Code": {"ZipFile": (_HERE / f"{name.lower()}.py").read_text(encoding="utf-8")},
                "Role": {"Fn::GetAtt": [f"{name}Role", "Arn"]},
                "Timeout": seconds,
                "MemorySize": 512,
                "LoggingConfig": {"LogGroup": {"Ref": "Log"}},
                "Environment": {"Variables": variables},
            },
        },
    }


def _receiver() -> dict[str, Any]:
    function = {"Ref": "ReceiverFunction"}
    return _function("Receiver", RECEIVER_SECONDS, {"CALLS": {"Ref": "Calls"}}, _STORE) | {
        "ReceiverUrl": {
            "Type": "AWS::Lambda::Url",
            "Properties": {"TargetFunctionArn": function, "AuthType": "NONE"},
        },
        "ReceiverIsPublic": {
            "Type": "AWS::Lambda::Permission",
            "Properties": {
                "Action": "lambda:InvokeFunctionUrl",
                "FunctionName": function,
                "FunctionUrlAuthType": "NONE",
                "Principal": "*",
            },
        },
        # Function URLs ask for both permissions; this one holds for requests of the URL alone.
        "ReceiverIsInvoked": {
            "Type": "AWS::Lambda::Permission",
            "Properties": {
                "Action": "lambda:InvokeFunction",
                "FunctionName": function,
                "InvokedViaFunctionUrl": True,
                "Principal": "*",
            },
        },
    }


def _echo() -> dict[str, Any]:
    source = "arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${EchoApi}/*"
    return _function("Echo", 35, {}) | {
        "EchoApi": {
            "Type": "AWS::ApiGatewayV2::Api",
            "Properties": {"Name": {"Ref": "AWS::StackName"}, "ProtocolType": "HTTP"},
        },
        "EchoIntegration": {
            "Type": "AWS::ApiGatewayV2::Integration",
            "Properties": {
                "ApiId": {"Ref": "EchoApi"},
                "IntegrationType": "AWS_PROXY",
                "IntegrationUri": {"Fn::GetAtt": ["EchoFunction", "Arn"]},
                "PayloadFormatVersion": "2.0",
            },
        },
        "EchoRoute": {
            "Type": "AWS::ApiGatewayV2::Route",
            "Properties": {
                "ApiId": {"Ref": "EchoApi"},
                "RouteKey": "$default",
                "Target": {"Fn::Join": ["/", ["integrations", {"Ref": "EchoIntegration"}]]},
            },
        },
        "EchoStage": {
            "Type": "AWS::ApiGatewayV2::Stage",
            "Properties": {"ApiId": {"Ref": "EchoApi"}, "StageName": "$default", "AutoDeploy": True},
        },
        "EchoPermission": {
            "Type": "AWS::Lambda::Permission",
            "Properties": {
                "Action": "lambda:InvokeFunction",
                "FunctionName": {"Ref": "EchoFunction"},
                "Principal": "apigateway.amazonaws.com",
                "SourceArn": {"Fn::Sub": source},
            },
        },
    }


def _partial() -> dict[str, Any]:
    variables = {"CALLS": {"Ref": "Calls"}, "QUEUE": {"Ref": "PartialQueue"}}
    return _function("Partial", 55, variables, _STORE, _CONSUME) | {
        "PartialQueue": {
            "Type": "AWS::SQS::Queue",
            "Properties": {"VisibilityTimeout": PARTIAL_VISIBILITY_SECONDS},
        },
        "PartialSource": {
            "Type": "AWS::Lambda::EventSourceMapping",
            "Properties": {
                "EventSourceArn": {"Fn::GetAtt": ["PartialQueue", "Arn"]},
                "FunctionName": {"Ref": "PartialFunction"},
                "FunctionResponseTypes": ["ReportBatchItemFailures"],
            },
        },
    }


def _target() -> dict[str, Any]:
    """A queue, and a role of the tenant that trusts the account with an external id."""
    trust = {
        "Effect": "Allow",
        "Action": "sts:AssumeRole",
        "Principal": {"AWS": {"Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:root"}},
        "Condition": {"StringEquals": {"sts:ExternalId": {"Ref": "TargetExternalId"}}},
    }
    send = {
        "Effect": "Allow",
        "Action": "sqs:SendMessage",
        "Resource": {"Fn::GetAtt": ["TargetQueue", "Arn"]},
    }
    return {
        "TargetQueue": {"Type": "AWS::SQS::Queue", "Properties": {"MessageRetentionPeriod": 3_600}},
        "TargetRole": {
            "Type": "AWS::IAM::Role",
            "Properties": {
                "Path": "/punctual/",
                "AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": [trust]},
                "Policies": [
                    {
                        "PolicyName": "own",
                        "PolicyDocument": {"Version": "2012-10-17", "Statement": [send]},
                    }
                ],
            },
        },
    }


def _inbox() -> dict[str, Any]:
    queue = {"Fn::GetAtt": ["AlarmInbox", "Arn"]}
    return {
        "AlarmInbox": {"Type": "AWS::SQS::Queue", "Properties": {"MessageRetentionPeriod": 3_600}},
        "AlarmInboxPolicy": {
            "Type": "AWS::SQS::QueuePolicy",
            "Properties": {
                "Queues": [{"Ref": "AlarmInbox"}],
                "PolicyDocument": {
                    "Version": "2012-10-17",
                    "Statement": [
                        {
                            "Effect": "Allow",
                            "Principal": {"Service": "sns.amazonaws.com"},
                            "Action": "sqs:SendMessage",
                            "Resource": queue,
                            "Condition": {"ArnEquals": {"aws:SourceArn": {"Ref": "AlarmTopicArn"}}},
                        }
                    ],
                },
            },
        },
        "AlarmSubscription": {
            "Type": "AWS::SNS::Subscription",
            "DependsOn": "AlarmInboxPolicy",
            "Properties": {
                "TopicArn": {"Ref": "AlarmTopicArn"},
                "Protocol": "sqs",
                "Endpoint": queue,
                "RawMessageDelivery": True,
            },
        },
    }

"""The SNS topic of a stage's alarms, and its subscriptions.

The topic is not encrypted: its messages have names and states of alarms alone. CloudWatch cannot publish to a
topic with the key of SNS that AWS manages, and a key of our own costs a dollar a month.
"""

from hashlib import sha256

from aws_cdk import Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from constructs import Construct

from infra.config import StageConfig

ALARMS_AND_RECOVERIES = {"$or": [{"NewStateValue": ["ALARM"]}, {"OldStateValue": ["ALARM"]}]}
"""A new alarm passes from no data to OK once: without this filter, a first deployment sends one message for
each alarm."""


def alarm_topic(scope: Construct, stage: StageConfig) -> sns.ITopic:
    """The topic that exists, or a topic with a subscription for each address."""
    targets = stage.alarm_targets
    if targets.topic_arn is not None:
        return sns.Topic.from_topic_arn(scope, "Topic", targets.topic_arn)
    topic = sns.Topic(scope, "Topic", display_name=f"{stage.prefix} alarms", enforce_ssl=not stage.emulated)
    if not stage.emulated:
        # A policy replaces the default policy, which would let CloudWatch publish.
        topic.add_to_resource_policy(_cloudwatch_may_publish(topic))
    for email in targets.emails:
        _subscribe(scope, topic, "email", email)
    for url in targets.https:
        _subscribe(scope, topic, "https", url)
    return topic


def _cloudwatch_may_publish(topic: sns.Topic) -> iam.PolicyStatement:
    stack = Stack.of(topic)
    alarms = f"arn:{stack.partition}:cloudwatch:{stack.region}:{stack.account}:alarm:*"
    return iam.PolicyStatement(
        sid="CloudWatchAlarmsOfThisAccount",
        principals=[iam.ServicePrincipal("cloudwatch.amazonaws.com")],
        actions=["sns:Publish"],
        resources=[topic.topic_arn],
        conditions={
            "StringEquals": {"aws:SourceAccount": stack.account},
            "ArnLike": {"aws:SourceArn": alarms},
        },
    )


def _subscribe(scope: Construct, topic: sns.Topic, protocol: str, endpoint: str) -> None:
    # The name of the resource is a digest of the address, so that another order of addresses replaces nothing.
    sns.CfnSubscription(
        scope,
        f"Target{sha256(endpoint.encode()).hexdigest()[:8]}",
        topic_arn=topic.topic_arn,
        protocol=protocol,
        endpoint=endpoint,
        filter_policy=ALARMS_AND_RECOVERIES,
        filter_policy_scope="MessageBody",
    )

"""The grants of an engineer on call: what the runbooks look at, stop, start and point to an earlier version.

`python -m infra.lifecycle resume` is one of the runbooks' commands.

No grant reads a tenant's key or request, writes to a table, or deploys.
"""

from collections.abc import Mapping
from enum import StrEnum


class On(StrEnum):
    """A kind of resources of one stage."""

    FUNCTIONS = "functions"
    SOURCES = "event sources"
    RULES = "rules"
    ROLLOUT = "deployment groups"
    QUEUES = "queues"
    TABLES = "tables"
    RECORDS = "tables of jobs and executions"
    """Their requests are sealed, and no grant opens them."""
    LOGS = "log groups"
    ALARMS = "alarms"
    DASHBOARD = "dashboard"
    RANKINGS = "rules of Contributor Insights"
    STACKS = "stacks"
    ANY = "any"
    """Lists, metrics and quotas, which AWS grants for no single resource."""


ON_CALL: Mapping[On, tuple[str, ...]] = {
    On.FUNCTIONS: (
        "lambda:DeleteFunctionConcurrency",
        "lambda:GetAlias",
        "lambda:GetFunctionConcurrency",
        "lambda:GetFunctionConfiguration",
        "lambda:InvokeFunction",
        "lambda:ListVersionsByFunction",
        "lambda:PutFunctionConcurrency",
        "lambda:UpdateAlias",
    ),
    On.SOURCES: ("lambda:GetEventSourceMapping", "lambda:UpdateEventSourceMapping"),
    On.RULES: ("events:DescribeRule", "events:DisableRule", "events:EnableRule"),
    On.ROLLOUT: ("codedeploy:GetDeployment", "codedeploy:ListDeployments", "codedeploy:StopDeployment"),
    On.QUEUES: ("sqs:GetQueueAttributes",),
    On.TABLES: ("dynamodb:DescribeContinuousBackups", "dynamodb:DescribeTable"),
    On.RECORDS: ("dynamodb:CreateBackup", "dynamodb:GetItem"),
    On.LOGS: ("logs:FilterLogEvents", "logs:StartQuery"),
    On.ALARMS: (
        "cloudwatch:DisableAlarmActions",
        "cloudwatch:EnableAlarmActions",
        "cloudwatch:SetAlarmState",
    ),
    On.DASHBOARD: ("cloudwatch:GetDashboard",),
    On.RANKINGS: ("cloudwatch:GetInsightRuleReport",),
    On.STACKS: (
        "cloudformation:CancelUpdateStack",
        "cloudformation:DescribeStackEvents",
        "cloudformation:DescribeStacks",
        "cloudformation:GetTemplate",
        "cloudformation:ListStackResources",
    ),
    On.ANY: (
        "cloudwatch:DescribeAlarmHistory",
        "cloudwatch:DescribeAlarms",
        "cloudwatch:GetMetricData",
        "cloudwatch:GetMetricStatistics",
        "cloudwatch:ListDashboards",
        "cloudwatch:ListMetrics",
        "dynamodb:ListBackups",
        "events:ListRuleNamesByTarget",
        "events:ListRules",
        "lambda:GetAccountSettings",
        "lambda:ListEventSourceMappings",
        "logs:DescribeLogGroups",
        "logs:DescribeQueryDefinitions",
        "logs:GetQueryResults",
        "servicequotas:GetServiceQuota",
        "servicequotas:ListRequestedServiceQuotaChangeHistory",
        "servicequotas:ListServiceQuotas",
        "servicequotas:RequestServiceQuotaIncrease",
        "sqs:ListQueues",
    ),
}

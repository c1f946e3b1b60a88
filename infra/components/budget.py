"""The monthly budget of a stage: AWS writes to people before its bill is a surprise."""

from aws_cdk import aws_budgets as budgets
from constructs import Construct

from infra.config import StageConfig

WARNINGS = (("ACTUAL", 80), ("FORECASTED", 100))
"""A kind of cost, and the percentage of the budget above which AWS notifies."""


def add_budget(scope: Construct, stage: StageConfig, dollars: int) -> None:
    """Count what has the stage's tag. AWS Budgets reads tags only after they were activated for cost allocation.

    The subscriptions of the alarm topic take alarms alone, so that the addresses of e-mails are notified without it.
    """
    targets = stage.alarm_targets
    subscribers = [
        budgets.CfnBudget.SubscriberProperty(address=address, subscription_type=kind)
        for kind, addresses in (("EMAIL", targets.emails), ("SNS", [targets.topic_arn]))
        for address in addresses
        if address is not None
    ]
    budgets.CfnBudget(
        scope,
        "Budget",
        budget=budgets.CfnBudget.BudgetDataProperty(
            budget_name=f"{stage.prefix}-{stage.region}",
            budget_type="COST",
            time_unit="MONTHLY",
            budget_limit=budgets.CfnBudget.SpendProperty(amount=dollars, unit="USD"),
            cost_filters={"TagKeyValue": [f"user:punctual:stage${stage.name}"]},
        ),
        notifications_with_subscribers=[
            budgets.CfnBudget.NotificationWithSubscribersProperty(
                notification=budgets.CfnBudget.NotificationProperty(
                    notification_type=kind, comparison_operator="GREATER_THAN", threshold=percent
                ),
                subscribers=subscribers,
            )
            for kind, percent in WARNINGS
        ],
    )

"""The budget of a stage: whom AWS warns of which costs."""

from tests.infra.conftest import ALARM_TARGETS, TOPIC, Synthesised


def test_budget_counts_what_has_the_tag_of_the_stage(cloud: Synthesised) -> None:
    (made,) = cloud.service.properties("AWS::Budgets::Budget")
    assert made["Budget"]["CostFilters"] == {"TagKeyValue": ["user:punctual:stage$test"]}
    assert made["Budget"]["BudgetLimit"] == {"Amount": 500, "Unit": "USD"}
    assert cloud.stage.all_tags["punctual:stage"] == "test"


def test_budget_writes_to_the_addresses_of_the_alarms_at_80_and_100_percent(cloud: Synthesised) -> None:
    (made,) = cloud.service.properties("AWS::Budgets::Budget")
    warnings = made["NotificationsWithSubscribers"]
    assert [
        (warning["Notification"]["NotificationType"], warning["Notification"]["Threshold"])
        for warning in warnings
    ] == [("ACTUAL", 80), ("FORECASTED", 100)]
    addresses = [{"Address": email, "SubscriptionType": "EMAIL"} for email in ALARM_TARGETS.emails]
    assert [warning["Subscribers"] for warning in warnings] == [addresses, addresses]


def test_budget_notifies_the_topic_that_exists(large: Synthesised) -> None:
    (made,) = large.service.properties("AWS::Budgets::Budget")
    assert made["NotificationsWithSubscribers"][0]["Subscribers"] == [
        {"Address": TOPIC, "SubscriptionType": "SNS"}
    ]


def test_stage_without_an_amount_has_no_budget(local: Synthesised) -> None:
    assert not {made["Type"] for made in local.service.body["Resources"].values()} & {"AWS::Budgets::Budget"}

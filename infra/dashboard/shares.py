"""Errors as a share of events, beside the objective and the thresholds of its burn alarms."""

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch

from infra.components.burn_alarms import BURNS, Objective
from infra.dashboard.section import Graph, objective_line
from infra.dashboard.sources import Sources

WINDOW = Duration.minutes(5)


def share_graph(title: str, objective: Objective, sources: Sources) -> Graph:
    """The alarms read longer windows: a short peak above their lines need not alarm."""
    percent = cloudwatch.MathExpression(
        expression="100 * FILL(errors, 0) / events",
        using_metrics={
            "errors": objective.errors.with_(period=WINDOW),
            "events": objective.events.with_(period=WINDOW),
        },
        period=WINDOW,
        label="% of events",
    )
    budget = objective.budget_percent
    alarms = sources.lines(*(f"{objective.name}Burn{burn.name}" for burn in BURNS))
    return Graph(
        title=title, metrics=[percent], limits=[objective_line(budget, f"objective: {budget}"), *alarms]
    )

"""Alarms on the service level objectives: first attempts start on time, and the API answers without 5xx.

An alarm fires if the errors of its window use up the error budget of 30 days so much faster than evenly. A fast
burn uses 2 % of the budget in an hour, and a slow burn 5 % in six hours. CloudWatch evaluates each window every
minute, as it slides. All metrics of an alarm must have the same period, so no alarm also checks a short window:
that would take a second alarm and a composite alarm, at $0.70 a month for each alarm of this module. The window
alone decides when the alarm ends: an hour after the last errors, or six.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch

from infra.components.alarm_spec import AlarmSpec
from infra.components.http_entry import HttpEntry
from infra.components.metrics import SUM, OwnMetrics
from infra.config import StageConfig
from shared.names import LATE_START_MS, Metric

MIN_ERRORS = 5
"""Fewer errors in a window never alarm, so that one failure on a quiet stage does not."""
COUNT = "SampleCount"
ROLLOUT_MINUTES = 5
ROLLOUT_PERCENT = 1
"""Of all requests, so that a release which fails for a tenth of its own tenth goes back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Burn:
    """A rate at which the error budget is used, and the window in which it is measured."""

    name: str
    hours: int
    rate: float


BURNS = (Burn(name="Fast", hours=1, rate=14.4), Burn(name="Slow", hours=6, rate=6))


@dataclass(frozen=True, slots=True, kw_only=True)
class Objective:
    """At most `budget_percent` of `events` are `errors`."""

    name: str
    errors_are: str
    budget_percent: float
    errors: cloudwatch.Metric
    events: cloudwatch.Metric


def start_objective(stage: StageConfig) -> Objective:
    own = OwnMetrics(stage)
    return Objective(
        name="Start",
        errors_are=f"first attempts started more than {LATE_START_MS // 1_000} seconds late",
        budget_percent=0.1,
        errors=own.of_stage(Metric.LATE_STARTS),
        events=own.of_stage(Metric.LATE_STARTS, COUNT),
    )


def api_objective(entry: HttpEntry) -> Objective:
    return Objective(
        name="Api",
        errors_are="requests to the API were answered with 5xx",
        budget_percent=0.05,
        errors=entry.api.metric_server_error(statistic=SUM),
        events=entry.api.metric_count(statistic=SUM),
    )


def burn_alarms(stage: StageConfig, entry: HttpEntry) -> Iterator[AlarmSpec]:
    for objective in (start_objective(stage), api_objective(entry)):
        for burn in BURNS:
            yield _alarm(objective, burn)


def rollout_alarm(entry: HttpEntry) -> AlarmSpec:
    """Tells within minutes that a release fails which has a tenth of the requests. A burn takes an hour to see that,
    and notifies, so this alarm only ends the rollout."""
    return AlarmSpec(
        name="RolloutErrors",
        description=f"Over {ROLLOUT_PERCENT} % of the last {ROLLOUT_MINUTES} minutes' requests to the API were "
        "answered with 5xx: a rollout of the API goes back.",
        metric=_share(api_objective(entry), Duration.minutes(ROLLOUT_MINUTES)),
        threshold=ROLLOUT_PERCENT,
        notifies=False,
    )


def _alarm(objective: Objective, burn: Burn) -> AlarmSpec:
    percent = objective.budget_percent * burn.rate
    window = "the last hour" if burn.hours == 1 else f"the last {burn.hours} hours"
    return AlarmSpec(
        name=f"{objective.name}Burn{burn.name}",
        description=f"Over {percent:.2g} % of {window}'s {objective.errors_are}.",
        metric=_share(objective, Duration.hours(burn.hours)),
        threshold=percent,
    )


def _share(objective: Objective, period: Duration) -> cloudwatch.MathExpression:
    # Without a value for a window without errors, CloudWatch would judge an earlier window once more.
    errors = "FILL(errors, 0)"
    return cloudwatch.MathExpression(
        expression=f"IF({errors} >= {MIN_ERRORS}, 100 * {errors} / events, 0)",
        using_metrics={
            "errors": objective.errors.with_(period=period),
            "events": objective.events.with_(period=period),
        },
        period=period,
        label="% of events that are errors",
    )

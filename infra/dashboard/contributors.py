"""Rules of Contributor Insights: the tenants that create jobs most often, and those whose attempts do not succeed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jsii
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.config import StageConfig
from infra.dashboard.section import GRAPH_HEIGHT, GRAPH_WIDTH
from infra.dashboard.sources import EXECUTORS
from shared.names import ACCEPTED_BATCH_LOG_LINE, ACCEPTED_LOG_LINE

TENANT = "$.tenant"
SHOWN = 10
"""The contributors that the widget ranks."""
PERIOD_SECONDS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Counts the lines of some logs by tenant."""

    name: str
    title: str
    services: Sequence[str]
    filters: Sequence[Mapping[str, Any]]


CREATORS = Ranking(
    name="creators",
    title="Tenants by requests that create jobs",
    services=("api",),
    filters=({"Match": "$.message", "In": [ACCEPTED_LOG_LINE, ACCEPTED_BATCH_LOG_LINE]},),
)
FAILURES = Ranking(
    name="failures",
    title="Tenants by attempts that did not succeed",
    services=EXECUTORS,
    # An executor names a tenant in no other line.
    filters=({"Match": TENANT, "IsPresent": True},),
)


class Contributors(Construct):
    """The rules of a stage; AWS bills each by the month, and each line that matches."""

    def __init__(self, scope: Construct, stage: StageConfig, log_groups: Mapping[str, logs.LogGroup]) -> None:
        super().__init__(scope, "Contributors")
        self._stage = stage
        self._log_groups = log_groups
        self.creators, self.failures = self._widget(CREATORS), self._widget(FAILURES)

    def _widget(self, ranking: Ranking) -> cloudwatch.IWidget:
        rule = cloudwatch.CfnInsightRule(
            self,
            ranking.name.capitalize(),
            rule_name=f"{self._stage.prefix}-{ranking.name}",
            rule_state="ENABLED",
            rule_body=json.dumps(
                {
                    "Schema": {"Name": "CloudWatchLogRule", "Version": 1},
                    "LogGroupNames": [self._log_groups[name].log_group_name for name in ranking.services],
                    "LogFormat": "JSON",
                    "Contribution": {"Keys": [TENANT], "Filters": list(ranking.filters)},
                    "AggregateOn": "Count",
                }
            ),
        )
        return RankingWidget(ranking.title, rule.rule_name, self._stage.region)


@jsii.implements(cloudwatch.IWidget)
class RankingWidget:
    """The largest contributors of a rule over time; the CDK has no such widget."""

    def __init__(self, title: str, rule: str, region: str) -> None:
        self._title = title
        self._rule = rule
        self._region = region
        self._x = self._y = 0.0

    @property
    def width(self) -> float:
        return GRAPH_WIDTH

    @property
    def height(self) -> float:
        return GRAPH_HEIGHT

    @property
    def warnings(self) -> list[str] | None:
        return None

    @property
    def warnings_v2(self) -> dict[str, str] | None:
        return None

    def position(self, x: float, y: float) -> None:
        """The dashboard calls this with the corner at the upper left."""
        self._x, self._y = x, y

    def to_json(self) -> list[Any]:
        """The widget as the body of a dashboard has it."""
        return [
            {
                "type": "metric",
                "width": self.width,
                "height": self.height,
                "x": self._x,
                "y": self._y,
                "properties": {
                    "title": self._title,
                    "region": self._region,
                    "view": "timeSeries",
                    "period": PERIOD_SECONDS,
                    "insightRule": {"ruleName": self._rule, "maxContributorCount": SHOWN, "orderBy": "Sum"},
                },
            }
        ]

from dataclasses import dataclass

from aws_cdk import aws_cloudwatch as cloudwatch

OVER = cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD
UNDER = cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD
MISSING_IS_OK = cloudwatch.TreatMissingData.NOT_BREACHING
MISSING_IS_BREACHING = cloudwatch.TreatMissingData.BREACHING


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmSpec:
    """Fires if the metric breached the threshold in `minutes` of the last `of_minutes` minutes.

    For a metric of a longer period, these are the counts of its periods.
    """

    name: str
    description: str
    """One sentence; the link to the runbook is added."""
    metric: cloudwatch.IMetric
    threshold: float = 0
    comparison: cloudwatch.ComparisonOperator = OVER
    minutes: int = 1
    of_minutes: int = 1
    missing: cloudwatch.TreatMissingData = MISSING_IS_OK
    notifies: bool = True
    """Whether a person hears of it. CodeDeploy alone reads the state of the others."""

    @property
    def is_expression(self) -> bool:
        return isinstance(self.metric, cloudwatch.MathExpression)

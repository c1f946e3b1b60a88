"""Saved queries of CloudWatch Logs Insights, in a folder of the stage, and metrics that are made of log lines.

docs/operations/logs.md describes the lines; a test compares the fields of each query with it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.components.functions import Functions
from infra.components.http_entry import HttpEntry
from infra.components.metrics import log_namespace
from infra.config import StageConfig
from shared.names import ACCEPTED_BATCH_LOG_LINE, ACCEPTED_LOG_LINE, Metric

ACCESS_LOG = "access log"
ID_TO_PASTE = "0af7651916cd43dd8448eb211c80319c"
"""An example, which operators replace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedQuery:
    name: str
    of: tuple[str, ...]
    """Starts of the services whose logs it reads, or the access log."""
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n| ".join(self.lines)


_ATTEMPTS = ("executor",)
QUERIES = (
    SavedQuery(
        name="Life of an execution",
        of=("api", "executor", "sweeper", "dead-letter"),
        lines=(
            "fields @timestamp, @log, level, message, end, attempt, reason, status, execution, job, trace, span",
            f'filter @message like "{ID_TO_PASTE}"',
            "sort @timestamp asc",
            "limit 1000",
        ),
    ),
    SavedQuery(
        name="Slowest requests",
        of=(ACCESS_LOG,),
        lines=(
            "fields @timestamp, ms, method, path, status, request_id, error",
            "sort ms desc",
            "limit 50",
        ),
    ),
    SavedQuery(
        name="Refused and failed requests",
        of=(ACCESS_LOG,),
        lines=(
            "filter status >= 429",
            "stats count(*) as requests by status, error, bin(5m)",
            "sort requests desc",
        ),
    ),
    SavedQuery(
        name="Errors by function",
        of=("api", "executor", "watcher", "sweeper", "reconciler", "redriver", "dead-letter"),
        lines=(
            'filter level = "ERROR"',
            "stats count(*) as errors by @log, message, exception_name",
            "sort errors desc",
        ),
    ),
    SavedQuery(
        name="Lost workers",
        of=("executor", "sweeper", "dead-letter"),
        lines=(
            'filter message = "worker lost"',
            "fields @timestamp, @log, tenant, execution, attempt, trace, span",
            "sort @timestamp desc",
        ),
    ),
    SavedQuery(
        name="Refunded attempts",
        of=_ATTEMPTS,
        lines=(
            'filter message = "attempt ended" and end = "refunded"',
            "stats count(*) as attempts by reason, bin(5m)",
            "sort attempts desc",
        ),
    ),
    SavedQuery(
        name="Failed attempts by tenant",
        of=_ATTEMPTS,
        lines=(
            'filter message = "attempt ended"',
            "stats count(*) as attempts, max(duration_ms) as longest_ms by tenant, end, reason, status",
            "sort attempts desc",
        ),
    ),
    SavedQuery(
        name="Throttles of AWS services",
        of=("api", "executor", "watcher", "sweeper", "reconciler", "redriver", "dead-letter"),
        lines=(
            'filter message = "throttled"',
            "stats sum(requests) as throttled by @log, operation, resources.0",
            "sort throttled desc",
        ),
    ),
    SavedQuery(
        name="Accepted jobs by tenant",
        of=("api",),
        lines=(
            f'filter message in ["{ACCEPTED_LOG_LINE}", "{ACCEPTED_BATCH_LOG_LINE}"]',
            "stats sum(coalesce(size, 1)) as jobs by tenant",
            "sort jobs desc",
        ),
    ),
)
_CREATED: Mapping[str, tuple[str, str]] = {
    "Single": (ACCEPTED_LOG_LINE, "1"),
    "Batch": (ACCEPTED_BATCH_LOG_LINE, "$.size"),
}
"""The message, and how many jobs such a line stands for."""


def save_queries(scope: Construct, stage: StageConfig, functions: Functions, entry: HttpEntry) -> None:
    for query in QUERIES:
        logs.CfnQueryDefinition(
            scope,
            "Query" + "".join(word.capitalize() for word in query.name.split()),
            name=f"{stage.prefix}/{query.name}",
            query_string=query.text,
            log_group_names=[group.log_group_name for group in _groups(query.of, functions, entry)],
        )


def count_created_jobs(scope: Construct, stage: StageConfig, functions: Functions) -> None:
    """Count the jobs in the lines that the API writes anyway; a repeated request creates none."""
    for name, (message, jobs) in _CREATED.items():
        logs.CfnMetricFilter(
            scope,
            f"JobsCreated{name}",
            log_group_name=functions.logs["api"].log_group_name,
            filter_pattern=f'{{ ($.message = "{message}") && ($.replayed NOT EXISTS) }}',
            metric_transformations=[
                logs.CfnMetricFilter.MetricTransformationProperty(
                    metric_namespace=log_namespace(stage), metric_name=Metric.JOBS_CREATED, metric_value=jobs
                )
            ],
        )


def _groups(of: Sequence[str], functions: Functions, entry: HttpEntry) -> list[logs.LogGroup]:
    found = [group for service, group in functions.logs.items() if service.startswith(tuple(of))]
    return [*found, entry.access_log] if ACCESS_LOG in of else found

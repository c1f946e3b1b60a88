"""The requests of notifications: rebuilt for each attempt from the ended execution, which never changes."""

import json

from shared.domain.bucket import HOURLY_MS, MINUTE_MS
from shared.domain.delivery.alerts import Alert, AlertEvent, AlertFormat, ReachedLimit
from shared.domain.delivery.request import Request
from shared.domain.executions.alert_window import AlertSummary, summary_due_at
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.console_links import ConsoleLinks
from shared.domain.executions.execution import Execution
from shared.domain.executions.limit_alert import EFFECTS, window_end_ms
from shared.domain.executions.notification import NotifiedJob, lag_ms
from shared.domain.executions.slack_text import slack_limit, slack_summary, slack_text
from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.quota import Quota


def notification_request(
    url: str, ended: Execution, job: NotifiedJob, alert: Alert | None, links: ConsoleLinks
) -> Request:
    """The request to the target: the outcome only, never the request of the job."""
    if alert is None:
        link = links.execution(str(ended.id))
        document = _document(ended, f"execution.{ended.state}", _data(ended, job, link))
    elif alert.format is AlertFormat.SLACK:
        document = {"text": slack_text(ended, job, alert.events, links)}
    else:
        link = links.alert(alert.events, ended.job_id, str(ended.id))
        document = _document(ended, "execution.alert", {"events": alert.events, **_data(ended, job, link)})
    return _request(url, document)


def summary_request(
    url: str, summary: AlertSummary, body_format: AlertFormat, links: ConsoleLinks
) -> Request:
    """The request that announces the suppressed alerts of a window."""
    if body_format is AlertFormat.SLACK:
        return _request(url, {"text": slack_summary(summary, links)})
    from_at, due_at = summary.window.minute * MINUTE_MS, summary_due_at(summary.window)
    data: dict[str, object] = {
        "count": summary.count,
        "is_lower_bound": summary.is_lower_bound,
        "jobs": summary.jobs,
        "job_ids": summary.job_ids,
        "events": dict(summary.events),
        "console_url": links.suppressed(dict(summary.events)),
        "from": format_instant(from_at),
        "to": format_instant(from_at + MINUTE_MS),
    }
    return _request(url, {"type": "execution.alerts", "timestamp": format_instant(due_at), "data": data})


def limit_request(url: str, reached: ReachedLimit, body_format: AlertFormat, links: ConsoleLinks) -> Request:
    """The request that announces a limit of the tenant."""
    if body_format is AlertFormat.SLACK:
        return _request(url, {"text": slack_limit(reached, links)})
    until_at = window_end_ms(reached.reached_at)
    data: dict[str, object] = {
        "events": (AlertEvent.LIMIT_REACHED,),
        "limit": reached.quota,
        "value": reached.limit,
        "effect": EFFECTS[Quota(reached.quota)],
        "console_url": links.usage(),
        "reached_at": format_instant(reached.reached_at),
        "from": format_instant(until_at - HOURLY_MS),
        "to": format_instant(until_at),
    }
    timestamp = format_instant(reached.reached_at)
    return _request(url, {"type": "tenant.alert", "timestamp": timestamp, "data": data})


def _request(url: str, document: dict[str, object]) -> Request:
    return Request(
        method="POST",
        url=url,
        headers=(("Content-Type", "application/json"),),
        body=json.dumps(document, separators=(",", ":")).encode(),
    )


def _document(ended: Execution, kind: str, data: dict[str, object]) -> dict[str, object]:
    notified_at = (ended.progress.notification or ended.id).dispatch_at
    return {"type": kind, "timestamp": format_instant(notified_at), "data": data}


def _data(ended: Execution, job: NotifiedJob, link: str | None) -> dict[str, object]:
    return {
        "job_id": ended.job_id,
        "name": job.name,
        "tags": job.tags,
        "lane": ended.lane,
        "host": job.host,
        "execution_id": str(ended.id),
        "execution_path": f"/v1/executions/{ended.id}",
        "console_url": link,
        "outcome": str(ended.state),
        "end_reason": ended.progress.end_reason,
        "scheduled_at": format_instant(ended.scheduled_at),
        "due_at": format_instant(ended.due_at),
        "lag_ms": lag_ms(ended),
        "redrive_of": str(ended.redrive_of.original) if ended.redrive_of else None,
        "attempts_begun": ended.attempt,
        "attempts": [_attempt(outcome) for outcome in ended.progress.outcomes],
    }


def _attempt(outcome: AttemptOutcome) -> dict[str, object]:
    return {
        "number": outcome.attempt,
        "started_at": format_instant(outcome.started_at),
        "duration_ms": outcome.duration_ms,
        "status": outcome.status,
        "reason": outcome.reason.word,
    }

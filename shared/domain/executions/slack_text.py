"""The text of an alert in the form of Slack's incoming webhooks, which many chats accept."""

import re

from shared.domain.bucket import MINUTE_MS
from shared.domain.delivery.alerts import AlertEvent, ReachedLimit
from shared.domain.executions.alert_window import AlertSummary
from shared.domain.executions.console_links import ConsoleLinks
from shared.domain.executions.execution import Execution
from shared.domain.executions.limit_alert import EFFECTS, Effect
from shared.domain.executions.notification import NotifiedJob, lag_ms
from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.quota import Quota

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
"""The characters that Slack reads as markup: a name could otherwise mention a channel, or hide a link."""
_ACTIVE = re.compile(r"@(?=channel|here|everyone|group|all)|\](?=\()", re.IGNORECASE)
"""What other chats read: a mention of everybody, and the middle of a Markdown link, which would hide its address."""
_WORD_JOINER = "\u2060"


def slack_text(
    ended: Execution, job: NotifiedJob, events: tuple[AlertEvent, ...], links: ConsoleLinks
) -> str:
    """What happened, to which job, and where to look. No part of it notifies a whole channel, or hides a link.

    A link stands as it is, in a line of its own: every chat makes it one to click, while the markup of links differs.
    """
    happened = "; ".join(_sentence(event, ended) for event in events)
    about = [f"due {format_instant(ended.due_at)}", f"lane {ended.lane}"]
    about += [f"host {job.host}"] * (job.host is not None)
    about += [f"tags {', '.join(job.tags)}"] * bool(job.tags)
    lines = (
        f"*{escaped(job.name or ended.job_id)}* {escaped(happened)}",
        escaped("; ".join(about)),
        links.alert(events, ended.job_id, str(ended.id)) or f"/v1/executions/{ended.id}",
    )
    return "\n".join(lines)


def slack_summary(summary: AlertSummary, links: ConsoleLinks) -> str:
    """How many alerts of how many jobs were not sent one by one."""
    more = "At least " if summary.is_lower_bound else ""
    jobs = f"{summary.jobs:,} job{'' if summary.jobs == 1 else 's'}"
    from_at = summary.window.minute * MINUTE_MS
    events = ", ".join(f"{count:,} {event}" for event, count in summary.events)
    link = links.suppressed(dict(summary.events))
    text = (
        f"{more}{summary.count:,} more alert{'' if summary.count == 1 else 's'} of {jobs} "
        f"in the minute from {format_instant(from_at)}: {events}\n{', '.join(summary.job_ids)}"
    )
    return text if link is None else f"{text}\n{link}"


def slack_limit(reached: ReachedLimit, links: ConsoleLinks) -> str:
    """Which limit was reached, and what it does. The next alert about it comes in another hour."""
    waits = EFFECTS[Quota(reached.quota)] is Effect.EXECUTIONS_WAIT
    return (
        f"*{reached.quota}* limit of {reached.limit:,} reached at {format_instant(reached.reached_at)}: "
        f"{'executions wait' if waits else 'new jobs are refused'}\n{links.usage() or '/v1/usage'}"
    )


def escaped(text: str) -> str:
    """Text that a chat shows as it is, without a mention of everybody or an address behind other words."""
    plain = "".join(_ENTITIES.get(character, character) for character in text)
    return _ACTIVE.sub(rf"\g<0>{_WORD_JOINER}", plain)


def _sentence(event: AlertEvent, ended: Execution) -> str:
    reason = ended.progress.end_reason
    match event:
        case AlertEvent.FAILED:
            attempts = f"{ended.attempt} attempt{'' if ended.attempt == 1 else 's'}"
            return f"failed ({reason}) after {attempts}{_last_answer(ended)}"
        case AlertEvent.RECOVERED:
            return "recovered"
        case AlertEvent.LATE:
            return f"started {(lag_ms(ended) or 0) / 1000:.1f} s late"
        case AlertEvent.SKIPPED:
            return f"was skipped ({reason})"
        case _:
            return "its receiver answered 410, which pauses the job"


def _last_answer(ended: Execution) -> str:
    if not ended.progress.outcomes:
        return ""
    last = ended.progress.outcomes[-1]
    return f", last answer {last.status or last.reason.word}"

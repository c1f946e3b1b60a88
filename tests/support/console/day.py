"""A day in the life of a tenant: eight hours of jobs, good and bad receivers, and two weeks of statistics before."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from shared.domain.archive.row import ArchiveRow, row_of
from shared.domain.archive.unit import hour_of
from shared.domain.dead_letters.parked_message import park
from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.states import TERMINAL, EndReason, State
from shared.domain.tenancy.tenant import Scope
from shared.names import QueueName
from shared.ports.alarms import Alarm, AlarmState
from shared.ports.history import PassedMark
from tests.support.api.api_world import ApiWorld
from tests.support.api.request_factory import ALL_SCOPES, ask
from tests.support.builders import in_state, one_off, with_changes
from tests.support.console.served import ServedApi
from tests.support.usecases.archived import archive

HOUR_MS = 3_600_000
BEGIN_MS = round(datetime.fromisoformat("2025-02-20T00:30:00Z").timestamp() * 1_000)
HOURS = 8
"""The day ends at 8:30 in UTC, and at 9:30 in Berlin."""
OUTAGE_MS = range(BEGIN_MS + 5 * HOUR_MS, BEGIN_MS + 6 * HOUR_MS)
"""When the receiver of the reports answers 503."""
TENANT, NEIGHBOUR = "northwind", "globex"
RECEIVER = "https://hooks.northwind.example"
JOBS: dict[str, dict[str, Any]] = {
    "nightly report": {
        "schedule": {"cron": "30 2 * * *", "timezone": "Europe/Berlin"},
        "request": {"url": f"{RECEIVER}/billing", "json": {"kind": "nightly"}},
        "tags": ["billing"],
    },
    "invoices": {
        "schedule": {"rate_seconds": 1_800},
        "request": {"url": f"{RECEIVER}/billing", "headers": {"X-Team": "billing"}},
        "tags": ["billing", "team:finance"],
    },
    "stock report": {
        "schedule": {"cron": "*/20 * * * *"},
        "request": {"url": f"{RECEIVER}/reports", "json": {"warehouse": 7}},
        "retry": {"max_attempts": 2, "base_seconds": 5, "cap_seconds": 10},
        "tags": ["stock"],
    },
    "price feed": {
        "schedule": {"rate_seconds": 600},
        "request": {"url": "https://prices.example/pull", "method": "GET"},
        "lane": "bulk",
    },
    "thumbnails": {
        "schedule": {"cron": "15 */2 * * *"},
        "request": {"url": "https://images.northwind.example/resize"},
        "retry": {"max_attempts": 2, "base_seconds": 5, "cap_seconds": 10},
        "tags": ["media"],
    },
    "old crm": {
        "schedule": {"cron": "45 3 * * *"},
        "request": {"url": f"{RECEIVER}/gone"},
        "tags": ["legacy"],
    },
    "cache warmer": {
        "schedule": {"rate_seconds": 3_600},
        "request": {"url": f"{RECEIVER}/cache"},
    },
}
"""The recurring jobs by name."""


WORKFLOW: dict[str, Any] = {
    "name": "closing of the month",
    "tags": ["billing"],
    "tasks": [
        {"key": "extract", "request": {"url": f"{RECEIVER}/extract"}},
        {"key": "north", "after": ["extract"], "request": {"url": f"{RECEIVER}/north"}},
        {"key": "south", "after": ["extract"], "request": {"url": f"{RECEIVER}/gone"}},
        {"key": "report", "after": ["north", "south"], "request": {"url": f"{RECEIVER}/report"}},
        {
            "key": "clean-up",
            "after": ["report", "extract"],
            "run_if": "all_ended",
            "request": {"url": f"{RECEIVER}/clean-up"},
        },
    ],
    "on_failure": "continue",
}
"""A workflow of which one task fails."""


CALENDAR: dict[str, Any] = {
    "country": "DE",
    "dates_out": ["2025-12-24", "2025-12-31"],
    "dates_in": ["2025-11-29"],
    "blackouts": [
        {"from": "2025-01-03T20:00:00Z", "until": "2025-01-04T04:00:00Z", "reason": "new warehouse"},
        {"from": "2025-02-20T08:00:00Z", "until": "2025-02-20T10:00:00Z", "reason": "deployment"},
    ],
}
"""With a window that is over, and one that is open at the end of the day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """The keys of a deployment, and the ids of what is in it."""

    key: str
    """Of the tenant, with all scopes."""
    reader_key: str
    """Of the tenant, with the scope read alone."""
    operator_key: str
    neighbour_key: str
    jobs: dict[str, str] = field(default_factory=dict)
    """Ids by name; `once` is a one-off job of tomorrow, and `foreign` belongs to the neighbour."""
    calendars: list[str] = field(default_factory=list)
    """The names of calendars; no job of the day names one."""
    workflows: list[str] = field(default_factory=list)
    """The ids of workflows, once one was run."""
    workflow_runs: list[str] = field(default_factory=list)
    """Their runs, latest first: one that has just begun, and one in which a task failed."""
    failures: list[str] = field(default_factory=list)
    """Ids of the executions that failed, newest first."""

    @property
    def failed(self) -> str:
        """An execution of the stock report, whose receiver answered 503."""
        return self.failures[0] if self.failures else ""


def a_day() -> ApiWorld:
    """The deployment at the beginning of the day."""
    return ApiWorld(now_ms=BEGIN_MS)


def settle(api: ServedApi) -> Day:
    """Tenants with their keys, and nothing else: what a console shows on its first day."""
    return api.do(lambda: _settled(api.api))


def live(api: ServedApi, day: Day) -> None:
    """The day itself: jobs run for eight hours, one receiver fails for one of them, and a person pauses a job."""
    api.world.sender.answer_to = lambda callback: _answer(callback, api.now_ms)
    api.do(lambda: _create(api.api, day))
    api.pass_time(HOURS * 3_600)
    api.do(lambda: _end_day(api.api, day))
    api.pass_time(1)


def run_a_workflow(api: ServedApi, day: Day, *, fails: bool = True) -> None:
    """Two runs: one task fails in the first, unless no task shall, and the second has just begun."""
    workflow = WORKFLOW
    if not fails:
        good = f"{RECEIVER}/south"
        tasks = [
            task | ({"request": {"url": good}} if task["key"] == "south" else {})
            for task in WORKFLOW["tasks"]
        ]
        workflow = WORKFLOW | {"tasks": tasks}
    api.world.sender.answer_to = lambda callback: _answer(callback, api.now_ms)
    api.do(lambda: day.workflows.append(_made(api.api, day.key, "/v1/workflows", workflow)["id"]))
    api.do(lambda: start_run(api, day))
    api.pass_time(30)
    api.do(lambda: start_run(api, day))


def start_run(api: ServedApi, day: Day) -> None:
    run = ask(api.api, day.key, "POST", f"/v1/workflows/{day.workflows[0]}/runs").json
    day.workflow_runs.insert(0, run["id"])


def _settled(api: ApiWorld) -> Day:
    create = api.world.create_tenant
    ours, neighbour = create.execute(TENANT, ALL_SCOPES), create.execute(NEIGHBOUR)
    reader = ask(api, ours.api_key, "POST", "/v1/keys", {"scopes": [Scope.READ.value]}).json
    return Day(
        key=ours.api_key,
        reader_key=reader["api_key"],
        operator_key=create.operator().api_key,
        neighbour_key=neighbour.api_key,
    )


def _create(api: ApiWorld, day: Day) -> None:
    for name, fields in JOBS.items():
        day.jobs[name] = _made(api, day.key, "/v1/jobs", fields | {"name": name})["id"]
    plant = ask(api, day.key, "PUT", "/v1/calendars/plant", CALENDAR)
    assert plant.status == 200, plant.text
    day.calendars.append("plant")
    tomorrow = {"schedule": {"at": "2025-02-21T12:00:00Z"}, "request": {"url": f"{RECEIVER}/billing"}}
    day.jobs["once"] = _made(api, day.key, "/v1/jobs", tomorrow | {"name": "year-end letter"})["id"]
    foreign = {"schedule": {"rate_seconds": 3_600}, "request": {"url": "https://globex.example/hook"}}
    day.jobs["foreign"] = _made(api, day.neighbour_key, "/v1/jobs", foreign | {"name": "foreign"})["id"]


def _end_day(api: ApiWorld, day: Day) -> None:
    _made(
        api, day.key, f"/v1/jobs/{day.jobs['cache warmer']}/pause", {"reason": "moving to a new cluster"}, 200
    )
    message = park("message-1", QueueName.STANDARD, "?", "no JSON", api.world.clock.time_ms)
    api.world.parked_messages.park(message)
    api.world.alarms.alarms = [*_alarms(api.world.clock.time_ms)]
    failed = ask(api, day.key, "GET", "/v1/dead-letters", tag="stock").json["executions"]
    day.failures.extend(each["id"] for each in failed)
    _keep_history(api)


def _alarms(now_ms: int) -> Iterator[Alarm]:
    """One alarm that the parked message has raised, and others that are well."""
    meanings = {
        "Parked": ("docs/runbooks/dead-messages.md", "Messages that no worker can handle were parked."),
        "OldestUnclaimedDue": (
            "docs/runbooks/calls-late.md",
            "Executions have been due for over two minutes, and no worker has claimed them.",
        ),
        "ArchiveUnsealed": (
            "docs/runbooks/archive-behind.md",
            "An hour is not archived a day after it should be.",
        ),
    }
    for name, (runbook, meaning) in meanings.items():
        is_raised = name == "Parked"
        yield Alarm(
            name=name,
            state=AlarmState.ALARM if is_raised else AlarmState.OK,
            since=now_ms - 120_000 if is_raised else BEGIN_MS - 6 * HOUR_MS,
            meaning=meaning,
            reason="Threshold Crossed: 1 datapoint [1.0 (20/02/25 08:28:00)] was greater than the threshold (0.0).",
            runbook=runbook,
            notifies=True,
        )


def _answer(callback: Callback, now_ms: int) -> CallbackResponse:
    path = urlsplit(callback.url).path
    if path == "/gone":
        return CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=41, status=410, body=b"moved to crm2")
    if path == "/resize":
        return CallbackResponse(reason=Reason.CONNECT_FAILED, duration_ms=3)
    if path == "/reports" and now_ms in OUTAGE_MS:
        body = b"upstream connect error or disconnect/reset before headers"
        return CallbackResponse(
            reason=Reason.HTTP_STATUS, duration_ms=298, status=503, body=body, connect_ms=43, head_ms=290
        )
    return CallbackResponse(reason=Reason.OK, duration_ms=310, status=200, connect_ms=43, head_ms=300)


def _keep_history(api: ApiWorld) -> None:
    """Two weeks before the day, and the hours of the day that are long over, in the archive and its statistics."""
    world = api.world
    archived_before = hour_of(world.clock.time_ms) - 1
    today = [row.execution for row in world.table.executions.values()]
    ended = [
        row_of(each)
        for each in today
        if each.state in TERMINAL and hour_of(each.id.dispatch_at) < archived_before
    ]
    archive(world.archive_reader, world.history, [*_weeks(), *ended])
    since = hour_of(BEGIN_MS) - 14 * 24
    world.history.note_passed(PassedMark(since=since, before=archived_before), world.clock.time_ms)


def _weeks() -> Iterator[ArchiveRow]:
    """Some executions of each hour, more of them by day, and a failure now and then."""
    first = hour_of(BEGIN_MS) - 14 * 24
    for number in range(14 * 24):
        at = (first + number) * HOUR_MS
        count = 3 + (number % 24 in range(7, 19)) * (2 + number % 5)
        for each in range(count):
            yield _row(number * 100 + each, at + each * 400_000, is_failed=(number * 7 + each) % 97 == 0)


def _row(number: int, due_at: int, *, is_failed: bool) -> ArchiveRow:
    state = State.FAILED if is_failed else State.SUCCEEDED
    outcome = AttemptOutcome(
        attempt=1,
        started_at=due_at + 20 + number * number % 900,
        duration_ms=200 + number * 7 % 300,
        status=503 if is_failed else 200,
        reason=Reason.HTTP_STATUS if is_failed else Reason.OK,
    )
    plain = in_state(
        one_off(number, due_at=due_at),
        state,
        end_reason=EndReason.ATTEMPTS_USED_UP if is_failed else None,
        attempt=1,
        outcomes=(outcome,),
    )
    return row_of(with_changes(plain, tenant_id=TENANT))


def _made(api: ApiWorld, key: str, path: str, document: Any, status: int = 201) -> Any:
    answer = ask(api, key, "POST", path, document)
    assert answer.status == status, answer.text
    return answer.json

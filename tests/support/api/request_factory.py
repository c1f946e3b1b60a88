"""A valid request for each operation, for the tests that cover all routes.

A route that is new needs an entry here only where it has a body, or a variable part in its path that no other has.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson

from functions.api.http.route import Route
from functions.api.routes import every_route
from shared.domain.dead_letters.parked_message import park
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.limits.scopes import destination_scope
from shared.domain.schedules.own_calendar import SHARED_OWNER, OwnCalendar
from shared.domain.tenancy.tenant import Scope
from shared.domain.triggers.event_source import EventRoute, EventSource
from shared.names import QueueName
from shared.ports.alarms import Alarm, AlarmState
from tests.support.api.api_world import JOB, Answer, ApiWorld, Request
from tests.support.usecases.lanes import Lanes

BODIES: dict[str, Any] = {
    "createJob": JOB,
    "createJobs": {"jobs": [JOB, JOB]},
    "updateJob": {"name": "renamed"},
    "putJob": {"schedule": {"rate_seconds": 3_600}, "request": {"url": "https://receiver.example/keyed"}},
    "backfillJob": {"from": "2025-02-17T00:00:00Z", "to": "2025-02-18T00:00:00Z"},
    "pauseJob": {"reason": "for a test"},
    "completeExecution": {"result": {"rows": 1}},
    "previewSchedule": {"cron": "0 9 * * *"},
    "putCalendar": {"country": "DE", "dates_out": ["2025-12-24"]},
    "putSharedCalendar": {"country": "DE", "dates_out": ["2025-12-24"]},
    "putEventSource": {"routes": [{"source_prefix": "aws.s3", "tenant_id": "ours"}]},
    "putTrigger": {"pattern": {"source": ["shop"]}, "job_id": "job_r" + "0" * 27},
    "sendEvent": {"source": "shop", "type": "order.paid", "id": "order-1", "data": {"amount": 120}},
    "createKey": {"scopes": ["read"]},
    "rotateKey": {"overlap_seconds": 60},
    "rotateSigningSecret": {"overlap_seconds": 60},
    "createTenant": {"id": "third"},
    "changeTenant": {"weight": 2},
    "deleteTenant": {"confirm": "ours", "asked_by": "ticket 7"},
    "changeSettings": {"on_failure": "https://receiver.example/failed"},
    "failExecution": {"reason": "for a test"},
    "redriveDeadLetters": {"status": 599},
    "createWorkflow": {
        "tasks": [
            {"key": "first", "input": True, "request": {"url": "https://receiver.example/first"}},
            {"key": "second", "after": ["first"], "request": {"url": "https://receiver.example/second"}},
        ]
    },
    "updateWorkflow": {"name": "renamed"},
    "putWorkflow": {"tasks": [{"key": "only", "request": {"url": "https://receiver.example/keyed"}}]},
    "startRun": {"input": {"order": 7}},
    "redriveRun": {"epoch": 1},
    "changeJobs": {"filter": {"tag": "of-no-job"}, "action": "pause"},
    "searchExecutions": {"from": "2025-02-17T00:00:00Z", "filter": {"status": 599}},
}
"""A valid body by operation. Operators' operations on other tenants' keys have the same bodies."""
OF_TENANT = "OfTenant"
UNKNOWN: dict[str, tuple[str, ...]] = {
    "job_id": ("job_r" + "0" * 27, "job_1" + "0" * 30, "job_unknown"),
    "execution_id": ("exe_1" + "0" * 30, "exe_unknown"),
    "redrive_id": ("rdr_" + "0" * 26, "unknown"),
    "bulk_task_id": ("blk_" + "0" * 26, "unknown"),
    "search_id": ("srh_" + "0" * 26, "unknown"),
    "workflow_id": ("wfl_1" + "0" * 27, "unknown"),
    "run_id": ("run_1" + "0" * 30, "unknown"),
    "key": ("no-such-key", "-x"),
    "calendar": ("no-such-calendar", "No.Calendar"),
    "shared_calendar": ("no-such-calendar", "No.Calendar"),
    "trigger": ("no-such-trigger", "No.Trigger"),
    "account": ("999999999999", "9"),
    "key_id": ("0" * 16, "unknown"),
    "secret_id": ("sec_00000000", "unknown"),
    "tenant_id": ("nobody", "No.Body"),
    "parked_id": ("1740000000000-m-unknown", "unknown"),
}
"""Unknown ids, by path variable: well-formed ids first."""
ALL_SCOPES = frozenset(Scope)


@dataclass(frozen=True, slots=True)
class Party:
    """A tenant with objects of every kind, and a key with all scopes."""

    name: str
    key: str
    ids: dict[str, list[str]] = field(default_factory=dict)
    """By path variable."""

    @property
    def own_ids(self) -> set[str]:
        """Those that no other tenant may see: not the tenant itself, and no calendar that all tenants may name."""
        return {
            each
            for part, ids in self.ids.items()
            if part not in ("tenant_id", "shared_calendar", "account")
            for each in ids
        }


def settle(world: ApiWorld, name: str) -> Party:
    """A tenant with jobs of every kind, executions, keys and secrets, more than one of each."""
    party = Party(name, world.world.create_tenant.execute(name, ALL_SCOPES).api_key)
    failing = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=410)
    world.world.sender.answer_to = lambda _: failing
    jobs = [
        _made(world, party, "/v1/jobs", JOB | fields)["id"]
        for fields in (
            {"schedule": {"delay_seconds": 200}},
            {"schedule": {"delay_seconds": 100}},
            {"schedule": {"rate_seconds": 3_600}},
            {"schedule": {"rate_seconds": 1_800, "start_at": "2025-02-17T00:00:00Z"}},
            {"schedule": {"delay_seconds": 0}},
            {"schedule": {"delay_seconds": 1}},
        )
    ]
    jobs.append(_made(world, party, f"/v1/jobs/{jobs[3]}/backfill", BODIES["backfillJob"])["id"])
    keys_of_jobs = [f"{name}.one", f"{name}.two"]
    for key in keys_of_jobs:
        ask(world, party.key, "PUT", f"/v1/jobs/by-key/{key}", BODIES["putJob"])
        ask(world, party.key, "PUT", f"/v1/workflows/by-key/{key}", BODIES["putWorkflow"])
    calendars = [f"{name}-one", f"{name}-two"]
    for calendar in calendars:
        ask(world, party.key, "PUT", f"/v1/calendars/{calendar}", BODIES["putCalendar"])
    # Every tenant sees them, so they do not have the name of one.
    shared = [f"freeze-{len(name)}", f"release-{len(name)}"]
    for calendar in shared:
        wanted = OwnCalendar(name=calendar, version=0, changed_at=0)
        world.world.cases.tenancy.calendars.put(SHARED_OWNER, wanted)
    triggers = [f"{name}-three", f"{name}-four"]
    for trigger in triggers:
        body = BODIES["putTrigger"] | {"job_id": jobs[2]}
        ask(world, party.key, "PUT", f"/v1/triggers/{trigger}", body)
    # Accounts are the operators' as well.
    accounts = [f"{sum(name.encode()):011}{number}" for number in range(2)]
    for account in accounts:
        routes = (EventRoute(source_prefix="aws.s3", tenant_id=name),)
        source = EventSource(account=account, version=0, changed_at=0, routes=routes)
        world.world.cases.triggers.event_sources.put(source)
    Lanes(world.world).until(world.world.clock.time_ms + 10_000)
    workflows, runs = _workflows(world, party)
    _redrive(world, party)
    parked = _park(world)
    _heat(world)
    world.world.alarms.alarms = [_alarm("Parked"), _alarm("ChainsRepaired")]
    executions = ask(world, party.key, "GET", "/v1/executions").json["executions"]
    keys = [_made(world, party, "/v1/keys", {"scopes": ["read"]})["id"] for _ in range(2)]
    redrive = ask(world, party.key, "POST", "/v1/dead-letters/redrive", BODIES["redriveDeadLetters"])
    world.world.process_bulk_tasks.execute()
    operation = ask(world, party.key, "POST", "/v1/jobs/bulk", BODIES["changeJobs"])
    search = ask(world, party.key, "POST", "/v1/executions/search", BODIES["searchExecutions"])
    _made(world, party, "/v1/signing-secrets", {"overlap_seconds": 3_600})
    secrets = ask(world, party.key, "GET", "/v1/signing-secrets").json["signing_secrets"]
    party.ids.update(
        job_id=jobs,
        key=keys_of_jobs,
        calendar=calendars,
        shared_calendar=shared,
        trigger=triggers,
        account=accounts,
        execution_id=[execution["id"] for execution in executions],
        redrive_id=[redrive.json["id"]],
        bulk_task_id=[operation.json["id"]],
        search_id=[search.json["id"]],
        workflow_id=workflows,
        run_id=runs,
        key_id=keys,
        secret_id=[secret["id"] for secret in reversed(secrets)],
        tenant_id=[name],
        parked_id=parked,
    )
    return party


def _workflows(world: ApiWorld, party: Party) -> tuple[list[str], list[str]]:
    """Workflows and runs: the first two runs are cancelled, and the others have not started."""
    workflows = [_made(world, party, "/v1/workflows", BODIES["createWorkflow"])["id"] for _ in range(2)]
    runs = [_made(world, party, f"/v1/workflows/{workflows[1]}/runs", None)["id"] for _ in range(4)]
    for run in runs[:2]:
        ask(world, party.key, "POST", f"/v1/runs/{run}/cancel")
    return workflows, runs


def _redrive(world: ApiWorld, party: Party) -> None:
    """Redrive one of the two dead letters; the redrive has not started."""
    failed = ask(world, party.key, "GET", "/v1/dead-letters").json["executions"]
    _made(world, party, f"/v1/executions/{failed[-1]['id']}/redrive", None)


def _park(world: ApiWorld) -> list[str]:
    """Park two unreadable messages, which belong to no tenant; their ids."""
    messages = [
        park(f"m-{number}", QueueName.BULK, "?", "no JSON", world.world.clock.time_ms) for number in range(2)
    ]
    for message in messages:
        world.world.parked_messages.park(message)
    return [message.id for message in messages]


def _alarm(name: str) -> Alarm:
    return Alarm(name=name, state=AlarmState.OK, since=0, meaning="", reason="", runbook=None, notifies=False)


def _heat(world: ApiWorld) -> None:
    """Two destinations of no job in this world, in which calls wait for an hour."""
    until = world.world.clock.time_ms + 3_600_000
    world.world.limits.hot |= dict.fromkeys(
        (destination_scope("somewhere"), destination_scope("elsewhere")), until
    )


def failed_of(world: ApiWorld, party: Party) -> str:
    """A dead letter of a party that is not redriven, and no task of a workflow."""
    failed = ask(world, party.key, "GET", "/v1/dead-letters").json["executions"]
    return str(next(one["id"] for one in failed if one["redriven_by"] is None and not _is_task(one)))


def _is_task(execution: dict[str, Any]) -> bool:
    """A task is redriven with its run."""
    return str(execution["job_id"]).startswith("wfl_")


def redrive_of(world: ApiWorld, party: Party) -> str:
    """A redrive that has not started."""
    failed = ask(world, party.key, "GET", "/v1/dead-letters").json["executions"]
    return str(next(one["redriven_by"] for one in failed if one["redriven_by"]))


def _made(world: ApiWorld, party: Party, path: str, document: Any) -> Any:
    answer = ask(world, party.key, "POST", path, document)
    assert answer.status == 201, answer.text
    return answer.json


def ask(world: ApiWorld, key: str, method: str, path: str, document: Any = None, **query: str) -> Answer:
    """A request with a key; without a document it has no body. A PUT may create, and the others change what is."""
    headers = {"authorization": f"Bearer {key}"} | ({} if method == "PUT" else {"if-match": "*"})
    if document is None:
        return world.handle(Request(method=method, path=path, headers=headers, query=query))
    headers["content-type"] = "application/json"
    body = orjson.dumps(document)
    return world.handle(Request(method=method, path=path, headers=headers, query=query, body=body))


def document_for(route: Route) -> Any:
    """A valid body for a route; fails with the name of a missing entry."""
    if route.body is None:
        return None
    operation = route.operation.removesuffix(OF_TENANT)
    assert operation in BODIES, (
        f"{route.operation} takes a body: give request_factory.BODIES one that is right"
    )
    return BODIES[operation]


def parts_of(route: Route) -> list[str]:
    """The path variables of a route."""
    parts = [part[1:-1] for part in route.path.split("/") if part.startswith("<")]
    for part in parts:
        assert part in UNKNOWN, (
            f"{route.path} has <{part}>: give request_factory.UNKNOWN ids of it that nobody has"
        )
    return parts


def is_by_id(route: Route) -> bool:
    """Whether the path names something that must exist. A PUT by key creates what it does not find."""
    return bool(parts_of(route)) and route.method != "PUT"


def path_of(route: Route, ids: dict[str, str]) -> str:
    """The path of a route with these ids."""
    path = route.path
    for part, value in ids.items():
        path = path.replace(f"<{part}>", value)
    return path


def routes(criteria: Callable[[Route], bool]) -> list[Any]:
    """Routes of a kind, named in the reports of tests by their operations."""
    return [route for route in every_route() if criteria(route)]


def name_of(route: Route) -> str:
    """The name of a test of a route."""
    return route.operation

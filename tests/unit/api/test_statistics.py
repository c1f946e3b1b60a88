"""GET /v1/stats: the sums of archived hours, how far they are complete, and what a request may ask for."""

from typing import Any

import pytest

from functions.api.app import Api
from functions.api.context import Context
from shared.domain.archive.unit import hour_of
from shared.domain.executions.states import EndReason, State
from shared.domain.ids import recurring_job_id
from shared.ports.history import PassedMark
from shared.usecases.archive.run_archive import COUNTED_BETWEEN_MS
from tests.support.api.api_world import ApiWorld, Request
from tests.support.api.job_requests import send
from tests.support.builders import DUE_AT, TENANT, in_state, one_off
from tests.support.usecases.archive import END, FIRST_PASS, HOUR, SEAL, ArchiveWorld
from tests.unit.api.test_workflows import created, started, states, wait

RECURRING = recurring_job_id(DUE_AT, 7, cell="0")
BEGUN, OVER = "2025-02-19T21:00:00.000Z", "2025-02-19T22:00:00.000Z"


class ArchivedApi(ApiWorld):
    """Over a deployment whose hour was archived: a success, a failure, a job that got another time, and a success of
    another tenant."""

    def __init__(self) -> None:
        super().__init__()
        self.archived = self.world = world = ArchiveWorld(FIRST_PASS)
        self.api = Api(Context(world.cases))
        self.credential = {"authorization": f"Bearer {world.credentials.api_key}"}
        self.operators_key = world.create_tenant.operator().api_key
        world.ended(1)
        world.ended(2, State.FAILED, end_reason=EndReason.TOO_OLD)
        world.ended(3, tenant_id="globex")
        world.ended(4, State.MOVED)
        world.tick()

    def by_operator(self, path: str, **query: str) -> Any:
        headers = {"authorization": f"Bearer {self.operators_key}"}
        return self.handle(Request(method="GET", path=path, headers=headers, query=query))


def test_hour_that_is_archived_is_complete_and_later_ones_are_not() -> None:
    api = ArchivedApi()
    api.world.history.note_passed(PassedMark(since=HOUR, before=HOUR + 1), FIRST_PASS + 1)
    api.world.put(in_state(one_off(5, due_at=END + 5), State.SUCCEEDED))
    answer = api.get("/v1/stats", **{"from": BEGUN})
    assert answer.status == 200
    found = answer.json
    assert (found["by"], found["from_at"], found["complete_until"]) == ("hour", BEGUN, OVER)
    first, second = found["buckets"][:2]
    assert (first["complete"], first["ended"], first["failed"]) == (True, 2, 1)
    assert first["states"] == {"failed": 1, "succeeded": 1}
    assert first["end_reasons"] == {"too_old": 1}
    assert (first["unended"], first["uncounted_due"]) == (0, 0)
    assert (second["complete"], second["ended"], second["uncounted_due"]) == (False, 1, 0)
    assert found["total"]["states"] == {"failed": 1, "succeeded": 2}


def test_minutes_have_no_states() -> None:
    found = ArchivedApi().get("/v1/stats", **{"from": BEGUN, "to": OVER, "by": "minute"}).json
    assert len(found["buckets"]) == 60
    minute = found["buckets"][20]
    assert (minute["ended"], minute["failed"], minute["states"], minute["duration"]) == (2, 1, None, None)
    assert minute["lag"] == {"count": 0, "p50_ms": None, "p99_ms": None}


def test_tenant_sees_its_own_statistics_and_an_operator_those_of_each_and_of_all() -> None:
    api = ArchivedApi()
    query = {"from": BEGUN, "to": OVER}
    assert api.by_operator("/v1/admin/tenants/acme/stats", **query).json["total"]["ended"] == 2
    assert api.by_operator("/v1/admin/tenants/nobody/stats", **query).status == 404
    everyone = api.by_operator("/v1/admin/stats", **query).json
    assert (everyone["total"]["ended"], everyone["complete_until"]) == (3, OVER)
    assert api.get("/v1/admin/stats", **query).status == 403


def test_statistics_of_a_job_are_those_of_its_executions() -> None:
    api = ArchivedApi()
    job = api.world.put(in_state(api.world.one_off(9), State.SUCCEEDED)).job_id
    query = {"from": BEGUN, "to": OVER}
    found = api.get("/v1/stats", job=job, **query).json
    assert (found["total"]["ended"], found["complete_until"]) == (1, OVER)
    assert api.get("/v1/stats", job="job_r" + "0" * 27, **query).status == 404
    assert api.get("/v1/stats", job="job_x", **query).problem == "malformed-request"
    old = {"from": "2025-01-01T00:00:00Z", "to": "2025-01-02T00:00:00Z"}
    refused = api.get("/v1/stats", job=job, **old)
    assert refused.problem == "malformed-request"
    assert "14 days" in refused.json["detail"]


def test_statistics_of_a_workflow_are_those_of_its_tasks() -> None:
    api = ApiWorld()
    workflow = created(api)
    wait_until = started(api, workflow)
    wait(api)
    assert set(states(api, wait_until).values()) == {"succeeded"}
    found = api.get("/v1/stats", job=workflow["id"]).json
    assert (found["total"]["ended"], found["total"]["states"]) == (4, {"succeeded": 4})
    assert found["total"]["lag"]["count"] == 4
    assert api.get("/v1/stats").json["total"]["ended"] == 4
    other = created(api)
    assert api.get("/v1/stats", job=other["id"]).json["total"]["ended"] == 0
    # A deleted workflow has its statistics, as long as its record exists.
    assert send(api, "DELETE", f"/v1/workflows/{workflow['id']}", **{"if-match": '"1"'}).status == 200
    assert api.get("/v1/stats", job=workflow["id"]).json["total"]["ended"] == 4


def test_workflow_of_another_tenant_has_no_statistics() -> None:
    api = ApiWorld()
    theirs = created(api)
    stranger = api.world.create_tenant.execute("globex").api_key
    headers = {"authorization": f"Bearer {stranger}"}
    for text in (theirs["id"], "wfl_1" + "0" * 27):
        request = Request(method="GET", path="/v1/stats", headers=headers, query={"job": text})
        assert api.handle(request).problem == "not-found"
    assert api.get("/v1/stats", job="wfl_1").problem == "malformed-request"


@pytest.mark.parametrize(
    "query",
    [
        {"by": "second"},
        {"by": "HOUR"},
        {"from": "yesterday"},
        {"from": OVER, "to": BEGUN},
        {"from": "2030-01-01T00:00:00Z"},
        {"by": "minute", "from": "2025-02-19T01:00:00Z", "to": OVER},
        {"by": "day", "from": "2024-12-01T00:00:00Z", "to": OVER},
        {"tenant": "globex"},
    ],
)
def test_request_that_is_not_exactly_right_is_refused(query: dict[str, str]) -> None:
    assert ArchivedApi().get("/v1/stats", **query).problem == "malformed-request"


def test_deployment_without_an_archive_counts_few_executions_by_themselves() -> None:
    api = ApiWorld()
    api.world.put(in_state(one_off(1), State.SUCCEEDED))
    api.world.clock.time_ms = DUE_AT + 1_000
    found = api.get("/v1/stats", **{"from": BEGUN}).json
    assert found["complete_until"] is None
    assert [(each["ended"], each["uncounted_due"]) for each in found["buckets"]] == [(1, 0)]
    assert hour_of(DUE_AT) == HOUR


def counted_api() -> ArchivedApi:
    """A day that is over: two runs of a job, one of which failed, and one of another tenant."""
    api = ArchivedApi()
    world = api.archived
    for number, (state, tenant) in enumerate(
        ((State.SUCCEEDED, TENANT), (State.FAILED, TENANT), (State.SUCCEEDED, "globex")), 10
    ):
        world.ended(number, state, job_id=RECURRING, tenant_id=tenant)
    world.tick(SEAL)
    world.tick(SEAL + COUNTED_BETWEEN_MS.start)
    return api


def test_busiest_jobs_of_a_day_are_those_of_the_tenant_and_an_operator_sees_all() -> None:
    api = counted_api()
    found = api.get("/v1/stats/jobs", day="2025-02-19").json
    own = {"tenant_id": TENANT, "job_id": RECURRING, "ended": 2, "failed": 1}
    other = {"tenant_id": "globex", "job_id": RECURRING, "ended": 1, "failed": 0}
    assert found == {
        "from_at": "2025-02-19T00:00:00.000Z",
        "until_at": "2025-02-20T00:00:00.000Z",
        "complete": False,
        "ended": 4,
        "job_count": 1,
        "jobs": [own],
    }
    assert api.by_operator("/v1/admin/tenants/acme/stats/jobs", day="2025-02-19").json == found
    everyone = api.by_operator("/v1/admin/stats/jobs", day="2025-02-19").json
    assert (everyone["jobs"], everyone["ended"]) == ([own, other], 6)
    assert api.get("/v1/admin/stats/jobs").status == 403
    assert api.by_operator("/v1/admin/tenants/nobody/stats/jobs").status == 404


def test_day_of_which_the_archive_has_each_hour_is_complete() -> None:
    api = counted_api()
    api.world.history.mark = PassedMark(since=HOUR - 30, before=HOUR + 999)
    assert api.get("/v1/stats/jobs", day="2025-02-19").json["complete"] is True
    empty = api.get("/v1/stats/jobs").json
    assert (empty["jobs"], empty["ended"], empty["complete"]) == ([], 0, True)
    later = api.get("/v1/stats/jobs", day="2025-01-01").json
    assert (later["jobs"], later["complete"]) == ([], False)


@pytest.mark.parametrize(
    "query",
    [
        {"day": "yesterday"},
        {"day": "2025-2-1"},
        {"day": "2025-02-30"},
        {"day": "20250219"},
        {"day": "1969-12-31"},
        {"day": "2025-02-19T00:00:00Z"},
        {"day": "\u0662025-02-19"},
        {"day": "2030-01-01"},
        {"from": "2025-02-19"},
    ],
)
def test_day_that_is_not_exactly_right_is_refused(query: dict[str, str]) -> None:
    assert counted_api().get("/v1/stats/jobs", **query).problem == "malformed-request"

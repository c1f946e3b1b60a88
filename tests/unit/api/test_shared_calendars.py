"""Calendars of the operators: put by an operator alone, listed and named by every tenant, changed and deleted."""

from typing import Any

import pytest

from shared.domain.schedules.own_calendar import SHARED_OWNER
from shared.usecases.reading.read_calendar import REMEMBER_MS
from shared.usecases.tenancy.manage_calendars import MAX_CALENDARS
from tests.support.api.api_world import JOB, ApiWorld
from tests.support.api.job_requests import send
from tests.support.api.request_factory import ask
from tests.support.usecases.reconciling import reconcile_definitions

FREEZE: dict[str, Any] = {
    "country": None,
    "weekend": ["friday", "saturday", "sunday"],
    "dates_in": ["2025-02-22"],
    "dates_out": ["2025-02-20"],
    "blackouts": [
        {"from": "2025-03-01T20:00:00.000Z", "until": "2025-03-01T22:00:00.000Z", "reason": "release"}
    ],
}
NINE: dict[str, Any] = {"cron": "0 9 * * *", "timezone": "UTC", "calendar": "operator/deployments"}


class Deployment:
    """At Wednesday 19 February 2025 in the evening, with a calendar of the operators and two tenants."""

    def __init__(self) -> None:
        self.api = ApiWorld()
        self.operator = self.api.world.create_tenant.operator().api_key
        self.other = self.api.world.create_tenant.execute("globex").api_key
        assert self.put().status == 200

    def put(self, name: str = "deployments", **changes: Any) -> Any:
        return ask(self.api, self.operator, "PUT", f"/v1/admin/calendars/{name}", FREEZE | changes)

    def delete(self, name: str = "deployments") -> Any:
        return ask(self.api, self.operator, "DELETE", f"/v1/admin/calendars/{name}")

    def create(self, key: str | None = None, **schedule: Any) -> Any:
        document = JOB | {"schedule": NINE | schedule}
        return ask(self.api, key or self.api.world.credentials.api_key, "POST", "/v1/jobs", document)

    def days(self, job: Any, key: str | None = None, count: int = 3) -> list[str]:
        own = key or self.api.world.credentials.api_key
        runs = ask(self.api, own, "GET", f"/v1/jobs/{job['id']}/upcoming", count=str(count)).json["runs"]
        return [run["local"][:10] for run in runs]


def test_calendar_of_the_operators_is_shown_with_the_name_that_schedules_have() -> None:
    deployment = Deployment()
    shown = ask(deployment.api, deployment.operator, "GET", "/v1/admin/calendars/deployments").json
    assert shown == FREEZE | {"name": "operator/deployments", "version": 1, "changed_at": shown["changed_at"]}
    listed = ask(deployment.api, deployment.operator, "GET", "/v1/admin/calendars").json
    assert listed == {"calendars": [shown]}
    assert deployment.api.get("/v1/calendars").json == {"calendars": [], "shared": [shown]}
    assert ask(deployment.api, deployment.other, "GET", "/v1/calendars").json["shared"] == [shown]


def test_jobs_of_every_tenant_name_it() -> None:
    deployment = Deployment()
    for key in (None, deployment.other):
        made = deployment.create(key)
        assert (made.status, made.json["schedule"]) == (201, NINE)
        assert deployment.days(made.json, key) == ["2025-02-22", "2025-02-24", "2025-02-25"]


def test_preview_names_it() -> None:
    preview = Deployment().api.post(NINE, "/v1/schedules/preview").json
    assert [run["local"][:10] for run in preview["runs"][:2]] == ["2025-02-22", "2025-02-24"]
    assert "the calendar operator/deployments" in preview["description"]


def test_calendar_of_a_tenant_with_the_same_name_is_another_one() -> None:
    deployment = Deployment()
    send(deployment.api, "PUT", "/v1/calendars/deployments", {"dates_out": ["2025-02-21"]})
    own = deployment.create(calendar="deployments").json
    assert deployment.days(own) == ["2025-02-20", "2025-02-24", "2025-02-25"]
    assert deployment.days(deployment.create().json) == ["2025-02-22", "2025-02-24", "2025-02-25"]
    refused = deployment.create(deployment.other, calendar="deployments")
    assert refused.problem == "validation-failed"


def test_change_moves_the_runs_of_the_jobs_of_all_tenants() -> None:
    deployment = Deployment()
    made = {key: deployment.create(key).json for key in (None, deployment.other)}
    assert deployment.put(dates_out=["2025-02-20", "2025-02-24"], dates_in=[]).json["version"] == 2
    deployment.api.world.clock.time_ms += REMEMBER_MS
    reconcile_definitions(deployment.api.world)
    for key, job in made.items():
        assert deployment.days(job, key) == ["2025-02-25", "2025-02-26", "2025-02-27"]


def test_new_job_has_the_days_of_a_change_after_a_minute_and_no_request_reads_it_meanwhile() -> None:
    deployment = Deployment()
    deployment.create()
    deployment.put(dates_out=["2025-02-24"], dates_in=[])
    steps = deployment.api.world.steps
    steps.taken.clear()
    assert deployment.days(deployment.create().json)[:1] == ["2025-02-22"]
    assert "calendars.get" not in steps.taken
    deployment.api.world.clock.time_ms += REMEMBER_MS
    assert deployment.days(deployment.create().json)[:2] == ["2025-02-20", "2025-02-25"]


def test_deleted_calendar_is_refused_in_new_schedules_and_jobs_keep_its_days() -> None:
    deployment = Deployment()
    job = deployment.create().json
    assert deployment.delete().status == 200
    assert deployment.delete().status == 404
    deployment.api.world.clock.time_ms += REMEMBER_MS
    reconcile_definitions(deployment.api.world)
    assert deployment.days(job) == ["2025-02-22", "2025-02-24", "2025-02-25"]
    refused = deployment.create()
    (error,) = refused.json["errors"]
    assert (error["pointer"], "`shared` of GET /v1/calendars" in error["detail"]) == (
        "/schedule/calendar",
        True,
    )
    # Another one of the same name has a version of its own, and the jobs follow it.
    assert deployment.put(dates_in=[]).json["version"] == 3
    reconcile_definitions(deployment.api.world)
    assert deployment.days(job) == ["2025-02-24", "2025-02-25", "2025-02-26"]


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_tenant_cannot_reach_calendars_of_the_operators_by_their_path(method: str) -> None:
    deployment = Deployment()
    body = FREEZE if method == "PUT" else None
    for path in ("/v1/admin/calendars/deployments", "/v1/admin/calendars"):
        if path.endswith("calendars") and method != "GET":
            continue
        assert send(deployment.api, method, path, body).problem == "forbidden"
    own = send(deployment.api, method, "/v1/calendars/operator%2Fdeployments", body)
    assert own.status in (403, 404)
    assert deployment.api.world.calendars.get(SHARED_OWNER, "deployments") is not None


@pytest.mark.parametrize(
    "name", ["operator/", "operator/No", "operator/a/b", "operator/../x", "operator//x", "OPERATOR/x"]
)
def test_name_that_no_calendar_of_the_operators_can_have_is_refused(name: str) -> None:
    refused = Deployment().create(calendar=name)
    assert (refused.status, refused.problem) == (422, "validation-failed")
    assert [each["pointer"] for each in refused.json["errors"]] == ["/schedule/calendar"]


def test_operators_have_a_limited_number_of_calendars() -> None:
    deployment = Deployment()
    for number in range(1, MAX_CALENDARS):
        assert deployment.put(f"c{number}").status == 200
    assert deployment.put("one-more").problem == "invalid-state"


def test_longest_name_is_named_by_a_job() -> None:
    deployment = Deployment()
    assert deployment.put("a" * 63).status == 200
    assert deployment.create(calendar=f"operator/{'a' * 63}").status == 201

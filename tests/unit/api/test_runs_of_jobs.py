"""Jobs show their last run and why no other follows; executions show their lag and the name of their job."""

from typing import Any

import pytest

from functions.api.resources.jobs import run_notes
from shared.domain.bucket import MINUTE_MS
from shared.domain.delivery.callback import Reason
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import TERMINAL, State
from shared.domain.jobs.job import Job, JobState
from shared.domain.schedules.schedule import Rate, format_instant
from shared.ports.listings import TenantIndex
from tests.support.api.api_world import JOB, ApiWorld
from tests.support.builders import DUE_AT, in_state, with_changes

NAME = "nightly report"


def begun(execution: Execution, lag_ms: int = 23, state: State = State.SUCCEEDED) -> Execution:
    outcome = AttemptOutcome(
        attempt=1,
        started_at=execution.id.dispatch_at + lag_ms,
        duration_ms=5,
        status=200,
        reason=Reason.OK,
    )
    return in_state(execution, state, attempt=1, outcomes=(outcome,))


class Ran:
    """A job that runs every minute, and whose first two runs have ended."""

    def __init__(self, **overrides: Any) -> None:
        self.api = ApiWorld()
        self.world = self.api.world
        self.job: Job = self.world.recurring(**{"name": NAME, **overrides})
        self.world.table.executions.clear()
        self.runs = [
            self.world.put(begun(self.run(number), lag_ms=number * 1_000 + 23)) for number in range(2)
        ]
        self.world.clock.time_ms = DUE_AT + MINUTE_MS + 30_000

    def run(self, number: int) -> Execution:
        return self.job.occurrence(DUE_AT + number * MINUTE_MS, created_at=DUE_AT - 1)

    def change(self, **overrides: Any) -> None:
        job = with_changes(self.job, **overrides)
        self.world.table.jobs[job.tenant_id, job.id] = job

    def shown(self) -> Any:
        return self.api.get(f"/v1/jobs/{self.job.id}").json

    def listed(self) -> Any:
        (job,) = self.api.get("/v1/jobs").json["jobs"]
        return job


def test_recurring_job_shows_its_last_run_by_one_request() -> None:
    ran = Ran()
    ran.shown()
    ran.world.steps.taken.clear()
    assert ran.shown()["last_run"] == {
        "execution_id": str(ran.runs[1].id),
        "scheduled_at": format_instant(DUE_AT + MINUTE_MS),
        "state": "succeeded",
        "started_at": format_instant(DUE_AT + MINUTE_MS + 1_023),
        "lag_ms": 1_023,
    }
    assert [step for step in ran.world.steps.taken if step.startswith("store.")] == ["store.get_many"]


def test_list_of_jobs_reads_no_runs_of_recurring_jobs() -> None:
    ran = Ran()
    ran.listed()
    ran.world.steps.taken.clear()
    assert "last_run" not in ran.listed()
    assert [step for step in ran.world.steps.taken if step.startswith("store.")] == []


def test_list_of_jobs_shows_last_runs_that_are_asked_for_by_one_request() -> None:
    ran = Ran()
    once = ran.api.create(schedule={"delay_seconds": 600})
    idle = ran.api.create(schedule={"rate_seconds": 60})
    ran.world.steps.taken.clear()
    listed = {job["id"]: job for job in ran.api.get("/v1/jobs", include="last_run").json["jobs"]}
    reads = [step for step in ran.world.steps.taken if step.startswith("store.")]
    assert listed[ran.job.id]["last_run"] == ran.shown()["last_run"]
    assert "last_run" not in listed[once["id"]]
    assert "last_run" not in listed[idle["id"]]
    # One read of the one-off jobs, and one of the latest runs of the others.
    assert reads == ["store.get_many", "store.get_many"]
    assert ran.api.get("/v1/jobs", include="runs").problem == "malformed-request"


def test_last_runs_of_a_full_page_are_read_fifty_jobs_at_a_time() -> None:
    ran = Ran()
    for number in range(60):
        ran.world.recurring(number + 2)
    ran.world.steps.taken.clear()
    jobs = ran.api.get("/v1/jobs", include="last_run", limit="100").json["jobs"]
    assert len(jobs) == 61
    assert [job["id"] for job in jobs if "last_run" in job] == [ran.job.id]
    assert ran.world.steps.taken.count("store.get_many") == 2


def test_answer_to_another_method_has_no_last_run_of_a_recurring_job() -> None:
    ran = Ran()
    assert ran.shown()["last_run"] is not None
    path = f"/v1/jobs/{ran.job.id}"
    changed = [
        ran.api.post({}, f"{path}/pause").json,
        ran.api.post({}, f"{path}/resume").json,
        ran.api.delete(path).json,
    ]
    assert [job["kind"] for job in changed] == ["rate"] * 3
    assert not any("last_run" in job for job in changed)


def test_new_job_has_had_no_run_and_a_repeated_creation_shows_the_last_one() -> None:
    api = ApiWorld()
    every_minute = JOB | {"schedule": {"rate_seconds": 60}}
    assert api.post(every_minute, idempotency_key="k").json["last_run"] is None
    (first,) = (row.execution for row in api.world.table.executions.values())
    api.world.table.executions[first.id].execution = begun(first)
    api.world.clock.time_ms = first.id.dispatch_at + 1_000
    again = api.post(every_minute, idempotency_key="k").json
    assert again["last_run"]["execution_id"] == str(first.id)


def test_job_without_a_run_shows_none() -> None:
    ran = Ran()
    ran.world.clock.time_ms = DUE_AT - 1
    assert ran.shown()["last_run"] is None


def test_run_that_has_not_started_is_not_the_last_one() -> None:
    ran = Ran()
    ran.world.put(with_changes(ran.run(1), state=State.QUEUED))
    assert ran.shown()["last_run"]["execution_id"] == str(ran.runs[0].id)
    ran.world.put(with_changes(ran.run(0), state=State.QUEUED))
    assert ran.shown()["last_run"] is None


def test_run_without_a_record_is_left_out() -> None:
    ran = Ran()
    for run in ran.runs:
        del ran.world.table.executions[run.id]
    assert ran.shown()["last_run"] is None


def test_ended_chain_shows_the_last_run_before_its_end() -> None:
    ran = Ran()
    ran.change(state=JobState.PAUSED, ended_from=DUE_AT + 1, ended_through=DUE_AT + MINUTE_MS)
    assert ran.shown()["last_run"]["execution_id"] == str(ran.runs[0].id)


def test_one_off_job_is_its_own_last_run_once_it_has_begun() -> None:
    api = ApiWorld()
    waiting = api.world.put(api.world.one_off(1))
    assert api.get(f"/v1/jobs/{waiting.job_id}").json["last_run"] is None
    done = api.world.put(begun(api.world.one_off(2)))
    shown = api.get(f"/v1/jobs/{done.job_id}").json["last_run"]
    assert (shown["execution_id"], shown["lag_ms"]) == (str(done.id), 23)
    listed = {job["id"]: job.get("last_run") for job in api.get("/v1/jobs").json["jobs"]}
    assert listed == {waiting.job_id: None, done.job_id: shown}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"state": JobState.PAUSED}, "The job is paused."),
        (
            {"state": JobState.PAUSED, "pause_reason": "gone"},
            "The job is paused. Reason: gone",
        ),
        ({"state": JobState.DELETED}, "The job was deleted."),
        ({"state": JobState.COMPLETED}, run_notes.ALL_RUNS),
        (
            {
                "state": JobState.COMPLETED,
                "schedule": Rate(interval_ms=MINUTE_MS, anchor=DUE_AT, end_at=DUE_AT + MINUTE_MS),
            },
            run_notes.ENDED,
        ),
        ({"schedule": Rate(interval_ms=MINUTE_MS, anchor=DUE_AT, end_at=DUE_AT)}, run_notes.ENDED),
        ({}, None),
    ],
)
def test_job_without_a_next_run_says_why(changes: dict[str, Any], expected: str | None) -> None:
    ran = Ran()
    ran.change(**changes)
    shown = ran.shown()
    assert shown["no_next_run"] == expected
    assert (shown["next_due_at"] is None) is (expected is not None)
    if ran.job.state not in (JobState.DELETED,) and changes.get("state") is not JobState.DELETED:
        assert ran.listed()["no_next_run"] == expected


@pytest.mark.parametrize("state", JobState)
def test_every_state_of_a_recurring_job_has_a_reason(state: JobState) -> None:
    assert run_notes.no_next_run(with_changes(Ran().job, state=state), None, DUE_AT)


@pytest.mark.parametrize("state", sorted(TERMINAL))
def test_every_end_of_a_one_off_job_has_a_reason(state: State) -> None:
    world = ApiWorld().world
    assert run_notes.no_next_run(in_state(world.one_off(), state), None, DUE_AT)


def test_executions_of_a_job_show_their_lag_and_its_name() -> None:
    ran = Ran()
    listed = ran.api.get(f"/v1/jobs/{ran.job.id}/executions").json["executions"]
    assert [(each["lag_ms"], each["name"]) for each in listed] == [(1_023, NAME), (23, NAME)]


def test_list_by_time_shows_names_of_jobs_by_one_read() -> None:
    ran = Ran()
    ran.world.put(begun(ran.world.one_off(9, name="import")))
    ran.world.steps.taken.clear()
    listed = ran.api.get("/v1/executions").json["executions"]
    assert sorted(each["name"] for each in listed) == ["import", NAME, NAME]
    assert {each["lag_ms"] for each in listed} == {23, 1_023}
    assert (ran.world.steps.count("job_names.of"), ran.world.steps.count("jobs.get")) == (1, 0)


def test_executions_are_listed_without_names_that_cannot_be_read() -> None:
    ran = Ran()
    ran.world.steps.fail("job_names.of")
    assert [each["name"] for each in ran.api.get("/v1/executions").json["executions"]] == [None, None]


def test_names_of_one_off_jobs_need_no_read() -> None:
    api = ApiWorld()
    api.world.put(begun(api.world.one_off(9, name="import")))
    assert [each["name"] for each in api.get("/v1/executions").json["executions"]] == ["import"]
    assert api.world.steps.count("job_names.of") == 0


@pytest.mark.parametrize(
    "path",
    [
        "/v1/executions/{run}",
        "/v1/executions/{run}/explain",
        "/v1/dead-letters/{run}",
        "/v1/dead-letters",
        "/v1/executions?state=failed",
    ],
)
def test_failed_run_of_a_recurring_job_is_shown_with_the_present_name_of_its_job(path: str) -> None:
    ran = Ran()
    run = ran.world.put(begun(ran.run(0), state=State.FAILED))
    ran.world.table.executions[run.id].entry = TenantIndex.FAILED
    ran.change(name="renamed")
    path, _, query = path.format(run=run.id).partition("?")
    answer = ran.api.get(path, **dict(part.split("=") for part in query.split("&") if part)).json
    (shown,) = answer.get("executions", [answer])
    assert shown["name"] == "renamed"


def test_execution_without_an_outcome_has_no_lag() -> None:
    api = ApiWorld()
    running = api.world.put(in_state(api.world.one_off(), State.RUNNING))
    assert api.get(f"/v1/executions/{running.id}").json["lag_ms"] is None

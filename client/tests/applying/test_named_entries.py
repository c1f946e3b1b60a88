"""Calendars and triggers of a file: their order, what they name, and rivals."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from client.tests.applying.appliers import Blow
from client.tests.cli.shell import Shell
from client.tests.cli.test_import import shell
from client.tests.sdk.deployment import HOOK, Deployment
from punctual import Punctual
from punctual.applyfile import ApplyFileError, read_apply_file
from punctual.applying import Done, Plan, carry_out, make_plan, wanted_jobs
from punctual.cli.exits import Exit
from punctual.problems import AlreadyExistsError, PreconditionFailedError

FREEZE = {"from": "2026-12-01T08:00:00+01:00", "until": "2026-12-03T00:00:00Z", "reason": "stocktaking"}
WORKS: Mapping[str, Any] = {"country": "DE", "dates_out": ["2026-12-24"], "blackouts": [FREEZE]}
CALENDAR = f"calendars:\n  works: {json.dumps(WORKS)}\n"
JOB = f"jobs:\n  x: {{cron: 0 7 * * 0, timezone: UTC, calendar: works, when_excluded: next, url: '{HOOK}'}}\n"
TRIGGER = "triggers:\n  t: {job: x, pattern: {source: [shop]}, debounce_seconds: 30}\n"
ALL = f"set: a\n{CALENDAR}{JOB}{TRIGGER}"
NONE = "set: a\njobs: {}\n"


def applied(
    deployment: Deployment, text: str, act: Callable[[Punctual], object] = lambda _: None, prune: bool = True
) -> tuple[Plan, tuple[Done, ...]]:
    wanted = wanted_jobs(read_apply_file(text.encode()), {}, None)
    with deployment.client() as client:
        plan = make_plan(client, "a", wanted, prune=prune, workers=1)
        act(client)
        return plan, carry_out(client, plan, wanted, workers=1) if plan.is_possible else ()


def changes(deployment: Deployment) -> list[str]:
    return [
        f"{each.method} {each.url.path.split('/')[2]}"
        for each in deployment.sent
        if each.method in ("PUT", "DELETE") and "dry_run" not in each.url.params
    ]


def test_what_is_named_is_created_before_what_names_it_and_deleted_after_it() -> None:
    deployment = Deployment()
    plan, done = applied(deployment, ALL)
    assert [(each.kind, each.change) for each in plan.changes] == [
        ("job", "created"),
        ("calendar", "created"),
        ("trigger", "created"),
    ]
    assert [each.error for each in done] == [None] * 3
    assert changes(deployment) == ["PUT calendars", "PUT jobs", "PUT triggers"]
    with deployment.client() as client:
        assert client.triggers.get("t").job_id == client.jobs.get_by_key("a.x").id
    again, _ = applied(deployment, ALL)
    assert (again.has_changes, again.unchanged) == (False, 3)
    deployment.sent.clear()
    _, done = applied(deployment, NONE)
    assert [each.error for each in done] == [None] * 3
    assert changes(deployment) == ["DELETE triggers", "DELETE jobs", "DELETE calendars"]


def test_entries_of_other_sets_and_of_none_are_not_pruned() -> None:
    deployment = Deployment()
    with deployment.client() as client:
        client.calendars.put("theirs", set="b")
        client.calendars.put("free")
    plan, _ = applied(deployment, NONE)
    assert plan.deletions == ()


def test_name_of_another_set_is_a_conflict_and_one_of_none_is_taken() -> None:
    deployment = Deployment()
    with deployment.client() as client:
        client.calendars.put("works", set="b", **WORKS)
    plan, _ = applied(deployment, f"set: a\n{CALENDAR}")
    assert [(each.key, each.line, each.set, each.kind) for each in plan.conflicts] == [
        ("works", 3, "b", "calendar")
    ]
    with deployment.client() as client:
        client.calendars.put("works", **WORKS)
    plan, done = applied(deployment, f"set: a\n{CALENDAR}")
    assert [(each.pointer, each.before, each.after) for each in plan.changes[0].fields] == [
        ("/set", None, "a")
    ]
    assert [each.change for each in done] == ["updated"]


def test_calendar_that_a_rival_changes_or_creates_is_left_and_its_job_is_not_sent() -> None:
    deployment = Deployment()
    _, done = applied(deployment, ALL, lambda client: client.calendars.put("works", country="US"))
    assert [(each.kind, each.change) for each in done] == [
        ("calendar", "failed"),
        ("job", "not sent"),
        ("trigger", "not sent"),
    ]
    assert isinstance(done[0].error, AlreadyExistsError)
    _, done = applied(deployment, ALL, lambda client: client.calendars.put("works", country="AT"))
    assert isinstance(done[0].error, PreconditionFailedError)
    _, done = applied(deployment, ALL)
    assert {each.change for each in done} == {"created", "updated"}


def test_trigger_that_a_rival_changes_is_not_deleted_and_its_job_stays() -> None:
    deployment = Deployment()
    applied(deployment, ALL)

    def rival(client: Punctual) -> None:
        trigger = client.triggers.get("t")
        client.triggers.put("t", job_id=trigger.job_id, pattern={"type": ["x"]}, set="a")

    _, done = applied(deployment, NONE, rival)
    assert [(each.kind, each.change) for each in done] == [
        ("trigger", "failed"),
        ("job", "not sent"),
        ("calendar", "not sent"),
    ]


def test_trigger_of_a_job_that_nothing_has_changes_nothing() -> None:
    deployment = Deployment()
    plan, done = applied(deployment, ALL.replace("job: x", "job: other.y"))
    assert [(each.key, each.line, each.named, each.names) for each in plan.dangling] == [
        ("t", 7, "other.y", "job")
    ]
    assert done == ()
    assert changes(deployment) == []


def test_what_an_entry_of_the_file_names_is_not_pruned() -> None:
    deployment = Deployment()
    applied(deployment, ALL)
    plan, _ = applied(deployment, f"set: a\n{JOB}{TRIGGER}")
    assert [(each.names, each.named, each.is_pruned) for each in plan.dangling] == [
        ("calendar", "works", True)
    ]
    plan, _ = applied(deployment, f"set: a\n{CALENDAR}{TRIGGER.replace('job: x', 'job: a.x')}")
    assert [(each.names, each.named) for each in plan.dangling] == [("job", "a.x")]


def test_refusal_of_a_pattern_stops_the_file_before_its_job_exists() -> None:
    deployment = Deployment()
    plan, done = applied(deployment, ALL.replace("[shop]", "shop"))
    assert [(each.kind, each.line) for each in plan.refusals] == [("trigger", 7)]
    assert (done, changes(deployment)) == ((), [])


@pytest.mark.parametrize("number", range(30))
@pytest.mark.parametrize("kind", ["answer lost", "crash after", "silent"])
def test_repetition_finishes_what_broke_off_anywhere(kind: str, number: int) -> None:
    from contextlib import suppress

    import httpx

    from client.tests.applying.appliers import CrashError
    from client.tests.sdk.deployment import URL
    from punctual.errors import PunctualError

    deployment, blow = Deployment(), Blow(kind, number)
    transport = httpx.MockTransport(lambda request: blow.answer(request, deployment.answer))
    wanted = wanted_jobs(read_apply_file(ALL.encode()), {}, None)
    with (
        suppress(CrashError, PunctualError),
        Punctual(URL, deployment.key, transport=transport, runtime=deployment.runtime) as client,
    ):
        plan = make_plan(client, "a", wanted, prune=True, workers=1)
        carry_out(client, plan, wanted, workers=1)
    _, done = applied(deployment, ALL)
    assert all(each.error is None for each in done)
    again, _ = applied(deployment, ALL)
    assert (again.has_changes, again.unchanged) == (False, 3)


HOSTILE: list[tuple[str, str]] = [
    (
        "triggers:\n  t: {job: x, pattern: {}, patern: {}}\n",
        "f:3: triggers.t.patern: unknown member; did you mean",
    ),
    ("triggers:\n  t: {job_id: x, pattern: {}}\n", "f:3: triggers.t.job_id: is written as `job`"),
    ("triggers:\n  t: {pattern: {}}\n", "triggers.t.job: is required"),
    ("triggers:\n  t: {job: 7, pattern: {}}\n", "triggers.t.job: expected `str`"),
    ("triggers:\n  t: {job: job_x, pattern: {}}\n", "triggers.t.job: begins as an id"),
    ("triggers:\n  T.x: {job: x, pattern: {}}\n", "triggers.T.x: a name has"),
    ("triggers:\n  t: []\n", "triggers.t: must be a mapping"),
    ("calendars: []\n", "calendars: must be a mapping"),
    ("calendars:\n  c: {set: b}\n", "calendars.c.set: stands at the head"),
    ("calendars:\n  c: {country: {env: LAND}}\n", "calendars.c.country: expected"),
    ("calendars:\n  c: {weekend: [funday]}\n", "f:3: calendars.c.weekend"),
    ("calendars:\n  c: {}\n  c: {}\n", "f:4: "),
    ("calendars:\n  operator/c: {}\n", "calendars.operator/c: a name has"),
]


@pytest.mark.parametrize(("text", "error"), HOSTILE)
def test_entry_that_cannot_be_is_refused_at_its_line(text: str, error: str) -> None:
    with pytest.raises(ApplyFileError) as refused:
        read_apply_file(f"set: a\n{text}".encode(), "f")
    assert error in str(refused.value)


def test_exported_calendars_and_triggers_change_nothing_when_they_are_applied() -> None:
    around: Shell = shell()
    around.ok(
        "apply",
        "-f",
        "-",
        stdin=ALL + "  u: {job: a.x, pattern: {type: [b]}, throttle: {count: 2, per_seconds: 60}}\n",
    )
    with around.deployment.client() as client:
        client.calendars.put("open", weekend=[], set="a")
        other: Any = client.jobs.create(url=HOOK, cron="@daily").id
        client.triggers.put("v", job_id=other, pattern={"id": [{"prefix": "2026-01-01"}]}, set="a")
    text = around.ok("export", "--set", "a").out
    assert "weekend: []" in text
    assert f"job: {other}" in text
    shown = around.ok("apply", "-f", "-", "--prune", "--exit-code", stdin=text)
    assert "6 unchanged" in shown.out
    with around.deployment.client() as client:
        client.jobs.cancel(other)
    ran = around.run("export", "--set", "a")
    assert ran.code == Exit.FAILED
    assert "trigger v starts a job that does not exist any more" in ran.err

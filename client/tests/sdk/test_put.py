"""`jobs.put`: the job and the change, to be unpacked, and what a dry run says."""

import asyncio
import pickle

import pytest

from client.tests.sdk.deployment import HOOK, Deployment, Fate, client, script
from punctual.errors import UnexpectedAnswerError
from punctual.models import JobPut
from punctual.problems import PreconditionFailedError

KEY = "billing.nightly"


def test_put_returns_the_job_and_what_was_done() -> None:
    with client() as (p, deployment):
        job, change = p.jobs.put(KEY, url=HOOK, cron="30 2 * * *", timezone="Europe/Berlin")
        assert (job.key, job.schedule.cron, change) == (KEY, "30 2 * * *", "created")
        again = p.jobs.put(KEY, url=HOOK, cron="30 2 * * *", timezone="Europe/Berlin")
        assert (again.job.id, again.change, again.fields) == (job.id, "unchanged", ())
        job, change = p.jobs.put(KEY, request={"url": HOOK}, schedule={"cron": "0 3 * * *"})
        assert (job.revision, change) == (2, "updated")
        assert deployment.paths[-1] == f"PUT /v1/jobs/by-key/{KEY}"


def test_fields_tell_what_differed_and_hide_the_values_of_the_request() -> None:
    with client() as (p, _):
        p.jobs.put(KEY, url=HOOK, cron="30 2 * * *", headers={"X-Token": "s3cret"})
        made = p.jobs.put(KEY, url=HOOK, cron="0 3 * * *", headers={"X-Token": "other"}, set="billing")
        assert [(each.pointer, each.before, each.after, each.hidden) for each in made.fields] == [
            ("/request/headers/X-Token", None, None, True),
            ("/schedule/cron", "30 2 * * *", "0 3 * * *", False),
            ("/set", None, "billing", False),
        ]


def test_dry_run_changes_nothing_and_has_the_fields() -> None:
    with client() as (p, _):
        plan = p.jobs.put(KEY, url=HOOK, cron="30 2 * * *", dry_run=True)
        assert (plan.change, plan.fields, plan.job) == ("created", (), None)
        job, _change = p.jobs.put(KEY, url=HOOK, cron="30 2 * * *", dry_run=False)
        plan = p.jobs.put(KEY, url=HOOK, cron="0 3 * * *", dry_run=True)
        assert (plan.change, [each.pointer for each in plan.fields]) == ("updated", ["/schedule/cron"])
        assert plan.job is not None
        assert (plan.job.revision, plan.job.schedule.cron) == (job.revision, "30 2 * * *")


def test_put_is_repeated_after_a_lost_answer_and_makes_one_job() -> None:
    with client(Fate.ANSWER_LOST) as (p, _):
        job, change = p.jobs.put(KEY, url=HOOK, cron="30 2 * * *")
        assert change == "unchanged"
        assert [each.id for each in p.jobs.iterate()] == [job.id]


@pytest.mark.parametrize("dry_run", [True, False])
def test_put_over_another_revision_is_refused(dry_run: bool) -> None:
    with client() as (p, _):
        job, _change = p.jobs.put(KEY, url=HOOK, cron="30 2 * * *")
        p.jobs.update(job, name="theirs")
        with pytest.raises(PreconditionFailedError, match="the job is at revision 2"):
            p.jobs.put(KEY, url=HOOK, cron="0 3 * * *", if_match=job.revision, dry_run=dry_run)
        assert p.jobs.get(job.id).schedule.cron == "30 2 * * *"
        assert p.jobs.put(KEY, url=HOOK, cron="0 3 * * *", if_match=2).job.revision == 3


def test_put_with_a_revision_is_repeated_after_a_lost_answer() -> None:
    with client() as (p, deployment):
        job, _change = p.jobs.put(KEY, url=HOOK, cron="30 2 * * *")
        deployment.fate = script(Fate.ANSWER_LOST)
        job, change = p.jobs.put(KEY, url=HOOK, cron="0 3 * * *", if_match=job.revision)
        assert (job.revision, change) == (2, "unchanged")


def test_members_inside_and_beside_a_group_are_refused() -> None:
    with client() as (p, deployment):
        with pytest.raises(ValueError, match="give cron either inside schedule or by itself"):
            p.jobs.put(KEY, url=HOOK, cron="30 2 * * *", schedule={"cron": "30 2 * * *"})
        assert deployment.sent == []


def test_put_with_await() -> None:
    async def run() -> None:
        async with Deployment().async_client() as p:
            job, change = await p.jobs.put(KEY, url=HOOK, cron="30 2 * * *")
            assert (job.key, change) == (KEY, "created")
            plan = await p.jobs.put(KEY, url=HOOK, cron="0 3 * * *", dry_run=True)
            assert [each.pointer for each in plan.fields] == ["/schedule/cron"]

    asyncio.run(run())


def test_result_can_be_pickled() -> None:
    with client() as (p, _):
        made = p.jobs.put(KEY, url=HOOK, cron="30 2 * * *")
        restored = pickle.loads(pickle.dumps(made))
        assert (restored, restored.fields) == (made, made.fields)


def test_answer_without_a_job_is_unexpected() -> None:
    from punctual._put import Put

    with pytest.raises(UnexpectedAnswerError):
        Put.of(JobPut(change="created", fields=()))

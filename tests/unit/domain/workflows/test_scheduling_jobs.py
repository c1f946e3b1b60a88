"""Jobs that start workflows: the settings of calls, which their tasks have in place of them."""

import pytest

from shared.domain.bulk.members import Member
from shared.domain.bulk.patch import JobPatch
from shared.domain.delivery.async_policy import AsyncPolicy
from shared.domain.delivery.call_kind import check_one_kind
from shared.domain.delivery.request import Request, decode_request, encode_request
from shared.domain.delivery.retry import ONE_ATTEMPT, RetryPolicy
from shared.domain.errors import InvalidValueError
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.timing import After
from shared.names import Lane
from tests.support.builders import job
from tests.support.workflows import WORKFLOW_ID

STARTS = Request(workflow_id=WORKFLOW_ID, on_failure="https://receiver.example/failed")


@pytest.mark.parametrize(
    ("settings", "member"),
    [
        ({"retry": RetryPolicy(max_attempts=2)}, "retry"),
        ({"timeout_seconds": 5}, "timeout_seconds"),
        ({"async_policy": AsyncPolicy(deadline_seconds=60)}, "async_deadline_seconds"),
        ({"async_policy": AsyncPolicy(heartbeat_seconds=10)}, "heartbeat_seconds"),
    ],
)
def test_setting_of_a_call_is_refused(settings, member):
    with pytest.raises(InvalidValueError) as refused:
        NewJob(**({"timing": After(0), "request": STARTS, "retry": ONE_ATTEMPT} | settings))
    assert refused.value.path == (member,)


def test_request_that_names_a_workflow_is_read_back():
    assert decode_request(encode_request(STARTS)) == STARTS


@pytest.mark.parametrize("members", [{"request"}, {"workflow", "schedule"}])
def test_job_with_one_kind_is_accepted(members):
    check_one_kind(members)


def test_bulk_patch_of_a_setting_of_calls_does_not_suit():
    definition = job(workflow_id=WORKFLOW_ID, retry=ONE_ATTEMPT).definition
    assert JobPatch(values={Member.LANE: Lane.BULK}).suits(definition)
    assert not JobPatch(values={Member.RETRY: RetryPolicy(max_attempts=3)}).suits(definition)
    assert not JobPatch(values={Member.TIMEOUT: 5_000}).suits(definition)

"""The retry policy of a job over HTTP: what is accepted, how it is shown, and how a patch changes it."""

from typing import Any

import pytest

from tests.support.api.api_world import JOB, ApiWorld
from tests.support.api.job_requests import patch

BACKOFF: dict[str, Any] = {"max_attempts": 5, "base_seconds": 10, "factor": 2, "cap_seconds": 3_600}
TABLE: dict[str, Any] = {"delays_seconds": [60, 600]}
SHOWN_TABLE: dict[str, Any] = {"max_attempts": 3, "delays_seconds": [60, 600]}
WEEK = 7 * 86_400


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ({}, BACKOFF),
        ({"give_up_after_seconds": 60}, BACKOFF | {"give_up_after_seconds": 60}),
        ({"give_up_after_seconds": None, "delays_seconds": None}, BACKOFF),
        (TABLE, SHOWN_TABLE),
        (SHOWN_TABLE, SHOWN_TABLE),
        (TABLE | {"give_up_after_seconds": WEEK}, SHOWN_TABLE | {"give_up_after_seconds": WEEK}),
        ({"delays_seconds": [86_400] * 7}, {"max_attempts": 8, "delays_seconds": [86_400] * 7}),
        ({"delays_seconds": [1] * 19}, {"max_attempts": 20, "delays_seconds": [1] * 19}),
    ],
)
@pytest.mark.parametrize("schedule", [{"delay_seconds": 60}, {"rate_seconds": 60}])
def test_a_policy_is_kept_as_it_was_asked_for(
    asked: dict[str, Any], shown: dict[str, Any], schedule: dict[str, Any]
) -> None:
    world = ApiWorld()
    job = world.create(schedule=schedule, retry=asked)
    assert job["retry"] == shown
    assert world.get(f"/v1/jobs/{job['id']}").json["retry"] == shown
    again = world.create(schedule=schedule, retry=shown)
    assert again["retry"] == shown, "what is shown can be sent"


@pytest.mark.parametrize(
    ("retry", "pointers"),
    [
        ({"delays_seconds": []}, ["/retry/delays_seconds"]),
        ({"delays_seconds": [1] * 20}, ["/retry/delays_seconds"]),
        ({"delays_seconds": [0]}, ["/retry/delays_seconds/0"]),
        ({"delays_seconds": [60, 86_401, -1]}, ["/retry/delays_seconds/1", "/retry/delays_seconds/2"]),
        ({"delays_seconds": [1.5]}, ["/retry/delays_seconds/0"]),
        ({"delays_seconds": ["60"]}, ["/retry/delays_seconds/0"]),
        ({"delays_seconds": [True]}, ["/retry/delays_seconds/0"]),
        ({"delays_seconds": [None]}, ["/retry/delays_seconds/0"]),
        ({"delays_seconds": 60}, ["/retry/delays_seconds"]),
        ({"delays_seconds": "60,600"}, ["/retry/delays_seconds"]),
        ({"delays_seconds": {"0": 60}}, ["/retry/delays_seconds"]),
        ({"delays_seconds": [86_400] * 8}, ["/retry"]),
        (TABLE | {"base_seconds": 10}, ["/retry/delays_seconds"]),
        (TABLE | {"factor": 2}, ["/retry/delays_seconds"]),
        (TABLE | {"cap_seconds": 3_600}, ["/retry/delays_seconds"]),
        (TABLE | {"max_attempts": 2}, ["/retry/max_attempts"]),
        (TABLE | {"max_attempts": 4}, ["/retry/max_attempts"]),
        ({"give_up_after_seconds": 0}, ["/retry/give_up_after_seconds"]),
        ({"give_up_after_seconds": -1}, ["/retry/give_up_after_seconds"]),
        ({"give_up_after_seconds": WEEK + 1}, ["/retry/give_up_after_seconds"]),
        ({"give_up_after_seconds": 60.0}, ["/retry/give_up_after_seconds"]),
        ({"give_up_after_seconds": "60"}, ["/retry/give_up_after_seconds"]),
        ({"give_up_after_seconds": 2**63}, ["/retry/give_up_after_seconds"]),
        ({"max_attempts": 20, "base_seconds": 86_400, "cap_seconds": 86_400}, ["/retry"]),
        ({"delay_seconds": [60]}, ["/retry/delay_seconds"]),
    ],
)
def test_a_policy_that_nobody_could_keep_is_refused_at_its_place(
    retry: dict[str, Any], pointers: list[str]
) -> None:
    answer = ApiWorld().post(JOB | {"retry": retry})
    assert (answer.status, answer.problem) == (422, "validation-failed")
    assert [error["pointer"] for error in answer.json["errors"]] == pointers


@pytest.mark.parametrize(
    ("before", "change", "after"),
    [
        ({}, TABLE, SHOWN_TABLE),
        ({"max_attempts": 9, "base_seconds": 1}, TABLE, SHOWN_TABLE),
        (TABLE, {"delays_seconds": [5]}, {"max_attempts": 2, "delays_seconds": [5]}),
        (TABLE, {"base_seconds": 20}, BACKOFF | {"base_seconds": 20}),
        (TABLE, {"max_attempts": 7, "factor": 3}, BACKOFF | {"max_attempts": 7, "factor": 3}),
        (TABLE, {"delays_seconds": None}, BACKOFF | {"max_attempts": 3}),
        (TABLE, None, BACKOFF),
        (TABLE, {"give_up_after_seconds": 90}, SHOWN_TABLE | {"give_up_after_seconds": 90}),
        (
            TABLE | {"give_up_after_seconds": 90},
            {"delays_seconds": [60, 600]},
            SHOWN_TABLE | {"give_up_after_seconds": 90},
        ),
        (TABLE | {"give_up_after_seconds": 90}, {"give_up_after_seconds": None}, SHOWN_TABLE),
    ],
)
def test_a_patch_of_one_of_the_two_takes_the_place_of_the_other(
    before: dict[str, Any], change: dict[str, Any] | None, after: dict[str, Any]
) -> None:
    world = ApiWorld()
    job = world.create(schedule={"rate_seconds": 60}, retry=before)
    answer = patch(world, job, {"retry": change})
    assert answer.status == 200, answer.text
    assert answer.json["retry"] == after


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        (TABLE | {"factor": 2}, "/retry/delays_seconds"),
        ({"max_attempts": 9}, "/retry/max_attempts"),
        ({"delays_seconds": [86_400] * 8}, "/retry"),
    ],
)
def test_a_patch_that_makes_nonsense_of_a_table_is_refused(change: dict[str, Any], pointer: str) -> None:
    world = ApiWorld()
    job = world.create(retry=TABLE)
    answer = patch(world, job, {"retry": change})
    assert (answer.status, answer.problem) == (422, "validation-failed")
    assert [error["pointer"] for error in answer.json["errors"]] == [pointer]


def test_the_same_request_under_the_same_key_is_the_same_job_with_a_table_and_another_with_another() -> None:
    world = ApiWorld()
    first = world.post(JOB | {"retry": TABLE}, idempotency_key="k")
    again = world.post(JOB | {"retry": TABLE}, idempotency_key="k")
    other = world.post(JOB | {"retry": {"delays_seconds": [60]}}, idempotency_key="k")
    assert (again.status, again.json["id"]) == (201, first.json["id"])
    assert other.problem == "idempotency-key-reused"

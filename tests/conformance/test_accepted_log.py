"""AcceptedLog: every acknowledgement of a span of time, and nothing else that stands in the same log."""

import json

import pytest

from shared.adapters.aws.errors import NoAnswerError
from shared.domain.errors import UnavailableError
from shared.names import ACCEPTED_BATCH_LOG_LINE, ACCEPTED_LOG_LINE
from shared.ports.dispatch import Accepted
from tests.support.conformance.accepted import Acceptance, LoggedAcceptance, this_minute
from tests.support.conformance.interference import answering, changing_calls, failure

NOISE = [
    ACCEPTED_LOG_LINE,
    f"the client said: {ACCEPTED_LOG_LINE}",
    json.dumps({"message": f"not a {ACCEPTED_LOG_LINE}", "tenant": "acme", "job": "job_noise"}),
    json.dumps({"message": ACCEPTED_LOG_LINE}),
    json.dumps([ACCEPTED_LOG_LINE]),
    json.dumps({"message": ACCEPTED_BATCH_LOG_LINE, "tenant": "acme"}),
    json.dumps({"message": ACCEPTED_BATCH_LOG_LINE, "tenant": "acme", "jobs": [[]]}),
    json.dumps({"message": ACCEPTED_BATCH_LOG_LINE, "tenant": "acme", "jobs": 7}),
    json.dumps({"message": "request served", "note": ACCEPTED_LOG_LINE}),
    "START RequestId: 1",
]


def jobs(acceptance: Acceptance, from_at: int, until_at: int) -> list[str]:
    """The ids that were acknowledged."""
    found = list(acceptance.log.between(from_at, until_at))
    assert all(accepted == Accepted(tenant_id="acme", job_id=accepted.job_id) for accepted in found)
    return sorted(accepted.job_id for accepted in found)


def test_a_span_begins_with_its_first_millisecond_and_ends_before_its_last(acceptance: Acceptance) -> None:
    start = this_minute() - 60_000
    for at, job_id in ((-1, "before"), (0, "first"), (59_999, "last"), (60_000, "after")):
        acceptance.accept(start + at, job_id)
    assert jobs(acceptance, start, start + 60_000) == ["first", "last"]
    assert jobs(acceptance, start - 1, start + 60_001) == ["after", "before", "first", "last"]
    assert jobs(acceptance, start + 1, start + 2) == []


def test_lines_that_only_look_alike_are_none(acceptance: Acceptance) -> None:
    start = this_minute() - 60_000
    for line in NOISE:
        acceptance.say(start, line)
    acceptance.accept(start, "the only one")
    assert jobs(acceptance, start, start + 1) == ["the only one"]


def test_lines_of_single_jobs_and_of_batches_are_read(acceptance: Acceptance) -> None:
    start = this_minute() - 60_000
    acceptance.accept(start, "single")
    acceptance.accept_batch(start, "first of two", "second of two")
    assert jobs(acceptance, start, start + 1) == ["first of two", "second of two", "single"]


def test_line_of_an_older_release_is_read(logged_acceptance: LoggedAcceptance) -> None:
    start = this_minute() - 60_000
    older = {
        "level": "INFO",
        "location": "record_creation:64",
        "message": ACCEPTED_LOG_LINE,
        "timestamp": "2026-01-01 00:00:00,000+0000",
        "service": "api",
        "tenant": "acme",
        "job": "older",
        "key": "k",
        "request_id": "r",
        "sample": "sample-1",
        "after": "0" * 64,
    }
    logged_acceptance.say(start, json.dumps(older))
    assert jobs(logged_acceptance, start, start + 1) == ["older"]


def test_every_page_of_the_log_is_read(logged_acceptance: LoggedAcceptance) -> None:
    start = this_minute() - 60_000
    for number in range(7):
        logged_acceptance.accept(start + number, f"job_{number}")
    with changing_calls(
        logged_acceptance.client,
        "FilterLogEvents",
        lambda params: params.update(limit=2),
    ):
        assert jobs(logged_acceptance, start, start + 7) == [f"job_{number}" for number in range(7)]


def test_a_fault_of_the_log_is_unavailability_and_never_silence(logged_acceptance: LoggedAcceptance) -> None:
    nowhere = NoAnswerError("nowhere")
    for fault in (failure("ThrottlingException"), failure("ServiceUnavailableException"), nowhere):
        with (
            answering(logged_acceptance.client, "FilterLogEvents", fault),
            pytest.raises(UnavailableError),
        ):
            list(logged_acceptance.log.between(0, 1))

"""Errors keep what they know on their way between processes."""

import pickle

import pytest

from punctual._problem_documents import error_of
from punctual.errors import BatchRefusedError, NoAnswerError, PunctualError, WaitTimeoutError
from punctual.problems import ValidationFailedError

DOCUMENT = {
    "type": "urn:punctual:problem:validation-failed",
    "title": "The request breaks the schema",
    "status": 422,
    "detail": "2 errors in the body",
    "instance": "urn:punctual:request:1",
    "errors": [
        {"pointer": "/schedule/cron", "detail": "61 is too much"},
        {"pointer": "/name", "detail": "too long"},
    ],
}
REFUSED = error_of(422, DOCUMENT, operation="createJob", idempotency_key="key-1")


@pytest.mark.parametrize(
    "error",
    [
        REFUSED,
        NoAnswerError("no answer", operation="createJob", idempotency_key="key-1", maybe_applied=True),
        WaitTimeoutError("job_1", "pending", 60.0),
        BatchRefusedError([(0, REFUSED)] * 5, total=9),
    ],
)
def test_error_is_the_same_after_it_was_pickled(error: PunctualError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (str(again), again.args) == (str(error), error.args)
    assert repr(again.__dict__) == repr(error.__dict__)


def test_problem_document_is_told_whole() -> None:
    assert isinstance(REFUSED, ValidationFailedError)
    assert REFUSED.pointers == ("/schedule/cron", "/name")
    assert REFUSED.pointer == "/schedule/cron"
    assert (REFUSED.status, REFUSED.type, REFUSED.quota, REFUSED.retry_after) == (
        422,
        "validation-failed",
        None,
        None,
    )
    assert str(REFUSED) == (
        "422 validation-failed: 2 errors in the body; /schedule/cron: 61 is too much; /name: too long"
        " [urn:punctual:request:1]"
    )


def test_refused_batch_names_the_first_three_jobs() -> None:
    told = str(BatchRefusedError([(place, REFUSED) for place in range(5)], total=9))
    assert told.startswith("5 of 9 jobs were not created: job 0: 422")
    assert told.endswith("; and 2 more")
    assert "job 3" not in told

"""Batches of jobs."""

from functions.api.examples import Examples
from functions.api.http.problem_examples import validation_failed
from functions.api.resources.jobs.examples import ONCE

BATCH_IN: Examples = {
    "two_jobs": {
        "jobs": [
            {"schedule": {"delay_seconds": 60}, "request": {"url": "https://example.com/hooks/a"}},
            {"schedule": {"delay_seconds": 90}, "request": {"url": "https://example.com/hooks/b"}},
        ]
    }
}
BATCH_OUT: Examples = {
    "one_accepted_and_one_refused": {
        "results": [
            {"status": 201, "job": ONCE},
            {"status": 422, "problem": validation_failed("/jobs/1/request/url", "this member is required")},
        ]
    }
}

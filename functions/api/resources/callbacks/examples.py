"""Reports of receivers."""

from functions.api.examples import TRIGGERED_ID, Examples

COMPLETION_IN: Examples = {"with_a_result": {"result": {"rows": 1250}}}
FAILURE_IN: Examples = {"for_good": {"reason": "the warehouse is closed", "retryable": False}}
HEARTBEAT_OUT: Examples = {
    "extended": {
        "id": TRIGGERED_ID,
        "attempt": 1,
        "lease_until": "2025-02-19T21:11:52.345Z",
        "deadline_at": "2025-02-19T22:10:12.345Z",
    }
}
REPORT_OUT: Examples = {"succeeded": {"id": TRIGGERED_ID, "attempt": 1, "outcome": "succeeded"}}

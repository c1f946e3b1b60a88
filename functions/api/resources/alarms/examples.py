"""Alarms."""

from functions.api.examples import Examples

ALARM_PAGE: Examples = {
    "one_in_alarm": {
        "alarms": [
            {
                "name": "OldestUnclaimedDue",
                "state": "alarm",
                "since": "2025-02-19T21:09:30.000Z",
                "meaning": "Executions have been due for over two minutes, and no worker has claimed them.",
                "reason": (
                    "Threshold Crossed: 2 out of the last 2 datapoints [190.0 (19/02/25 21:08:00), 130.0 (19/02/25 "
                    "21:07:00)] were greater than the threshold (120.0) (minimum 2 datapoints for OK -> ALARM "
                    "transition)."
                ),
                "runbook": "docs/runbooks/calls-late.md",
                "notifies": True,
            },
            {
                "name": "ArchiveUnsealed",
                "state": "ok",
                "since": "2025-02-12T04:17:30.000Z",
                "meaning": "An hour is not archived a day after it should be.",
                "reason": "Threshold Crossed: no datapoints were received for 1 period.",
                "runbook": "docs/runbooks/archive-behind.md",
                "notifies": True,
            },
        ],
        "next_cursor": None,
    }
}

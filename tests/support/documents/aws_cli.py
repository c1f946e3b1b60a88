"""The AWS command line in the documents' shell: it knows some schedules, and nothing else."""

import json
import sys
from typing import Any

REPORT = "arn:aws:lambda:eu-west-1:111122223333:function:report"
INVOICES = "arn:aws:sqs:eu-west-1:111122223333:invoices"
WINDOW = {"Mode": "OFF"}


def schedule(group: str, name: str, expression: str, target: dict[str, Any], **others: Any) -> dict[str, Any]:
    """What `get-schedule` prints."""
    return {
        "Arn": f"arn:aws:scheduler:eu-west-1:111122223333:schedule/{group}/{name}",
        "GroupName": group,
        "Name": name,
        "ScheduleExpression": expression,
        "FlexibleTimeWindow": WINDOW,
        "State": "ENABLED",
        "Target": {"RoleArn": "arn:aws:iam::111122223333:role/scheduler", **target},
        "ActionAfterCompletion": "NONE",
        "CreationDate": "2024-05-01T12:00:00.123000+02:00",
        **others,
    }


SCHEDULES = [
    schedule(
        "default",
        "daily-report",
        "cron(0 9 ? * MON-FRI *)",
        {"Arn": REPORT, "Input": '{"kind": "daily"}'},
        ScheduleExpressionTimezone="Europe/Berlin",
        FlexibleTimeWindow={"Mode": "FLEXIBLE", "MaximumWindowInMinutes": 15},
    ),
    schedule(
        "Billing",
        "invoices",
        "rate(5 minutes)",
        {
            "Arn": INVOICES,
            "Input": "not JSON",
            "RetryPolicy": {"MaximumEventAgeInSeconds": 600, "MaximumRetryAttempts": 3},
        },
        ScheduleExpressionTimezone="UTC",
        StartDate="2024-01-01T00:00:00+01:00",
        EndDate="2035-01-01T00:00:00+01:00",
    ),
    schedule("default", "passed", "at(2024-01-01T00:00:00)", {"Arn": REPORT}),
    schedule("default", "off", "rate(1 hour)", {"Arn": REPORT}, State="DISABLED"),
    schedule("default", "foreign", "rate(1 hour)", {"Arn": f"{REPORT}-of-others"}),
    schedule(
        "default", "inside", "rate(1 hour)", {"Arn": REPORT, "Input": '"<aws.scheduler.attempt-number>"'}
    ),
]


def main(words: list[str]) -> None:
    if words[:2] == ["scheduler", "list-schedules"]:
        for each in SCHEDULES:
            print(each["GroupName"], each["Name"], sep="\t")  # noqa: T201
    if words[:2] == ["scheduler", "get-schedule"]:
        name = words[words.index("--name") + 1]
        [found] = [each for each in SCHEDULES if each["Name"] == name]
        print(json.dumps(found, indent=4))  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])

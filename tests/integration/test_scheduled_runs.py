"""Runs that a rule of EventBridge starts on the laptop stack."""

import json
import time

import pytest

from infra.local.stack import LocalStack
from tests.drills.metrics import LogTail, embedded

pytestmark = pytest.mark.integration

RULE, SOURCE = "event-of-the-test", "test"
PATIENCE_SECONDS = 60


def test_metrics_of_a_run_that_a_rule_starts_are_in_the_log(stack: LocalStack) -> None:
    events, log = stack.client("events"), LogTail(stack.emulator.home.log)
    targets = [
        target
        for rule in events.list_rules()["Rules"]
        for target in events.list_targets_by_rule(Rule=rule["Name"])["Targets"]
        if stack.functions["watcher"] in target["Arn"]
    ]
    # An event starts the run at once. The emulator's next minute may be far away.
    events.put_rule(Name=RULE, EventPattern=json.dumps({"source": [SOURCE]}))
    try:
        events.put_targets(Rule=RULE, Targets=targets)
        events.put_events(Entries=[{"Source": SOURCE, "DetailType": "tick", "Detail": "{}"}])
        assert _counts(log, "WatcherTick"), "the log has no tick of a watcher"
    finally:
        events.remove_targets(Rule=RULE, Ids=[target["Id"] for target in targets])
        events.delete_rule(Name=RULE)


def _counts(log: LogTail, metric: str) -> bool:
    ends = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < ends:
        if metric in [name for line in log.lines() for (_, name, _), _ in embedded(line)]:
            return True
        time.sleep(0.1)
    return False

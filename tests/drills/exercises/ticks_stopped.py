"""EventBridge rules are disabled, so no watcher and no sweeper runs."""

from tests.drills.drill import Drill, Steps
from tests.drills.laptop import Laptop

STOPPED = ("watcher", "sweeper")


def stop_ticks(laptop: Laptop) -> None:
    laptop.load()
    events = laptop.stack.client("events")
    names = {laptop.stack.functions[service] for service in STOPPED}
    for rule in events.list_rules()["Rules"]:
        targets = events.list_targets_by_rule(Rule=rule["Name"])["Targets"]
        if any(name in target["Arn"].split(":") for target in targets for name in names):
            events.disable_rule(Name=rule["Name"])


DRILL = Drill(
    name="ticks-stopped",
    summary="the rules of the watcher and the sweeper are disabled; the heartbeats alarm by silence",
    minutes=9,
    break_stack=stop_ticks,
    signals=("WatcherHeartbeat", "SweeperHeartbeat"),
    act=(
        Steps(page="ticks-stopped", section="Confirm", numbers=(1,)),
        Steps(page="ticks-stopped", numbers=(1,)),
    ),
)

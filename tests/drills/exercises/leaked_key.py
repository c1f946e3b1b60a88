"""A thief creates jobs with a tenant's API key."""

from infra.local.receiver import Receiver
from tests.drills.drill import Drill, Steps
from tests.drills.laptop import Laptop, send
from tests.drills.watch import graph

CREATED = 201
KEY_NAME = "leaked"
JOBS_OF_THIEF = ("Drill", "JobsCreatedWithLeakedKey", ())
"""Counted by the thief: no metric of a stage has the ID of a key."""


def leak_key(laptop: Laptop) -> None:
    stack = laptop.stack
    key = stack.admin("create-key", laptop.tenant.name, "--scopes", "read,write", "--name", KEY_NAME)[
        "api_key"
    ]
    receiver = Receiver(keep=1)
    receiver.start()
    laptop.on_end(receiver.stop)
    job = {"schedule": {"delay_seconds": 1}, "request": {"url": f"{receiver.url}/stolen", "json": {}}}

    def steal() -> None:
        if send(stack, key, "POST", "/v1/jobs", job).status == CREATED:
            laptop.metrics.add(JOBS_OF_THIEF, [1])

    laptop.load()
    laptop.repeat(steal, 3.0)


def page_variables(laptop: Laptop) -> dict[str, str]:
    keys = laptop.stack.admin("list-keys", laptop.tenant.name)["keys"]
    [leaked] = [key["id"] for key in keys if key["name"] == KEY_NAME]
    return {"TENANT": laptop.tenant.name, "KEY_ID": leaked}


GRAPH = graph(JOBS_OF_THIEF, "Sum")
DRILL = Drill(
    name="leaked-key",
    summary="a thief creates jobs with a tenant's API key",
    minutes=6,
    break_stack=leak_key,
    signals=(GRAPH["AlarmName"],),
    graphs=(GRAPH,),
    variables=page_variables,
    act=(
        Steps(page="leaked-key", section="Confirm", numbers=(1, 2)),
        Steps(page="leaked-key", numbers=(1, 2)),
    ),
)

"""A tenant creates more jobs than the standard lane can call, so the calls of all tenants are late."""

from infra.local.receiver import Receiver, Reply
from tests.drills.drill import Drill, Steps
from tests.drills.laptop import Laptop, send

TENANT = "noisy"
JOBS_PER_SECOND = 10
SECONDS_PER_CALL = 4.5
"""Below the 5 seconds from which calls take the slow path, where they would hold up only themselves."""
EXECUTORS = 2
CONCURRENCY = 2


def flood(laptop: Laptop) -> None:
    """The lane gets few executors, each with one message, so that a flood for a laptop is enough."""
    stack = laptop.stack
    lambdas = stack.client("lambda")
    [source] = lambdas.list_event_source_mappings(
        FunctionName=f"{stack.functions['executor-standard']}:live"
    )["EventSourceMappings"]
    lambdas.update_event_source_mapping(
        UUID=source["UUID"], BatchSize=1, ScalingConfig={"MaximumConcurrency": EXECUTORS}
    )
    noisy = stack.create_tenant(TENANT)
    receiver = Receiver(keep=1, respond=lambda _: Reply(after_seconds=SECONDS_PER_CALL))
    receiver.start()
    laptop.on_end(receiver.stop)
    job = {"schedule": {"delay_seconds": 0}, "request": {"url": receiver.url, "json": {}}}
    jobs = {"jobs": [job] * JOBS_PER_SECOND}
    laptop.load()
    laptop.repeat(lambda: send(stack, noisy.api_key, "POST", "/v1/jobs/batch", jobs), 1.0)


DRILL = Drill(
    name="noisy-tenant",
    summary="a tenant fills the executors of the standard lane, and the calls of all tenants start late",
    minutes=9,
    break_stack=flood,
    signals=("OldestUnclaimedDue",),
    variables=lambda laptop: {"TENANT": TENANT, "CONCURRENCY": str(CONCURRENCY)},
    act=(
        Steps(page="noisy-tenant", section="Confirm", numbers=(2, 3)),
        Steps(page="noisy-tenant", numbers=(2,)),
    ),
)

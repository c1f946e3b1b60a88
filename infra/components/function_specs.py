"""The functions as a table: what each is called, what it runs, for how long, and what it may loop through."""

from dataclasses import dataclass

from infra.components.construct_ids import construct_id
from infra.config import FunctionMemory
from shared.names import EXECUTOR_TIMEOUT_SECONDS, QueueName

DEAD_LETTER_TIMEOUT_SECONDS = 60
RECONCILER_TIMEOUT_SECONDS = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionSpec:
    """One Lambda function. `service` names it in logs and metrics, and so in alarms too."""

    service: str
    package: str
    timeout_seconds: int
    memory_mb: int
    lane: QueueName | None = None
    """The queue that it consumes."""
    makes_callbacks: bool = False
    """Reads tenants' secrets and judges callback addresses: it gets the key and the dial exceptions."""
    manages_tenants: bool = False
    """Manages tenants, holds them to their quotas and records changes."""
    is_scheduled: bool = False
    """Invoked by the clock: a failed run is not repeated, since the next tick does its work."""
    reads_dead_letters: bool = False
    """Reads the dead-letter queues."""
    reads_api_log: bool = False
    """Reads back what the API logged as acknowledged."""
    allows_recursion: bool = False
    """Lawfully feeds the queue that invokes it (retries, successors, returned work). Lambda would cut such a
    chain after about 16 passes; `max_attempts` and the schedule are what bound it instead."""

    @property
    def construct_id(self) -> str:
        """The service in CamelCase, as CloudFormation names resources."""
        return construct_id(self.service)

    @property
    def consumes(self) -> bool:
        """Whether it reads wake-ups, of a queue or of the dead-letter queues."""
        return self.lane is not None or self.reads_dead_letters


def function_specs(memory: FunctionMemory) -> tuple[FunctionSpec, ...]:
    """Every function of a stage."""
    return (
        # The gateway answers 503 after 30 s at the latest; a function that lasts longer works for nobody.
        FunctionSpec(
            service="api",
            package="api",
            timeout_seconds=25,
            memory_mb=memory.api,
            makes_callbacks=True,
            manages_tenants=True,
        ),
        # Longer than a tick on purpose: leases keep overlapping runs apart, and a full bucket may need it.
        FunctionSpec(
            service="watcher",
            package="watcher",
            timeout_seconds=110,
            memory_mb=memory.watcher,
            is_scheduled=True,
        ),
        FunctionSpec(
            service="sweeper",
            package="sweeper",
            timeout_seconds=110,
            memory_mb=memory.sweeper,
            is_scheduled=True,
        ),
        FunctionSpec(
            service="reconciler",
            package="reconciler",
            timeout_seconds=RECONCILER_TIMEOUT_SECONDS,
            memory_mb=memory.sweeper,
            is_scheduled=True,
            reads_api_log=True,
        ),
        *(_executor(queue, memory) for queue in QueueName),
        FunctionSpec(
            service="dead-letter",
            package="dead_letter",
            timeout_seconds=DEAD_LETTER_TIMEOUT_SECONDS,
            memory_mb=memory.dead_letter,
            reads_dead_letters=True,
            allows_recursion=True,
        ),
    )


def _executor(lane: QueueName, memory: FunctionMemory) -> FunctionSpec:
    return FunctionSpec(
        service=f"executor-{lane}",
        package="executor",
        timeout_seconds=EXECUTOR_TIMEOUT_SECONDS,
        memory_mb=memory.executor,
        lane=lane,
        makes_callbacks=True,
        allows_recursion=True,
    )

"""Many jobs that are due at once, or one after the other, filed without the requests that asked for them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from shared.adapters.sqs.wakeup_queue import SqsWakeupQueue
from shared.domain.delivery.request import Request
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.schedule import Once
from shared.domain.schedules.timing import Timing
from shared.names import Lane
from shared.usecases.filing.file_execution import wakeup_for
from shared.usecases.jobs.draft_job import DraftJob, Identity
from shared.usecases.tenancy.create_tenant import CreateTenant
from tests.simulation.evidence import Arrival
from tests.simulation.lanes import QUEUE_URLS
from tests.simulation.wiring import use_cases_of
from tests.simulation.world import World
from tests.support.fakes.clock import VirtualClock, one_by_one

CREATED_BEFORE_MS = 60_000


@dataclass(frozen=True, slots=True)
class Backlog:
    """What is due in one world."""

    world: World

    def tenant(self, name: str, **changes: object) -> str:
        """One more tenant, with fields of its own."""
        clock = VirtualClock(self.world.hub.now_ms)
        CreateTenant(self.world.tenants, self.world.vault, clock, self.world.entropy).execute(name)
        standing = self.world.tenants.tenants[name]
        self.world.tenants.tenants[name] = replace(standing, **changes)  # type: ignore[arg-type]
        return name

    def due(
        self, tenant: str, instants: Iterable[int], *, host: str = "", lane: Lane = Lane.STANDARD
    ) -> list[Execution]:
        """Jobs that are filed and sent for, each due at an instant."""
        url = f"https://{host or tenant + '.example.com'}/hook"
        draft = use_cases_of(self.world, self.world.process("api")).jobs.create_job.draft
        made = [self._filed(draft, tenant, Once(at=instant), url, lane) for instant in instants]
        queue = SqsWakeupQueue(self.world.lanes, QUEUE_URLS, self.world.weights, one_by_one)  # type: ignore[arg-type]
        assert queue.send([wakeup_for(execution) for execution in made], self.world.hub.now_ms) == []
        return made

    def _filed(self, draft: DraftJob, tenant: str, timing: Timing, url: str, lane: Lane) -> Execution:
        world, now_ms = self.world, self.world.hub.now_ms - CREATED_BEFORE_MS
        new = NewJob(timing=timing, request=Request(method="POST", url=url), lane=lane, timeout_seconds=10)
        identity = Identity(chosen=draft.choose(new, now_ms), created_at=now_ms, fingerprint=bytes(16))
        drafted = draft.execute(world.tenant(tenant), new, identity)
        assert isinstance(drafted.job, Execution)
        assert drafted.payload is None
        execution = drafted.job.progressed(state=State.QUEUED)
        world.table.insert(execution, None)
        return execution

    def lags(self, executions: Iterable[Execution]) -> list[int]:
        """How late the first call of each began, in ms, the least first; what has not begun is late by now."""
        begun = {call.execution_id: call.began_at for call in reversed(self.world.receiver.log)}
        now_ms = self.world.hub.now_ms
        return sorted(begun.get(str(one.id), now_ms) - one.id.dispatch_at for one in executions)

    def end(self) -> None:
        """Let what is under way come to its end, and nothing else begin."""
        self.world.lanes.messages.clear()
        self.world.hub.run_until(self.world.hub.now_ms + 120_000)
        self.world.hub.close()

    def calls(self, executions: Iterable[Execution]) -> Iterator[Arrival]:
        """The calls that were made for these."""
        criteria = {str(one.id) for one in executions}
        return (call for call in self.world.receiver.log if call.execution_id in criteria)

    def begun(self, executions: Iterable[Execution]) -> int:
        """For how many of these a call was made."""
        return len({call.execution_id for call in self.calls(executions)})


def p99(lags: list[int]) -> int:
    """The 99th percentile of lags that are in order."""
    return lags[min(len(lags) - 1, len(lags) * 99 // 100)]

"""What the judge of triggers is shown: triggers and events as their clients know them, and runs as the API shows them.

Nothing of the product is imported here. Instants are virtual time in ms.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.simulation.evidence import Arrival
from tests.simulation.faults import FaultMix


@dataclass(slots=True)
class Ask:
    """One try of a request: from its first effect on, until its process has answered or is dead."""

    begun_at: int
    ended_at: int | None = None
    """None while it goes on."""


@dataclass(slots=True, kw_only=True)
class Acknowledged:
    """A request that its client repeats until it is answered."""

    asks: list[Ask] = field(default_factory=list)
    acked_at: int | None = None
    """When the first answer came."""

    @property
    def begun_at(self) -> int | None:
        return min((ask.begun_at for ask in self.asks), default=None)

    @property
    def ended_at(self) -> int:
        """From then on it has no effect any more."""
        return max((ask.ended_at or NEVER for ask in self.asks), default=0)


NEVER = 1 << 62


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """What a trigger is asked to be."""

    kinds: tuple[str, ...]
    """The kinds of events that it matches."""
    job: int
    """The number of its job."""
    delay_seconds: int = 0
    debounce_seconds: int = 0
    debounce_max_seconds: int = 0
    throttle: tuple[int, int] | None = None
    """How many runs in how many seconds."""


@dataclass(slots=True, kw_only=True)
class Change(Acknowledged):
    """One PUT of a trigger, or its deletion."""

    spec: Spec | None
    """None for the deletion."""


@dataclass(slots=True, kw_only=True)
class TriggerLog:
    """A trigger by its name. No change is asked for while one before it may still take effect."""

    tenant: str
    name: str
    changes: list[Change] = field(default_factory=list)

    def in_force(self, from_ms: int, until_ms: int) -> list[int]:
        """The changes of which each may have been the latest one at some time in between; -1 before the first."""
        found = [-1, *range(len(self.changes))]
        found = [n for n in found if n < 0 or (self.changes[n].begun_at or NEVER) <= until_ms]
        settled = [n for n in found if n >= 0 and (self.changes[n].acked_at or NEVER) < from_ms]
        return [n for n in found if n >= max(settled, default=-1)]

    def spec(self, number: int) -> Spec | None:
        """What the trigger was after one of its changes; None before its creation and after its deletion."""
        return self.changes[number].spec if number >= 0 else None


@dataclass(slots=True, kw_only=True)
class JobLog:
    """A job that events start."""

    tenant: str
    number: int
    url: str
    own_body: str | None
    """Of its calls beside the event, as JSON; None for a workflow, which has the event as its input."""
    job_id: str = ""
    deletion: Acknowledged = field(default_factory=Acknowledged)
    running: dict[str, int] = field(default_factory=dict)
    """What ran when the deletion was acknowledged: the attempt of each execution."""

    @property
    def is_workflow(self) -> bool:
        return self.own_body is None


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchShown:
    """One match in the answer to an event."""

    trigger: str
    job_id: str
    outcome: str
    execution_id: str | None
    due_at: int | None
    throttled_until: int | None
    is_durable: bool
    """Whether the run stood when the answer came."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one ask of an event was answered."""

    ask: Ask
    matches: tuple[MatchShown, ...]


@dataclass(slots=True, kw_only=True)
class EventLog(Acknowledged):
    """One event: of a client, or of the event bus, which answers nothing."""

    tenant: str
    id: str
    source: str
    kind: str
    padding: int
    deliver_at: int | None = None
    is_of_bus: bool = False
    answers: list[Answer] = field(default_factory=list)
    refusals: list[Ask] = field(default_factory=list)
    """The asks that were refused as a whole."""

    @property
    def document(self) -> dict[str, object]:
        """As it reaches the call."""
        data = {"kind": self.kind, "of": self.id, "text": "x" * self.padding}
        return {"source": self.source, "type": "happened", "id": self.id, "data": data}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunShown:
    """An execution that an event has started, as the API shows it at the end."""

    execution_id: str
    tenant: str
    job_id: str
    state: str
    reason: str | None
    scheduled_at: int
    due_at: int
    trigger: str
    source: str
    event: str
    """The ID of its event."""


@dataclass(slots=True, kw_only=True)
class TriggerEvidence:
    """All that the judge is shown."""

    jobs: list[JobLog]
    triggers: list[TriggerLog]
    events: list[EventLog]
    runs: list[RunShown]
    calls: list[Arrival]
    weather: FaultMix
    parents: dict[str, str] = field(default_factory=dict)
    """The execution that started the run of a workflow, by the executions of its tasks."""
    broken: list[str] = field(default_factory=list)

    def job(self, tenant: str, number: int) -> JobLog:
        return next(job for job in self.jobs if (job.tenant, job.number) == (tenant, number))

    def told_of(self, call: Arrival) -> dict[str, object] | None:
        """The event that a call has in its body, as the call of a job or as that of a workflow's task."""
        body = json.loads(call.body)
        event = body.get("event") or body.get("input")
        return event if isinstance(event, dict) else None

    def run_of(self, call: Arrival) -> str:
        """The execution of the job that a call is about: of a workflow's task, the one that has started its run."""
        return self.parents.get(call.execution_id, call.execution_id)

    def calls_of(self, run: RunShown) -> Iterator[Arrival]:
        return (call for call in self.calls if self.run_of(call) == run.execution_id)

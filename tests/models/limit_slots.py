"""The leases of slots and the probe of a breaker, step by step: processes that look, swap, call, give back and die.

The rules are the product's own; what the model adds is every order in which the steps can come. Time passes in steps
of half a minute: a batch lasts two of them at most, a lease three.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto

from shared.domain.limits.circuit_breaker import Circuit, Tally
from shared.domain.limits.scopes import ScopeState
from shared.domain.limits.slots import free_for, held_by, leased_to

STEP_MS = 30_000
BATCH_STEPS = 2
LEASE_STEPS = 3
UNREAD = ScopeState()
OPEN = Circuit(failures=10, trips=1, open_until=1)


class Flaw(Enum):
    """What a process does wrong. The value says it to people."""

    SWAPS_BLINDLY = "a swap that is made whatever stands there"
    NEVER_EXPIRES = "slots that never expire"
    NEVER_PROBES = "a breaker that nobody probes"
    ALL_PROBE = "a breaker that everybody probes"


class At(Enum):
    """Where a process is."""

    IDLE = auto()
    LOOKED = auto()
    CALLING = auto()
    DEAD = auto()


@dataclass(frozen=True, slots=True)
class Process:
    """One process and what it last read."""

    at: At = At.IDLE
    seen: ScopeState = UNREAD
    until: int = 0
    """When its batch is over at the latest, in steps."""


@dataclass(frozen=True, slots=True)
class State:
    """Everything. `jobs`: how many calls are still to be answered."""

    stored: ScopeState
    processes: tuple[Process, ...]
    jobs: int
    now: int = 1
    deaths: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitModel:
    """A scope with a limit, or with a breaker that has just become half open."""

    processes: int = 2
    jobs: int = 2
    limit: int = 1
    steps_of_time: int = 6
    most_deaths: int = 1
    breaks: bool = False
    flaw: Flaw | None = None

    def initial(self) -> Iterator[State]:
        """Nobody has looked."""
        circuit = OPEN if self.breaks else Circuit()
        yield State(ScopeState(version=1, circuit=circuit), (Process(),) * self.processes, self.jobs)

    def steps(self, state: State) -> Iterator[tuple[str, State]]:
        """Time passes unless a batch would outlast what it may; each process takes its next step, or dies in time
        for its lease to end.
        """
        calling = [one for one in state.processes if one.at is At.CALLING]
        if state.now < self.steps_of_time and all(state.now < one.until for one in calling):
            yield "time passes", replace(state, now=state.now + 1)
        for number, process in enumerate(state.processes):
            if process.at is At.DEAD:
                continue
            if state.deaths < self.most_deaths and state.now + LEASE_STEPS < self.steps_of_time:
                dead = replace(_with(state, number, Process(At.DEAD)), deaths=state.deaths + 1)
                yield f"fault: {number} dies", dead
            yield from self._steps_of(state, number, process)

    def _steps_of(self, state: State, number: int, process: Process) -> Iterator[tuple[str, State]]:
        if process.at is At.IDLE and state.jobs:
            yield f"{number} looks", _with(state, number, Process(At.LOOKED, state.stored))
        elif process.at is At.LOOKED:
            yield f"{number} asks", self._asked(state, number, process)
        elif process.at is At.CALLING:
            yield f"{number} is answered", self._answered(state, number)

    def _asked(self, state: State, number: int, process: Process) -> State:
        """Lease a slot, or become the prober; refused is idle again."""
        wanted = self._wanted(process.seen, f"{number}", state.now * STEP_MS)
        is_current = process.seen.version == state.stored.version or self.flaw is Flaw.SWAPS_BLINDLY
        if wanted is None or not is_current:
            return _with(state, number, Process())
        stored = replace(wanted, version=state.stored.version + 1)
        calling = Process(At.CALLING, until=state.now + BATCH_STEPS)
        return replace(_with(state, number, calling), stored=stored)

    def _wanted(self, seen: ScopeState, owner: str, now_ms: int) -> ScopeState | None:
        if self.breaks and seen.circuit.open_until:
            may_probe = seen.circuit.may_probe(now_ms) or self.flaw is Flaw.ALL_PROBE
            if not may_probe or self.flaw is Flaw.NEVER_PROBES:
                return None
            return replace(seen, circuit=seen.circuit.probed_by(owner, now_ms))
        limit = seen.circuit.limit or self.limit
        at_ms = 0 if self.flaw is Flaw.NEVER_EXPIRES else now_ms
        if not free_for(owner, limit, seen.leases, at_ms):
            return None
        return replace(seen, leases=leased_to(owner, 1, seen.leases, now_ms))

    def _answered(self, state: State, number: int) -> State:
        """One write tells of the answer and gives the slot back; it is judged anew where others were faster."""
        now_ms, owner = state.now * STEP_MS, f"{number}"
        circuit = state.stored.circuit.after(Tally(good=1), owner, now_ms)
        leases = leased_to(owner, 0, state.stored.leases, now_ms)
        stored = ScopeState(version=state.stored.version + 1, circuit=circuit, leases=leases)
        return replace(_with(state, number, Process()), stored=stored, jobs=max(0, state.jobs - 1))

    def broken(self, before: State, label: str, after: State) -> str | None:
        """No more calls at once than the limit, and one alone while a breaker is not closed."""
        calling = sum(one.at is At.CALLING for one in after.processes)
        limit = after.stored.circuit.limit or self.limit
        if after.stored.circuit.open_until:
            limit = 1
        if calling > max(limit, sum(one.at is At.CALLING for one in before.processes)):
            return f"{calling} calls at once, not {limit}"
        for number, process in enumerate(after.processes):
            if process.at is At.CALLING and not self._is_covered(after, number):
                return f"{number} calls without a lease"
        return None

    def _is_covered(self, state: State, number: int) -> bool:
        if self.breaks:
            return True
        return held_by(f"{number}", state.stored.leases, state.now * STEP_MS) > 0

    def is_at_rest(self, state: State) -> bool:
        """Everything was called, or time is up in the model."""
        return state.jobs == 0 or all(one.at is At.DEAD for one in state.processes)


def _with(state: State, number: int, process: Process) -> State:
    processes = (*state.processes[:number], process, *state.processes[number + 1 :])
    return replace(state, processes=processes)

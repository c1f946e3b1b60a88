"""What goes wrong in a run: each seed draws its own mix, so that rare faults meet calm weather too."""

import random
from collections import Counter
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any

from tests.simulation.hotspots import Hotspots


class Strike(StrEnum):
    """Every kind of fault. Those that a mix gives a probability are drawn; the others follow from one that was."""

    THROTTLE = "throttle"
    THROTTLE_STATEMENT = "throttle_statement"
    LOSE_ANSWER = "lose_answer"
    REPEAT = "repeat"
    SLOW_TRANSACTION = "slow_transaction"
    CONFLICT_OF_WRITE = "conflict_of_write"
    CONFLICT_OF_TRANSACTION = "conflict_of_transaction"
    REFUSED_CONDITION = "refused_condition"
    UNPROCESSED_KEYS = "unprocessed_keys"
    CUT_PAGE = "cut_page"
    STALE_INDEX = "stale_index"
    CRASH = "crash"
    FREEZE = "freeze"
    OUTLIVED_LEASE = "outlived_lease"
    SKEWED_CLOCK = "skewed_clock"
    WRONG_CLOCK = "wrong_clock"
    STEPPED_CLOCK = "stepped_clock"
    REFUSED_BY_CLOCK = "refused_by_clock"
    REFUSE_ENTRY = "refuse_entry"
    LOSE_MESSAGE = "lose_message"
    DOUBLE_MESSAGE = "double_message"
    LATE_MESSAGE = "late_message"
    EARLY_MESSAGE = "early_message"
    REDELIVER = "redeliver"
    WASTE_RECEIVES = "waste_receives"
    REORDERED_BATCH = "reordered_batch"
    DEAD_MESSAGE = "dead_message"
    DAYS_LATE_MESSAGE = "days_late_message"
    IMPATIENT_CLIENT = "impatient_client"
    MISS_TICK = "miss_tick"
    DOUBLE_TICK = "double_tick"
    REFUSE = "refuse"
    HANG = "hang"
    BUSY = "busy"
    OUTAGE = "outage"
    VAULT_OUTAGE = "vault_outage"
    VAULT_DOWN = "vault_down"
    SLUGGISH = "sluggish"
    RETRY_AFTER = "retry_after"
    NO_RETRY = "no_retry"
    GONE = "gone"
    LINGERING_ROW = "lingering_row"
    VANISHED_ROW = "vanished_row"
    ROLLED_BACK = "rolled_back"
    NEWER_MESSAGE = "newer_message"
    NEWER_ITEM = "newer_item"
    LOST_RESPONSE = "lost_response"
    LOSE_QUEUE = "lose_queue"
    CRASH_BEFORE_SEND = "crash_before_send"
    THROTTLE_STREAK = "throttle_streak"
    LONG_FREEZE = "long_freeze"
    HOT_PLACE = "hot_place"
    THROTTLE_HOT_PLACE = "throttle_hot_place"
    TICK_GAP = "tick_gap"
    THROTTLE_INDEX = "throttle_index"
    TARGET_UNAVAILABLE = "target_unavailable"
    TARGET_THROTTLED = "target_throttled"
    TARGET_DENIED = "target_denied"


WRONG_CLOCK_MS = (30_000, 300_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultMix:
    """Probabilities for each port call, statement, entry, message, tick or callback; lengths of time in ms."""

    throttle: float = 0.0
    """The call has no effect and says so."""
    throttle_statement: float = 0.0
    """One claim of a batch has no effect and says so."""
    lose_answer: float = 0.0
    """The call has its effect and says that it failed."""
    repeat: float = 0.0
    """The SDK misses the answer to a write and asks again: the effect happens twice, the second answer counts."""
    slow_transaction: float = 0.0
    """A transaction holds its items for up to 5 s, in which every other write to them conflicts."""
    unprocessed_keys: float = 0.0
    """A batch of reads leaves keys out, again and again maybe."""
    stale_index: float = 0.0
    """An entry comes into the index of dead letters only after up to a minute, and leaves it as late."""
    crash: float = 0.0
    """The process dies, before or after the effect."""
    freeze: float = 0.0
    """The process stands still, before or after the effect, for longer than a lease."""
    refuse_entry: float = 0.0
    """The queue takes a batch but for this entry."""
    lose_message: float = 0.0
    double_message: float = 0.0
    late_message: float = 0.0
    early_message: float = 0.0
    redeliver: float = 0.0
    """A message comes again though it was deleted."""
    waste_receives: float = 0.0
    """A message's receives are used up by functions that could not be invoked."""
    impatient_client: float = 0.0
    """A client asks twice at once."""
    miss_tick: float = 0.0
    double_tick: float = 0.0
    refuse: float = 0.0
    """The receiver answers 500."""
    hang: float = 0.0
    """The receiver answers after the deadline."""
    busy: float = 0.0
    """The receiver answers 503."""
    outage: float = 0.0
    """From this call on nobody listens at its host for up to a minute."""
    sluggish: float = 0.0
    """From this call on its host takes some seconds for each answer, for up to two minutes."""
    vault_outage: float = 0.0
    """From this unwrapping of a key on, the key service answers nothing for up to three minutes."""
    lost_response: float = 0.0
    """An executor's invocation fails after all of its calls: Lambda returns the whole batch."""
    lose_queue: float = 0.0
    """All messages of a queue are lost at once, those included that a worker has received."""
    crash_before_send: float = 0.0
    """The process dies after a transaction, before it can send a message."""
    throttle_streak: float = 0.0
    """From this call on, ten calls of the process are throttled in succession."""
    long_freeze: float = 0.0
    """The process stands still for longer than the visibility timeout of its queue."""
    hot_place: float = 0.0
    """From this call on a table, an index or a key that it touches is throttled for ten minutes."""
    tick_gap: float = 0.0
    """From this tick on no watcher and no sweeper runs for an hour, in some runs for half a day."""
    throttle_index: float = 0.0
    """The index of dead letters and retries throttles a write that changes an entry of it."""
    target_unavailable: float = 0.0
    """The deployment lacks something for a message to a target, which gets nothing."""
    limited: bool = False
    """Whether tenants have limits of their own."""
    skew_ms: int = 0
    """Clocks of processes differ by so much, either way."""
    wrong_clocks: bool = False
    """Whether a few processes have clocks that are off by `WRONG_CLOCK_MS`, or are set back."""
    reconciles: bool = False
    """Whether the reconciler runs beside the load. It mends what others broke, so some runs do without it."""

    @property
    def is_mild(self) -> bool:
        """Whether no process, message or tick is lost or held up: then nothing may wait for a sweep."""
        return not any(getattr(self, name) for name in _GRAVE)

    @property
    def clock_error_ms(self) -> int:
        """How far a clock may be off, either way."""
        return max(self.skew_ms, WRONG_CLOCK_MS[-1] if self.wrong_clocks else 0)

    @property
    def kills_workers(self) -> bool:
        """Whether a worker may die, or stand still for longer than a lease, between its claim and its outcome."""
        return any((self.crash, self.freeze, self.crash_before_send, self.long_freeze))

    @property
    def may_lose_claims(self) -> bool:
        """Whether a claim without a call may keep its attempt.

        Its worker dies, the refund is throttled for longer than the lease lasts, or a fast clock takes a live
        lease for an expired one.
        """
        return self.kills_workers or bool(self.hot_place or self.wrong_clocks)

    @property
    def may_lose_outcomes(self) -> bool:
        """Whether a worker that was answered may fail to record it, or its lease may end first."""
        unanswered = (
            self.throttle,
            self.throttle_streak,
            self.lose_answer,
            self.repeat,
            self.slow_transaction,
        )
        return self.may_lose_claims or any((*unanswered, self.skew_ms))

    @property
    def is_calm(self) -> bool:
        """Whether nothing of ours goes wrong (receivers may fail all the same)."""
        return not any(getattr(self, field.name) for field in fields(self) if field.name not in _NOT_OURS)

    @property
    def may_wait(self) -> bool:
        """Whether limits, or destinations in trouble, may keep jobs waiting that are due."""
        return self.limited or any((self.hang, self.busy, self.outage, self.sluggish))


_NOT_OURS = {"refuse", "hang", "reconciles", "busy", "outage", "sluggish", "limited"}
_LIMITS = {
    "throttle": 0.08,
    "throttle_statement": 0.1,
    "lose_answer": 0.08,
    "repeat": 0.1,
    "slow_transaction": 0.5,
    "unprocessed_keys": 0.3,
    "stale_index": 1.0,
    "crash": 0.03,
    "freeze": 0.01,
    "refuse_entry": 0.2,
    "lose_message": 0.1,
    "double_message": 0.3,
    "late_message": 0.2,
    "early_message": 0.2,
    "redeliver": 0.1,
    "waste_receives": 0.05,
    "impatient_client": 0.5,
    "miss_tick": 0.5,
    "double_tick": 0.5,
    "refuse": 0.5,
    "hang": 0.1,
    "vault_outage": 0.01,
}
_MILD_LIMITS = {"throttle": 0.03, "refuse_entry": 0.05}
"""So few that nothing needs its luck four times in a row: then only sweeps would help."""
_TROUBLE = {"busy": 0.3, "outage": 0.03, "sluggish": 0.02}
"""Of destinations; all of it together, so that most runs do without."""
LIMITED_SHARE = 0.3
TROUBLE_SHARE = 0.25
CALM_SHARE = 0.1
WRONG_CLOCKS_SHARE = 0.08
MILD_SHARE = 0.25
_SEPARATE = {
    "lost_response": 0.2,
    "lose_queue": 0.03,
    "crash_before_send": 0.4,
    "throttle_streak": 0.01,
    "long_freeze": 0.004,
    "hot_place": 0.001,
    "tick_gap": 0.1,
}
"""Drawn from a stream of its own, so that all other draws of a seed stay as they are. All of them are grave."""
SEPARATE_SHARE = 0.25
_GRAVE = {
    *_SEPARATE,
    "lose_answer",
    "crash",
    "freeze",
    "lose_message",
    "late_message",
    "waste_receives",
    "miss_tick",
    "vault_outage",
}
_THROTTLE_INDEX = 0.5
THROTTLE_INDEX_SHARE = 0.3
TARGETS_SHARE = 0.5
HEALED = FaultMix()


def draw_mix(rng: random.Random) -> FaultMix:
    """Each fault is in the mix or not, in a strength of its own; some runs are calm, some mild."""
    mix = FaultMix(
        refuse=rng.choice((0.0, 0.3)),
        reconciles=rng.random() < 0.3,
        limited=rng.random() < LIMITED_SHARE,
    )
    if rng.random() < TROUBLE_SHARE:
        mix = _with(mix, {name: rng.random() * limit for name, limit in _TROUBLE.items()})
    if rng.random() < CALM_SHARE:
        return mix
    mild = rng.random() < MILD_SHARE
    for name, limit in _LIMITS.items():
        if mild and name in _GRAVE:
            continue
        if rng.random() < 0.5:
            most = _MILD_LIMITS.get(name, limit) if mild else limit
            mix = _with(mix, {name: rng.random() * most})
    return replace(mix, skew_ms=rng.choice((0, 0, 500, 2_000)))


def draw_separate(mix: FaultMix, rng: random.Random) -> FaultMix:
    """The mix with the faults of the separate stream, each in a share of the runs that are not mild."""
    drawn = {name: rng.random() * limit for name, limit in _SEPARATE.items() if rng.random() < SEPARATE_SHARE}
    return mix if mix.is_mild else _with(mix, drawn)


def draw_index(mix: FaultMix, rng: random.Random) -> FaultMix:
    """The mix with the throttles of an index, in a share of the runs that are not calm."""
    if mix.is_calm or rng.random() >= THROTTLE_INDEX_SHARE:
        return mix
    return replace(mix, throttle_index=rng.random() * _THROTTLE_INDEX)


def draw_targets(mix: FaultMix, rng: random.Random) -> FaultMix:
    """The mix with faults of the deployment for targets, in a share of the runs that are not calm."""
    if mix.is_calm or rng.random() >= TARGETS_SHARE:
        return mix
    return replace(mix, target_unavailable=rng.random())


@dataclass(slots=True)
class Weather:
    """The mix in force, and how often each kind of fault has struck. Replace `mix` to heal."""

    rng: random.Random
    mix: FaultMix
    separate: random.Random = field(default_factory=lambda: random.Random(0))
    """The stream of the faults that are drawn separately."""
    of_index: random.Random = field(default_factory=lambda: random.Random(0))
    """The stream of the throttles of an index."""
    hotspots: Hotspots = field(default_factory=Hotspots)
    struck: Counter[Strike] = field(default_factory=Counter)

    def strikes(self, kind: Strike) -> bool:
        """Draw whether a fault of this kind happens here and now."""
        if kind in _SEPARATE:
            rng = self.separate
        elif kind is Strike.THROTTLE_INDEX:
            rng = self.of_index
        else:
            rng = self.rng
        if rng.random() >= getattr(self.mix, kind):
            return False
        self.struck[kind] += 1
        return True

    def note(self, kind: Strike) -> None:
        """A fault that was not drawn has happened."""
        self.struck[kind] += 1


def _with(mix: FaultMix, changes: dict[str, Any]) -> FaultMix:
    return replace(mix, **changes)

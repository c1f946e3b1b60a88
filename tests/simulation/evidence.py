"""What the oracle is shown: orders as clients know them, calls as receivers saw them, records as the API shows them.

Nothing of the product is imported here, so that nothing of it can take part in the verdict.
"""

from dataclasses import dataclass, field

from tests.simulation.faults import FaultMix
from tests.simulation.habits import Habits, OwnKey
from tests.simulation.rhythms import Rhythm

LATE_AFTER_SECONDS = 20
"""The threshold of clients that want to be alerted of late starts."""


ACCOUNTS = {"acme": "111111111111", "globex": "222222222222"}
"""Of each tenant, in AWS."""


def role_of(tenant: str) -> str:
    """The role that each tenant has registered."""
    return f"arn:aws:iam::{ACCOUNTS[tenant]}:role/punctual/{tenant}"


def access_key_of(role: str) -> str:
    """Of the sessions of a role."""
    return f"ASIA{role.rpartition('/')[2].upper()}"


def url_of(arn: str) -> str:
    """Of the order whose target it is."""
    *_, account, name = arn.split(":")
    tenant = next(tenant for tenant, own in ACCOUNTS.items() if own == account)
    return f"https://{tenant}.example.com/{name.removesuffix('.fifo')}"


@dataclass(slots=True, kw_only=True)
class Hold:
    """One pause of a backfill or the end of one, as its client knows it."""

    verb: str
    asked_at: int | None = None
    acked_at: int | None = None
    state: str = ""
    """What the answer shows."""


@dataclass(slots=True, kw_only=True)
class Range:
    """What makes an order one for a backfill: the past instants of another order that it makes up for."""

    of: "Order"
    from_at: int
    to_at: int
    every_seconds: int
    holds: list[Hold] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Order:
    """One job as a client knows it. Instants are virtual time; None: not (yet) acknowledged."""

    tenant: str
    number: int
    lane: str
    delay_seconds: int | None
    """Once, so many seconds after the request; None for a recurring job, which has a rhythm."""
    rhythm: Rhythm | None
    timeout_seconds: int
    max_attempts: int
    base_seconds: int
    cap_seconds: int
    key: str | None
    asked_at: int
    job_id: str | None = None
    created_at: int | None = None
    """What the acknowledged job says of its own creation, by the clock of the API's process."""
    due_at: int | None = None
    acked_at: int | None = None
    cancel_asked_at: int | None = None
    cancel_acked_at: int | None = None
    cancelled: bool = False
    """Whether the acknowledged answer was yes."""
    habits: Habits | None = None
    """Of a job that is changed; None for one that stays as it is."""
    backfill: Range | None = None
    """Of a backfill, whose rhythm is that of its job."""
    async_accepted: bool = False
    """Whether its receiver answers that it has begun, and reports the outcome later, if it lives."""
    delays_seconds: tuple[int, ...] = ()
    """A table of waits, in the place of base and cap."""
    give_up_seconds: int | None = None
    """So long after its time nobody cares any more."""
    is_large: bool = False
    """Whether its request is too large for an item."""
    told_of: frozenset[str] = frozenset()
    """The outcomes that its client wants to be told of."""
    alerted_of: frozenset[str] = frozenset()
    """The events that its client wants to be alerted of."""
    is_target: bool = False
    """Whether it sends to a target in AWS, in place of an HTTP request."""
    is_signed: bool = False
    """Whether the role of its tenant signs its requests for AWS."""
    own_key: OwnKey | None = None
    """Of a job that requests for a key of its owner create and change, and no others."""

    @property
    def url(self) -> str:
        """Where its calls go. The host is the tenant's own."""
        return f"https://{self.tenant}.example.com/{self.number}"

    @property
    def signer(self) -> str | None:
        """The access key that signs its requests."""
        return access_key_of(role_of(self.tenant)) if self.is_signed else None

    @property
    def arn(self) -> str:
        """Its target: a queue, a FIFO queue or a topic in the account of its tenant."""
        service, suffix = (("sqs", ""), ("sqs", ".fifo"), ("sns", ""))[self.number % 3]
        return f"arn:aws:{service}:eu-west-1:{ACCOUNTS[self.tenant]}:{self.number}{suffix}"

    def told_url(self, outcome: str) -> str:
        """Where its client is told of an outcome."""
        return f"https://{self.tenant}.example.com/told/{self.number}/{outcome}"

    @property
    def alerts_url(self) -> str:
        """Where its client is alerted."""
        return f"https://{self.tenant}.example.com/alerts/{self.number}"


@dataclass(slots=True, kw_only=True)
class Arrival:
    """One call, as the receiver saw it. `began_at` is virtual time, `caller_began_at` the caller's own clock."""

    execution_id: str
    job_id: str
    attempt: int
    scheduled_at: int
    url: str
    began_at: int
    caller_began_at: int
    ended_at: int | None = None
    """None while it goes on, and for ever where the caller died."""
    status: int | None = None
    body: str = ""
    signer: str | None = None
    """The access key of its signature for AWS."""
    backfill_of: str | None = None
    """The job that it makes up for, where it says so."""
    token: str = ""
    """By which its receiver may report on the attempt."""
    asked_seconds: int | None = None
    """For how much time its receiver asked by its answer."""
    destination: str = ""
    """The ARN of a target; empty for the host of the URL."""
    gave_up: bool = False
    """Whether its receiver answered that no retry would help."""
    seen_lead_ms: int = 0
    """How far the caller's clock was ahead of what messages showed it; negative where it was set back since."""

    @property
    def due_clock_at(self) -> int:
        """The start by the clock that had to judge the due time: the slower of the caller's and the queue's."""
        return self.caller_began_at - self.seen_lead_ms

    @property
    def clock_error_ms(self) -> int:
        """How far the caller's clock was off, at its start or at the call."""
        return max(abs(self.caller_began_at - self.began_at), abs(self.due_clock_at - self.began_at))


@dataclass(slots=True, kw_only=True)
class Report:
    """What a receiver had to say of an attempt after its call: that it lives, that the work is done, or has failed."""

    execution_id: str
    attempt: int
    verb: str
    asked_at: int | None = None
    acked_at: int | None = None
    refused_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One recorded attempt."""

    attempt: int
    status: int | None
    reason: str
    started_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StageTimes:
    """How long the stages of an attempt took before its call, as its record says."""

    before_call_ms: tuple[int, ...]
    """In the queue, waiting, claimed, prepared."""
    cause: str | None = None

    @property
    def wait_ms(self) -> int:
        """Between the first receive and the claim."""
        return self.before_call_ms[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One execution as the API shows it."""

    execution_id: str
    job_id: str
    nominal_at: int
    """The instant that it is for."""
    state: str
    attempt: int
    outcomes: tuple[Outcome, ...] = ()
    missed: tuple[int, int] | None = None
    """The first and the last instant that this record stands for, where it says that some were passed over."""
    count: int = 0
    """How many it says that they are."""
    reason: str | None = None
    """Why it ended, where its state alone does not say it."""
    refunded: int = 0
    """Claims that made no call for a reason of Punctual's own; `attempt` is without them."""
    redrive_of: tuple[str, int] | None = None
    """The dead letter whose request it runs once more, and which redrive of that it is."""
    due_at: int = 0
    created_at: int = 0
    next_attempt_at: int | None = None
    """When the latest attempt was due, where that is a retry."""
    first: StageTimes | None = None
    """The stages of the first attempt, and of the latest one; None where they are unknown."""
    latest: StageTimes | None = None

    @property
    def has_begun(self) -> bool:
        """Whether a worker has claimed it, called or not: a run of the job's number of runs."""
        return bool(self.attempt or self.refunded)

    @property
    def has_ended(self) -> bool:
        """Whether it may never change again."""
        return self.state in ("succeeded", "failed", "cancelled", "skipped")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What a tenant was shown when it asked for a job's history; None: that there is no such job."""

    tenant: str
    job_id: str
    asked_at: int
    records: tuple[Record, ...] | None


@dataclass(slots=True, kw_only=True)
class Press:
    """What a client has asked for about one dead letter: to redrive it, and maybe to take that back."""

    execution_id: str
    tenant: str
    tries: int = 0
    answers: dict[str, int] = field(default_factory=dict)
    """The redrives that it was answered with, and when first."""
    cancelled: dict[str, int] = field(default_factory=dict)
    """Those that were acknowledged to be cancelled, and when."""
    is_paced: bool = False
    """Whether one of its redrives may have been chosen by a bulk redrive, and be due later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """What is shown as the statistics of a tenant over all hours of a run."""

    tenant: str | None
    """None: of all tenants."""
    states: dict[str, int]
    reasons: dict[str, int]
    statuses: dict[str, int]
    """By the class of the last answer's status, such as `2xx`."""
    attempts: int
    minutes: dict[int, tuple[int, int, dict[int, int]]]
    """By the minute of the due time: how many ended and how many of them failed, and the steps of their lags."""
    is_complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The statistics of every tenant, and those of all, after a pass of the archiver."""

    stored: dict[str, list[Record]]
    """By tenant: every record that has ended by then, notifications included, whether it still exists or not."""
    statistics: list[Statistics]


@dataclass(slots=True, kw_only=True)
class Evidence:
    """All of it, once everything has come to rest."""

    orders: list[Order]
    calls: list[Arrival]
    sightings: list[Sighting]
    """What was shown while the load was on."""
    history: dict[str, list[Record]]
    """By job id: what its tenant is shown at rest."""
    dead_letters: dict[str, list[Record]]
    """By tenant: the dead letters that it is shown at rest."""
    foreign: list[Sighting]
    """What tenants were shown at rest when they asked for jobs of others."""
    kept: dict[str, list[Record]]
    """By job id: what its tenant is shown just before the records may be dropped."""
    leftovers: dict[str, list[Record]]
    """By job id: what its tenant is shown when some of the records have been dropped."""
    ended_at: int
    """When everything had come to rest."""
    weather: FaultMix
    told: list[Arrival] = field(default_factory=list)
    """The calls that told of outcomes."""
    alerts: list[Arrival] = field(default_factory=list)
    """The calls that announced events; `calls` are all others."""
    reports: list[Report] = field(default_factory=list)
    presses: list[Press] = field(default_factory=list)
    strays: list[Record] = field(default_factory=list)
    """What is shown of executions that were called, and of whose jobs no client knows."""
    limits: dict[str, dict[str, int]] = field(default_factory=dict)
    """By tenant: the limits of its own, by the names of the API."""
    hot_places: frozenset[str] = frozenset()
    """What DynamoDB throttled for ten minutes of the run: tables by their ports, indexes and keys."""
    unanswered_claims: frozenset[str] = frozenset()
    """The executions of claims whose responses were lost."""
    broken: list[str] = field(default_factory=list)
    """Answers of the API that are no answers, and requests that AWS would refuse."""
    readings: list[Reading] = field(default_factory=list)
    """At rest, after the expiry of most records, and after one more was put."""

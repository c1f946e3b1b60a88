"""What clients asked for, and what was acknowledged to them. The oracle believes nothing else."""

from dataclasses import dataclass, field, replace
from typing import Any

ENDED = frozenset({"succeeded", "failed", "cancelled", "skipped"})
"""States that never change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A job as its client describes it."""

    schedule: dict[str, Any]
    behaviour: str = "ok"
    """How its receiver answers; see the log of arrivals."""
    max_attempts: int = 3
    timeout_seconds: int = 2
    base_seconds: int = 1
    lane: str = "standard"
    payload: str = ""
    overlap_policy: str | None = None
    heartbeat_seconds: int = 20
    deadline_seconds: int = 3_600
    on_success: str | None = None
    """How who is told of a success answers; None: nobody is."""
    on_failure: str | None = None
    when_suspended: str | None = None
    destination: str | None = None
    """Whom it calls, if it is somebody else than most call."""
    queue: str | None = None
    """The ARN of the tenant's queue to which it sends, in place of a call."""

    def body(self, url: str, told: dict[str, str]) -> dict[str, Any]:
        """The request for it, to be called at this URL and its outcomes told at those."""
        overlap = {"overlap_policy": self.overlap_policy} if self.overlap_policy else {}
        callbacks = {f"on_{outcome}": told_url for outcome, told_url in told.items()}
        given: dict[str, Any] = overlap | callbacks
        if self.queue is None:
            given["request"] = {"url": url, "json": self.payload}
        else:
            given["target"] = {"sqs": {"arn": self.queue, "json": self.payload}}
        if self.when_suspended is not None:
            given["when_suspended"] = self.when_suspended
        return given | {
            "schedule": self.schedule,
            "timeout_seconds": self.timeout_seconds,
            "lane": self.lane,
            "retry": {
                "max_attempts": self.max_attempts,
                "base_seconds": self.base_seconds,
                "cap_seconds": max(2_000, self.base_seconds),
            },
            "heartbeat_seconds": self.heartbeat_seconds,
            "async_deadline_seconds": self.deadline_seconds,
        }


@dataclass(slots=True, kw_only=True)
class Version:
    """What a job is by one request: created, and then changed."""

    payload: str
    due_at: int
    """When a job that runs once is to be called."""
    acked_at: int | None = None


@dataclass(slots=True, kw_only=True)
class Pause:
    """A pause of a job."""

    acked_at: int | None = None
    resumed_at: int | None = None
    """When its end was asked for."""


@dataclass(slots=True, kw_only=True)
class Press:
    """A request to redrive one dead letter, asked again until it was answered."""

    original: str
    """The execution that it was pressed for."""
    redrive_id: str | None = None
    """What it was answered with; None: not acknowledged."""
    is_cancel_asked: bool = False
    cancel_acked_at: int | None = None
    """When it was acknowledged that the redrive is cancelled."""


@dataclass(slots=True, kw_only=True)
class OwnKey:
    """The key that a client gives to its job, and what it was shown of the jobs of that key."""

    name: str
    jobs: set[str] = field(default_factory=set)
    """The ids of all that were not deleted."""
    revision: int = 0
    """As last answered: one more with each description that differs from the one before."""


@dataclass(slots=True, kw_only=True)
class Order:
    """One job as its client knows it. Instants are those of the run's clock; None: not acknowledged."""

    path: str
    max_attempts: int
    rate_seconds: int | None = None
    overlap_policy: str | None = None
    lane: str = "standard"
    key: str | None = None
    job_id: str | None = None
    created_at: int = 0
    acked_at: int | None = None
    cancel_asked_at: int | None = None
    cancel_acked_at: int | None = None
    cancelled: bool = False
    """Whether the acknowledged answer was that nothing begins any more."""
    stopped: bool = False
    """Whether it was that the running attempt is the last."""
    versions: list[Version] = field(default_factory=list)
    """As it was asked for, one after the other."""
    pauses: list[Pause] = field(default_factory=list)
    triggered: set[str] = field(default_factory=set)
    """Ids of executions beside the schedule that were acknowledged."""
    told: dict[str, str] = field(default_factory=dict)
    """The paths at which its outcomes are told, `success` and `failure`."""
    presses: list[Press] = field(default_factory=list)
    when_suspended: str | None = None
    suspended: range = range(0)
    """The instants in which its tenant was suspended."""
    own_key: OwnKey | None = None
    """None: the job has none."""
    has_target: bool = False
    """Whether it sends to the tenant's queue."""
    refusals: list[int] = field(default_factory=list)
    """Statuses of answers that no client should get."""

    @property
    def is_recurring(self) -> bool:
        """Whether it runs again and again."""
        return self.rate_seconds is not None

    @property
    def is_paused(self) -> bool:
        """Whether its client has asked for a pause, and not for its end."""
        return bool(self.pauses) and self.pauses[-1].resumed_at is None

    @property
    def due_at(self) -> int:
        """When it is due, as last acknowledged; 0 where nothing was."""
        return self.standing[0].due_at

    @property
    def standing(self) -> list[Version]:
        """What the job may be now: as last acknowledged, or as any later request says."""
        acked = [number for number, version in enumerate(self.versions) if version.acked_at is not None]
        return self.versions[acked[-1] if acked else 0 :]

    def propose(self, payload: str | None, due_at: int | None) -> Version:
        """Note that a change is asked for; what is None stays as it is."""
        last = self.versions[-1]
        version = replace(
            last,
            payload=last.payload if payload is None else payload,
            due_at=last.due_at if due_at is None else due_at,
            acked_at=None,
        )
        self.versions.append(version)
        return version

"""Jobs that are changed: what is special about them, which versions they had, and what their clients asked for.

Nothing of the product is imported here: the oracle reads this.
"""

from dataclasses import dataclass, field

from tests.simulation.rhythms import Rhythm

FIRST_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One description of a recurring job. Its number is the body of the calls that it makes."""

    number: int
    rhythm: Rhythm
    since: int
    """The instants of the rhythm come after this one."""
    start_at: int
    """What a rate is counted from."""


@dataclass(slots=True, kw_only=True)
class Change:
    """One change as its client knows it: asked for, and answered or not."""

    verb: str
    versions: list[int] = field(default_factory=list)
    """The numbers of the descriptions that it sent, one for each try."""
    rhythm: Rhythm | None = None
    """Another schedule; None: it stays."""
    start_at: int = 0
    """Its first instant, where it is a rate."""
    due_at: int | None = None
    """The other time of a one-off job; None: its time stays."""
    tries: int = 0
    asked_at: int | None = None
    """None: never asked for, because the client did not know its job yet."""
    acked_at: int | None = None
    refused: bool = False
    """Whether the answer was no at the first try: then it has changed nothing."""
    made_from: int | None = None
    """The revision that it was made from, where the answer says that it was this request which made the next one."""
    revision: int = 0
    """The revision that the answer shows, and with it the state and the version."""
    state: str = ""
    shown: int = 0
    answers: set[str] = field(default_factory=set)
    """The executions that a trigger was answered with."""
    is_absolute: bool = False
    """Whether it describes the job as a whole, whatever stands: a late try of it takes effect, too."""

    @property
    def is_over(self) -> bool:
        """Whether its client asks no more."""
        return self.acked_at is not None or self.refused


@dataclass(slots=True, kw_only=True)
class OwnKey:
    """The key that an owner gives to a job."""

    name: str
    answered_with: set[str] = field(default_factory=set)
    """The jobs that the requests for the key were answered with, before the deletion was asked for."""
    stored: dict[str, int] = field(default_factory=dict)
    """Every job of the key, as it is stored at rest, and when its process says that it was created."""


@dataclass(slots=True, kw_only=True)
class Habits:
    """What a job has that is changed, beside what every job has."""

    overlap_policy: str = "allow"
    catch_up: str = "coalesce"
    late_tolerance_seconds: int = 60
    jitter_seconds: int = 0
    max_runs: int | None = None
    end_at: int | None = None
    start_deadline_seconds: int | None = None
    versions: dict[int, Version] = field(default_factory=dict)
    """By number; of recurring jobs alone. The first is known once the job is acknowledged."""
    dues: dict[int, int] = field(default_factory=dict)
    """When a job that runs once is due under each of its versions."""
    changes: list[Change] = field(default_factory=list)
    numbered: int = FIRST_VERSION
    """The number of the latest version that was thought of."""

    def next_number(self) -> int:
        """The number of another version."""
        self.numbered += 1
        return self.numbered

    def revision_of(self, version: int) -> int | None:
        """The revision at which a description was acknowledged; None where it was not, and may come at any time."""
        if version == FIRST_VERSION:
            return 1
        named = [change for change in self.asked("update", "edit") if version in change.versions]
        if len(named) > 1 or any(change.is_absolute and change.tries > 1 for change in named):
            return None
        shown = (change for change in named if change.acked_at is not None and change.shown == version)
        return next((change.revision for change in shown), None)

    @property
    def is_prompt(self) -> bool:
        """Whether each change was answered at the first try: what a 503 left behind may wait for a sweep."""
        return all(change.tries == 1 for change in self.asked("update", "edit", "resume"))

    def asked(self, *verbs: str) -> list[Change]:
        """The changes of these kinds that may have happened."""
        return [
            change
            for change in self.changes
            if change.verb in verbs and change.asked_at is not None and not change.refused
        ]

    def acked(self, *verbs: str) -> list[Change]:
        """Those that were acknowledged."""
        return [change for change in self.asked(*verbs) if change.acked_at is not None]

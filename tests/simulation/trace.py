"""The trace of a run: what every process did, and which executions each step was about."""

import hashlib
from collections.abc import Iterable, Set
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Line:
    """One step. A blow (a crash, a freeze) concerns whatever its process was about; a look changes nothing."""

    at_ms: int
    who: str
    text: str
    subjects: tuple[str, ...]
    is_blow: bool
    is_look: bool

    def __str__(self) -> str:
        """As people read it."""
        return self._spelt(self.subjects)

    def told_of(self, criteria: Set[str]) -> str:
        """As those read it who want to know of some subjects only."""
        told = [subject for subject in self.subjects if subject in criteria]
        others = len(self.subjects) - len(told)
        return self._spelt([*told, f"and {others} more"] if told and others else told)

    def _spelt(self, subjects: Iterable[str]) -> str:
        return f"{self.at_ms:>10} {self.who:<12} {' '.join((self.text, *subjects))}"


@dataclass(slots=True)
class Trace:
    """Collects lines; a run that differs anywhere has another `digest`."""

    start_ms: int
    lines: list[Line] = field(default_factory=list)
    _jobs: dict[str, set[str]] = field(default_factory=dict)

    def note(
        self,
        now_ms: int,
        who: str,
        text: str,
        subjects: Iterable[str] = (),
        *,
        is_blow: bool = False,
        is_look: bool = False,
    ) -> None:
        """Add a line; `subjects` are the ids of executions and jobs that it is about."""
        self.lines.append(Line(now_ms - self.start_ms, who, text, tuple(subjects), is_blow, is_look))

    def belongs(self, execution_id: str, job_id: str) -> None:
        """Remember whose execution that is."""
        self._jobs.setdefault(job_id, set()).add(execution_id)

    def subjects_of(self, text: str) -> frozenset[str]:
        """Whatever the lines with this text are about."""
        return frozenset(subject for line in self.lines if line.text == text for subject in line.subjects)

    def digest(self) -> str:
        """Tells two runs apart."""
        return hashlib.sha256("\n".join(map(str, self.lines)).encode()).hexdigest()[:16]

    def about(self, execution_id: str | None, job_id: str | None) -> list[str]:
        """What happened to one execution, or, where only a job is given, to all of its executions.

        With them come what was changed in its job, and the blows to the processes that had to do with it, from then
        on.
        """
        criteria = self._wanted(execution_id, job_id)
        beside = {job_id} if execution_id is not None and job_id is not None else set[str]()
        chosen: list[str] = []
        involved: set[str] = set()
        for line in self.lines:
            is_wanted = not criteria.isdisjoint(line.subjects)
            changes_its_job = not line.is_look and not beside.isdisjoint(line.subjects)
            if is_wanted or changes_its_job:
                involved.add(line.who)
                chosen.append(line.told_of(criteria | beside))
            elif line.is_blow and line.who in involved:
                chosen.append(line.told_of(frozenset()))
        return chosen

    def _wanted(self, execution_id: str | None, job_id: str | None) -> set[str]:
        if execution_id is not None:
            # A one-off job is its execution: both ids have the same body.
            return {execution_id, execution_id.replace("exe_", "job_", 1)}
        if job_id is not None:
            return {job_id, job_id.replace("job_", "exe_", 1)} | self._jobs.get(job_id, set())
        return set()

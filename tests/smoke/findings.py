"""What a step of the smoke suite found, and its verdict."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from tests.smoke.gaps import GAPS


class Verdict(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    NOT_SHOWN = "not shown here"
    """No check of the step means anything on this target; the reasons are listed."""
    NOT_RUN = "not run"
    """The run reached its bound of time, or an earlier step failed that this one needs."""


@dataclass(slots=True)
class Findings:
    """The checks of one step, in order. A check that fails does not end its step."""

    step: str
    emulated: bool
    passed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    not_shown: dict[str, str] = field(default_factory=dict)
    """Reasons by the name of a check."""
    figures: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    not_run: str = ""
    """Why the step did not run; empty if it did."""

    def check(self, name: str, is_so: bool, seen: object = "") -> bool:
        """Note a check. What was `seen` is shown if it failed."""
        if is_so:
            self.passed.append(name)
        else:
            self.failed.append(f"{name}: {str(seen)[:600]}" if seen != "" else name)
        return is_so

    def can_show(self, flag: str, *names: str) -> bool:
        """False on the emulator for what `flag` names in the table of gaps; the checks `names` are then listed."""
        gap = GAPS[flag]
        if self.step not in gap.steps:
            raise ValueError(f"{flag} is no gap of {self.step}")
        if self.emulated:
            self.not_shown |= dict.fromkeys(names, f"{flag}: {gap.reason}")
        return not self.emulated

    def figure(self, name: str, value: Any) -> None:
        """Record a figure that passes no judgement."""
        self.figures[name] = value

    @property
    def verdict(self) -> Verdict:
        if self.failed:
            return Verdict.FAILED
        if self.not_run:
            return Verdict.NOT_RUN
        return Verdict.PASSED if self.passed else Verdict.NOT_SHOWN

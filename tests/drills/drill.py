"""What a drill is: a fault, the signals that show it, and the pages that heal it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.drills.laptop import Laptop
from tests.support.template import Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """Shell blocks of a section of a runbook: what an operator runs who has read the page."""

    page: str
    """A file of docs/runbooks without its suffix."""
    numbers: tuple[int, ...]
    """The blocks of the section, from 1."""
    section: str = "Act"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drill:
    """A drill breaks a laptop stack. It is over when no signal is on and no job is overdue."""

    name: str
    summary: str
    """One line: what is broken, and what shows it."""
    minutes: int
    """About how long it takes with `--auto`."""
    break_stack: Callable[[Laptop], None]
    """Causes the fault."""
    signals: tuple[str, ...]
    """Names of alarms or graphs; the fault is visible once each of them has been on."""
    act: tuple[Steps, ...]
    """The steps that heal, in order."""
    graphs: Sequence[Resource] = ()
    """Definitions for signals that no alarm reads."""
    variables: Callable[[Laptop], dict[str, str]] = lambda laptop: {}
    """Variables that the pages ask for, such as `TENANT`."""
    before_act: Callable[[Laptop], None] = lambda laptop: None
    """What others do when they are told, such as the tenant who repairs a receiver."""
    leaves_jobs_overdue: bool = False
    """Whether calls still wait when the page has done its work."""
    afterwards: tuple[Steps, ...] = field(default=())
    """Steps that let the waiting calls run, so that each job can be accounted for."""

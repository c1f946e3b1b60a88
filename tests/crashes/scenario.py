"""A scenario: how an invocation comes about that makes certain AWS calls, each of which is a place to strike."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.crashes.stage import Stage

Act = Callable[[Stage], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """What is done on a stage; somewhere in it one invocation is marked."""

    name: str
    function: str
    makes: frozenset[str]
    """AWS calls without which the invocation would not be the one that the name tells of."""
    act: Act
    delay_seconds: float
    """How much later its jobs may come to rest, at most, when it is struck."""
    races: bool = False
    """Whether steps that overlap share answers, so that a call is made in one run and spared in another."""


class Catalogue:
    """The scenarios of one function, each named after what the function does in it."""

    def __init__(self, function: str, *, delay_seconds: float) -> None:
        self.function = function
        self._delay_seconds = delay_seconds
        self.scenarios: list[Scenario] = []

    def __call__(
        self, *makes: str, delay_seconds: float | None = None, races: bool = False
    ) -> Callable[[Act], Act]:
        """Add one; a decorator that names calls which the unharmed invocation makes."""
        delay = self._delay_seconds if delay_seconds is None else delay_seconds

        def add(act: Act) -> Act:
            name = act.__name__.replace("_", "-")
            self.scenarios.append(
                Scenario(
                    name=name,
                    function=self.function,
                    makes=frozenset(makes),
                    act=act,
                    delay_seconds=delay,
                    races=races,
                )
            )
            return act

        return add

"""Breadth-first search: every state that a model can be in, and the shortest way to one that breaks a promise."""

from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

S = TypeVar("S", bound=Hashable)

NOBODY_MUST = ("fault", "client")
"""Steps whose labels begin so may happen and need not: nothing may depend on them in order to end."""


class Model(Protocol[S]):
    """What can happen, one atomic step at a time, and what is promised of it."""

    def initial(self) -> Iterable[S]:
        """Where it begins."""
        ...

    def steps(self, state: S) -> Iterator[tuple[str, S]]:
        """Every step that can be taken, by a label that names who takes it."""
        ...

    def broken(self, before: S, label: str, after: S) -> str | None:
        """The promise that this step breaks."""
        ...

    def is_at_rest(self, state: S) -> bool:
        """Whether everything that was promised has come about, so that nothing more has to happen."""
        ...


@dataclass(frozen=True, slots=True)
class Counterexample(Generic[S]):
    """The shortest way from the beginning to a broken promise."""

    promise: str
    trace: tuple[tuple[str, S], ...]

    def __str__(self) -> str:
        """One line for each step."""
        lines = [f"{number:>3} {label}\n      {state}" for number, (label, state) in enumerate(self.trace)]
        return "\n".join([f"broken: {self.promise}", *lines])


@dataclass(frozen=True, slots=True)
class Explored(Generic[S]):
    """How much was seen, and the first promise that broke."""

    states: int
    steps: int
    fault: Counterexample[S] | None


class _Graph(Generic[S]):
    """The states that were met, by number, with the step that first led to each."""

    def __init__(self) -> None:
        self.numbers: dict[S, int] = {}
        self.states: list[S] = []
        self.first: list[tuple[int, str]] = []
        self.leading_here: list[list[int]] = []

    def add(self, state: S, origin: int, label: str) -> int:
        number = self.numbers.setdefault(state, len(self.states))
        if number == len(self.states):
            self.states.append(state)
            self.first.append((origin, label))
            self.leading_here.append([])
        return number

    def trace(self, number: int) -> tuple[tuple[str, S], ...]:
        way: list[tuple[str, S]] = []
        while number >= 0:
            origin, label = self.first[number]
            way.append((label, self.states[number]))
            number = origin
        return tuple(reversed(way))


def explore(model: Model[S]) -> Explored[S]:
    """Visit every state, and stop at the first step that breaks a promise.

    Where none does, each state must still be able to come to rest, by steps alone that somebody must take.
    """
    graph: _Graph[S] = _Graph()
    waiting = deque(graph.add(state, -1, "begins") for state in model.initial())
    taken = 0
    while waiting:
        number = waiting.popleft()
        before = graph.states[number]
        for label, after in model.steps(before):
            taken += 1
            known = len(graph.states)
            target = graph.add(after, number, label)
            promise = model.broken(before, label, after)
            if promise is not None:
                trace = (*graph.trace(number), (label, after))
                return Explored(known, taken, Counterexample(promise, trace))
            if target == known:
                waiting.append(target)
            if not label.startswith(NOBODY_MUST):
                graph.leading_here[target].append(number)
    return Explored(len(graph.states), taken, _stuck(model, graph))


def _stuck(model: Model[S], graph: _Graph[S]) -> Counterexample[S] | None:
    """The first state from which nothing leads to rest."""
    reached = [model.is_at_rest(state) for state in graph.states]
    waiting = [number for number, is_reached in enumerate(reached) if is_reached]
    while waiting:
        for origin in graph.leading_here[waiting.pop()]:
            if not reached[origin]:
                reached[origin] = True
                waiting.append(origin)
    if all(reached):
        return None
    return Counterexample("stuck: nothing leads on from here", graph.trace(reached.index(False)))

"""A fault that a suite must find: one small change of the source, and who has to die of it."""

from dataclasses import dataclass

SIMULATION = "simulation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """`old` stands exactly once in `file`. `killer` is the simulation, or the tests to run."""

    name: str
    file: str
    old: str
    new: str
    killer: str = SIMULATION

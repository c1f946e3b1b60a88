"""Actions at one moment of a use case."""

from collections.abc import Callable

from tests.support.usecases.chains import Chain

Act = Callable[[], object]


def at_moment(moment: int, act: Act) -> Callable[[int, str], None]:
    """Act at one moment of the run: before (2n) or after (2n + 1) its n-th port call."""

    def at_each(current: int, _: str) -> None:
        if current == moment:
            act()

    return at_each


def begun(situation: Callable[[], Chain]) -> Chain:
    """The situation, with the count of calls at zero."""
    chain = situation()
    chain.world.steps.taken.clear()
    return chain

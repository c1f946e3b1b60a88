"""Control of every port call: act before or after it, fail it, lose its response, or crash the process."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from shared.domain.errors import RequestRejectedError, UnavailableError

Action = Callable[[], Any]


class Crash(BaseException):
    """The process has crashed. No code may catch this exception."""


class Steps:
    """Every port call of a world goes through here, by a name such as `store.put_if_absent`."""

    def __init__(self) -> None:
        self.taken: list[str] = []
        """The calls so far, in order, without calls made by actions."""
        self.at_each: Callable[[int, str], Any] | None = None
        """Called before (2n) and after (2n + 1) the n-th call, both counted from 0."""
        self._actions: dict[tuple[str, str], list[Action]] = {}
        self._is_acting = False

    def before(self, name: str, action: Action, *, times: int = 1) -> None:
        """Act before the next calls of this name have their effect."""
        self._actions.setdefault((name, "before"), []).extend([action] * times)

    def after(self, name: str, action: Action, *, times: int = 1) -> None:
        """Act when the next calls of this name have had their effect."""
        self._actions.setdefault((name, "after"), []).extend([action] * times)

    def fail(self, name: str, *, times: int = 1) -> None:
        """The next calls of this name have no effect."""
        self.before(name, _unavailable, times=times)

    def reject(self, name: str, *, times: int = 1) -> None:
        """The service rejects the next calls of this name for good."""
        self.before(name, _rejected, times=times)

    def lose_answer(self, name: str, *, times: int = 1) -> None:
        """The next calls of this name take effect, but their responses are lost."""
        self.after(name, _unavailable, times=times)

    def crash_after(self, name: str) -> None:
        """The process crashes after the next call of this name took effect."""
        self.after(name, die)

    def calm(self) -> None:
        """Remove all actions."""
        self.at_each = None
        self._actions.clear()

    def count(self, name: str) -> int:
        """The number of calls of this name."""
        return Counter(self.taken)[name]

    def take(self, name: str, call: Callable[[], Any]) -> Any:
        """Make one call."""
        if self._is_acting:
            return call()
        number = len(self.taken)
        self.taken.append(name)
        self._act(name, "before", 2 * number)
        answer = call()
        self._act(name, "after", 2 * number + 1)
        return answer

    def _act(self, name: str, when: str, moment: int) -> None:
        self._is_acting = True
        try:
            waiting = self._actions.get((name, when))
            if waiting:
                waiting.pop(0)()
            if self.at_each is not None:
                self.at_each(moment, name)
        finally:
            self._is_acting = False


class Tapped:
    """A port whose calls go through the steps."""

    def __init__(self, name: str, port: Any, steps: Steps) -> None:
        self._name = name
        self._port = port
        self._steps = steps

    def __getattr__(self, method: str) -> Any:
        real = getattr(self._port, method)

        def call(*args: Any, **kwargs: Any) -> Any:
            return self._steps.take(f"{self._name}.{method}", partial(real, *args, **kwargs))

        return call


def die() -> None:
    """Crash the process."""
    raise Crash


def _unavailable() -> None:
    raise UnavailableError("injected")


def _rejected() -> None:
    raise RequestRejectedError("injected")

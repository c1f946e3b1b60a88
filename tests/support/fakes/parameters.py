"""The Parameter Store in memory."""

from shared.domain.errors import UnavailableError


class FakeParameters:
    """A test can make it unavailable."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.reads = 0
        self.is_down = False

    def read(self, name: str) -> str | None:
        self.reads += 1
        self._answer()
        return self.texts.get(name)

    def write(self, name: str, text: str) -> None:
        self._answer()
        self.texts[name] = text

    def _answer(self) -> None:
        if self.is_down:
            raise UnavailableError("the fake is down")

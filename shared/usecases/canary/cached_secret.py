"""A secret of the canary, as its functions read it."""

from shared.dataclass import dataclass
from shared.domain.errors import UnavailableError
from shared.ports.canary import Parameters
from shared.ports.runtime import Clock

LIFETIME_MS = 60_000


@dataclass(slots=True)
class CachedSecret:
    """Reads the parameter at most once a minute, whatever strangers send."""

    parameters: Parameters
    name: str
    clock: Clock
    _text: str | None = None
    _read_again_at: int = 0

    def get(self) -> str:
        """The latest secret that could be read. UnavailableError if there is none."""
        now_ms = self.clock.now_ms()
        if now_ms >= self._read_again_at:
            self._read_again_at = now_ms + LIFETIME_MS
            try:
                self._text = self.parameters.read(self.name)
            except UnavailableError:
                if self._text is None:
                    raise
        if self._text is None:
            raise UnavailableError(f"the parameter {self.name} could not be read: run create-canary")
        return self._text

"""The alarms of the deployment for operators, those in alarm first."""

from collections.abc import Sequence

from shared.dataclass import dataclass
from shared.domain.errors import UnavailableError
from shared.ports.alarms import Alarm, Alarms, AlarmState
from shared.ports.runtime import Clock

ALARMS_TTL_MS = 30_000
"""How long a process answers from what it has read. CloudWatch judges alarms once a minute, and takes nine lists of
alarms a second from a whole account."""
COOLDOWN_MS = 5_000
"""How long a process does not ask again after a failure."""
_RANKS = {state: rank for rank, state in enumerate(AlarmState)}

AlarmPosition = tuple[int, str]
"""The rank of a state, and the name of an alarm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmPage:
    """A page in the order of the states, and of the names within a state."""

    alarms: tuple[Alarm, ...]
    next_after: AlarmPosition | None
    """The position after which the next page begins; None on the last page."""


@dataclass(slots=True)
class ListAlarms:
    """Belongs to one process. However often it is asked, it reads at most once in `ALARMS_TTL_MS`."""

    alarms: Alarms
    clock: Clock
    _known: Sequence[Alarm] = ()
    _fresh_until: int = 0
    _quiet_until: int = 0

    def execute(self, *, limit: int, after: AlarmPosition | None = None) -> AlarmPage:
        """At most `limit` alarms. An alarm that changes its state between two pages may be missing or repeated.

        UnavailableError without an answer now or in the last `COOLDOWN_MS`: an old state is not shown as the
        present one.
        """
        self._refresh(self.clock.now_ms())
        following = [alarm for alarm in self._known if after is None or _position(alarm) > after]
        found = tuple(following[:limit])
        return AlarmPage(alarms=found, next_after=_position(found[-1]) if len(following) > limit else None)

    def _refresh(self, now_ms: int) -> None:
        if now_ms < self._fresh_until:
            return
        if now_ms < self._quiet_until:
            raise UnavailableError("the alarms could not be read some seconds ago")
        self._quiet_until = now_ms + COOLDOWN_MS
        self._known = sorted(self.alarms.read(), key=_position)
        self._fresh_until = now_ms + ALARMS_TTL_MS


def _position(alarm: Alarm) -> AlarmPosition:
    return _RANKS[alarm.state], alarm.name

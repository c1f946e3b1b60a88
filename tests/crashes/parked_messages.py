"""Messages that nobody could act on: those that must be parked are, and no others."""

from infra.local.clients import REGION
from shared.adapters.dynamodb.dead_letters.parked_message_store import DynamoParkedMessageStore
from tests.crashes.deployment import Deployment

READ_AT_ONCE = 100


class Parking:
    """What was parked since the run began. A message may be parked twice where whoever parked it died."""

    def __init__(self, deployment: Deployment) -> None:
        self._clock = deployment.engines.clock
        client = deployment.engines.store.client("dynamodb")
        self._lot = DynamoParkedMessageStore(client, deployment.tables.leases, REGION)
        self.forget()

    def forget(self) -> None:
        """A new run."""
        self._begun_at = self._clock.now_ms()
        self._must: set[str] = set()
        self._may: set[str] = set()

    def expect(self, body: str) -> str:
        """This message must be parked."""
        self._must.add(body)
        return body

    def excuse(self, body: str) -> str:
        """This one may be, since it depends on when it is looked at."""
        self._may.add(body)
        return body

    def faults(self) -> list[str]:
        """What was lost, and what was parked though somebody could have acted on it."""
        lot = self._lot.parked(READ_AT_ONCE)
        return parking_faults(
            {each.body for each in lot if each.parked_at >= self._begun_at}, must=self._must, may=self._may
        )


def parking_faults(parked: set[str], *, must: set[str], may: set[str]) -> list[str]:
    """How what was parked differs from what must and may be."""
    lost = [f"lost: {body} was not parked" for body in must - parked]
    return lost + [f"parked: {body} could have been acted on" for body in parked - must - may]

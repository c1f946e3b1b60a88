"""A sender of requests that AWS knows by their signature: it signs with keys in memory, and asks no STS."""

from dataclasses import replace

from shared.adapters.aws.credentials import Credentials
from shared.adapters.targets.signed_sender import sign, without_secrets
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.delivery.sigv4_auth import SignedCall
from shared.ports.delivery import Sender
from shared.ports.runtime import Clock

KEYS = Credentials("ASIAFAKE", "a/secret", "IQoJb3JpZ2luX2VjEFakeToken" * 20)


class FakeSignedSender:
    """Sends what it has signed by the sender of other requests."""

    def __init__(self, sender: Sender, clock: Clock) -> None:
        self.calls: list[SignedCall] = []
        self.refuses: Reason | None = None
        """Why there is no session."""
        self._sender, self._clock = sender, clock

    async def send(self, call: SignedCall, *, timeout_seconds: float) -> CallbackResponse:
        self.calls.append(call)
        if self.refuses is not None:
            return CallbackResponse(reason=self.refuses, duration_ms=5)
        signed = sign(call, KEYS, self._clock.now_ms())
        response = await self._sender.send(signed, timeout_seconds=timeout_seconds)
        return replace(response, body=without_secrets(response.body, signed))

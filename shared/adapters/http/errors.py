from shared.domain.delivery.callback import Reason
from shared.domain.errors import PunctualError


class CallFailedError(PunctualError):
    """A call ended without a complete response."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason

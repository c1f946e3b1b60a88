import errno

from shared.domain.delivery.callback import Reason
from shared.domain.errors import PunctualError

EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL}
"""Errors of this machine: descriptors, memory or local ports are used up, so no byte was sent."""


class CallFailedError(PunctualError):
    """A call ended without a complete response."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason

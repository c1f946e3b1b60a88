"""The callbacks that announce the outcome of an execution.

A job sets its own targets or inherits those of its tenant. A stored URL is sealed for the tenant, so the code
that creates a notification needs no key; only the code that sends it does.
"""

from shared.dataclass import dataclass

NO_CALLBACK = "none"
"""The value in place of a URL that disables the callback, whatever the tenant's default is."""
OUTCOME_CONTEXT = "outcome-callback"
"""The encryption context of sealed URLs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallbackTarget:
    """A sealed URL, and the destination id that limits apply to."""

    sealed_url: bytes
    destination: str


NO_TARGET = CallbackTarget(sealed_url=b"", destination="")
"""The target of a job that disables the callback."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeCallbacks:
    """The targets for success and failure; None inherits the tenant's target."""

    on_success: CallbackTarget | None = None
    on_failure: CallbackTarget | None = None

    def of(self, *, succeeded: bool) -> CallbackTarget | None:
        return self.on_success if succeeded else self.on_failure


INHERIT = OutcomeCallbacks()

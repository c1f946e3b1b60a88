"""Who is told when an execution has succeeded or failed.

A job says so for itself, or leaves it to its tenant. What is kept of a URL is sealed for the tenant: whoever files a
notification needs no key, only whoever sends it.
"""

from dataclasses import dataclass

NO_CALLBACK = "none"
"""In the place of a URL: nobody is told, whatever the tenant has."""
OUTCOME_CONTEXT = "outcome-callback"
"""The context to which sealed URLs are bound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallbackTarget:
    """Who is told: a URL, sealed, and where that is, as limits tell destinations apart."""

    sealed_url: bytes
    destination: str


NO_TARGET = CallbackTarget(sealed_url=b"", destination="")
"""What a job has that does not want anybody told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeCallbacks:
    """Who is told of each of the two outcomes; None leaves it to whoever is asked next."""

    on_success: CallbackTarget | None = None
    on_failure: CallbackTarget | None = None

    def of(self, *, succeeded: bool) -> CallbackTarget | None:
        """Who is told of this outcome."""
        return self.on_success if succeeded else self.on_failure


INHERIT = OutcomeCallbacks()

"""Why a call is refused. No message contains a secret, a signature or the value of a header."""

from punctual.errors import PunctualError


class VerificationError(PunctualError):
    """The call is not genuine, or too old. Answer 401."""

    def __init__(self, part: str, detail: str) -> None:
        super().__init__(f"{part}: {detail}")
        self.part = part
        """The header that is wrong: `webhook-id`, `webhook-timestamp` or `webhook-signature`."""


class MissingHeaderError(VerificationError):
    """The request lacks a header that every call of Punctual has."""

    def __init__(self, part: str) -> None:
        super().__init__(part, "the header is missing: only calls of Punctual have it")


class MalformedHeaderError(VerificationError):
    """A header has a form that Punctual never sends, or occurs more than once."""


class TimestampError(VerificationError):
    """The call was signed too long ago, or in the future: it may be a replay, or a clock may be wrong."""

    def __init__(self, age_seconds: float, tolerance_seconds: float) -> None:
        when = f"{age_seconds:.0f} s ago" if age_seconds >= 0 else f"{-age_seconds:.0f} s in the future"
        super().__init__(
            "webhook-timestamp",
            f"the call was signed {when}, and at most {tolerance_seconds:g} s are accepted: "
            "a retry of Punctual has a new timestamp, so check the clock of this machine",
        )
        self.age_seconds = age_seconds
        """Negative for a call from the future."""


class SignatureError(VerificationError):
    """No signature matches: the body or a signed header was changed, or the secret is another one."""

    def __init__(self) -> None:
        super().__init__(
            "webhook-signature",
            "no signature matches: pass the raw bytes of the body, and every active secret of the job",
        )


class SecretError(PunctualError, ValueError):
    """A configured secret is no signing secret. This is a mistake of the receiver, not of the call."""

"""The exit codes, and the one place that turns an error into a code and a text.

A command lets errors of the SDK pass, and raises `CommandError` for its own. No error ends with a traceback.
"""

from collections.abc import Iterator, Mapping
from enum import IntEnum
from shlex import quote
from typing import TYPE_CHECKING

from punctual.cli.texts import escaped

if TYPE_CHECKING:
    from punctual.problems import ApiError


class Exit(IntEnum):
    """What the end of a command means."""

    OK = 0
    FAILED = 1
    """The command or the run that it waited for failed, or the answer to a question was no."""
    USAGE = 2
    """The arguments, a file or the configuration cannot be used. Nothing was changed."""
    NOT_FOUND = 3
    AUTH = 4
    """The key is missing, unknown or not allowed to do this (401 and 403)."""
    CONFLICT = 5
    """The state or the revision does not allow it (409, 412 and 428)."""
    REFUSED = 6
    """The request breaks a rule of the API (the other 4xx)."""
    QUOTA = 7
    """A quota or a rate limit of the tenant (429)."""
    UNAVAILABLE = 8
    """No answer, or an answer of 5xx."""
    CHANGES = 9
    """`--exit-code` was given, and there are changes."""


class CommandError(Exception):
    """An error of a command: its text says what is wrong, and `hint` what to do instead."""

    def __init__(self, text: str, code: Exit = Exit.FAILED, *, hint: str | None = None) -> None:
        super().__init__(text)
        self.code = code
        self.hint = hint


def code_of(error: Exception) -> Exit:
    """The exit code for an error."""
    if isinstance(error, CommandError):
        return error.code
    from punctual.errors import BatchRefusedError, ConfigurationError, RequestError
    from punctual.problems import ApiError

    match error:
        case ApiError():
            return _of_answer(error.status, error.type)
        case RequestError():
            return Exit.UNAVAILABLE
        case BatchRefusedError():
            return Exit.REFUSED
        case ConfigurationError() | ValueError():
            # A ValueError of the SDK is an argument that cannot be sent.
            return Exit.USAGE
    return Exit.FAILED


def _of_answer(status: int, slug: str | None) -> Exit:
    if slug == "idempotency-key-reused":
        return Exit.CONFLICT
    match status:
        case 401 | 403:
            return Exit.AUTH
        case 404:
            return Exit.NOT_FOUND
        case 409 | 412 | 428:
            return Exit.CONFLICT
        case 429:
            # The gateway before the API throttles without a problem document; no quota is used up.
            return Exit.QUOTA if slug else Exit.UNAVAILABLE
    return Exit.REFUSED if 400 <= status < 500 else Exit.UNAVAILABLE


HINTS = {
    "forbidden": "the scopes of the key do not cover this: use a key with the scope that is named",
    "idempotency-key-reused": "the same --idempotency-key was sent with another request: use another key",
    "invalid-cursor": "start the list again without the cursor",
    "precondition-failed": "the job was changed meanwhile: read it again, and repeat the command",
    "quota-exceeded": "`punctual usage` shows the quotas and what is in use",
    "rate-limited": "wait a moment, and repeat the command",
    "schedule-never-fires": "`punctual preview` shows the runs of a schedule",
    "service-unavailable": "wait a moment, and repeat the command",
    "unauthenticated": "the key is unknown, expired or revoked: `punctual login` stores another one",
}
"""What to do, by problem type. Types whose detail says it already are left out."""


def lines_of(error: Exception, instants: Mapping[str, str] | None = None) -> Iterator[str]:
    """The text of an error, line by line, without control characters.

    `instants` are the options that were counted from the time of the command, with the instants that were sent.
    """
    text, hint = str(error), None
    if isinstance(error, CommandError):
        hint = error.hint
    else:
        from punctual.problems import ApiError

        if isinstance(error, ApiError):
            yield from _of_problem(error, instants or {})
            return
    yield f"punctual: {escaped(text) or type(error).__name__}"
    if hint:
        yield f"  {escaped(hint)}"
    yield from _doubt(error, instants or {})


def _doubt(error: Exception, instants: Mapping[str, str]) -> Iterator[str]:
    """What a lost answer means, and the options with which the command can be repeated."""
    if not getattr(error, "maybe_applied", False):
        return
    yield "  The request may have taken effect, although no answer said so."
    # Each command whose request has a key takes it as an option.
    key = getattr(error, "idempotency_key", None)
    if key:
        options = [f"{option} {at} " for option, at in instants.items()]
        said = "these options" if options else "this option"
        key_option = f"--idempotency-key {quote(key)}"
        yield f"  With {said}, the same command takes effect once: {escaped(''.join(options) + key_option)}"


def _of_problem(error: "ApiError", instants: Mapping[str, str]) -> Iterator[str]:
    said = error.detail or error.title or "no reason was given"
    yield f"punctual: {escaped(said)} ({error.status} {escaped(error.type or 'of the gateway')})"
    for each in error.errors:
        place = escaped(each.pointer or "the body as a whole")
        yield f"  at {place}" + ("" if each.detail == error.detail else f": {escaped(each.detail)}")
    if error.quota:
        yield f"  quota: {escaped(error.quota)}"
    if error.retry_after:
        yield f"  possible again in {error.retry_after:g} s"
    hint = HINTS.get(error.type or "")
    if hint:
        yield f"  {hint}"
    yield from _doubt(error, instants)
    if error.instance:
        yield f"  request: {escaped(error.instance)}"

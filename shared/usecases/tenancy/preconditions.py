"""Conditions of a client on what stands before its change."""

from collections.abc import Callable

Precondition = Callable[[int | None], None]
"""Given the version that stands, or None for none: PreconditionFailedError or AlreadyExistsError if the client has
decided on another one. Called before each creation, change and deletion."""


def unconditional(_: int | None) -> None:
    """Any version will do."""

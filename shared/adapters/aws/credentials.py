"""Credentials of the process: those of the environment, as in a function, or else those of the SDK's chain."""

import os
from collections.abc import Callable
from dataclasses import field
from typing import Any

from shared.adapters.aws.errors import NoAnswerError
from shared.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Credentials:
    access_key: str
    secret_key: str = field(repr=False)
    token: str | None = field(default=None, repr=False)


CredentialSource = Callable[[], Credentials]
"""The credentials that are valid now; asked before each request."""


def credentials_source() -> CredentialSource:
    """The source for this process.

    A function finds its credentials in the environment, where they outlive it. SnapStart and machines of
    engineers have none there: the SDK's chain finds and renews theirs.
    """
    access_key, secret_key = os.environ.get("AWS_ACCESS_KEY_ID"), os.environ.get("AWS_SECRET_ACCESS_KEY")
    if access_key and secret_key:
        found = Credentials(access_key, secret_key, os.environ.get("AWS_SESSION_TOKEN") or None)
        return lambda: found
    return _Chain().current


class _Chain:
    """The SDK's chain of profiles, SSO and container credentials; it renews what expires."""

    def __init__(self) -> None:
        # Imported late: a function that has credentials in its environment starts without the SDK.
        import botocore.session
        from botocore.exceptions import BotoCoreError

        self._error = BotoCoreError
        try:
            self._found = botocore.session.get_session().get_credentials()
        except BotoCoreError as error:
            raise NoAnswerError(f"no AWS credentials: {error}") from error

    def current(self) -> Credentials:
        if self._found is None:
            raise NoAnswerError("no AWS credentials: set AWS_ACCESS_KEY_ID or a profile")
        try:
            frozen: Any = self._found.get_frozen_credentials()
        except self._error as error:
            raise NoAnswerError(f"the AWS credentials cannot be renewed: {type(error).__name__}") from error
        return Credentials(frozen.access_key, frozen.secret_key, frozen.token)

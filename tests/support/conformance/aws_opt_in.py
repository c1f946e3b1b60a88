"""The consent of an account to the resources of the conformance suites."""

from collections.abc import Mapping

OPT_IN = "PUNCTUAL_AWS_ACCOUNT"
"""Names the account in which the suites may create resources; nothing else lets them use AWS."""
NAME_PREFIX = "punctual-conformance-"
"""Begins the name of everything that the suites create, and the description of their keys."""
TAG = "PUNCTUAL_AWS_TAG"
"""The value of the tag `punctual:stage` of everything that the suites create."""


class RefusedError(Exception):
    """The suites may not use the account of the credentials. The message says what to set."""


def opted_in(environment: Mapping[str, str]) -> str:
    """The account that the environment names; RefusedError without one."""
    account = environment.get(OPT_IN, "")
    if not (len(account) == 12 and account.isascii() and account.isdigit()):
        raise RefusedError(
            f"the engine aws creates tables, queues, a key and log groups: set {OPT_IN} to the 12 digits of the "
            "account in which it may"
        )
    return account

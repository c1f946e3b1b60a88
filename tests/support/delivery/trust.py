"""A certificate that is trusted."""

import ssl

import trustme

NAME = "hook.test"


def trusting(authority: trustme.CA) -> ssl.SSLContext:
    """A TLS context in which this authority is trusted."""
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context

"""A certificate that is trusted."""

import ssl

import trustme

NAME = "hook.test"


def trusting(authority: trustme.CA) -> ssl.SSLContext:
    """What the sender would trust if this authority were a public one."""
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context

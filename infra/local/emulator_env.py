"""The environment of the emulator's process, which all function workers inherit."""

import os
from pathlib import Path

from infra.local.clients import CREDENTIALS, REGION
from infra.local.sockets import HOST

KEEP_WORKERS_SECONDS = 30 * 24 * 3600
DROPPED = ("AWS_", "PYTHON", "MINISTACK_", "LAMBDA_", "S3_")
"""Prefixes of variables that would change the behaviour of the emulator or the functions."""


def environment(*, port: int, state: Path, tmp: Path) -> dict[str, str]:
    """Return an environment without the user's proxies, AWS settings and import path."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(DROPPED) and not name.lower().endswith("_proxy")
    }
    ours = {
        "AWS_DEFAULT_REGION": REGION,
        "BIND_HOST": HOST,
        "GATEWAY_PORT": str(port),
        "PERSIST_STATE": "1",
        "STATE_DIR": str(state),
        "TMPDIR": str(tmp),
        # These listeners would bind to every interface.
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        # Disable docker: it would run functions in containers and remove existing containers.
        "DOCKER_HOST": "unix:///nonexistent",
        "LAMBDA_EXECUTOR": "local",
        # The quota of an account. The emulator would derive one from the memory of the machine.
        "LAMBDA_ACCOUNT_CONCURRENCY": "1000",
        "LAMBDA_WARM_TTL_SECONDS": str(KEEP_WORKERS_SECONDS),
        "PYTHONUNBUFFERED": "1",
    }
    return inherited | CREDENTIALS | ours

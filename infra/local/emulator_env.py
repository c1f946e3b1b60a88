"""The environment of the emulator's process, which every function worker inherits."""

import os
from pathlib import Path

from infra.local.clients import CREDENTIALS, REGION
from infra.local.sockets import HOST

KEEP_WORKERS_SECONDS = 30 * 24 * 3600
DROPPED = ("AWS_", "PYTHON", "MINISTACK_", "LAMBDA_", "S3_")
"""What begins like this is the user's or the emulator's own affair, and would change what functions see."""


def environment(*, port: int, state: Path, tmp: Path) -> dict[str, str]:
    """Ours alone: no proxy, no AWS account and no import path of the user reaches the emulator or a function."""
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
        # Listeners that would bind every interface.
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        # No docker, even where there is one: it would run functions elsewhere and clean up containers.
        "DOCKER_HOST": "unix:///nonexistent",
        "LAMBDA_EXECUTOR": "local",
        "LAMBDA_WARM_TTL_SECONDS": str(KEEP_WORKERS_SECONDS),
        "PYTHONUNBUFFERED": "1",
    }
    return inherited | CREDENTIALS | ours

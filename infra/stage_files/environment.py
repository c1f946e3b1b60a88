"""The stage of a file, for the place to which the environment leads.

With `AWS_ENDPOINT_URL` on the loopback address, the commands that deploy to AWS deploy to the emulator, so that they
can be practised and tested as they are.
"""

import os
from pathlib import Path
from urllib.parse import urlsplit

from infra.config import StageConfig
from infra.stage_files.read import STAGES_DIR, read_stage
from infra.stages import on_emulator


def stage_of_environment(name: str, directory: Path = STAGES_DIR) -> StageConfig:
    """The stage of `<name>.toml` for AWS, or for the emulator; StageFileError."""
    stage = read_stage(name, directory)
    host = urlsplit(os.environ.get("AWS_ENDPOINT_URL", "")).hostname
    return on_emulator(stage) if host in ("127.0.0.1", "localhost", "::1") else stage

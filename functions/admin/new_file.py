"""Files that commands write: they have requests and responses of a tenant in plain text."""

import os
from typing import BinaryIO


def new_file(name: str) -> BinaryIO:
    """Create a file that its owner alone can read; OSError if it exists, or cannot be created."""
    return open(name, "xb", opener=_for_its_owner)


def _for_its_owner(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)

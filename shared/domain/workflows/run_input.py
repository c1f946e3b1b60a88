"""The input of a run: one JSON document, which every task with `input` gets in its body.

It is stored as the sealed request that began the run: a process that begins a run needs no key to keep its input.
"""

import json
from hashlib import sha256
from typing import Any, Final

from shared.domain.errors import InvalidValueError, UnreadableItemError
from shared.domain.ids import ExecutionId
from shared.domain.workflows.identities import run_id_text

MAX_INPUT_BYTES: Final = 32 * 1024
"""Of the input of a request, as compact JSON in UTF-8."""
LOST_INPUT: Final = "lost"
"""The name of an input that was lost before its run could keep it: no digest, so no stored input has it."""
LONGEST_INPUT_BYTES: Final = 36 * 1024
"""An event with the longest data, source, type and ID."""


def input_text(value: Any) -> bytes:
    """The stored text of a request's input. InvalidValueError for one that is too long."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    if len(text) > MAX_INPUT_BYTES:
        raise InvalidValueError(
            f"the input has at most {MAX_INPUT_BYTES} bytes, not {len(text)}: hand on a reference",
            path=("input",),
        )
    return text


def stored_input(owner_id: str, sealed: bytes) -> bytes:
    """What is stored: a sealed request, and the job or workflow to which it is bound."""
    return b"%b\n%b" % (owner_id.encode(), sealed)


def input_name(run_id: ExecutionId, stored: bytes) -> str:
    """The name of an input in its run: a digest, so that no name ever stands for another input."""
    return sha256(b"%b\n%b" % (str(run_id).encode(), stored)).hexdigest()[:32]


def read_stored_input(run_id: ExecutionId, name: str, stored: bytes) -> tuple[str, bytes]:
    """Owner and sealed request; UnreadableItemError for anything but what the name stands for."""
    owner_id, _, sealed = stored.partition(b"\n")
    if input_name(run_id, stored) != name:
        raise UnreadableItemError("the stored input is not that of the run")
    return owner_id.decode(), sealed


def input_payload_id(run_id: ExecutionId, name: str) -> str:
    """The item with the input of a run."""
    return f"{run_id_text(run_id)}.{name}"


def with_input(body: bytes, text: bytes) -> bytes:
    """The body of a task with results, and with the input before them; null for a run without input."""
    return b'{"input":%b,%b' % (text or b"null", body[1:])

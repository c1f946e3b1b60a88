"""Identifiers of workflows and of their runs.

A run's ID contains where its item is stored, as that of an execution does: `run_` and the same 31 characters. The ID
of a workflow is `wfl_1`, its cell and 26 characters; the IDs of a cell sort by creation time.
"""

import re
from hashlib import sha256

from shared.domain.bucket import ShardCounts
from shared.domain.errors import InvalidValueError
from shared.domain.ids import ENTROPY_BITS, ExecutionId, encode_base32, new_one_off_id, parse_execution_id

_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
WORKFLOW_ID = rf"^wfl_1[{_DIGITS}]{{27}}$"
"""The pattern of a workflow's ID."""
RUN_ID = rf"^run_1[{_DIGITS}]{{30}}$"
"""The pattern of a run's ID."""


def new_workflow_id(created_at: int, entropy: int, *, cell: str) -> str:
    """A new ID for a workflow; `entropy` has 80 bits."""
    return f"wfl_1{cell}{encode_base32(created_at, 10)}{encode_base32(entropy, 16)}"


def is_workflow_id(text: str) -> bool:
    return re.fullmatch(WORKFLOW_ID, text) is not None


def check_workflow_id(text: str) -> None:
    """InvalidValueError for any other text."""
    if not is_workflow_id(text):
        raise InvalidValueError("must be the ID of a workflow, which begins with wfl_1")


def run_id_text(run_id: ExecutionId) -> str:
    """The text form, as users see it."""
    return f"run_{run_id.body}"


def parse_run_id(text: str) -> ExecutionId:
    """Read the text form; InvalidValueError for any text that is not canonical."""
    if not text.startswith("run_"):
        raise InvalidValueError("the id of a run starts with run_")
    return parse_execution_id(f"exe_{text[4:]}")


def run_of(execution_id: ExecutionId) -> ExecutionId:
    """The ID of the run that an execution of a job starts, a pure function: all processes begin the same
    run.

    The run lies in the shard of the execution, which the sweeper keeps on its list while the execution is open.
    """
    digest = sha256(f"run|{execution_id}".encode()).digest()
    return ExecutionId(
        cell=execution_id.cell,
        dispatch_at=execution_id.dispatch_at,
        shard=execution_id.shard,
        entropy=int.from_bytes(digest[: ENTROPY_BITS // 8]),
    )


def task_execution_id(
    run_id: ExecutionId, key: str, epoch: int, due_at: int, counts: ShardCounts, item: int | None = None
) -> ExecutionId:
    """The ID of a task's execution, a pure function of the arguments: every process computes the same ID.

    `item` is the position of a map's item.
    """
    position = "" if item is None else f"|{item}"
    digest = sha256(f"task|{run_id}|{epoch}|{key}{position}".encode()).digest()
    entropy = int.from_bytes(digest[: ENTROPY_BITS // 8])
    return new_one_off_id(due_at, counts, entropy, cell=run_id.cell)

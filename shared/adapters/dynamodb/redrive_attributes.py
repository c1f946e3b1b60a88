"""What ties redrives to their originals, as attributes of executions, and back."""

from shared.domain.ids import parse_execution_id
from shared.domain.redrive import RedrivenBy, RedriveOf


def encode_redrive_of(redrive: RedriveOf | None) -> str | None:
    """The original and the number."""
    return f"{redrive.number}|{redrive.original}" if redrive is not None else None


def read_redrive_of(text: str | None) -> RedriveOf | None:
    """The inverse; ValueError for anything else."""
    if text is None:
        return None
    number, original = text.split("|")
    return RedriveOf(original=parse_execution_id(original), number=int(number))


def encode_redriven_by(redriven_by: RedrivenBy | None) -> str | None:
    """The redrive, and its bulk redrive if it is of one."""
    if redriven_by is None:
        return None
    return str(redriven_by.execution) + (f"|{redriven_by.task}" if redriven_by.task else "")


def read_redriven_by(text: str | None) -> RedrivenBy | None:
    """The inverse; ValueError for anything else."""
    if text is None:
        return None
    execution, _, task = text.partition("|")
    return RedrivenBy(execution=parse_execution_id(execution), task=task or None)

"""Whether a request is genuine, and what is wrong with it, as text and for programs."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from punctual.cli.output import instant_text

if TYPE_CHECKING:
    from punctual.webhooks.diagnosis import Diagnosis, Problem


def verdict_text(found: "Diagnosis", local: Callable[[datetime], str]) -> str:
    """A line for a genuine call, and one for each thing that is wrong."""
    lines = [f"{each.part}: {each.detail}" for each in found.problems]
    if found.call is not None:
        attempt = f", attempt {found.call.attempt}" if found.call.attempt else ""
        lines.insert(0, f"genuine: {found.call.id}{attempt}, signed {local(found.call.signed_at)}")
    return "\n".join(lines)


def verdict_document(found: "Diagnosis") -> dict[str, Any]:
    """The same for programs."""
    call = found.call
    return {
        "genuine": call is not None,
        "call_id": call.id if call else None,
        "job_id": call.job_id if call else None,
        "attempt": call.attempt if call else None,
        "signed_at": instant_text(call.signed_at) if call else None,
        "problems": problems_of(found.problems),
    }


def problems_of(problems: "Iterable[Problem]") -> list[dict[str, str]]:
    """What is wrong with a request, for programs."""
    return [{"part": each.part, "detail": each.detail} for each in problems]

"""The document of a job of which an audit record has the digest."""

from collections.abc import Callable

from functions.api.models import Document, document_of
from functions.api.resources.jobs.models import JobOut
from shared.domain.delivery.request import encode_request
from shared.usecases.outcomes.finalize_execution import GONE

_UNRECORDED = frozenset({"last_run", "next_due_at", "no_next_run", "revision"})
"""Members of a job that change with time, with runs, and with what recomputes a chain."""
_LASTING = {"pausing": "paused", "updating": "active", "deleting": "deleted", "completed": "active"}
"""The states that end by themselves, and the state that a job takes by itself after its last run."""
_HELD = frozenset({"pausing", "paused"})


def recorded_document(job: JobOut, fingerprint: Callable[[bytes], bytes]) -> Document:
    """It differs after each change of a request, and only then: so the digest before a change is that after the one
    before. No request pauses a job whose receiver is gone: the job counts as active.

    `fingerprint` is a keyed hash, which stands for the stored request with its headers and its body.
    """
    document = {name: value for name, value in document_of(job).items() if name not in _UNRECORDED}
    document["state"] = _LASTING.get(job.state, job.state)
    if job.state in _HELD and job.pause_reason == GONE:
        document |= {"state": "active", "pause_reason": None}
    if job._stored_request is not None:
        document["stored_request"] = fingerprint(encode_request(job._stored_request)).hex()
    return document

"""The document of a job of which an audit record has the digest."""

from collections.abc import Callable

from functions.api.models import Document, document_of
from functions.api.resources.jobs.models import JobOut
from shared.domain.delivery.request import encode_request

_UNRECORDED = frozenset({"last_run", "next_due_at", "no_next_run", "revision"})
"""Members of a job that change with time, with runs, and with what recomputes a chain."""
_LASTING = {"pausing": "paused", "updating": "active", "deleting": "deleted", "completed": "active"}
"""The states that end by themselves, and the state that a job takes by itself after its last run."""


def recorded_document(job: JobOut, fingerprint: Callable[[bytes], bytes]) -> Document:
    """It differs after each change, and only then: so the digest before a change is that after the one before.

    `fingerprint` is a keyed hash, which stands for the stored request with its headers and its body.
    """
    document = {name: value for name, value in document_of(job).items() if name not in _UNRECORDED}
    document["state"] = _LASTING.get(job.state, job.state)
    if job._stored_request is not None:
        document["stored_request"] = fingerprint(encode_request(job._stored_request)).hex()
    return document

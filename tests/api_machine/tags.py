"""Entity tags that a client sends as If-Match or If-None-Match, and what they come to."""

from collections.abc import Mapping
from typing import Any, Protocol

from hypothesis import strategies as st

Refusal = tuple[int, str]
MISSING: Refusal = (428, "precondition-required")
STALE: Refusal = (412, "precondition-failed")
UNLAWFUL: Refusal = (422, "validation-failed")
TOO_LATE: Refusal = (409, "invalid-state")
REUSED: Refusal = (422, "idempotency-key-reused")
GOOD = (None, "current", "*")

matches = st.sampled_from(["current", "current", "current", "*", "stale", "coming", "weak", None])
optional_matches = st.sampled_from([None, None, None, "current", "*", "stale", "coming"])
NEW = "new"
"""No tag, but `If-None-Match: *`."""
put_matches = st.one_of(optional_matches, optional_matches, st.just(NEW))


class Revised(Protocol):
    """A job or a workflow."""

    revisions: list[int]


def tag_of(job: Revised, match: str | None) -> dict[str, str]:
    """The header, if any."""
    present, first = job.revisions[-1], job.revisions[0]
    tags = {
        "current": f'"{present}"',
        "*": "*",
        "stale": f'"{first if first < present else present + 7}"',
        "coming": f'"{present + 1}"',
        "weak": f'W/"{present}"',
    }
    return {} if match is None else {"if_match": tags[match]}


def conditions_of(job: Revised | None, match: str | None) -> dict[str, str]:
    """The headers of a PUT; without a job of the key there is no tag."""
    if match == NEW:
        return {"if-none-match": "*"}
    return (
        {} if job is None else {name.replace("_", "-"): value for name, value in tag_of(job, match).items()}
    )


def refusal_of(shown: Mapping[str, Any], match: str | None, states: tuple[str, ...]) -> Refusal | None:
    """A job that runs once has none of that, whatever is sent; then comes the tag, then the state."""
    if shown["kind"] == "once":
        return TOO_LATE
    if match not in GOOD:
        return STALE
    return None if shown["state"] in states else TOO_LATE

"""How receivers answer, by the first part of the path that is called."""

import json

from infra.local.calls import Call
from infra.local.receiver import Reply

FAR_RETRY_SECONDS = 1_000
"""Beyond the reach of a queue's delay, so that the retry needs a row in a future bucket."""
NEAR_RETRY_SECONDS = 100
SLOW_SECONDS = 1.0
DRAG_SECONDS = 6.0
"""Slow by the clock of the run: so long that a destination which always takes it is called on the slow path."""
LISTED = 3
"""Elements of the array of who lists."""
REJECTED = 1
"""The index of the element that the picky reject."""
GONE = 410
"""No call of this job is wanted any more."""
ASYNC_ACCEPTED = 202
"""With its header: the receiver has begun, and reports later."""
_WORKS = Reply(status=ASYNC_ACCEPTED, headers={"X-Punctual-Async": "true"})


def reply_to(call: Call, *, is_first: bool, in_trouble: bool) -> Reply:
    """/ok, /fails, /flaky, /busy, /later, /hands, /lists, /slow, /slowfails, /works, /begins or /starts.

    Who `works` always says that it will report, who `begins` at first attempts, and who `starts` at its first call.
    While receivers are in trouble who is `broken` fails, who is `picky` rejects one item of a map, who is `gone` wants
    no more calls, who is `down` is not reached, and who `drags` is slow. Otherwise who is `picky` hands results on.
    """
    match call.path.split("/")[1]:
        case "fails":
            return Reply(status=500)
        case "flaky" if call.attempt == 1:
            return Reply(status=500)
        case "broken" if in_trouble:
            return Reply(status=500)
        case "picky" if in_trouble and json.loads(call.body)["item"]["index"] == REJECTED:
            return Reply(status=500)
        case "gone" if in_trouble:
            return Reply(status=GONE)
        case "down" if in_trouble:
            return Reply(status=502)
        case "busy" if call.attempt == 1:
            return Reply(status=503, headers={"Retry-After": str(NEAR_RETRY_SECONDS)})
        case "later" if call.attempt == 1:
            return Reply(status=503, headers={"Retry-After": str(FAR_RETRY_SECONDS)})
        case "works":
            return _WORKS
        case "begins" if call.attempt == 1:
            return _WORKS
        case "starts" if is_first:
            return _WORKS
        case "hands" | "picky":
            # Another text at each attempt, as from a receiver that does the work again.
            text = json.dumps({"of": call.path, "attempt": call.attempt, "exact": 0.1})
            return Reply(body=text.encode())
        case "lists":
            # Another array at each attempt.
            array = [{"number": number, "attempt": call.attempt} for number in range(LISTED)]
            return Reply(body=json.dumps(array).encode())
        case "slow":
            return Reply(after_seconds=SLOW_SECONDS)
        case "slowfails":
            return Reply(status=500, after_seconds=SLOW_SECONDS)
        case _:
            return Reply()


def drags(call: Call) -> bool:
    """Whether the receiver is one that answers slowly while there is trouble."""
    return call.path.split("/")[1] == "drags"

"""When to send a message, so that it becomes visible shortly before its executions are due.

SQS delays a message by whole seconds from the moment of sending, and an executor that holds a message too early is
billed while it waits. Most jobs are due at the same fraction of a second. A watcher that sends at that fraction, less
a lead, leaves its executors little to wait, and rounds no delay up. This is a preference: a message that is sent at
another moment is neither lost nor early.
"""

LEAD_MS = 200
"""A window opens this long before the fraction of a second at which jobs are due."""
WINDOW_MS = 100
"""The rest of the lead, at least 100 ms, is for the event source, the start of the handler and the claim."""
SLOT_MS = 50
"""Jobs whose fractions differ by less share a window."""
SECOND_MS = 1_000


def slot_of(not_before: int) -> int:
    """The slot of an instant: 0 to 950 ms of its second."""
    return not_before % SECOND_MS // SLOT_MS * SLOT_MS


def opens_in(slot: int, now_ms: int) -> int:
    """Milliseconds until the window of a slot opens: 0 while it is open, else at most 900."""
    since_opening = (now_ms + LEAD_MS - slot) % SECOND_MS
    return 0 if since_opening < WINDOW_MS else SECOND_MS - since_opening

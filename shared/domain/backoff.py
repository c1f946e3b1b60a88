"""The pause before a request that a store did not carry out is sent again."""

SHORTEST_MS, LONGEST_MS = 20, 200


def retry_pause_ms(draw: float) -> int:
    """Full jitter between the two bounds, so that throttled workers do not come back at the same moment.

    `draw` is uniform in [0, 1).
    """
    return SHORTEST_MS + round(draw * (LONGEST_MS - SHORTEST_MS))

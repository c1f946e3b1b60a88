"""All live items of a lab."""

from shared.names import LIVE_SEGMENTS
from shared.ports.jobs import LiveItem
from tests.support.conformance.labs import Lab


def all_live(lab: Lab, limit: int = 100) -> list[LiveItem]:
    """The live items of every segment, page by page."""
    items: list[LiveItem] = []
    for segment in range(LIVE_SEGMENTS):
        page, after = lab.live_items.page(segment, after=None, limit=limit)
        assert len(page) <= limit
        items += page
        while after is not None:
            page, after = lab.live_items.page(segment, after=after, limit=limit)
            assert len(page) <= limit
            items += page
    return items

"""ProgressBoard and ParkingLot."""

from dataclasses import replace

import pytest

from shared.domain.dead_letters.parked_message import ParkedMessage
from shared.domain.dispatch.sweep import LaneProgress
from shared.domain.errors import NotFoundError
from shared.names import Lane, QueueName
from tests.support.builders import DUE_AT
from tests.support.conformance.labs import Lab

PARKED = ParkedMessage(
    message_id="m-1",
    lane=QueueName.STANDARD,
    body='{"v": 2}',
    reason="a newer version",
    parked_at=DUE_AT,
    size=8,
)


def test_a_lane_without_a_report_has_none(lab: Lab) -> None:
    assert [lab.progress.read(lane) for lane in Lane] == [None, None, None]


def test_the_last_report_of_each_lane_is_read(lab: Lab) -> None:
    for seconds in (3, 1, 2):
        lab.progress.report(Lane.BULK, LaneProgress(visible_at=DUE_AT, reported_at=DUE_AT + seconds))
    lab.progress.report(Lane.CRITICAL, LaneProgress(visible_at=DUE_AT - 9, reported_at=DUE_AT))
    assert lab.progress.read(Lane.BULK) == LaneProgress(visible_at=DUE_AT, reported_at=DUE_AT + 2)
    assert lab.progress.read(Lane.CRITICAL) == LaneProgress(visible_at=DUE_AT - 9, reported_at=DUE_AT)
    assert lab.progress.read(Lane.STANDARD) is None


def test_a_parked_message_is_kept_as_it_came(lab: Lab) -> None:
    odd = replace(PARKED, body="\u0000 not json at all 💥" * 500, lane=QueueName.SLOW_STANDARD)
    lab.parked_messages.park(odd)
    assert lab.parked_messages.parked(10) == [odd]


def test_an_empty_body_is_parked_too(lab: Lab) -> None:
    lab.parked_messages.park(replace(PARKED, body=""))
    assert lab.parked_messages.parked(10) == [replace(PARKED, body="")]


def test_the_newest_parked_messages_are_shown_first(lab: Lab) -> None:
    for number in (2, 5, 1, 4, 3):
        lab.parked_messages.park(replace(PARKED, message_id=f"m-{number}", parked_at=DUE_AT + number))
    assert [message.message_id for message in lab.parked_messages.parked(3)] == ["m-5", "m-4", "m-3"]
    assert len(lab.parked_messages.parked(100)) == 5


@pytest.mark.parametrize("limit", [1, 2, 3, 10])
def test_parked_messages_come_page_by_page_each_once(lab: Lab, limit: int) -> None:
    made = [replace(PARKED, message_id=f"m-{number}", parked_at=DUE_AT + number // 2) for number in range(5)]
    for message in made:
        lab.parked_messages.park(message)
    found: list[ParkedMessage] = []
    before = None
    while page := lab.parked_messages.parked(limit, before=before):
        found += page
        before = page[-1].id
    assert found == made[::-1]


def test_a_message_that_is_removed_is_shown_once_more_and_gone(lab: Lab) -> None:
    other = replace(PARKED, message_id="m-2")
    for message in (PARKED, other):
        lab.parked_messages.park(message)
    assert lab.parked_messages.remove(PARKED.id) == PARKED
    assert lab.parked_messages.remove(PARKED.id) is None
    assert lab.parked_messages.parked(10) == [other]


@pytest.mark.parametrize(
    "parked_id", ["", "-", "1-", "x-m", "1" * 16 + "-m", "-1-m", "1-" + "m" * 129, "\u0661-m"]
)
def test_malformed_id_of_a_parked_message_is_not_found(lab: Lab, parked_id: str) -> None:
    with pytest.raises(NotFoundError):
        lab.parked_messages.remove(parked_id)


def test_messages_parked_in_the_same_millisecond_are_all_kept(lab: Lab) -> None:
    for number in range(3):
        lab.parked_messages.park(replace(PARKED, message_id=f"m-{number}"))
    assert {message.message_id for message in lab.parked_messages.parked(10)} == {"m-0", "m-1", "m-2"}


def test_a_message_that_comes_twice_is_shown(lab: Lab) -> None:
    lab.parked_messages.park(PARKED)
    lab.parked_messages.park(PARKED)
    assert PARKED in lab.parked_messages.parked(10)


def test_an_empty_lot_shows_nothing(lab: Lab) -> None:
    assert lab.parked_messages.parked(10) == []

"""ProgressBoard and ParkingLot."""

from dataclasses import replace

from shared.domain.sweep import LaneProgress
from shared.names import Lane
from shared.ports.boards import Parked
from tests.builders import DUE_AT
from tests.conformance.labs import Lab

PARKED = Parked(
    message_id="m-1", lane=Lane.STANDARD, body='{"v": 2}', reason="a newer version", parked_at=DUE_AT
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
    odd = replace(PARKED, body="\u0000 not json at all 💥" * 500, lane=Lane.BULK)
    lab.parking.park(odd)
    assert lab.parking.parked(10) == [odd]


def test_an_empty_body_is_parked_too(lab: Lab) -> None:
    lab.parking.park(replace(PARKED, body=""))
    assert lab.parking.parked(10) == [replace(PARKED, body="")]


def test_the_newest_parked_messages_are_shown_first(lab: Lab) -> None:
    for number in (2, 5, 1, 4, 3):
        lab.parking.park(replace(PARKED, message_id=f"m-{number}", parked_at=DUE_AT + number))
    assert [message.message_id for message in lab.parking.parked(3)] == ["m-5", "m-4", "m-3"]
    assert len(lab.parking.parked(100)) == 5


def test_messages_parked_in_the_same_millisecond_are_all_kept(lab: Lab) -> None:
    for number in range(3):
        lab.parking.park(replace(PARKED, message_id=f"m-{number}"))
    assert {message.message_id for message in lab.parking.parked(10)} == {"m-0", "m-1", "m-2"}


def test_a_message_that_comes_twice_is_shown(lab: Lab) -> None:
    lab.parking.park(PARKED)
    lab.parking.park(PARKED)
    assert PARKED in lab.parking.parked(10)


def test_an_empty_lot_shows_nothing(lab: Lab) -> None:
    assert lab.parking.parked(10) == []

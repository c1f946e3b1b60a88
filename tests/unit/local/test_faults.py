"""The faults of `make run --faults`."""

import random
from collections import Counter

import pytest

from infra.local.faults import Fault, Faults, parse_faults


def test_faults_meet_about_their_shares_of_requests_and_the_rest_is_left_alone() -> None:
    faults = Faults(shares={Fault.LOST: 0.25, Fault.KILLED: 0.5}, random=random.Random(7))
    drawn = Counter(faults.draw() for _ in range(4000))
    assert drawn.keys() == {Fault.LOST, Fault.KILLED, None}
    assert abs(drawn[Fault.LOST] - 1000) < 120
    assert abs(drawn[Fault.KILLED] - 2000) < 150


def test_no_fault_is_drawn_unless_it_is_asked_for() -> None:
    assert {Faults().draw() for _ in range(100)} == {None}


def test_list_of_faults_is_read_as_written() -> None:
    read = parse_faults("throttled=0.1, unavailable=0.2,lost=0,killed=.7")
    assert read.shares == {
        Fault.THROTTLED: 0.1,
        Fault.UNAVAILABLE: 0.2,
        Fault.LOST: 0.0,
        Fault.KILLED: 0.7,
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "throttled, unavailable, lost, killed"),
        ("slow=0.1", "'slow=0.1' is no fault"),
        ("lost", "'lost' is no fault"),
        ("lost=many", "'lost=many' is no fault"),
        ("lost=1.1", "at most 1 together"),
        ("lost=0.6,killed=0.6", "at most 1 together"),
        ("lost=-0.1", "from 0 to 1"),
        ("lost=nan", "from 0 to 1"),
    ],
)
def test_list_that_cannot_be_read_is_refused_with_what_to_write(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_faults(text)

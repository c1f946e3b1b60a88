"""What the receivers of the crash sweep promise."""

from pathlib import Path

import pytest

from infra.local.receiver import Receiver
from tests.crashes.arrivals import ArrivalLog
from tests.crashes.clock import SharedClock


def test_a_destination_is_one_of_which_nobody_has_heard_though_ports_are_given_out_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = ArrivalLog(SharedClock.create(tmp_path / "clock", goes=False), "secret")
    first = log.destination()
    log.clear()
    free = [int(first.rpartition(":")[2])]
    start = Receiver.start

    def start_there_again(receiver: Receiver) -> None:
        receiver._server.port = free.pop() if free else 0
        start(receiver)

    monkeypatch.setattr(Receiver, "start", start_there_again)
    assert log.destination() != first
    assert not free
    log.stop()

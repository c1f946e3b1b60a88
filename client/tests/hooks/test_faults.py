"""Faults: their spelling, their shares, and that a seed repeats them."""

import pytest

from client.tests.hooks.test_forwarding import run
from client.tests.support.raw_http import Listening, RawReceiver, request
from punctual.hooks.arrival import Source
from punctual.hooks.faults import Fault, FaultDraw, Faults, parse_faults


@pytest.mark.parametrize(
    ("failing", "slow", "expected"),
    [
        ([], [], Faults()),
        (["503"], ["5s"], Faults(((503, 1.0),), ((5.0, 1.0),))),
        (["503:30%", "429:0.5%"], ["250ms:10%"], Faults(((503, 0.3), (429, 0.005)), ((0.25, 0.1),))),
        (
            ["500:50%", "410:50%"],
            [
                "2m",
            ],
            Faults(((500, 0.5), (410, 0.5)), ((120.0, 1.0),)),
        ),
    ],
)
def test_options_are_read(failing: list[str], slow: list[str], expected: Faults) -> None:
    assert parse_faults(failing, slow) == expected


@pytest.mark.parametrize(
    "text",
    ["", "503:", "503:30", "503:0%", "503:101%", "503:-1%", "200", "600", "99", "5o3", "503:30%:1", "٥٠٣"],
)
def test_fail_that_cannot_be_read_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match=r"give one such as 503:30%"):
        parse_faults([text], [])


@pytest.mark.parametrize("text", ["", "5", "5h", "0s", "-1s", "601s", "11m", "nan", "5s:0%", "5 s"])
def test_slow_that_cannot_be_read_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match=r"give one such as 5s:10%"):
        parse_faults([], [text])


def test_shares_of_more_than_all_calls_are_refused() -> None:
    with pytest.raises(ValueError, match="--fail are more than 100%"):
        parse_faults(["503:60%", "500:60%"], [])


def drawn(faults: Faults, seed: int, count: int = 4_000) -> list[Fault]:
    draw = FaultDraw(faults, seed)
    return [draw.next() for _ in range(count)]


def test_shares_are_met_and_a_seed_repeats_them() -> None:
    faults = parse_faults(["503:30%", "429:10%"], ["5s:20%"])
    found = drawn(faults, 1)
    shares = [sum(each.status == status for each in found) / len(found) for status in (503, 429, None)]
    assert shares == pytest.approx([0.3, 0.1, 0.6], abs=0.03)
    assert sum(each.delay_seconds == 5 for each in found) / len(found) == pytest.approx(0.2, abs=0.03)
    assert found == drawn(faults, 1) != drawn(faults, 2)


def test_one_kind_of_fault_does_not_move_the_other() -> None:
    both, alone = drawn(parse_faults(["503:30%"], ["5s:20%"]), 7), drawn(parse_faults(["503:30%"], []), 7)
    assert [each.status for each in both] == [each.status for each in alone]


def test_call_that_fails_by_itself_does_not_reach_the_receiver() -> None:
    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        answer = await listener.send(request())
        assert answer.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
        assert answer.endswith(b"punctual listen: a fault of --fail\n")
        assert receiver.received == []
        assert (listener.last[1].source, listener.last[1].detail) == (Source.INJECTED, None)

    run(scenario, faults=parse_faults(["503"], []))


@pytest.mark.parametrize(("method", "status"), [("HEAD", 503), ("POST", 304)])
def test_fault_without_a_body_is_whole(method: str, status: int) -> None:
    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        answer = await listener.send(request(b"", method=method))
        assert answer.startswith(b"HTTP/1.1 %d " % status) and answer.endswith(b"\r\n\r\n")
        assert listener.last[1].status == status

    run(scenario, faults=parse_faults([str(status)], []))


def test_slow_answer_comes_after_the_receiver_has_done_its_work() -> None:
    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        assert (await listener.send(request())).endswith(b"ok")
        assert listener.slept == [5.0]
        assert len(receiver.received) == 1

    run(scenario, faults=parse_faults([], ["5s"]))


def test_answer_that_fails_may_be_slow_as_well() -> None:
    async def scenario(listener: Listening, receiver: RawReceiver) -> None:
        assert b"503" in await listener.send(request())
        assert listener.slept == [5.0]

    run(scenario, faults=parse_faults(["503"], ["5s"]))

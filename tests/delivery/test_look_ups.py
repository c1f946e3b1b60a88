"""Look-ups: within a bound of their own, side by side, and by the system's resolver unless told otherwise."""

import asyncio
import errno
import socket
import threading
import time
from typing import Any

import pytest

from shared.adapters.clock import SystemClock
from shared.adapters.http import look_up as looking_up
from shared.adapters.http.errors import CallFailedError
from shared.adapters.http.freshness import Freshness
from shared.adapters.http.look_up import BoundedResolver
from shared.domain.delivery.callback import Reason
from tests.support.delivery.names import name_server
from tests.support.delivery.sending import ELSEWHERE, LONG, SHORT, post, run, sending
from tests.support.fakes.receiver import Receiver, replies, reply
from tests.support.slowdown import Slowdown


def test_a_black_holed_name_ends_at_the_bound_of_look_ups_and_not_at_the_callbacks(
    slowdown: Slowdown,
) -> None:
    async def scenario() -> None:
        with name_server({}, silent={"hole.test"}) as names:
            async with sending(look_up=names.look_up, look_up_seconds=SHORT) as sender:
                begun = time.time()
                answer = await sender.send(post("https://hole.test/"), timeout_seconds=LONG)
                assert (answer.reason, answer.status) == (Reason.DNS_FAILED, None)
                assert SHORT * 0.9 <= time.time() - begun < SHORT + slowdown.since(begun)

    run(scenario)


def test_the_deadline_of_the_callback_covers_the_look_up() -> None:
    async def scenario() -> None:
        with name_server({}, silent={"hole.test"}) as names:
            async with sending(look_up=names.look_up) as sender:
                answer = await sender.send(post("https://hole.test/"), timeout_seconds=SHORT)
                assert answer.reason is Reason.TIMEOUT

    run(scenario)


def test_a_hundred_black_holed_names_delay_no_other(slowdown: Slowdown) -> None:
    """As many as a batch of an executor can have, all at once, while one name is answered."""
    holes = {f"hole{number}.test" for number in range(100)}

    async def scenario() -> None:
        with name_server({"open.test": [["127.0.0.1"]]}, silent=holes) as names:
            async with Receiver(replies(reply())) as receiver, sending(look_up=names.look_up) as sender:
                stuck = [
                    asyncio.create_task(sender.send(post(f"https://{name}/"), timeout_seconds=LONG))
                    for name in holes
                ]
                while len(names.asked) < len(holes):
                    await asyncio.sleep(0.005)
                begun = time.time()
                answer = await sender.send(post(receiver.url(host="open.test")), timeout_seconds=LONG)
                assert answer.reason is Reason.OK
                took = time.time() - begun
                assert not any(task.done() for task in stuck)
                assert took < 2 * slowdown.since(begun)
                for task in stuck:
                    task.cancel()
                await asyncio.wait(stuck)

    run(scenario)


@pytest.mark.parametrize(
    ("look_up_seconds", "timeout_seconds", "reason"),
    [(SHORT, LONG, Reason.DNS_FAILED), (LONG, SHORT, Reason.TIMEOUT)],
)
def test_in_a_batch_each_black_holed_name_ends_at_its_own_bound_and_the_others_are_quick(
    slowdown: Slowdown, look_up_seconds: float, timeout_seconds: float, reason: Reason
) -> None:
    """All calls of a batch at once, as an executor makes them: nine to silence for each that is answered."""
    holes = [f"hole{number}.test" for number in range(90)]

    async def scenario() -> None:
        with name_server({"open.test": [["127.0.0.1"]]}, silent=set(holes)) as names:
            async with (
                Receiver(replies(reply())) as receiver,
                sending(look_up=names.look_up, look_up_seconds=look_up_seconds) as sender,
            ):

                async def timed(url: str, seconds: float) -> tuple[Reason, float]:
                    begun = time.time()
                    answer = await sender.send(post(url), timeout_seconds=seconds)
                    return answer.reason, time.time() - begun

                stuck = [timed(f"https://{name}/", timeout_seconds) for name in holes]
                others = [timed(receiver.url(host="open.test"), LONG) for _ in range(10)]
                began_at = time.time()
                ends = await asyncio.gather(*stuck, *others)
                longest = SHORT + slowdown.since(began_at)
        assert {end for end, _ in ends[:90]} == {reason}
        assert all(SHORT * 0.9 <= took < longest for _, took in ends[:90])
        assert {end for end, _ in ends[90:]} == {Reason.OK}
        assert all(took < longest for _, took in ends[90:])

    run(scenario)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(errno.EMFILE, "failed"), Reason.UNAVAILABLE),
        (OSError(errno.EIO, "failed"), Reason.DNS_FAILED),
        (socket.gaierror(socket.EAI_MEMORY, "failed"), Reason.UNAVAILABLE),
        (socket.gaierror(socket.EAI_NONAME, "failed"), Reason.DNS_FAILED),
        (socket.gaierror(socket.EAI_AGAIN, "failed"), Reason.DNS_FAILED),
    ],
)
def test_a_lookup_that_fails_for_lack_of_own_resources_is_unavailable(error: OSError, reason: Reason) -> None:
    def fail(_name: str) -> list[str]:
        raise error

    async def scenario() -> None:
        async with sending(look_up=fail) as sender:
            answer = await sender.send(post("https://open.test/"), timeout_seconds=LONG)
            assert answer.reason is reason

    run(scenario)


def test_a_look_up_that_was_left_behind_does_not_hold_up_the_end(slowdown: Slowdown) -> None:
    async def scenario() -> tuple[float, float]:
        with name_server({}, silent={"hole.test"}) as names:
            async with sending(look_up=names.look_up) as sender:
                await sender.send(post("https://hole.test/"), timeout_seconds=0.05)
                begun = time.time()
            return begun, time.time() - begun

    begun, took = asyncio.run(scenario())
    assert took < slowdown.since(begun)


def test_look_ups_left_behind_refund_their_tenant_and_leave_threads_to_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The system's resolver goes on after the timeout of a look-up, and its thread with it."""
    monkeypatch.setattr(looking_up, "LOOK_UPS_PER_TENANT", 2)
    begun, release = list[str](), threading.Event()

    def look_up(name: str) -> list[str]:
        begun.append(name)
        if name.startswith("hole"):
            release.wait(LONG)
        return ["127.0.0.1"]

    async def scenario() -> None:
        resolver = BoundedResolver(look_up, Freshness(SystemClock()), seconds=LONG, threads=3)

        async def ends(name: str, tenant_id: str) -> Reason:
            try:
                await resolver.resolve(name, tenant_id)
            except CallFailedError as error:
                return error.reason
            return Reason.OK

        stuck = [asyncio.create_task(ends(f"hole{number}.test", "mallory")) for number in range(2)]
        while len(begun) < len(stuck):
            await asyncio.sleep(0.001)
        loop = asyncio.get_running_loop()
        plain = loop.time
        monkeypatch.setattr(loop, "time", lambda: plain() + LONG)
        assert await asyncio.gather(*stuck) == [Reason.DNS_FAILED] * 2
        assert await ends("hole2.test", "mallory") is Reason.UNAVAILABLE
        assert await ends("open.test", "acme") is Reason.OK
        last = asyncio.create_task(ends("hole3.test", "acme"))
        while "hole3.test" not in begun:
            await asyncio.sleep(0.001)
        assert await ends("other.test", "globex") is Reason.UNAVAILABLE
        release.set()
        assert await last is Reason.OK
        assert await ends("other.test", "globex") is Reason.OK
        resolver.close()

    run(scenario)
    assert begun[2:] == ["open.test", "hole3.test", "other.test"]


def test_the_bounds_fit_the_deadlines_and_the_batches() -> None:
    """30 s is the default of a callback's timeout; ten messages of ten keys are a batch."""
    assert 0 < looking_up.LOOK_UP_SECONDS <= 30 / 5
    assert looking_up.LOOK_UP_THREADS >= 2 * 10 * 10
    assert 10 * 10 <= looking_up.LOOK_UPS_PER_TENANT <= looking_up.LOOK_UP_THREADS / 2


# --- the system's own resolver


def test_by_default_the_system_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Any, ...]] = []

    def getaddrinfo(host: str, port: object, **options: Any) -> list[Any]:
        asked.append((host, options["type"]))
        if host == "nowhere.test":
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return [(socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("::1", 0, 0, 0))] * 2

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)

    async def scenario() -> None:
        async with Receiver(replies(reply()), address="::1") as receiver, sending() as sender:
            for host, reason in (("somewhere.test", Reason.OK), ("nowhere.test", Reason.DNS_FAILED)):
                answer = await sender.send(post(receiver.url(host=host)), timeout_seconds=LONG)
                assert answer.reason is reason
            assert receiver.connections == 1

    run(scenario)
    assert asked == [("somewhere.test", socket.SOCK_STREAM), ("nowhere.test", socket.SOCK_STREAM)]


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_localhost_is_blocked_without_exceptions_although_the_system_resolves_the_name(scheme: str) -> None:
    async def scenario() -> None:
        async with Receiver(replies(reply())) as receiver, sending(ELSEWHERE) as sender:
            target = post(receiver.url(host="localhost", scheme=scheme))
            answer = await sender.send(target, timeout_seconds=LONG)
            assert (answer.reason, answer.status) == (Reason.ADDRESS_NOT_ALLOWED, None)
            assert receiver.connections == 0

    run(scenario)

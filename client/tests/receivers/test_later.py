"""Work that begins with `later`, or goes on elsewhere with a ticket."""

import asyncio
import json
import logging

import httpx
import pytest

from client.tests.support.bench import Bench
from client.tests.support.calls import NEW, NOW, TOKEN, headers_of
from client.tests.support.long_work import API, Api, problem
from punctual.receivers import (
    AttemptLostError,
    CallFailedError,
    LongWork,
    MemorySeen,
    ReceivedCall,
    Receiver,
)
from punctual.receivers._dedupe import Done, Running
from punctual.receivers._work import Work
from punctual.receivers.long_work import Ticket

LOST = problem(409)
DOWN = httpx.ConnectError("no route")


def test_later_answers_202_and_runs_the_work(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench(Api())
    done: list[object] = []
    reply = bench.call.later(
        lambda work, *each, **named: done.append((work.execution_id, each, named)), 1, two=2
    )
    assert (reply.status, reply.headers["X-Punctual-Async"], bench.api.sent) == (202, "true", [])
    bench.started.pop()()
    assert done == [(bench.call.id, (1,), {"two": 2})]
    assert bench.api.kinds == ["heartbeat", "complete"]
    assert caplog.records == []


def test_later_runs_a_coroutine_in_the_event_loop_of_its_handler() -> None:
    bench = Bench(Api())
    done: list[str] = []

    async def work(work: Work, name: str) -> None:
        work.check()
        done.append(name)

    async def scenario() -> None:
        assert bench.call.later(work, "report").status == 202
        while "complete" not in bench.api.kinds:
            await asyncio.sleep(0.001)

    asyncio.run(scenario())
    assert done == ["report"]


def test_coroutine_needs_an_event_loop() -> None:
    bench = Bench(Api())

    async def work(_: Work) -> None: ...

    with pytest.raises(RuntimeError, match="asynchronous handler"):
        bench.call.later(work)


@pytest.mark.parametrize(
    ("error", "has_trace"),
    [(ValueError("no stock"), True), (CallFailedError("closed"), False), (AttemptLostError("over"), False)],
)
def test_end_of_later_work_by_an_exception_is_logged(
    error: Exception, has_trace: bool, caplog: pytest.LogCaptureFixture
) -> None:
    bench = Bench(Api())

    def work(_: Work) -> None:
        raise error

    async def work_async(_: Work) -> None:
        raise error

    bench.call.later(work)
    bench.started.pop()()

    async def scenario() -> None:
        bench.call.later(work_async)
        while len(caplog.records) < 2:
            await asyncio.sleep(0.001)

    asyncio.run(scenario())
    assert [record.levelno for record in caplog.records] == [
        logging.ERROR if has_trace else logging.WARNING
    ] * 2
    assert str(error) in caplog.text and bench.call.id in caplog.text and TOKEN not in caplog.text
    assert ("Traceback" in caplog.text) is has_trace


@pytest.mark.parametrize("is_decoded", [False, True])
def test_work_goes_on_in_another_process_with_the_ticket(is_decoded: bool) -> None:
    """A function of Lambda gets the JSON of its payload decoded."""
    bench = Bench(Api())
    assert bench.call.accepted().status == 202
    ticket = bench.call.ticket()
    elsewhere = Bench(bench.api, MemorySeen())
    elsewhere.receiver.seen = bench.seen
    assert json.loads(ticket)["token"] == TOKEN
    with elsewhere.receiver.resume(json.loads(ticket) if is_decoded else ticket) as work:
        assert work.execution_id == bench.call.id
        assert isinstance(bench.other(), Running)
    assert bench.api.kinds == ["heartbeat", "complete"]
    assert bench.other() == Done()


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", "1", '{"execution": "a/b", "token": "t", "owner": null}', '{"execution": "a"}'],
)
def test_text_that_is_no_ticket_is_refused_and_not_quoted(text: str) -> None:
    with pytest.raises(ValueError, match="ticket") as caught:
        Bench(Api()).receiver.resume(text)
    assert "a/b" not in str(caught.value)


def test_ticket_and_its_parts_do_not_show_the_token() -> None:
    bench = Bench(Api())
    assert TOKEN in bench.call.ticket()
    shown = repr(
        (
            bench.call,
            bench.call.work(),
            Ticket("exe_1", TOKEN, None),
            bench.receiver,
            bench.receiver.long_work,
        )
    )
    assert TOKEN not in shown and NEW not in shown


@pytest.mark.parametrize("token", ["a\r\nX: b", "", "ä", "a b", "a" * 257])
def test_token_that_is_no_header_value_is_refused(token: str) -> None:
    with pytest.raises(ValueError, match="ticket"):
        Ticket("exe_1", token, None)


def test_long_work_needs_the_url_of_the_api() -> None:
    receiver = Receiver(NEW, seen=None, clock=lambda: NOW)
    call = receiver.admit(headers_of(b""), b"")
    assert isinstance(call, ReceivedCall)
    for act in (call.work, call.accepted, lambda: call.later(print), lambda: receiver.resume(call.ticket())):
        with pytest.raises(RuntimeError, match="api_url"):
            act()


def test_call_without_a_token_cannot_be_reported_on() -> None:
    bench = Bench(Api())
    headers = headers_of(b"", execution="exe_2")
    del headers["X-Callback-Token"]
    call = bench.receiver.admit(headers, b"")
    assert isinstance(call, ReceivedCall)
    with pytest.raises(CallFailedError, match="X-Callback-Token"):
        call.later(print)


def test_clients_of_its_own_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    api, closed = Api(), []
    made = [api.client()]
    monkeypatch.setattr(httpx, "Client", lambda **_: made[0])
    call = Receiver(NEW, seen=None, clock=lambda: NOW, long_work=LongWork(api_url=API)).admit(
        headers_of(b""), b""
    )
    assert isinstance(call, ReceivedCall)
    with call.work():
        assert not made[0].is_closed
    closed.append(made[0].is_closed)
    made_async = api.async_client()
    monkeypatch.setattr(httpx, "AsyncClient", lambda **_: made_async)

    async def scenario() -> None:
        async with call.work():
            assert not made_async.is_closed

    asyncio.run(scenario())
    assert closed == [True] and made_async.is_closed

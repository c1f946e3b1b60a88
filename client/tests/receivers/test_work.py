"""Long work: heartbeats, loss and outcome, in threads and in an event loop."""

import asyncio
import json
import logging
from collections.abc import Callable

import httpx
import pytest

from client.tests.support.calls import NEW, NOW, TOKEN, headers_of
from client.tests.support.long_work import API, Answer, Api, Time, beaten, eventually, problem
from punctual.receivers import (
    AttemptLostError,
    CallFailedError,
    LongWork,
    MemorySeen,
    ReceivedCall,
    Receiver,
    ReportError,
    Seen,
)
from punctual.receivers._claims import Claim
from punctual.receivers._dedupe import Done, Running
from punctual.receivers._work import Work
from punctual.receivers.long_work import Ticket

LOST = problem(409)
DOWN = httpx.ConnectError("no route")


class Bench:
    """A received call, and everything that its work meets."""

    def __init__(self, api: Api, seen: Seen | None = None, *, is_async: bool = False) -> None:
        self.api, self.time = api, Time()
        self.seen = MemorySeen() if seen is None else seen
        self.started: list[Callable[[], None]] = []
        self.receiver = Receiver(
            NEW,
            seen=self.seen,
            clock=self.time.timing().clock,
            long_work=LongWork(
                api_url=API + "/",
                http=api.client(),
                async_http=api.async_client(),
                start=self.started.append,
                timing=self.time.timing(),
            ),
        )
        call = self.receiver.admit(headers_of(b"{}"), b"{}")
        assert isinstance(call, ReceivedCall)
        self.call = call
        self.is_async = is_async

    def run(self, act: Callable[[Work], None]) -> None:
        """The work of the call, in either way."""
        if self.is_async:
            asyncio.run(self._run(act))
        else:
            with self.call.work() as work:
                act(work)

    async def _run(self, act: Callable[[Work], None]) -> None:
        async with self.call.work() as work:
            await asyncio.to_thread(act, work)

    def other(self) -> Running | Done | None:
        """What another worker gets for the same call."""
        return Claim(self.seen, self.call.id, "other", self.time.timing().clock).take(10)


both = pytest.mark.parametrize("is_async", [False, True], ids=["thread", "event loop"])


@both
def test_work_beats_at_once_and_completes_at_its_end(is_async: bool) -> None:
    bench = Bench(Api(), is_async=is_async)
    bench.run(lambda work: work.check())
    assert bench.api.sent == [("heartbeat", {}), ("complete", {})]
    for request in bench.api.requests:
        assert request.method == "POST"
        assert request.headers["X-Callback-Token"] == TOKEN
        assert str(request.url).startswith(f"{API}/v1/executions/{bench.call.id}/")
    assert bench.other() == Done()


@both
def test_heartbeats_come_every_third_of_the_lease_and_extend_the_claim(is_async: bool) -> None:
    bench = Bench(Api(heartbeat=[beaten(90), beaten(120), beaten(150), beaten(180)]), is_async=is_async)

    def work(work: Work) -> None:
        for beats in range(2, 5):
            bench.time.pass_by(29)
            assert len(bench.api.sent) == beats - 1
            bench.time.pass_by(1)
            eventually(lambda beats=beats: len(bench.api.sent) == beats)  # type: ignore[misc]
        eventually(lambda: bench.other() == Running((NOW + 180) * 1000))
        work.check()

    bench.run(work)
    assert bench.api.kinds == ["heartbeat"] * 4 + ["complete"]


@both
def test_exception_fails_the_attempt_and_goes_on(is_async: bool) -> None:
    bench = Bench(Api(), is_async=is_async)

    def work(_: Work) -> None:
        raise ValueError("no stock")

    with pytest.raises(ValueError, match="no stock"):
        bench.run(work)
    assert bench.api.sent[-1] == ("fail", {"reason": "ValueError: no stock", "retryable": True})
    assert bench.other() is None, "the next attempt need not wait"


@both
def test_failure_that_no_retry_can_solve_says_so(is_async: bool) -> None:
    bench = Bench(Api(), is_async=is_async)

    def work(_: Work) -> None:
        raise CallFailedError("no such invoice", retryable=False)

    with pytest.raises(CallFailedError):
        bench.run(work)
    assert bench.api.sent[-1] == ("fail", {"reason": "no such invoice", "retryable": False})


@both
def test_conflict_of_a_heartbeat_stops_the_work_and_reports_nothing(is_async: bool) -> None:
    bench = Bench(Api(heartbeat=[beaten(), LOST]), is_async=is_async)

    def work(work: Work) -> None:
        work.check()
        bench.time.pass_by(20)
        eventually(lambda: work.is_lost)
        work.check()

    with pytest.raises(AttemptLostError, match="attempt 1 is over"):
        bench.run(work)
    assert bench.api.kinds == ["heartbeat", "heartbeat"]
    assert bench.other() is None


@both
@pytest.mark.parametrize("answer", [LOST, problem(404, "unknown")])
def test_work_on_an_attempt_that_is_over_does_not_begin(is_async: bool, answer: httpx.Response) -> None:
    bench = Bench(Api(heartbeat=[answer]), is_async=is_async)
    with pytest.raises(AttemptLostError, match=str(answer.status_code)):
        bench.run(lambda _: pytest.fail("the work began"))
    assert bench.api.kinds == ["heartbeat"]
    assert bench.other() is None


@both
def test_lease_that_runs_out_without_an_answer_stops_the_work(is_async: bool) -> None:
    """The network between worker and API is down, so another worker may have the attempt."""
    bench = Bench(Api(heartbeat=[beaten(60), DOWN]), is_async=is_async)

    def work(work: Work) -> None:
        bench.time.pass_by(59)
        work.check()
        bench.time.pass_by(2)
        assert work.is_lost
        work.check()

    with pytest.raises(AttemptLostError, match="another attempt may have started"):
        bench.run(work)
    assert "complete" not in bench.api.kinds


@both
def test_heartbeats_survive_a_short_outage(is_async: bool) -> None:
    outage: list[Answer] = [
        beaten(60),
        DOWN,
        problem(503, "try again", retry_after="3"),
        httpx.ReadTimeout("slow"),
        beaten(100),
    ]
    bench = Bench(Api(heartbeat=outage), is_async=is_async)

    def work(work: Work) -> None:
        for seconds, beats in ((20, 2), (1, 3), (3, 4), (4, 5)):
            bench.time.pass_by(seconds)
            eventually(lambda beats=beats: len(bench.api.sent) == beats)  # type: ignore[misc]
        eventually(lambda: bench.other() == Running((NOW + 100) * 1000))
        bench.time.pass_by(40)
        work.check()

    bench.run(work)


@both
def test_work_begins_although_the_first_heartbeat_was_not_answered(is_async: bool) -> None:
    bench = Bench(Api(heartbeat=[DOWN, beaten()]), is_async=is_async)

    def work(work: Work) -> None:
        work.check()
        bench.time.pass_by(1)
        eventually(lambda: len(bench.api.sent) == 2)

    bench.run(work)
    assert bench.api.kinds == ["heartbeat", "heartbeat", "complete"]


@both
def test_claim_that_another_worker_has_taken_stops_the_work(is_async: bool) -> None:
    bench = Bench(Api(heartbeat=[beaten(60), beaten(120)]), is_async=is_async)

    def work(work: Work) -> None:
        stolen = Claim(bench.seen, bench.call.id, "other", lambda: NOW + 10_000.0)
        assert stolen.take(10_000) is None
        bench.time.pass_by(20)
        eventually(lambda: work.is_lost)
        work.check()

    with pytest.raises(AttemptLostError, match="another worker"):
        bench.run(work)


@both
def test_outcome_is_repeated_until_it_is_recorded(is_async: bool) -> None:
    recorded = httpx.Response(200, json={"outcome": "succeeded"})
    answers: list[Answer] = [problem(503), problem(429, retry_after="5"), DOWN, problem(500), recorded]
    bench = Bench(Api(complete=answers), is_async=is_async)
    if is_async:
        asyncio.run(_complete_while_time_passes(bench))
    else:
        bench.run(lambda _: None)
        assert bench.time.slept == [0.5, 5, 2, 4]
    assert bench.api.kinds.count("complete") == 5


async def _complete_while_time_passes(bench: Bench) -> None:
    async def pass_time() -> None:
        while True:
            bench.time.pass_by(0.5)
            await asyncio.sleep(0.001)

    passing = asyncio.create_task(pass_time())
    async with bench.call.work():
        pass
    passing.cancel()


@both
def test_work_that_cannot_be_reported_is_done_all_the_same(is_async: bool) -> None:
    """The attempt is lost, and the next one is answered with success."""
    bench = Bench(Api(complete=[problem(404, "unknown")]), is_async=is_async)
    with pytest.raises(ReportError, match="unknown"):
        bench.run(lambda _: None)
    assert bench.other() == Done()


def test_outcome_that_is_never_recorded_is_given_up() -> None:
    bench = Bench(Api(complete=[DOWN]))
    with pytest.raises(ReportError, match="ConnectError"):
        bench.run(lambda _: None)
    assert 30 < sum(bench.time.slept) <= 60


@both
def test_completion_of_a_lost_attempt_is_an_error(is_async: bool) -> None:
    bench = Bench(Api(complete=[LOST]), is_async=is_async)
    with pytest.raises(AttemptLostError):
        bench.run(lambda _: None)


@both
def test_exception_of_the_work_precedes_that_of_its_report(
    is_async: bool, caplog: pytest.LogCaptureFixture
) -> None:
    bench = Bench(Api(fail=[LOST]), is_async=is_async)

    def work(_: Work) -> None:
        raise ValueError("no stock")

    with pytest.raises(ValueError, match="no stock"):
        bench.run(work)
    assert "was not reported" in caplog.text


def test_interrupted_worker_hands_the_work_over_without_delay() -> None:
    bench = Bench(Api(fail=[DOWN]))

    def work(_: Work) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bench.run(work)
    assert "fail" in bench.api.kinds
    assert sum(bench.time.slept) <= 2
    assert bench.other() is None


def test_cancelled_task_fails_its_attempt() -> None:
    bench = Bench(Api())

    async def scenario() -> None:
        async def work() -> None:
            async with bench.call.work():
                await asyncio.Event().wait()

        task = asyncio.create_task(work())
        while not bench.api.sent:
            await asyncio.sleep(0)
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())
    assert bench.api.kinds == ["heartbeat", "fail"]


class FailingSeen(MemorySeen):
    """A store that fails after the claim."""

    is_down = False

    def replace(self, call_id: str, before: str | None, after: str, forget_at: int) -> bool:
        if self.is_down:
            raise OSError("the store is down")
        return super().replace(call_id, before, after, forget_at)


def test_store_that_fails_does_not_stop_the_work(caplog: pytest.LogCaptureFixture) -> None:
    seen = FailingSeen()
    bench = Bench(Api(), seen)
    seen.is_down = True
    bench.run(lambda work: work.check())
    assert bench.api.kinds == ["heartbeat", "complete"]
    assert "was not extended" in caplog.text and "was not recorded" in caplog.text


def test_redirect_does_not_take_the_token_elsewhere() -> None:
    bench = Bench(Api(heartbeat=[httpx.Response(307, headers={"Location": "https://evil.example/"})]))
    bench.call.long_work.http.follow_redirects = True  # type: ignore[union-attr]
    with pytest.raises(AttemptLostError, match="307"):
        bench.run(lambda _: None)
    assert [request.url.host for request in bench.api.requests] == ["punctual.example"]


# --- later, accepted and tickets


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
    monkeypatch.setattr(httpx, "Client", lambda: made[0])
    call = Receiver(NEW, seen=None, clock=lambda: NOW, long_work=LongWork(api_url=API)).admit(
        headers_of(b""), b""
    )
    assert isinstance(call, ReceivedCall)
    with call.work():
        assert not made[0].is_closed
    closed.append(made[0].is_closed)
    made_async = api.async_client()
    monkeypatch.setattr(httpx, "AsyncClient", lambda: made_async)

    async def scenario() -> None:
        async with call.work():
            assert not made_async.is_closed

    asyncio.run(scenario())
    assert closed == [True] and made_async.is_closed

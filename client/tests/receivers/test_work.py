"""Long work: heartbeats, loss and outcome, in threads and in an event loop."""

import asyncio

import httpx
import pytest

from client.tests.support.bench import Bench
from client.tests.support.calls import NOW, TOKEN
from client.tests.support.long_work import API, Answer, Api, beaten, eventually, problem
from punctual.receivers import (
    AttemptLostError,
    CallFailedError,
    MemorySeen,
    ReportError,
)
from punctual.receivers._claims import Claim
from punctual.receivers._dedupe import Done, Running
from punctual.receivers._work import Work

LOST = problem(409)
DOWN = httpx.ConnectError("no route")


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
            # The pause counts from the moment at which the failure is noted.
            eventually(lambda: work._lease.next_beat_at > bench.time.now)
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


@both
def test_result_of_long_work_is_reported_and_kept_for_a_repeated_call(is_async: bool) -> None:
    bench = Bench(Api(), is_async=is_async)
    bench.run(lambda work: work.hand_on({"rows": 1.5, "name": "straße"}))
    assert bench.api.sent[-1] == ("complete", {"result": {"rows": 1.5, "name": "straße"}})
    assert bench.other() == Done('{"rows":1.5,"name":"straße"}')


@pytest.mark.parametrize("value", [float("nan"), object(), "x" * 4_095])
def test_result_of_long_work_that_is_none_is_refused_at_once(value: object) -> None:
    bench = Bench(Api())
    with bench.call.work() as work:
        with pytest.raises((TypeError, ValueError)):
            work.hand_on(value)
        work.hand_on("x" * 4_094)

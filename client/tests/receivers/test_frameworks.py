"""One receiver in each framework: the same answers, and the same care for the end of a call."""

from collections.abc import Callable, Iterator, Mapping
from threading import Thread
from typing import Any
from uuid import uuid4

import pytest

from client.tests.support import django_project
from client.tests.support.calls import FOREIGN, NEW, NOW, OLD, headers_of
from client.tests.support.frameworks import FRAMEWORKS, Framework, Got, Send
from client.tests.support.long_work import API
from punctual.receivers import CallFailedError, LongWork, MemorySeen, ReceivedCall, Receiver, Reply
from punctual.receivers._claims import Claim
from punctual.receivers._dedupe import Done, Running
from punctual.receivers.seen.django import DjangoSeen

BODIES = (b"", b'{"n": 1}', "€".encode(), b"\xff\x00\r\n")


class Endpoint:
    """A receiver in a framework. The handler does what `act` says, and notes its calls."""

    def __init__(self, framework: Framework) -> None:
        self.framework = framework
        self.now = float(NOW)
        self.calls: list[tuple[ReceivedCall, str]] = []
        self.act: Callable[[ReceivedCall], Any] = lambda _: None
        self.seen: MemorySeen | DjangoSeen = DjangoSeen() if framework.needs_django else MemorySeen()
        self.started: list[Callable[[], None]] = []
        self.receiver = Receiver(
            [OLD, NEW],
            seen=self.seen,
            timeout_seconds=30,
            clock=lambda: self.now,
            long_work=LongWork(api_url=API, start=self.started.append),
        )
        self._send: Send = framework.serve(self.receiver, self._handle)
        self.execution = f"exe_{uuid4().hex}"

    def send(self, body: bytes = b"{}", *secrets: str, method: str = "POST", **changed: str) -> Got:
        """A signed call; headers may be changed afterwards."""
        headers = headers_of(body, *secrets, at=int(self.now), execution=self.execution)
        return self.send_raw(
            method, headers | {name.replace("_", "-"): value for name, value in changed.items()}, body
        )

    def send_task(self) -> Got:
        """The call of a task of a workflow."""
        return self.send(Punctual_Task="count", Punctual_Run="run_1")

    def send_raw(self, method: str, headers: Mapping[str, str], body: bytes) -> Got:
        return self._send(method, headers, body)

    def other(self) -> Running | Done | None:
        """What another worker gets for the same call."""
        return Claim(self.seen, self.execution, "other", lambda: self.now).take(30)

    def _handle(self, call: ReceivedCall, kind: str) -> Any:
        self.calls.append((call, kind))
        return self.act(call)


@pytest.fixture(params=FRAMEWORKS)
def endpoint(request: pytest.FixtureRequest) -> Iterator[Endpoint]:
    if "django" in request.param:
        django_project.migrate()
    yield Endpoint(FRAMEWORKS[request.param])
    django_project.close()


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("secret", [OLD, NEW], ids=["old secret", "new secret"])
def test_genuine_call_is_handled_once_however_often_it_arrives(
    endpoint: Endpoint, body: bytes, secret: str
) -> None:
    for times in range(3):
        got = endpoint.send(body, secret, method="POST" if body else "GET")
        assert got.status == 200
        assert ("done before" in got.text) is (times > 0)
    [(call, kind)] = endpoint.calls
    assert (call.id, call.body, call.attempt, kind) == (endpoint.execution, body, 1, "report")


def test_redrive_is_handled_because_it_has_another_id(endpoint: Endpoint) -> None:
    endpoint.send()
    endpoint.execution = f"exe_{uuid4().hex}"
    assert endpoint.send().status == 200
    assert len(endpoint.calls) == 2


@pytest.mark.parametrize(
    ("changed", "part"),
    [
        ({"webhook_id": "exe_2"}, "webhook-signature"),
        ({"webhook_id": "a b"}, "webhook-id"),
        ({"webhook_timestamp": str(NOW + 1)}, "webhook-signature"),
        ({"webhook_timestamp": "1"}, "webhook-timestamp"),
        ({"webhook_signature": "v1,AAAA"}, "webhook-signature"),
    ],
)
def test_forged_call_is_answered_401_and_not_handled(
    endpoint: Endpoint, changed: dict[str, str], part: str
) -> None:
    got = endpoint.send(b"{}", **changed)
    assert (got.status, endpoint.calls) == (401, [])
    assert got.text.startswith(part)
    assert endpoint.other() is None, "a forged call claims nothing"


def test_call_of_another_tenant_and_request_without_headers_are_answered_401(endpoint: Endpoint) -> None:
    assert endpoint.send(b"{}", FOREIGN).status == 401
    assert endpoint.send_raw("POST", {}, b"{}").status == 401
    assert endpoint.calls == []


def test_body_that_is_larger_than_any_of_punctual_is_answered_413(endpoint: Endpoint) -> None:
    assert endpoint.send(b"x" * (200 * 1024)).status == 200
    assert endpoint.send(b"x" * (200 * 1024 + 1)).status == 413
    assert len(endpoint.calls) == 1


def test_call_that_another_worker_has_is_answered_409_until_its_lease_ends(endpoint: Endpoint) -> None:
    assert endpoint.other() is None
    endpoint.now += 10
    got = endpoint.send()
    assert (got.status, got.headers["Retry-After"], endpoint.calls) == (409, "20", [])
    endpoint.now += 20
    assert endpoint.send().status == 200
    assert len(endpoint.calls) == 1


def test_copy_that_arrives_while_the_first_is_handled_is_answered_409(endpoint: Endpoint) -> None:
    if endpoint.framework.needs_django:
        pytest.skip("the transaction of the work locks all of SQLite, so the copy waits instead")
    copies: list[Got] = []

    def copy() -> None:
        copies.append(endpoint.send())
        django_project.close()

    def act(_: ReceivedCall) -> None:
        thread = Thread(target=copy)
        thread.start()
        thread.join(20)

    endpoint.act = act
    assert endpoint.send().status == 200
    assert [(got.status, got.headers["Retry-After"]) for got in copies] == [(409, "30")]
    assert len(endpoint.calls) == 1


def test_exception_of_the_handler_is_answered_500_and_the_retry_is_handled(
    endpoint: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    def act(_: ReceivedCall) -> None:
        raise ZeroDivisionError("a mistake of the handler")

    endpoint.act = act
    assert endpoint.send().status == 500
    endpoint.act = lambda _: None
    assert endpoint.send().status == 200
    assert len(endpoint.calls) == 2


@pytest.mark.parametrize(
    ("error", "status", "header"),
    [
        (CallFailedError("busy"), 503, None),
        (CallFailedError("busy", retry_after_seconds=90), 503, ("Retry-After", "90")),
        (CallFailedError("no such invoice", retryable=False), 422, ("X-Punctual-No-Retry", "true")),
    ],
)
def test_failure_that_the_handler_names_is_answered_so(
    endpoint: Endpoint, error: CallFailedError, status: int, header: tuple[str, str] | None
) -> None:
    def act(_: ReceivedCall) -> None:
        raise error

    endpoint.act = act
    got = endpoint.send()
    assert (got.status, got.text) == (status, error.reason)
    if header is not None:
        assert got.headers[header[0]] == header[1]
    assert endpoint.other() is None


@pytest.mark.parametrize(
    ("status", "is_done"),
    [(200, True), (201, True), (204, True), (302, False), (410, False), (503, False)],
)
def test_response_of_the_framework_decides_whether_the_call_is_done(
    endpoint: Endpoint, status: int, is_done: bool
) -> None:
    endpoint.act = lambda _: endpoint.framework.respond(status)
    assert endpoint.send().status == status
    assert endpoint.other() == (Done() if is_done else None)


def test_reply_is_sent_as_it_is(endpoint: Endpoint) -> None:
    endpoint.act = lambda _: Reply(410, "moved", {"X-Why": "moved"})
    got = endpoint.send()
    assert (got.status, got.text, got.headers["X-Why"]) == (410, "moved", "moved")
    assert endpoint.other() is None


def test_work_that_goes_on_is_answered_202_and_keeps_its_claim(endpoint: Endpoint) -> None:
    endpoint.act = lambda call: call.later(print)
    got = endpoint.send()
    assert (got.status, got.headers["X-Punctual-Async"]) == (202, "true")
    assert len(endpoint.started) == 1
    assert isinstance(endpoint.other(), Running)


def test_store_that_fails_has_the_call_retried(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(type(endpoint.seen), "replace", _fail)
        assert endpoint.send().status == 500
    assert endpoint.calls == []
    assert endpoint.send().status == 200


def test_store_that_fails_after_the_work_does_not_have_it_repeated(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    if endpoint.framework.needs_django:
        pytest.skip("work and record are one transaction there: test_django.py")
    endpoint.act = lambda _: monkeypatch.setattr(type(endpoint.seen), "replace", _fail)
    assert endpoint.send().status == 200
    assert "was not recorded" in caplog.text


def test_failure_of_the_work_is_answered_also_if_the_store_fails(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def act(_: ReceivedCall) -> None:
        monkeypatch.setattr(type(endpoint.seen), "get", _fail)
        raise CallFailedError("busy")

    endpoint.act = act
    got = endpoint.send()
    assert (got.status, got.text) == (503, "busy")
    assert "was not released" in caplog.text


def _fail(*_: object) -> bool:
    raise OSError("the store is down")


@pytest.mark.parametrize("text", ['{"rows": 1.50, "name": "straße"}', "null", '"' + "x" * 4_094 + '"'])
def test_repeated_task_is_answered_with_its_result_again(endpoint: Endpoint, text: str) -> None:
    endpoint.act = lambda _: Reply(200, text, {"Content-Type": "application/json"})
    for _ in range(3):
        got = endpoint.send_task()
        assert (got.status, got.text) == (200, text)
        assert got.headers["Content-Type"].startswith("application/json")
    assert len(endpoint.calls) == 1
    assert endpoint.other() == Done(text)


@pytest.mark.parametrize("text", ["", "ok", "{", '"' + "x" * 4_095 + '"', "[" * 4_000])
def test_answer_of_a_task_that_is_no_result_is_not_kept(endpoint: Endpoint, text: str) -> None:
    endpoint.act = lambda _: Reply(200, text)
    assert endpoint.send_task().status == 200
    assert endpoint.other() == Done()
    assert endpoint.send_task().text == "this call was done before"


def test_answer_to_the_call_of_a_job_is_not_kept(endpoint: Endpoint) -> None:
    endpoint.act = lambda _: Reply.json({"rows": 1})
    assert endpoint.send().text == '{"rows":1}'
    assert endpoint.other() == Done()


def test_response_of_the_framework_to_a_task_is_kept(endpoint: Endpoint) -> None:
    endpoint.act = lambda _: endpoint.framework.respond(200, "[1]")
    assert [endpoint.send_task().text for _ in range(2)] == ["[1]", "[1]"]
    assert len(endpoint.calls) == 1

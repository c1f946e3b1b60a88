"""The receiver of callbacks."""

import http.client
from collections.abc import Iterator

import pytest

from infra.local.receiver import Receiver, Reply


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as running:
        yield running


def post(receiver: Receiver, path: str, body: bytes = b"{}", **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", receiver.port, timeout=5)
    try:
        connection.request(
            "POST", path, body=body, headers={k.replace("_", "-"): v for k, v in headers.items()}
        )
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_receiver_answers_200_and_records_the_call(receiver: Receiver) -> None:
    assert post(receiver, "/hooks/a", b"hello", X_Attempt="1", webhook_id="exe_1") == (200, b"ok")
    [call] = receiver.wait_for(1)
    assert (call.method, call.path, call.body, call.execution_id) == ("POST", "/hooks/a", b"hello", "exe_1")
    assert call.genuine is None


def test_calls_are_told_apart_by_path(receiver: Receiver) -> None:
    post(receiver, "/a")
    post(receiver, "/b")
    assert [call.path for call in receiver.calls("/b")] == ["/b"]
    assert len(receiver.wait_for(2)) == 2
    with pytest.raises(TimeoutError, match="1 of 2 calls arrived at /a"):
        receiver.wait_for(2, path="/a", timeout=0.05)


def test_receiver_answers_with_the_given_reply() -> None:
    with Receiver(respond=lambda _: Reply(status=503, headers={"Retry-After": "7"}, body=b"no")) as receiver:
        assert post(receiver, "/a") == (503, b"no")


def test_receiver_with_a_secret_verifies_signatures() -> None:
    with Receiver(secret="whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") as receiver:
        post(receiver, "/a", webhook_id="exe_1", webhook_timestamp="1", webhook_signature="v1,AAAA")
        assert [call.genuine for call in receiver.calls()] == [False]


def test_a_taken_port_is_an_error_and_leaves_nothing_running(receiver: Receiver) -> None:
    with pytest.raises(OSError, match="address already in use"):
        Receiver(port=receiver.port).start()

"""The outcome of a response does not depend on the segments in which TCP delivers it."""

import pytest

from shared.adapters.http import sockets
from shared.domain.delivery.callback import Reason
from tests.support.delivery.sending import OK_HEAD, answer_to
from tests.support.fakes.receiver import replies_and_closes, reply

CHUNKED = OK_HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
INTERIM = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
WHOLE = 8 * 1024
OUTCOMES = {
    "more than its length": (OK_HEAD + b"Content-Length: 2\r\n\r\nlonger", Reason.OK, 200),
    "a body after none": (OK_HEAD + b"Content-Length: 0\r\n\r\nbody", Reason.OK, 200),
    "a body after 204": (b"HTTP/1.1 204 No Content\r\n\r\nbody", Reason.OK, 204),
    "more than its failure": (reply(500, b"no") + b"\x00\xff", Reason.HTTP_STATUS, 500),
    "more than its chunks": (CHUNKED + b"2\r\nok\r\n0\r\n\r\nrest", Reason.OK, 200),
    "two responses": (reply(200, b"a") + reply(500, b"b"), Reason.OK, 200),
    "interim ones": (INTERIM * 3 + reply(200, b"ok") + b"rest", Reason.OK, 200),
    "lines end with LF alone": (b"HTTP/1.1 200 OK\nContent-Length: 2\n\nlonger", Reason.OK, 200),
    "a blank line first": (b"\r\n\r\n" + reply(200, b"ok") + b"rest", Reason.OK, 200),
    "a broken chunk": (CHUNKED + b"2\r\nok\r\nzz\r\n", Reason.PROTOCOL_ERROR, 200),
    "a broken first chunk": (CHUNKED + b"zz\r\nok\r\n0\r\n\r\n", Reason.PROTOCOL_ERROR, 200),
    "a broken head": (OK_HEAD + b"no colon\r\n\r\n", Reason.PROTOCOL_ERROR, None),
    "a body that is too short": (OK_HEAD + b"Content-Length: 5\r\n\r\nok", Reason.PROTOCOL_ERROR, 200),
}


@pytest.mark.parametrize("segment", [1, 2, 3, 7, 40, WHOLE])
@pytest.mark.parametrize("name", OUTCOMES)
def test_outcome_is_the_same_for_every_size_of_segment(
    name: str, segment: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw, reason, status = OUTCOMES[name]
    monkeypatch.setattr(sockets, "READ_BYTES", segment)
    answer, _ = answer_to(replies_and_closes(raw))
    assert (answer.reason, answer.status) == (reason, status)

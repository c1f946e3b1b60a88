"""Reports of receivers over HTTP: the token is the only credential, and everything else is answered alike."""

from typing import Any

import orjson
import pytest

from functions.api.app import Api
from functions.api.context import Context
from functions.api.resources.callbacks.models import CompletionIn
from shared.bootstrap.use_cases import use_cases
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.tenancy.quota import Quota
from shared.names import Metric
from shared.usecases.tenancy.limit_requests import UNKNOWN_PER_SECOND
from shared.usecases.tenancy.read_tenant import REMEMBER_MS
from tests.support.api.api_world import Answer, ApiWorld, Request, logged
from tests.support.api.emitted import emitted
from tests.support.usecases.reports import async_accepted, token_of

WORDS = ["heartbeat", "complete", "fail"]
every_word = pytest.mark.parametrize("word", WORDS)
JSON = {"content-type": "application/json"}


class Receiver:
    """Has begun the work of a one-off job, and reports over HTTP."""

    def __init__(self) -> None:
        self.api = ApiWorld()
        self.world = self.api.world
        self.world.sender.answer_to = async_accepted
        job = self.api.create(schedule={"delay_seconds": 1})
        found = self.world.find_job.execute("acme", job["id"])
        assert isinstance(found, Execution)
        self.world.clock.time_ms = found.id.dispatch_at
        self.world.attempt(found)
        self.execution, self.token = self.world.standing(found.id), token_of(self.world)

    def report(self, word: str, body: bytes | None = None, **changes: Any) -> Answer:
        """What the API answers to it."""
        headers = changes.pop("headers", {"x-callback-token": self.token} | (JSON if body else {}))
        path = f"/v1/executions/{changes.pop('id', str(self.execution.id))}/{word}"
        return self.api.handle(Request(method="POST", path=path, body=body, headers=headers, **changes))

    @property
    def standing(self) -> Execution:
        return self.world.standing(self.execution.id)


def test_a_heartbeat_says_how_far_it_carries() -> None:
    receiver = Receiver()
    receiver.world.clock.time_ms += 30_000
    answer = receiver.report("heartbeat")
    assert answer.status == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert (answer.json["id"], answer.json["attempt"]) == (str(receiver.execution.id), 1)
    assert answer.json["lease_until"] < answer.json["deadline_at"]
    assert receiver.standing.progress.lease_until == receiver.world.clock.now_ms() + 60_000


def test_completed_execution_is_shown_as_succeeded() -> None:
    receiver = Receiver()
    first, again = receiver.report("complete"), receiver.report("complete", b"{}")
    assert first.json == {"id": str(receiver.execution.id), "attempt": 1, "outcome": "succeeded"}
    assert (first.status, again.status, again.json) == (200, 200, first.json)
    shown = receiver.api.get(f"/v1/executions/{receiver.execution.id}").json
    assert shown["state"] == "succeeded"
    assert [(each["status"], each["reason"]) for each in shown["attempts"]] == [(202, "ok")]
    assert emitted()[Metric.SUCCEEDED] == 1, "a repeated report is not counted"


def test_execution_reported_failed_is_shown_with_its_reason_and_retried() -> None:
    receiver = Receiver()
    answer = receiver.report("fail", orjson.dumps({"reason": "kein Platz für Nr. 7"}))
    assert (answer.status, answer.json["outcome"]) == (200, "failed")
    shown = receiver.api.get(f"/v1/executions/{receiver.execution.id}").json
    assert (shown["state"], shown["last_response_body"]) == ("waiting", "kein Platz für Nr. 7")
    assert shown["attempts"][0]["reason"] == "receiver_failed"


@pytest.mark.parametrize("body", [None, b"{}", b'{"retryable": true}', b'{"reason": ""}'])
def test_execution_reported_failed_without_a_reason_is_retried(body: bytes | None) -> None:
    receiver = Receiver()
    assert receiver.report("fail", body).status == 200
    assert receiver.standing.state is State.WAITING


def test_execution_reported_not_retryable_is_a_dead_letter() -> None:
    receiver = Receiver()
    assert receiver.report("fail", b'{"retryable": false}').status == 200
    (shown,) = receiver.api.get("/v1/dead-letters").json["executions"]
    assert (shown["end_reason"], shown["attempts"][0]["reason"]) == ("not_retryable", "receiver_gave_up")


@every_word
@pytest.mark.parametrize("other", WORDS[1:])
def test_report_after_another_outcome_is_409(word: str, other: str) -> None:
    receiver = Receiver()
    receiver.report(other)
    if word != other:
        answer = receiver.report(word)
        assert (answer.status, answer.problem) == (409, "invalid-state")


def test_after_the_deadline_a_heartbeat_is_too_late() -> None:
    receiver = Receiver()
    receiver.world.clock.time_ms = receiver.standing.progress.async_until or 0
    answer = receiver.report("heartbeat")
    assert (answer.status, answer.problem) == (409, "invalid-state")


@every_word
def test_report_without_a_valid_token_is_404_for_known_and_unknown_executions(word: str) -> None:
    receiver = Receiver()
    before = receiver.standing
    tokens = [
        "",
        "nonsense",
        receiver.token[:-1],
        receiver.token.replace("ct1_1_", "ct1_2_"),
        "ct1_1_" + "0" * 16,
    ]
    answers = [receiver.report(word, headers={"x-callback-token": token}) for token in tokens]
    answers.append(receiver.report(word, headers={}))
    answers.append(receiver.report(word, headers=receiver.api.credential))
    answers.append(receiver.report(word, headers={"authorization": f"Bearer {receiver.token}"}))
    for_nobody = (
        "exe_nonsense",
        "x",
        str(receiver.execution.id)[:-1] + "0",
        receiver.execution.job_id,
        "%00",
    )
    answers += [receiver.report(word, id=unknown) for unknown in (*for_nobody, "é")]
    assert {(answer.status, answer.problem) for answer in answers} == {(404, "not-found")}
    assert len({answer.json["detail"] for answer in answers}) == 1
    assert receiver.standing == before


@every_word
def test_attempt_of_a_suspended_tenant_may_be_reported(word: str) -> None:
    receiver = Receiver()
    receiver.api.suspend()
    assert receiver.report(word).status == 200


@pytest.mark.parametrize("word", WORDS[:2])
@pytest.mark.parametrize(
    ("body", "status"),
    [(b'{"x": 1}', 422), (b"[]", 422), (b"null", 422), (b"{", 400), (b'{"a":1,"a":1}', 400)],
)
def test_a_body_that_means_nothing_is_refused(word: str, body: bytes, status: int) -> None:
    receiver = Receiver()
    before = receiver.standing
    assert receiver.report(word, body).status == status
    assert receiver.standing == before


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        ({"reason": "x" * 257}, "/reason"),
        ({"reason": "é" * 129}, "/reason"),
        ({"reason": 1}, "/reason"),
        ({"reason": None}, "/reason"),
        ({"retryable": "no"}, "/retryable"),
        ({"retryable": 0}, "/retryable"),
        ({"retry": False}, "/retry"),
    ],
)
def test_a_failure_that_breaks_the_schema_says_where(document: Any, pointer: str) -> None:
    receiver = Receiver()
    answer = receiver.report("fail", orjson.dumps(document))
    assert (answer.status, answer.problem) == (422, "validation-failed")
    assert [error["pointer"] for error in answer.json["errors"]] == [pointer]
    assert receiver.standing.state is State.RUNNING


def test_the_longest_reason_is_kept_whole() -> None:
    receiver = Receiver()
    receiver.report("fail", orjson.dumps({"reason": "é" * 128}))
    assert receiver.standing.progress.last_body == ("é" * 128).encode()


def test_report_with_a_wrong_media_type_is_refused() -> None:
    receiver = Receiver()
    headers = {"x-callback-token": receiver.token, "content-type": "text/plain"}
    assert receiver.report("fail", b'{"reason": "x"}', headers=headers).problem == "unsupported-media-type"


@every_word
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH"])
def test_no_other_method_is_open(word: str, method: str) -> None:
    receiver = Receiver()
    path = f"/v1/executions/{receiver.execution.id}/{word}"
    headers = {"x-callback-token": receiver.token}
    assert receiver.api.handle(Request(method=method, path=path, headers=headers)).status == 401
    signed_in = headers | receiver.api.credential
    assert receiver.api.handle(Request(method=method, path=path, headers=signed_in)).status == 405


@pytest.mark.parametrize(
    "path",
    [
        "/v1/executions/x/redrive",
        "/v1/executions/x/y/complete",
        "/v1/executions//complete",
        "/v1/executions/x/complete/",
        "/v1/executions/x/completes",
        "/v1/jobs/x/complete",
        "//v1/executions/x/complete",
        "/v1/executions/x/complete\n",
    ],
)
def test_no_path_beside_is_open(path: str) -> None:
    receiver = Receiver()
    headers = {"x-callback-token": receiver.token}
    assert receiver.api.handle(Request(method="POST", path=path, headers=headers)).status == 401


@every_word
def test_no_part_of_a_token_or_reason_is_logged(word: str) -> None:
    receiver = Receiver()
    with logged() as records:
        receiver.world.steps.fail("store.get")
        receiver.report(word)
        receiver.report(word, b'{"reason": "s3cr3t"}')
        receiver.report(word, headers={"x-callback-token": receiver.token + "x"})
        receiver.world.steps.before("store.get", lambda: 1 / 0)
        assert receiver.report(word).status == 500
    text = repr([record.__dict__ for record in records])
    assert receiver.token not in text
    assert receiver.token.rpartition("_")[2] not in text
    assert "s3cr3t" not in text


@every_word
def test_a_store_that_does_not_answer_is_asked_again(word: str) -> None:
    receiver = Receiver()
    receiver.world.steps.fail("store.get")
    answer = receiver.report(word)
    assert (answer.status, answer.problem) == (503, "service-unavailable")
    assert receiver.report(word).status == 200


@every_word
def test_reports_have_the_limit_of_their_tenant_and_leave_its_requests_alone(word: str) -> None:
    receiver = Receiver()
    receiver.api.allow(Quota.REQUESTS_PER_SECOND, 2)
    receiver.world.clock.time_ms -= REMEMBER_MS
    # A process that has not read the tenant before its quota changed.
    receiver.api.api = Api(Context(use_cases(receiver.world.ports(), receiver.world.settings)))
    answers = [receiver.report(word) for _ in range(3)]
    assert [answer.status for answer in answers] == [200, 200, 429]
    assert (answers[2].json["quota"], answers[2].headers["Retry-After"]) == ("requests_per_second", "1")
    assert [receiver.api.get("/v1/jobs").status for _ in range(3)] == [200, 200, 429]


def test_forged_tokens_cost_a_process_few_reads() -> None:
    receiver = Receiver()
    reads = receiver.world.steps.count("store.get")
    forged = {"x-callback-token": f"{receiver.token[:-1]}{'a' if receiver.token[-1] != 'a' else 'b'}"}
    statuses = [receiver.report("heartbeat", headers=forged).status for _ in range(100)]
    assert statuses == [404] * UNKNOWN_PER_SECOND + [429] * (100 - UNKNOWN_PER_SECOND)
    assert receiver.world.steps.count("store.get") == reads + UNKNOWN_PER_SECOND
    receiver.world.clock.time_ms += 1_000
    assert receiver.report("heartbeat").status == 200


@pytest.mark.parametrize("text", [b'{"n":1.10}', b"null", b"[1, 2]", b'"' + b"x" * 4_094 + b'"'])
def test_result_of_a_completion_is_read_as_it_was_sent(text: bytes) -> None:
    for body in (b'{"result":' + text + b"}", b' {\n"result" : ' + text + b"\n } \n"):
        assert CompletionIn(result=None).result_text(body) == text
    escaped = b'{"\\u0072esult":' + text + b"}"
    read = CompletionIn(result=orjson.loads(text)).result_text(escaped)
    assert orjson.loads(read) == orjson.loads(text)
    assert CompletionIn().result_text(b"{}") == b""


@pytest.mark.parametrize("result", [b'"' + b"x" * 4_095 + b'"', b"[" + b"1," * 3_000 + b"1]"])
def test_result_of_a_completion_that_is_too_long_is_refused_and_the_work_goes_on(result: bytes) -> None:
    receiver = Receiver()
    answer = receiver.report("complete", b'{"result":' + result + b"}")
    assert (answer.status, answer.problem) == (422, "validation-failed")
    assert answer.json["errors"][0]["pointer"] == "/result"
    assert receiver.standing.state is State.RUNNING
    assert receiver.report("complete", b'{"result": 1}').status == 200
    assert receiver.standing.progress.result == b"", "a job hands nothing on"

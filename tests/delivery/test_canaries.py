"""Secrets stay where they belong: a life of several jobs over the real handlers, then a search of all that came out.

The handlers run in processes of their own over the engines, at the most talkative level of logging. Whatever they
print, store, send to a queue and answer is kept, whole and raw.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from standardwebhooks import Webhook

from infra.local.calls import Call
from infra.local.clients import REGION
from infra.local.receiver import Receiver, Reply
from infra.local.state_dir import PROJECT_ROOT
from shared.adapters.dynamodb.codec.keys import execution_key, item_key
from shared.adapters.dynamodb.dispatch.ledger import DynamoShardLedger
from shared.domain.bucket import bucket_of
from shared.domain.ids import one_off_execution
from tests.crashes.arrivals import ArrivalLog
from tests.crashes.deployment import Deployment, deploy
from tests.crashes.engines import engines
from tests.crashes.stage import Stage
from tests.support.delivery.canaries import Cage, Canary

pytestmark = pytest.mark.integration

AUTHORIZATION = "Bearer canary-authorization-Zq7Wd"
COOKIE = "session=canary-cookie-Jm3Xe"
BODY = "canary-body-Hn5Rb"
LARGE_BODY = "canary-large-Ky8Tc" * 400
QUERY = "canary-query-Vf2Ls"
PRESENTED = "pk_0123456789abcdef_canary0presented0wrong0key0000000"[:52]
OLD, NEW = "the first signing secret", "the second signing secret"


@dataclass(slots=True)
class Life:
    """What happened."""

    cage: Cage = field(default_factory=Cage)
    calls: list[Call] = field(default_factory=list)
    problems: list[int] = field(default_factory=list)
    states: dict[str, str] = field(default_factory=dict)


class Listening(Stage):
    """A stage that notes every event and every answer on the way."""

    def __init__(self, deployment: Deployment, log: ArrivalLog, cage: Cage) -> None:
        super().__init__(deployment, log)
        ask = self.workers.ask

        def heard(function: str, event: Any) -> Any:
            if "Records" in event:
                cage.put("messages", *(record["body"] for record in event["Records"]))
            answer = ask(function, event)
            cage.put("answers", answer)
            return answer

        self.workers.ask = heard  # type: ignore[method-assign]


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Life]:
    """Created, called, failed, tried again, dead, rescued; secrets and keys replaced; nonsense sent."""
    lived = Life()
    with engines(tmp_path_factory.mktemp("canaries"), goes=False) as running:
        deployment = deploy(running, shards=1)
        deployment.environment["LOG_LEVEL"] = "DEBUG"
        log = ArrivalLog(running.clock, deployment.signing_secret)
        try:
            stage = Listening(deployment, log, lived.cage)
            _spare_the_first_sweep(stage)
            stage.begin(None)
            with Receiver(respond=_respond) as receiver:
                _live(stage, lived, receiver)
                lived.calls = receiver.calls()
            _collect(stage, lived.cage)
            yield lived
        finally:
            log.stop()
            deployment.stop()


def _spare_the_first_sweep(stage: Stage) -> None:
    """It would list an hour of buckets, all of them empty."""
    client = stage.deployment.engines.store.client("dynamodb")
    ledger = DynamoShardLedger(client, stage.deployment.tables.leases, REGION)
    ledger.note_swept_through(bucket_of(stage.clock.now_ms()) - 1)


def _respond(call: Call) -> Reply:
    return Reply(status=500 if "fails" in call.path else 200)


def _live(stage: Stage, lived: Life, receiver: Receiver) -> None:
    deployment = stage.deployment
    lived.cage.canaries += [
        Canary("api key", deployment.api_key),
        Canary("secret of the api key", deployment.api_key.rpartition("_")[2]),
        Canary(OLD, deployment.signing_secret),
        Canary("authorization", AUTHORIZATION),
        Canary("cookie", COOKIE),
        Canary("body", BODY),
        Canary("large body", LARGE_BODY[:40]),
        Canary("query", QUERY),
        Canary("presented key", PRESENTED),
    ]
    jobs = {
        "fails": _create(stage, receiver, "fails", {"delay_seconds": 1}),
        "large": _create(stage, receiver, "large", {"delay_seconds": 1}, body=LARGE_BODY),
        "recurs": _create(stage, receiver, "recurs", {"rate_seconds": 60}),
        "unreadable": _create(stage, receiver, "unreadable", {"delay_seconds": 90}),
    }
    _garble(stage, jobs["unreadable"])
    for _ in range(4):
        stage.run(30)
    lived.cage.canaries.append(Canary(NEW, _rotate(stage)))
    stage.run(61)
    jobs["after"] = _create(stage, receiver, "after", {"delay_seconds": 1})
    stage.run(30)
    _bury(stage, jobs["fails"])
    stage.run(5)
    lived.states = {name: _state(stage, job) for name, job in jobs.items()}
    for path in ("/v1/jobs", "/v1/executions", "/v1/dead-letters", "/v1/usage", "/v1/audit"):
        stage.request("GET", path)
    lived.problems = [_nonsense(stage, *request) for request in NONSENSE]
    stage.sweep()
    stage.reconcile()


def _state(stage: Stage, job_id: str) -> str:
    """Of its latest execution. The job itself is asked for too: one of them cannot be shown any more."""
    stage.request("GET", f"/v1/jobs/{job_id}")
    return str(stage.request("GET", f"/v1/jobs/{job_id}/executions").body["executions"][0]["state"])


def _create(
    stage: Stage, receiver: Receiver, name: str, schedule: dict[str, Any], *, body: str = BODY
) -> str:
    request = {
        "url": f"{receiver.url}/{name}?token={QUERY}",
        "headers": {"Authorization": AUTHORIZATION, "Cookie": COOKIE},
        "json": {"secret": body},
    }
    retry = {"max_attempts": 2, "base_seconds": 1}
    made = stage.request("POST", "/v1/jobs", {"schedule": schedule, "request": request, "retry": retry})
    assert made.status == 201, made
    return str(made.body["id"])


NONSENSE: list[tuple[Any, ...]] = [
    ("POST", "/v1/jobs", {"schedule": {"delay_seconds": 1}, "request": {"url": 7, "json": BODY}}),
    (
        "POST",
        "/v1/jobs",
        {
            "schedule": {"delay_seconds": 1},
            "request": {
                "url": "https://a.example/",
                "headers": {"Authorization": f"{AUTHORIZATION}\nX: y", "Host": COOKIE},
            },
        },
    ),
    (
        "POST",
        "/v1/jobs",
        {"schedule": {"delay_seconds": 1}, "request": {"url": f"https://a.example/{{{QUERY}}}"}},
    ),
    ("POST", "/v1/jobs", [BODY]),
    ("GET", "/v1/jobs", None, {"authorization": f"Bearer {PRESENTED}"}),
    ("GET", "/v1/jobs", None, {"authorization": f"Basic {PRESENTED}"}),
]


def _nonsense(stage: Stage, *request: Any) -> int:
    return stage.request(*request).status


def _garble(stage: Stage, job_id: str) -> None:
    """Make the sealed request of a job unreadable, so that its call has to be given up."""
    execution = one_off_execution(job_id)
    assert execution is not None
    pk, sk = execution_key(REGION, execution)
    stage.deployment.engines.store.client("dynamodb").update_item(
        TableName=stage.deployment.tables.executions,
        Key=item_key(pk, sk),
        UpdateExpression="SET rq = :garbage",
        ExpressionAttributeValues={":garbage": {"B": bytes(200)}},
    )


def _bury(stage: Stage, job_id: str) -> None:
    """A copy of a message among the dead letters."""
    (record,) = stage.request("GET", f"/v1/jobs/{job_id}/executions").body["executions"]
    stage.lane.send(stage.lane.wakeup(record), dead=True)


def _rotate(stage: Stage) -> str:
    """A new signing secret, by the operator's command; what it shows is meant to be seen."""
    done = subprocess.run(
        [sys.executable, "-m", "functions.admin", "rotate-signing-secret", "acme"],
        cwd=PROJECT_ROOT,
        env=stage.deployment.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return str(json.loads(done.stdout)["signing_secret"])


def _collect(stage: Stage, cage: Cage) -> None:
    deployment = stage.deployment
    for log in deployment.process_pool.log("api").parent.iterdir():
        cage.put("logs", log.read_bytes())
    client = deployment.engines.store.client("dynamodb")
    for table in client.list_tables()["TableNames"]:
        for page in client.get_paginator("scan").paginate(TableName=table):
            cage.put("items", *page["Items"])


def test_searched_jobs_have_used_every_path_of_a_secret(life: Life) -> None:
    """A search that finds nothing proves nothing unless there was something to find."""
    assert life.states["fails"] == "failed"
    assert life.states["unreadable"] == "failed"
    assert life.states["large"] == life.states["after"] == "succeeded"
    paths = [call.path for call in life.calls]
    assert paths.count("/fails") == 2
    assert paths.count("/recurs") >= 2
    assert min(life.problems) >= 400
    for place in ("logs", "messages", "items", "answers"):
        assert len([produced for where, produced in life.cage.seen if where == place]) >= 5, place
    logged = b"".join(produced for place, produced in life.cage.seen if place == "logs")
    assert b"attempt ended" in logged
    assert b"_aws" in logged, "metrics are searched too"


def test_the_receiver_gets_what_it_is_meant_to_get(life: Life) -> None:
    for call in life.calls:
        assert call.headers["authorization"] == AUTHORIZATION
        assert (BODY if call.path != "/large" else LARGE_BODY) in call.body.decode()


def test_no_secret_is_logged_sent_to_a_queue_stored_or_answered(life: Life) -> None:
    """The URL alone is shown to its owner, with its query."""
    assert life.cage.leaks(but={("query", "answers")}) == set()


def test_planted_canary_is_found_in_every_spelling(life: Life) -> None:
    for canary in life.cage.canaries:
        for spelling in canary.spellings():
            planted = Cage(canaries=[canary])
            planted.put("logs", b'{"message": "' + spelling + b'"}')
            assert planted.leaks() == {(canary.name, "logs")}


def test_every_call_was_signed_and_after_the_rotation_by_both_secrets(life: Life) -> None:
    secrets = {canary.name: canary.text for canary in life.cage.canaries if canary.name in (OLD, NEW)}
    for call in life.calls:
        signatures = call.headers["webhook-signature"].split(" ")
        by_new = _verifies(secrets[NEW], call)
        assert _verifies(secrets[OLD], call)
        assert len(signatures) == (2 if by_new else 1)
        assert by_new or call.path != "/after"
    assert any(_verifies(secrets[NEW], call) for call in life.calls)


def _verifies(secret: str, call: Call) -> bool:
    """Whether a receiver that holds this secret accepts the call, whatever its age: the run's clock is not today's."""
    signed_at = datetime.fromtimestamp(int(call.headers["webhook-timestamp"]), UTC)
    expected = Webhook(secret).sign(call.headers["webhook-id"], signed_at, call.body.decode())
    return expected in call.headers["webhook-signature"].split(" ")

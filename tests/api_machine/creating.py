"""Create jobs, with and without an Idempotency-Key, and ask again."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.api_machine import documents
from tests.api_machine.chains import PromisedChain
from tests.api_machine.deployment import Deployment
from tests.api_machine.documents import Wish
from tests.api_machine.executions import Behaviour
from tests.api_machine.expectations import PromisedJob
from tests.api_machine.machine import ApiMachine, picks, some_key, some_room, tenants
from tests.api_machine.observing import without_run
from tests.api_machine.sightings import SEEN
from tests.api_machine.terms import Terms
from tests.support.api.api_world import Answer

KEYS = (None, None, "a", "b!~")
"""Few, so that both tenants use the same ones, and again."""
REPLAYED = "Idempotency-Replayed"

wanted: dict[str, Any] = {
    "tenant": tenants,
    "details": documents.details,
    "behaviour": documents.behaviours,
    "key": st.sampled_from(KEYS),
}


class Creating(ApiMachine):
    """POST /v1/jobs."""

    @some_room
    @rule(wish=documents.once, **wanted)
    def create_once(self, tenant: str, wish: Wish, **fields: Any) -> None:
        """A job that runs once."""
        self._create(tenant, wish, **fields)

    @some_room
    @rule(wish=documents.recurring, **wanted)
    def create_recurring(self, tenant: str, wish: Wish, **fields: Any) -> None:
        """A job that runs again and again."""
        self._create(tenant, wish, **fields)

    def _create(
        self, tenant: str, wish: Wish, details: dict[str, Any], behaviour: Behaviour, key: str | None
    ) -> None:
        """Nobody has asked for that before, though maybe under a key that was used before."""
        url = f"https://{tenant}-{len(self.jobs)}.receiver.example/"
        document = documents.document(wish, details, url, self.now_ms)
        answer = post(self.deployment, tenant, document, key)
        if key is not None and (tenant, key) in self.keys:
            _check_refused_key(answer)
            return
        assert answer.status == 201, answer.text
        assert REPLAYED not in answer.headers
        job = accepted(answer.json["id"], tenant, document, behaviour, self.now_ms, key)
        self.promise(job)
        if key is not None:
            self.keys[tenant, key] = job
        _check_created(self.deployment, job, answer)
        SEEN["created " + next(iter(document["schedule"]))] += 1

    @some_key(PromisedJob)
    @rule(pick=picks, change=documents.changes)
    def replay(self, pick: int, change: dict[str, Any]) -> None:
        """The same request again, and the same key for another one."""
        created = self.kept(PromisedJob)
        job = created[pick % len(created)]
        replay(self.deployment, job)
        if job.asked | change != job.asked:
            _check_refused_key(post(self.deployment, job.tenant, job.asked | change, job.key))


def accepted(
    job_id: str, tenant: str, asked: dict[str, Any], behaviour: Behaviour, now_ms: int, key: str | None = None
) -> PromisedJob:
    """What is promised of a job that was accepted now."""
    terms = Terms.of(asked, now_ms)
    after_at = now_ms if terms.timetable.is_recurring else -1
    return PromisedJob(
        id=job_id,
        tenant=tenant,
        asked=asked,
        key=key,
        behaviour=behaviour,
        created_at=now_ms,
        chains=[PromisedChain(terms=terms, begun_at=now_ms, after_at=after_at)],
    )


def post(deployment: Deployment, tenant: str, document: Any, key: str | None) -> Answer:
    """The request."""
    headers = {} if key is None else {"idempotency_key": key}
    return deployment.send(tenant, "POST", "/v1/jobs", document, **headers)


def replay(deployment: Deployment, job: PromisedJob) -> None:
    """The same job as it stands, said to be so."""
    answer = post(deployment, job.tenant, job.asked, job.key)
    assert answer.status == 201, answer.text
    assert answer.headers[REPLAYED] == "true"
    _check_created(deployment, job, answer)
    SEEN[f"replayed {answer.json['state']}"] += 1


def _check_created(deployment: Deployment, job: PromisedJob, answer: Answer) -> None:
    shown = deployment.ask(job.tenant, "GET", job.path)
    assert without_run(answer.json) == without_run(shown.json)
    assert answer.json["id"] == job.id
    assert answer.headers["Location"] == job.path
    assert answer.headers["ETag"] == shown.headers["ETag"] == f'"{shown.json["revision"]}"'


def _check_refused_key(answer: Answer) -> None:
    assert (answer.status, answer.problem) == (422, "idempotency-key-reused")
    SEEN["key reused"] += 1

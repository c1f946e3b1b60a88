"""Create jobs, with and without an Idempotency-Key, and ask again."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.api_machine import documents
from tests.api_machine.deployment import Deployment
from tests.api_machine.documents import Wish
from tests.api_machine.executions import Behaviour
from tests.api_machine.machine import ApiMachine, picks, tenants
from tests.api_machine.promised import PromisedJob
from tests.api_machine.sightings import SEEN
from tests.unit.functions.api_world import Answer

MOST_JOBS = 8
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

    @precondition(lambda self: len(self.jobs) < MOST_JOBS)
    @rule(wish=documents.once, **wanted)
    def create_once(self, tenant: str, wish: Wish, **fields: Any) -> None:
        """A job that runs once."""
        self._create(tenant, wish, **fields)

    @precondition(lambda self: len(self.jobs) < MOST_JOBS)
    @rule(wish=documents.recurring, **wanted)
    def create_recurring(self, tenant: str, wish: Wish, **fields: Any) -> None:
        """A job that runs again and again."""
        self._create(tenant, wish, **fields)

    def _create(
        self, tenant: str, wish: Wish, details: dict[str, Any], behaviour: Behaviour, key: str | None
    ) -> None:
        """Nobody has asked for that before, though maybe under a key that was used before."""
        url = f"https://receiver.example/{tenant}/{len(self.jobs)}"
        document = documents.document(wish, details, url, self.now_ms)
        answer = post(self.deployment, tenant, document, key)
        if key is not None and (tenant, key) in self.keys:
            _check_refused_key(answer)
            return
        assert answer.status == 201, answer.text
        assert REPLAYED not in answer.headers
        job = PromisedJob(
            id=answer.json["id"],
            tenant=tenant,
            document=document,
            key=key,
            behaviour=behaviour,
            created_at=self.now_ms,
        )
        self._promise(job)
        _check_created(self.deployment, job, answer)
        SEEN["created " + min(document["schedule"])] += 1

    def _promise(self, job: PromisedJob) -> None:
        self.jobs.append(job)
        self.deployment.receiver.jobs[job.id] = job
        if job.key is not None:
            self.keys[job.tenant, job.key] = job

    @precondition(lambda self: self.keys)
    @rule(pick=picks, change=documents.changes)
    def replay(self, pick: int, change: dict[str, Any]) -> None:
        """The same request again, and the same key for another one."""
        job = list(self.keys.values())[pick % len(self.keys)]
        replay(self.deployment, job)
        if job.document | change != job.document:
            _check_refused_key(post(self.deployment, job.tenant, job.document | change, job.key))


def post(deployment: Deployment, tenant: str, document: Any, key: str | None) -> Answer:
    """The request."""
    headers = {} if key is None else {"idempotency_key": key}
    return deployment.send(tenant, "POST", "/v1/jobs", document, **headers)


def replay(deployment: Deployment, job: PromisedJob) -> None:
    """The same job as it stands, said to be so."""
    answer = post(deployment, job.tenant, job.document, job.key)
    assert answer.status == 201, answer.text
    assert answer.headers[REPLAYED] == "true"
    _check_created(deployment, job, answer)
    SEEN[f"replayed {answer.json['state']}"] += 1


def _check_created(deployment: Deployment, job: PromisedJob, answer: Answer) -> None:
    shown = deployment.ask(job.tenant, "GET", job.path)
    assert answer.json == shown.json
    assert answer.json["id"] == job.id
    assert answer.headers["Location"] == job.path
    assert answer.headers["ETag"] == shown.headers["ETag"] == f'"{shown.json["revision"]}"'


def _check_refused_key(answer: Answer) -> None:
    assert (answer.status, answer.problem) == (422, "idempotency-key-reused")
    SEEN["key reused"] += 1

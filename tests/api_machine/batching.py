"""Create many jobs in one request, good and bad ones together, and ask again."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.api_machine import documents
from tests.api_machine.creating import KEYS, REPLAYED, accepted
from tests.api_machine.deployment import Deployment
from tests.api_machine.executions import Behaviour
from tests.api_machine.expectations import PromisedJob
from tests.api_machine.machine import MOST_JOBS, ApiMachine, picks, some_key, some_room, tenants
from tests.api_machine.model_state import PromisedBatch
from tests.api_machine.observing import without_run
from tests.api_machine.refusing import REFUSED
from tests.api_machine.sightings import SEEN
from tests.support.api.api_world import Answer

BAD_ITEMS = {name: bad for name, bad in REFUSED.items() if bad.status == 422}
Item = str | tuple[documents.Wish, dict[str, Any]]
"""The name of a bad one, or a good one."""
items = st.lists(
    st.one_of(st.tuples(documents.wishes, documents.details), st.sampled_from(sorted(BAD_ITEMS))),
    min_size=1,
    max_size=3,
)


class Batching(ApiMachine):
    """POST /v1/jobs/batch."""

    @some_room
    @rule(tenant=tenants, items=items, behaviour=documents.behaviours, key=st.sampled_from(KEYS))
    def create_batch(self, tenant: str, items: list[Item], behaviour: Behaviour, key: str | None) -> None:
        """Nobody has asked for that before, though maybe under a key that was used before."""
        wanted = items[: MOST_JOBS - len(self.jobs)]
        sent = [self._document(tenant, number, item) for number, item in enumerate(wanted)]
        answer = post(self.deployment, tenant, {"jobs": sent}, key)
        if key is not None and (tenant, key) in self.keys:
            _check_refused_key(answer)
            return
        assert answer.status == 200, answer.text
        assert REPLAYED not in answer.headers
        results: list[PromisedJob | str] = []
        for item, document, result in zip(wanted, sent, answer.json["results"], strict=True):
            results.append(self._accept(tenant, item, document, behaviour, result))
        batch = PromisedBatch(tenant=tenant, key=key, documents=sent, results=results)
        if key is not None and any(isinstance(result, PromisedJob) for result in results):
            self.keys[tenant, key] = batch
        _check(self.deployment, batch, answer)

    def _document(self, tenant: str, number: int, item: Item) -> Any:
        if isinstance(item, str):
            return BAD_ITEMS[item].document
        wish, details = item
        url = f"https://{tenant}-{len(self.jobs)}-{number}.receiver.example/"
        return documents.document(wish, details, url, self.now_ms)

    def _accept(
        self, tenant: str, item: Item, document: Any, behaviour: Behaviour, result: dict[str, Any]
    ) -> PromisedJob | str:
        """What is bad takes no other with it."""
        if isinstance(item, str):
            assert result["status"] == BAD_ITEMS[item].status, result
            return BAD_ITEMS[item].problem
        assert result["status"] == 201, result
        job = accepted(result["job"]["id"], tenant, document, behaviour, self.now_ms)
        self.promise(job)
        return job

    @some_key(PromisedBatch)
    @rule(pick=picks, is_other=st.booleans())
    def create_batch_again(self, pick: int, is_other: bool) -> None:
        """The same request again, with its members in another order, and the same key for another one."""
        kept = self.kept(PromisedBatch)
        batch = kept[pick % len(kept)]
        if is_other:
            other = {"jobs": [*batch.documents, {}]}
            _check_refused_key(post(self.deployment, batch.tenant, other, batch.key))
            return
        again = [_turned(document) for document in batch.documents]
        answer = post(self.deployment, batch.tenant, {"jobs": again}, batch.key)
        assert answer.headers[REPLAYED] == "true"
        _check(self.deployment, batch, answer)
        SEEN["batch replayed"] += 1


def post(deployment: Deployment, tenant: str, document: Any, key: str | None) -> Answer:
    """The request."""
    headers = {} if key is None else {"idempotency_key": key}
    return deployment.send(tenant, "POST", "/v1/jobs/batch", document, **headers)


def _turned(document: Any) -> Any:
    return dict(reversed(document.items())) if isinstance(document, dict) else document


def _check(deployment: Deployment, batch: PromisedBatch, answer: Answer) -> None:
    """Each job as it stands, and each refusal as it was."""
    assert answer.status == 200, answer.text
    for number, (promised, result) in enumerate(zip(batch.results, answer.json["results"], strict=True)):
        if isinstance(promised, str):
            assert result["problem"]["type"] == f"urn:punctual:problem:{promised}"
            assert all(
                error["pointer"].startswith(f"/jobs/{number}") for error in result["problem"]["errors"]
            )
            SEEN["refused in a batch"] += 1
        else:
            shown = deployment.ask(batch.tenant, "GET", promised.path).json
            assert without_run(result["job"]) == without_run(shown)
            SEEN["accepted in a batch"] += 1


def _check_refused_key(answer: Answer) -> None:
    assert (answer.status, answer.problem) == (422, "idempotency-key-reused")
    SEEN["key reused for a batch"] += 1

"""WorkflowStore: definitions with a head that changes and revisions that never do."""

from dataclasses import replace
from typing import Any

import pytest

from shared.adapters.dynamodb.codec.keys import item_key
from shared.adapters.dynamodb.codec.versions import TARGETS, WORKFLOWS
from shared.adapters.dynamodb.codec.workflow_items import key_item, revision_item
from shared.adapters.dynamodb.codec.workflow_keys import head_key
from shared.domain.delivery.alerts import AlertTarget
from shared.domain.delivery.outcome_callbacks import NO_TARGET, CallbackTarget, OutcomeCallbacks
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.workflows.graph import OnFailure, RunIf
from shared.domain.workflows.workflow import Workflow
from shared.ports.workflows import MAX_EXAMINED, HeadPage
from tests.bench.units import write_units
from tests.support.builders import EXPIRES_AT_S
from tests.support.conformance.dynamo_lab import DynamoLab
from tests.support.conformance.labs import Lab
from tests.support.conformance.live_items import all_live
from tests.support.workflows import NOW, WORKFLOW_ID, graph, node, workflow_of

TENANT = "tnt_a"
GRAPH = graph(
    node("a", takes_input=True),
    node("b", "a"),
    node("h", "a", "b", run_if=RunIf.ANY_FAILED),
    on_failure=OnFailure.CONTINUE,
)


def full() -> Workflow:
    """A workflow in which nothing has its default."""
    workflow = workflow_of(
        GRAPH, retry=RetryPolicy(max_attempts=3, delays_seconds=(1, 2), give_up_after_seconds=9)
    )
    first, *rest = workflow.calls
    calls = (replace(first, request=b"", payload_id=f"{WORKFLOW_ID}.1.0", destination="d" * 8), *rest)
    target = CallbackTarget(sealed_url=b"sealed", destination="d" * 10)
    return replace(
        workflow,
        calls=calls,
        name="nightly",
        tags=("team:a",),
        deadline_seconds=60,
        set_name="shop",
        callbacks=OutcomeCallbacks(on_success=NO_TARGET, on_failure=target),
        alerts=AlertTarget(target=target, key="k" * 10),
    )


def test_workflow_with_a_target_has_a_version_that_an_older_release_leaves_alone() -> None:
    """Such a release would file its tasks without the target."""
    plain = workflow_of(graph(node("a")))
    sends = replace(plain.calls[0], target="arn:aws:sqs:eu-west-1:111122223333:orders")
    items = [revision_item(plain), revision_item(replace(plain, calls=(sends,)))]
    assert [item["v"] for item in items] == [{"N": str(WORKFLOWS)}, {"N": str(TARGETS)}]


def test_a_workflow_is_read_back_whole(lab: Lab) -> None:
    assert lab.workflows.create(full()) is None
    assert lab.workflows.head(TENANT, WORKFLOW_ID) == full().head
    assert lab.workflows.revision(TENANT, WORKFLOW_ID, 1) == full()


def test_an_unknown_workflow_is_absent(lab: Lab) -> None:
    assert lab.workflows.head(TENANT, WORKFLOW_ID) is None
    assert lab.workflows.revision(TENANT, WORKFLOW_ID, 1) is None
    assert lab.workflows.page(TENANT, after=None, limit=5) == HeadPage(heads=[], next_after=None)
    assert lab.workflows.count(TENANT, 5) == 0


def test_a_repeated_creation_finds_the_first_workflow(lab: Lab) -> None:
    assert lab.workflows.create(full()) is None
    assert lab.workflows.create(replace(full(), name="other")) == full().head
    assert lab.workflows.revision(TENANT, WORKFLOW_ID, 1) == full()


def test_a_new_revision_replaces_the_head_once_and_leaves_the_former_revision(lab: Lab) -> None:
    lab.workflows.create(full())
    second = replace(full(), revision=2, name="second")
    assert lab.workflows.replace(full().head, second, EXPIRES_AT_S)
    assert not lab.workflows.replace(full().head, replace(second, name="rival"), EXPIRES_AT_S)
    assert lab.workflows.head(TENANT, WORKFLOW_ID) == second.head
    assert lab.workflows.revision(TENANT, WORKFLOW_ID, 1) == full()
    assert lab.workflows.revision(TENANT, WORKFLOW_ID, 2) == second
    lab.workflows.keep_revision(TENANT, WORKFLOW_ID, 1, EXPIRES_AT_S + 1)
    assert lab.workflows.revision(TENANT, WORKFLOW_ID, 1) == full()


def test_a_deleted_workflow_is_not_listed_and_takes_no_revision(lab: Lab) -> None:
    lab.workflows.create(full())
    assert lab.workflows.delete(full().head, EXPIRES_AT_S)
    assert not lab.workflows.delete(full().head, EXPIRES_AT_S)
    assert not lab.workflows.replace(full().head, replace(full(), revision=2), EXPIRES_AT_S)
    head = lab.workflows.head(TENANT, WORKFLOW_ID)
    assert head is not None
    assert head.is_deleted
    assert lab.workflows.page(TENANT, after=None, limit=5).heads == []


def test_workflows_are_listed_page_by_page_in_order(lab: Lab) -> None:
    ids = [WORKFLOW_ID[:-1] + last for last in "0123"]
    for workflow_id in reversed(ids):
        lab.workflows.create(replace(full(), id=workflow_id, created_at=NOW))
    lab.workflows.create(replace(full(), tenant_id="tnt_b"))
    first = lab.workflows.page(TENANT, after=None, limit=3)
    assert ([head.id for head in first.heads], first.next_after) == (ids[:3], ids[2])
    rest = lab.workflows.page(TENANT, after=ids[2], limit=3)
    assert ([head.id for head in rest.heads], rest.next_after) == (ids[3:], None)


def listed(lab: Lab, limit: int) -> tuple[list[str], int]:
    """The workflows of all pages, and the number of pages."""
    found, after, pages = list[str](), None, 0
    while True:
        page = lab.workflows.page(TENANT, after=after, limit=limit)
        assert len(page.heads) <= limit
        found, after, pages = [*found, *(head.id for head in page.heads)], page.next_after, pages + 1
        if after is None:
            return found, pages


def test_deleted_workflows_make_pages_short_and_hide_none_that_stands(lab: Lab) -> None:
    """A page used to skip all deleted workflows of a tenant in one request, however many there were."""
    deleted = MAX_EXAMINED + 30
    ids = [f"{WORKFLOW_ID[:-3]}{number:03}" for number in range(deleted + 3)]
    kept = [ids[0], ids[-2], ids[-1]]
    for workflow_id in ids:
        workflow = replace(full(), id=workflow_id)
        lab.workflows.create(workflow)
        if workflow_id not in kept:
            assert lab.workflows.delete(workflow.head, EXPIRES_AT_S)
    first = lab.workflows.page(TENANT, after=None, limit=2)
    assert ([head.id for head in first.heads], first.next_after is not None) == ([ids[0]], True)
    assert listed(lab, 2)[0] == kept
    assert listed(lab, 100)[0] == kept
    assert listed(lab, 100)[1] <= 3


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_cut_page_goes_on_behind_its_last_workflow(lab: Lab, limit: int) -> None:
    ids = [f"{WORKFLOW_ID[:-1]}{number}" for number in range(9)]
    for number, workflow_id in enumerate(ids):
        workflow = replace(full(), id=workflow_id)
        lab.workflows.create(workflow)
        if number < 4:
            lab.workflows.delete(workflow.head, EXPIRES_AT_S)
    assert listed(lab, limit)[0] == ids[4:]


def test_workflows_are_counted_until_they_are_deleted(lab: Lab) -> None:
    workflows = [replace(full(), id=f"{WORKFLOW_ID[:-1]}{number}") for number in range(3)]
    for workflow in workflows:
        lab.workflows.create(workflow)
    lab.workflows.create(replace(full(), tenant_id="tnt_b"))
    assert [lab.workflows.count(TENANT, most) for most in (0, 2, 9)] == [0, 2, 3]
    assert lab.workflows.replace(workflows[0].head, replace(workflows[0], revision=2), EXPIRES_AT_S)
    assert lab.workflows.count(TENANT, 9) == 3
    assert lab.workflows.delete(workflows[1].head, EXPIRES_AT_S)
    assert lab.workflows.count(TENANT, 9) == 2


def test_workflow_is_neither_a_recurring_job_nor_a_live_item(lab: Lab) -> None:
    lab.workflows.create(full())
    assert lab.recurring_jobs.count(TENANT, 9) == 0
    assert all_live(lab) == []


def test_broken_workflow_is_left_out_of_its_page(engine_lab: DynamoLab) -> None:
    engine_lab.workflows.create(full())
    other = replace(full(), id=f"{WORKFLOW_ID[:-1]}1")
    engine_lab.workflows.create(other)
    key = item_key(*head_key(TENANT, WORKFLOW_ID))
    engine_lab.client.update_item(TableName=engine_lab.names.jobs, Key=key, UpdateExpression="REMOVE nt")
    assert [head.id for head in engine_lab.workflows.page(TENANT, after=None, limit=5).heads] == [other.id]


KEY = "shop.order"
SECOND_ID, THIRD_ID = (WORKFLOW_ID[:-1] + last for last in "12")


def keyed(**members: Any) -> Workflow:
    return replace(full(), key=KEY, **members)


def test_workflow_keeps_its_key_and_its_set(lab: Lab) -> None:
    assert lab.workflows.keyed(TENANT, KEY) is None
    assert lab.workflows.create(keyed()) is None
    assert lab.workflows.revision(TENANT, WORKFLOW_ID, 1) == keyed()
    assert lab.workflows.head(TENANT, WORKFLOW_ID) == keyed().head
    assert lab.workflows.keyed(TENANT, KEY) == WORKFLOW_ID
    assert lab.workflows.keyed(TENANT, "shop") is None
    assert lab.workflows.keyed("tnt_b", KEY) is None


def test_key_belongs_to_the_first_workflow_that_is_created_with_it(lab: Lab) -> None:
    assert lab.workflows.create(keyed()) is None
    assert lab.workflows.create(keyed(id=SECOND_ID)) == keyed().head
    assert lab.workflows.head(TENANT, SECOND_ID) is None
    assert lab.workflows.revision(TENANT, SECOND_ID, 1) is None
    assert lab.workflows.keyed(TENANT, KEY) == WORKFLOW_ID


def test_creation_with_a_key_whose_response_was_lost_finds_itself(lab: Lab) -> None:
    assert lab.workflows.create(keyed()) is None
    assert lab.workflows.create(keyed()) == keyed().head


def test_deletion_frees_the_key(lab: Lab) -> None:
    lab.workflows.create(keyed())
    second = keyed(revision=2, name="second")
    assert lab.workflows.replace(keyed().head, second, EXPIRES_AT_S)
    assert lab.workflows.keyed(TENANT, KEY) == WORKFLOW_ID
    assert lab.workflows.delete(second.head, EXPIRES_AT_S)
    assert lab.workflows.keyed(TENANT, KEY) is None
    assert lab.workflows.create(keyed(id=SECOND_ID)) is None


def test_late_repetition_of_a_deletion_leaves_the_key_of_the_next_workflow(lab: Lab) -> None:
    lab.workflows.create(keyed())
    lab.workflows.delete(keyed().head, EXPIRES_AT_S)
    lab.workflows.create(keyed(id=SECOND_ID))
    assert not lab.workflows.delete(keyed().head, EXPIRES_AT_S)
    assert lab.workflows.keyed(TENANT, KEY) == SECOND_ID
    assert lab.workflows.create(keyed(id=THIRD_ID)) == keyed(id=SECOND_ID).head


def test_longest_key_costs_one_write_unit_at_a_creation() -> None:
    longest = replace(keyed(tenant_id="t" * 64), key="k" * 128)
    assert write_units(None, key_item(longest, "k" * 128), []) == 1

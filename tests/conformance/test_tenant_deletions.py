"""TenantDeletions and TenantRecords: what is deleted of a tenant, and what is left of others."""

from dataclasses import replace

from shared.domain.jobs.job import Job
from shared.domain.listings.position import PositionRange
from shared.domain.tenancy.deletion import DeletionStep, TenantDeletion
from shared.domain.tenancy.forgetting import Forgetting
from shared.domain.tenancy.tenant import TenantState
from shared.domain.workflows.map_items import chosen_items
from shared.domain.workflows.run_input import input_name, input_payload_id
from shared.domain.workflows.workflow import task_execution
from shared.ports.jobs import Payload
from shared.ports.listings import TenantIndex
from tests.support.builders import (
    DUE_AT,
    EXPIRES_AT_S,
    TENANT,
    api_key,
    deletion,
    execution_id,
    job,
    job_task,
    occurrence,
    one_off,
    redrive_task,
    tenant,
    with_changes,
)
from tests.support.conformance.labs import Lab
from tests.support.workflows import NOW, graph, node, run_of, workflow_of

LEAVING = tenant(state=TenantState.SUSPENDED, key_ids=(api_key(1).id, api_key(2).id))
MARKED = replace(LEAVING, is_being_deleted=True, revision=2)
OTHER = "globex"


def begun(lab: Lab) -> None:
    lab.tenants.create(LEAVING, api_key(1))
    assert lab.deletions.begin(LEAVING, MARKED, deletion())


def test_deletion_begins_with_the_tenant_that_was_read(lab: Lab) -> None:
    lab.tenants.create(LEAVING, api_key(1))
    stale = replace(LEAVING, revision=7)
    assert not lab.deletions.begin(stale, replace(stale, revision=8), deletion())
    assert (lab.deletions.get(TENANT), lab.deletions.open()) == (None, [])
    assert lab.deletions.begin(LEAVING, MARKED, deletion())
    assert (lab.deletions.get(TENANT), lab.deletions.open()) == (deletion(), [TENANT])
    assert lab.tenants.get(TENANT) == MARKED


def test_second_deletion_changes_nothing(lab: Lab) -> None:
    begun(lab)
    again = replace(MARKED, revision=3)
    assert not lab.deletions.begin(MARKED, again, deletion(asked_by="somebody else"))
    assert (lab.deletions.get(TENANT), lab.tenants.get(TENANT)) == (deletion(), MARKED)


def test_every_field_of_a_deletion_is_read_back(lab: Lab) -> None:
    begun(lab)
    full = deletion(
        step=DeletionStep.EXECUTIONS,
        counts={"jobs": 3, "executions": 10**9},
        found=True,
        began_at=DUE_AT + 1,
        ended_at=DUE_AT + 2,
        lease_until=DUE_AT + 3,
        version=2,
    )
    assert lab.deletions.replace(deletion(), full)
    assert lab.deletions.get(TENANT) == full
    forgetting = Forgetting(
        hour=9, has_statistics=False, rows=10**9, looked_at=3, rewritten=2, ended_at=DUE_AT + 4
    )
    for each in (Forgetting(), forgetting):
        following = replace(full, forgetting=each, version=3)
        assert lab.deletions.replace(full, following)
        assert lab.deletions.get(TENANT) == following
        full = replace(following, version=4, ended_before=DUE_AT)
        assert lab.deletions.replace(following, full)
        assert lab.deletions.get(TENANT) == full
    assert not lab.deletions.replace(deletion(), deletion(version=2)), "another worker has it"


def test_deleted_tenants_wait_for_the_archive_in_the_order_of_their_ends(lab: Lab) -> None:
    ended = {}
    for number, (name, ended_at) in enumerate((("zeta", 900), ("acme", 1_000), ("beta", 1_000)), 1):
        leaving = tenant(id=name, key_ids=(api_key(number).id,))
        lab.tenants.create(leaving, api_key(number, tenant_id=name))
        marked = replace(leaving, is_being_deleted=True, revision=2)
        assert lab.deletions.begin(leaving, marked, deletion(tenant_id=name))
        ended[name] = deletion(tenant_id=name, version=2, ended_at=ended_at, forgetting=Forgetting())
        assert name not in lab.deletions.forgetting()
        assert lab.deletions.finish(deletion(tenant_id=name), ended[name], marked)
    assert lab.deletions.forgetting() == ["zeta", "acme", "beta"]
    done = ended["acme"].after_forgetting(ended_at=2_000)
    assert not lab.deletions.end_forgetting(replace(ended["acme"], version=7), done), "another run has it"
    assert lab.deletions.forgetting() == ["zeta", "acme", "beta"]
    assert lab.deletions.forgotten() == []
    assert lab.deletions.end_forgetting(ended["acme"], done)
    assert (lab.deletions.forgetting(), lab.deletions.forgotten()) == (["zeta", "beta"], ["acme"])
    assert lab.deletions.get("acme") == done


def ended(lab: Lab, name: str, number: int, ended_at: int) -> TenantDeletion:
    """A tenant whose deletion has ended."""
    leaving = tenant(id=name, key_ids=(api_key(number).id,))
    lab.tenants.create(leaving, api_key(number, tenant_id=name))
    marked = replace(leaving, is_being_deleted=True, revision=2)
    assert lab.deletions.begin(leaving, marked, deletion(tenant_id=name))
    record = deletion(tenant_id=name, version=2, ended_at=ended_at, forgetting=Forgetting())
    assert lab.deletions.finish(deletion(tenant_id=name), record, marked)
    return record


def test_deletions_are_found_by_their_ends_also_after_the_archive_has_forgotten_the_tenant(lab: Lab) -> None:
    for number, (name, ended_at) in enumerate((("zeta", 900), ("acme", 1_000), ("beta", 1_001)), 1):
        record = ended(lab, name, number, ended_at)
        if name == "zeta":
            assert lab.deletions.end_forgetting(record, record.after_forgetting(ended_at=5_000))
    assert lab.deletions.ended_between(0, 2_000) == ["zeta", "acme", "beta"]
    assert lab.deletions.ended_between(900, 1_001) == ["zeta", "acme"]
    assert lab.deletions.ended_between(901, 1_000) == []


def test_repeated_deletion_has_no_tenant_and_is_listed_once_for_the_archive(lab: Lab) -> None:
    first = ended(lab, TENANT, 1, 1_000)
    again = first.repeated(2_000)
    assert not lab.deletions.repeat(replace(first, version=7), again), "another run has repeated it"
    assert lab.deletions.open() == []
    assert lab.deletions.repeat(first, again)
    assert (lab.deletions.get(TENANT), lab.deletions.open()) == (again, [TENANT])
    assert lab.deletions.forgetting() == [TENANT], "passes leave the tenant out meanwhile"
    assert not lab.deletions.repeat(first, again)
    second = again.ended({}, 3_000)
    assert lab.deletions.finish(again, second, None)
    assert (lab.deletions.get(TENANT), lab.deletions.open()) == (second, [])
    assert (lab.deletions.forgetting(), lab.deletions.ended_between(0, 2_000)) == ([TENANT], [])
    assert not lab.tenants.create(tenant(), api_key(9)), "the id stays taken"


def test_end_deletes_the_tenant_with_its_keys_and_keeps_its_id_taken(lab: Lab) -> None:
    begun(lab)
    lab.tenants.replace(MARKED, replace(MARKED, revision=3), new_key=api_key(2))
    lab.tenants.create(tenant(id=OTHER), api_key(3, tenant_id=OTHER))
    ended = deletion(version=2, ended_at=DUE_AT + 9)
    assert not lab.deletions.finish(deletion(), ended, MARKED), "the tenant was changed"
    assert lab.deletions.finish(deletion(), ended, replace(MARKED, revision=3))
    assert (lab.tenants.get(TENANT), lab.tenants.get_keys([api_key(1).id, api_key(2).id])) == (None, [])
    assert (lab.deletions.get(TENANT), lab.deletions.open()) == (ended, [])
    assert not lab.tenants.create(tenant(), api_key(9)), "archived records have the id"
    assert lab.tenants.get_key(api_key(3).id) is not None
    assert not lab.deletions.finish(deletion(), ended, replace(MARKED, revision=3))


def large(lab: Lab, number: int, tenant_id: str = TENANT) -> Job:
    """A definition with a request of its own."""
    plain = job(number, tenant_id=tenant_id)
    stored = with_changes(plain, request=b"", payload_id=plain.id)
    lab.jobs.put_payload(Payload(tenant_id, plain.id, b"sealed", stored_at=DUE_AT))
    first = stored.occurrence(stored.chain_from, created_at=DUE_AT)
    assert lab.jobs.create(stored, first) is None
    return stored


def test_definitions_are_deleted_with_what_is_stored_beside_them(lab: Lab) -> None:
    mine, other = large(lab, 1), large(lab, 2, OTHER)
    lab.jobs.replace(mine, replace(mine, revision=2), past=mine.chain(DUE_AT, EXPIRES_AT_S))
    lab.redrives.create(redrive_task())
    lab.job_tasks.create(job_task())
    deleted: dict[str, int] = {}
    while page := lab.tenant_records.delete_definitions(TENANT):
        deleted = {kind: deleted.get(kind, 0) + page.get(kind, 0) for kind in {*deleted, *page}}
    assert (deleted["jobs"], deleted["requests"]) == (1, 1)
    assert lab.jobs.get(TENANT, mine.id) is None
    assert lab.jobs.past_chains(TENANT, mine.id, limit=5) == []
    assert lab.jobs.get(OTHER, other.id) == other
    assert lab.jobs.get_payload(OTHER, other.id) == b"sealed"


def test_executions_are_deleted_page_by_page_over_all_shards_of_the_index(lab: Lab) -> None:
    mine = [one_off(number, index_shard=number % 3) for number in range(1, 131)]
    runs = [occurrence(job(7), DUE_AT + 60_000 * number, index_shard=2) for number in range(3)]
    other = one_off(500, tenant_id=OTHER)
    for execution in (*mine, *runs, other):
        lab.executions.put_if_absent(execution)
    counts = []
    while page := lab.tenant_records.delete_executions(TENANT, 3):
        counts.append(page["executions"])
    assert (sum(counts), max(counts) <= 100) == (133, True)
    assert lab.executions.get_many([each.id for each in (*mine[:50], *runs, other)]) == {other.id: other}
    pages = lab.queries.index_pages(TenantIndex.DUE, OTHER, 3, PositionRange(), newest_first=False, limit=10)
    assert [position.id for page in pages for position in page.positions] == [other.id]
    assert lab.tenant_records.delete_executions("nobody", 64) == {}


def test_workflows_go_with_their_requests_and_runs(lab: Lab) -> None:
    workflow, other = (workflow_of(graph(node("a")), tenant_id=name) for name in (TENANT, OTHER))
    payload_id = f"{workflow.id}.1.0"
    lab.jobs.put_payload(Payload(TENANT, payload_id, b"sealed", stored_at=DUE_AT))
    call = replace(workflow.calls[0], request=b"", payload_id=payload_id)
    lab.workflows.create(replace(workflow, calls=(call,)))
    lab.workflows.create(other)
    run, kept = (
        replace(each, input_id=input_name(each.id, b"sealed"))
        for each in (run_of(workflow), run_of(other, NOW + 1_000))
    )
    for each in (run, kept):
        name = input_payload_id(each.id, each.input_id or "")
        lab.jobs.put_payload(
            Payload(each.tenant_id, name, b"sealed", stored_at=NOW, expires_at_s=EXPIRES_AT_S)
        )
    lab.runs.put_if_absent(run)
    lab.runs.put_if_absent(kept)
    lab.executions.put_if_absent(task_execution(workflow, run, 0, created_at=NOW))
    for each in (run, kept):
        lab.maps.put(chosen_items(each, 0, "a", 2, None))
    while lab.tenant_records.delete_definitions(TENANT):
        pass
    assert lab.workflows.head(TENANT, workflow.id) is None
    assert lab.workflows.revision(TENANT, workflow.id, 1) is None
    assert not lab.jobs.keep_payload(TENANT, payload_id, EXPIRES_AT_S)
    counts, inputs = [], 0
    while page := lab.tenant_records.delete_executions(TENANT, 1):
        counts.append(page["executions"])
        inputs += page.get("requests", 0)
    assert (sum(counts), inputs) == (3, 1)
    assert not lab.jobs.keep_payload(TENANT, input_payload_id(run.id, run.input_id or ""), EXPIRES_AT_S + 1)
    assert lab.jobs.get_payload(OTHER, input_payload_id(kept.id, kept.input_id or "")) == b"sealed"
    assert lab.maps.get(run.id, "a") is None
    assert lab.maps.get(kept.id, "a") is not None
    assert lab.runs.get(run.id) is None
    assert lab.runs.get(kept.id) == kept
    assert lab.workflows.head(OTHER, other.id) == other.head


def test_large_request_goes_with_its_execution(lab: Lab) -> None:
    plain = one_off()
    lab.jobs.put_payload(Payload(TENANT, "apart", b"sealed", stored_at=DUE_AT, expires_at_s=EXPIRES_AT_S))
    lab.executions.put_if_absent(with_changes(plain, request=b"", payload_id="apart"))
    assert lab.tenant_records.delete_executions(TENANT, 1) == {"executions": 1, "requests": 1}
    assert not lab.jobs.keep_payload(TENANT, "apart", EXPIRES_AT_S + 1)
    assert lab.executions.get(execution_id()) is None

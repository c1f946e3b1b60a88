"""Where calls go has a name from the request on, which says nothing of the place: in rows, messages and successors."""

from dataclasses import replace

from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.delivery.request import Request
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.jobs.job import Job
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.timing import After, Every
from tests.support.builders import DUE_AT, TENANT, with_changes
from tests.support.usecases.world import REQUEST, World

ELSEWHERE = replace(REQUEST, url="https://elsewhere.example/hook")


def destination_of(world: World, url: str) -> str:
    return world.accept_one_off(request=replace(REQUEST, url=url)).call.destination


def test_jobs_to_the_same_place_share_a_destination_and_others_do_not() -> None:
    world = World()
    here = destination_of(world, "https://receiver.example/hook")
    assert here == destination_of(world, "https://receiver.example:443/other?x=1")
    others = {
        destination_of(world, url)
        for url in ("https://receiver.example:8443/hook", "https://www.receiver.example/hook")
    }
    assert len(others | {here}) == 3


def test_two_tenants_that_call_the_same_place_have_two_destinations() -> None:
    world = World()
    mine = world.accept_one_off().call.destination
    world.create_tenant.execute("other")
    other = world.tenants.tenants["other"]
    theirs = world.create_job.execute(other, NewJob(timing=After(60), request=REQUEST), None).job
    assert isinstance(theirs, Execution)
    assert theirs.call.destination != mine


def test_messages_name_the_destination_and_nothing_of_the_host() -> None:
    world = World()
    made = world.accept_one_off(timing=After(0))
    (message,) = world.queue.messages
    assert message.wakeup.destinations == (made.call.destination,)
    assert "receiver" not in repr(message)


def test_runs_of_a_job_triggered_ones_and_successors_go_where_it_goes() -> None:
    world = World(DUE_AT)
    made = world.accept(Every(60))
    assert isinstance(made, Job)
    triggered = world.trigger_job.execute(world.tenant, made.id).execution
    first = world.store.get(made.id_at(made.chain_from))
    world.file_successor.execute(with_changes(first, state=State.SUCCEEDED))
    found = {row.execution.call.destination for row in world.table.executions.values()}
    assert found == {made.call.destination} == {triggered.call.destination}
    assert len(world.table.executions) == 3


def test_destination_changes_with_the_request_and_only_then() -> None:
    world = World()
    made = world.accept_one_off()
    new = NewJob(timing=After(3_600), request=ELSEWHERE)
    edited = world.revise_job.execute(world.tenant, made, REQUEST, new, revision=made.revision)
    assert isinstance(edited, Execution)
    assert edited.call.destination not in ("", made.call.destination)
    renamed = replace(new, name="another")
    again = world.revise_job.execute(world.tenant, edited, ELSEWHERE, renamed, revision=edited.revision)
    assert isinstance(again, Execution)
    assert again.call.destination == edited.call.destination


def test_retries_near_and_far_keep_their_destination() -> None:
    for base_seconds in (10, 7_200):
        world = World(
            DUE_AT,
            answer_to=lambda *_: CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=500),
        )
        retry = RetryPolicy(base_seconds=base_seconds, cap_seconds=7_200)
        made = world.accept_one_off(timing=After(0), retry=retry)
        world.queue.messages.clear()
        world.entropy.draw = lambda: 0.99  # type: ignore[method-assign]
        world.attempt(made)
        named = {message.wakeup.destinations for message in world.queue.messages}
        named |= {(row.pointer.destination,) for row in world.table.pointers.values()}
        assert named == {(made.call.destination,)}


def test_a_request_is_told_by_its_tenant_alone() -> None:
    assert (
        TENANT not in World().accept_one_off(request=Request(method="GET", url=REQUEST.url)).call.destination
    )

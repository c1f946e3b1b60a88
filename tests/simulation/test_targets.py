"""Simulated targets: what arrives there, and that a fault of the deployment is no attempt."""

from dataclasses import replace

from shared.domain.bucket import MINUTE_MS
from shared.domain.delivery.aws_target import AwsTarget, TargetCall, TargetKind
from tests.simulation.clients import LOAD_MS, Clients
from tests.simulation.evidence import Order, access_key_of, role_of
from tests.simulation.faults import FaultMix, Strike
from tests.simulation.single_acts import ALWAYS
from tests.simulation.targets import MOST_FAULTS
from tests.simulation.world import TENANTS, World


def sent(mix: FaultMix, *, is_signed: bool = False) -> tuple[World, Order]:
    """A world in which one message has been sent, or one request that a role signs."""
    world = World(1, mix)
    clients = Clients(world)
    world.functions.start_ticks(lambda: world.start_ms + 40 * MINUTE_MS)
    order = clients.order(delay_seconds=20, cancelled=0)
    order.is_target, order.is_signed = not is_signed, is_signed
    world.hub.run_until(world.start_ms + LOAD_MS + 5 * MINUTE_MS)
    return world, order


def test_message_arrives_at_the_target_of_its_order_as_a_call_arrives_at_its_url() -> None:
    world, order = sent(FaultMix())
    (arrival,) = world.receiver.log
    assert (arrival.destination, arrival.url, arrival.attempt) == (order.arn, order.url, 1)
    assert (arrival.status, world.targets.broken) == (200, [])


def test_fault_of_the_deployment_sends_nothing_and_is_no_attempt() -> None:
    world, _ = sent(FaultMix(target_unavailable=ALWAYS))
    (arrival,) = world.receiver.log
    assert arrival.attempt == 1
    assert world.weather.struck[Strike.TARGET_UNAVAILABLE] == MOST_FAULTS


def test_request_is_signed_by_the_role_of_its_tenant_and_is_no_attempt_without_a_session() -> None:
    world, order = sent(FaultMix(target_unavailable=ALWAYS), is_signed=True)
    (arrival,) = world.receiver.log
    assert (arrival.url, arrival.attempt, arrival.signer) == (
        order.url,
        1,
        access_key_of(role_of(order.tenant)),
    )
    assert world.weather.struck[Strike.TARGET_UNAVAILABLE] == MOST_FAULTS
    assert world.targets.broken == []


def test_refusals_of_targets_are_attempts_that_are_made_again() -> None:
    world, order = sent(FaultMix(refuse=ALWAYS))
    numbers = [arrival.attempt for arrival in world.receiver.log]
    assert numbers == list(range(1, len(numbers) + 1))
    assert {arrival.status for arrival in world.receiver.log} <= {403, 500}
    assert len(numbers) <= order.max_attempts


def test_message_that_consumers_cannot_tell_from_another_is_found() -> None:
    world, order = sent(FaultMix())
    [arrival] = world.receiver.log
    call = TargetCall(
        tenant_id=order.tenant,
        target=AwsTarget(kind=TargetKind.SQS, arn=order.arn),
        body=b"-",
        role_arn=role_of(order.tenant),
        external_id="external",
        session_name="s",
        deduplication_id=f"{arrival.execution_id}1",
        attributes=(("Punctual-Execution", arrival.execution_id),),
    )
    world.targets._judge(call)
    foreign = next(tenant for tenant in TENANTS if tenant != order.tenant)
    world.targets._judge(replace(call, role_arn=role_of(foreign), deduplication_id=arrival.execution_id))
    texts = "; ".join(world.targets.broken)
    assert f"was sent as {arrival.execution_id}1" in texts
    assert f"sent to {order.arn} by {role_of(foreign)}" in texts
    assert "has two external ids" in texts

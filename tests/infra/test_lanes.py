"""Queues and what feeds functions from them."""

from collections.abc import Iterator

from infra.components.lanes import MAX_RECEIVES
from shared.names import QueueName
from tests.infra.conftest import Synthesised
from tests.support.template import Resource

DAY_SECONDS = 86_400


def _mappings(stacks: Synthesised) -> Iterator[tuple[Resource, Resource, Resource]]:
    """Each mapping of a lane with its queue and its function."""
    for mapping in stacks.service.properties("AWS::Lambda::EventSourceMapping"):
        if not mapping["EventSourceArn"]["Fn::GetAtt"][0].startswith("Lanes"):
            continue
        yield (
            mapping,
            stacks.service.referred(mapping["EventSourceArn"]),
            stacks.service.invoked(mapping["FunctionName"]),
        )


def _lane_queues(stacks: Synthesised) -> dict[str, Resource]:
    queues = stacks.service.of_type("AWS::SQS::Queue")
    return {
        name: made["Properties"]
        for name, made in queues.items()
        if name.startswith("Lanes") and "RedrivePolicy" in made["Properties"]
    }


def test_every_lane_has_a_dead_letter_queue_of_its_own(cloud: Synthesised) -> None:
    lanes = _lane_queues(cloud)
    assert len(lanes) == len(QueueName)
    targets = []
    for queue in lanes.values():
        assert queue["RedrivePolicy"]["maxReceiveCount"] == MAX_RECEIVES == 5
        targets.append(queue["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"][0])
    assert len(set(targets)) == len(QueueName)
    assert not set(targets) & lanes.keys()


def test_messages_outlive_their_lane_in_the_dead_letter_queue_and_records_both(cloud: Synthesised) -> None:
    for queue in _lane_queues(cloud).values():
        dead = cloud.service.referred(queue["RedrivePolicy"]["deadLetterTargetArn"])
        assert queue["MessageRetentionPeriod"] < dead["MessageRetentionPeriod"]
        assert dead["MessageRetentionPeriod"] < cloud.stage.retention_days * DAY_SECONDS


def test_queues_are_encrypted_standard_queues_that_refuse_plain_http(cloud: Synthesised) -> None:
    queues = cloud.service.of_type("AWS::SQS::Queue")
    assert all(made["Properties"]["SqsManagedSseEnabled"] for made in queues.values())
    assert not any("FifoQueue" in made["Properties"] for made in queues.values())
    denied = {
        policy["Queues"][0]["Ref"]
        for policy in cloud.service.properties("AWS::SQS::QueuePolicy")
        for statement in policy["PolicyDocument"]["Statement"]
        if statement["Effect"] == "Deny"
        and statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    }
    assert denied == queues.keys()


def test_a_message_stays_hidden_for_six_times_its_functions_timeout(cloud: Synthesised) -> None:
    pairs = list(_mappings(cloud))
    assert len(pairs) == 2 * len(QueueName)
    for _, queue, function in pairs:
        assert queue["VisibilityTimeout"] >= 6 * function["Timeout"]


def test_lane_feeds_its_own_executor_and_every_dead_letter_queue_the_same_function(
    cloud: Synthesised,
) -> None:
    lanes: list[str] = []
    dead: list[str] = []
    for _, queue, function in _mappings(cloud):
        service = function["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"]
        (lanes if "RedrivePolicy" in queue else dead).append(service)
    assert sorted(lanes) == sorted(f"executor-{lane}" for lane in QueueName)
    assert dead == ["dead-letter"] * len(QueueName)


def test_batches_are_small_immediate_and_may_fail_in_part(cloud: Synthesised) -> None:
    for mapping, _, _ in _mappings(cloud):
        assert mapping["BatchSize"] == 10
        assert mapping.get("MaximumBatchingWindowInSeconds", 0) == 0
        assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
        assert mapping["ScalingConfig"]["MaximumConcurrency"] >= 2


def test_lane_has_either_a_maximum_concurrency_or_provisioned_pollers(large: Synthesised) -> None:
    kinds = set()
    for mapping, queue, function in _mappings(large):
        has_pollers = "ProvisionedPollerConfig" in mapping
        assert has_pollers != ("ScalingConfig" in mapping), "AWS refuses both"
        if has_pollers:
            kinds.add(function["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"])
            assert "RedrivePolicy" in queue
    assert kinds == {"executor-critical", "executor-standard", "executor-bulk"}
    (standard,) = (
        mapping["ProvisionedPollerConfig"]
        for mapping, _, function in _mappings(large)
        if function["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"] == "executor-standard"
    )
    assert standard == {"MinimumPollers": 100, "MaximumPollers": 250}


def test_lane_has_the_concurrency_of_the_stage(cloud: Synthesised) -> None:
    found = {
        function["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"]: mapping["ScalingConfig"][
            "MaximumConcurrency"
        ]
        for mapping, queue, function in _mappings(cloud)
        if "RedrivePolicy" in queue
    }
    assert found == {f"executor-{lane}": cloud.stage.lane_concurrency.of(lane) for lane in QueueName}

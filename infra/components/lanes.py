"""Lanes and their slow paths: a queue and a dead-letter queue for each.

Standard queues, because only they support a delay per message. SQS holds only wake-ups, so the tables make up
for lost and duplicate messages.
"""

from dataclasses import dataclass

from aws_cdk import Duration
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.components.construct_ids import construct_id
from infra.components.function_specs import DEAD_LETTER_TIMEOUT_SECONDS
from infra.config import StageConfig
from shared.names import EXECUTOR_TIMEOUT_SECONDS, QueueName

MAX_RECEIVES = 5
VISIBILITY_FACTOR = 6
"""Visibility timeout as a multiple of the function timeout: AWS's advice, because throttled pollers hold
batches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneQueue:
    main: sqs.Queue
    dead: sqs.Queue


class Lanes(Construct):
    def __init__(self, scope: Construct, stage: StageConfig) -> None:
        super().__init__(scope, "Lanes")
        self._stage = stage
        self.queues: dict[QueueName, LaneQueue] = {queue: self._lane(queue) for queue in QueueName}

    def _lane(self, lane: QueueName) -> LaneQueue:
        name = construct_id(lane)
        dead = self._queue(f"{name}Dead", self._stage.dead_letter_retention_days, DEAD_LETTER_TIMEOUT_SECONDS)
        main = self._queue(
            name,
            self._stage.queue_retention_days,
            EXECUTOR_TIMEOUT_SECONDS,
            sqs.DeadLetterQueue(queue=dead, max_receive_count=MAX_RECEIVES),
        )
        return LaneQueue(main=main, dead=dead)

    def _queue(
        self, name: str, days: int, timeout_seconds: int, dead: sqs.DeadLetterQueue | None = None
    ) -> sqs.Queue:
        return sqs.Queue(
            self,
            name,
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=not self._stage.emulated,  # the emulator speaks plain HTTP on loopback
            retention_period=Duration.days(days),
            visibility_timeout=Duration.seconds(VISIBILITY_FACTOR * timeout_seconds),
            receive_message_wait_time=Duration.seconds(20),
            dead_letter_queue=dead,
        )

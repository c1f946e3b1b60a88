"""The gate of one process in front of its claims, over a world's ports."""

from shared.bootstrap.use_cases import use_cases
from shared.domain.tenancy.quota import Quotas
from shared.names import QueueName
from shared.usecases.limits.throttle_batch import ThrottleBatch
from tests.support.settings import settings_of
from tests.support.usecases.ports import FakePorts


def gate(world: FakePorts, queue: QueueName, defaults: Quotas) -> ThrottleBatch:
    """The production gate of a process that has just started, with empty caches."""
    settings = settings_of(world.plan, world.retention, default_quotas=defaults)
    return use_cases(world.ports(), settings).attempts.throttle(queue)

"""The production port of targets in AWS, made at the first call of one."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shared.bootstrap.table_access import TableAccess

if TYPE_CHECKING:
    from shared.ports.delivery import TargetSender
    from shared.ports.runtime import Clock, Entropy


class TargetPorts(TableAccess):
    """A part of `DynamoPorts`."""

    clock: Clock
    entropy: Entropy

    @cached_property
    def targets(self) -> TargetSender:
        from shared.adapters.aws.credentials import credentials_source
        from shared.adapters.aws.sender import PooledSend
        from shared.adapters.targets.role_credentials import RoleCredentials
        from shared.adapters.targets.sender import KEPT_BYTES, LIMITS, AwsTargetSender
        from shared.bootstrap.settings import require
        from shared.names import MAX_CALLBACK_TIMEOUT_SECONDS
        from shared.settings import ExecutorSettings

        # A pool of its own: slow targets must not hold the connections to the tables and queues. The time of a
        # call ends before that of the pool.
        send = PooledSend(MAX_CALLBACK_TIMEOUT_SECONDS + 5, limits=LIMITS, kept_bytes=KEPT_BYTES)
        pattern = require(self._settings, ExecutorSettings).target_roles
        roles = RoleCredentials.of(self._region, send, credentials_source(), self.clock)
        return AwsTargetSender(roles, pattern, send, self.clock, self.entropy)

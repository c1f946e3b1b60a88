"""The production port of targets in AWS, made at the first call of one."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shared.bootstrap.table_access import TableAccess

if TYPE_CHECKING:
    from shared.adapters.aws.sender import PooledSend
    from shared.adapters.targets.role_credentials import RoleCredentials
    from shared.ports.delivery import Sender, SignedSender, TargetSender
    from shared.ports.runtime import Clock, Entropy


class TargetPorts(TableAccess):
    """A part of `DynamoPorts`."""

    clock: Clock
    entropy: Entropy

    if TYPE_CHECKING:

        @cached_property
        def sender(self) -> Sender: ...

    @cached_property
    def targets(self) -> TargetSender:
        from shared.adapters.targets.sender import AwsTargetSender

        return AwsTargetSender(self._roles, self._role_pattern, self._target_send, self.clock, self.entropy)

    @cached_property
    def signed_sender(self) -> SignedSender:
        from shared.adapters.targets.signed_sender import SigV4Sender

        return SigV4Sender(self._roles, self._role_pattern, self.sender, self.clock)

    @cached_property
    def _roles(self) -> RoleCredentials:
        from shared.adapters.aws.credentials import credentials_source
        from shared.adapters.targets.role_credentials import RoleCredentials

        return RoleCredentials.of(self._region, self._target_send, credentials_source(), self.clock)

    @cached_property
    def _role_pattern(self) -> str | None:
        from shared.bootstrap.settings import require
        from shared.settings import ExecutorSettings

        return require(self._settings, ExecutorSettings).target_roles

    @cached_property
    def _target_send(self) -> PooledSend:
        from shared.adapters.aws.sender import PooledSend
        from shared.adapters.targets.sender import KEPT_BYTES, LIMITS
        from shared.names import MAX_CALLBACK_TIMEOUT_SECONDS

        # A pool of its own: slow targets must not hold the connections to the tables and queues. The time of a
        # call ends before that of the pool.
        return PooledSend(MAX_CALLBACK_TIMEOUT_SECONDS + 5, limits=LIMITS, kept_bytes=KEPT_BYTES)

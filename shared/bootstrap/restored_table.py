"""The executions of a table that was restored from that of the stage."""

from dataclasses import replace

from shared.adapters.dynamodb.archive.restored_table import check_restored
from shared.bootstrap.dynamo_ports import DynamoPorts
from shared.ports.executions import ExecutionStore
from shared.settings import Settings


class _RestoredPorts(DynamoPorts):
    def checked(self, source: str) -> ExecutionStore:
        check_restored(self._dynamodb, self._executions, source)
        return self.executions


def restored_executions(settings: Settings, table: str) -> ExecutionStore:
    """For reads alone. InvalidValueError for any other table; UnavailableError."""
    return _RestoredPorts(replace(settings, executions_table=table)).checked(settings.executions_table)

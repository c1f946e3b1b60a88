"""The ports of a process whose puts into old hours are counted for the archive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from shared.bootstrap.ports import Ports

_MARKED = {
    "executions": "MarkedExecutions",
    "jobs": "MarkedJobs",
    "one_offs": "MarkedOneOffs",
    "one_off_batches": "MarkedOneOffBatches",
}


def marked(ports: Ports) -> Ports:
    """The same ports. No use case can put an execution past the count."""
    return cast("Ports", _MarkedPorts(ports))


class _MarkedPorts:
    """Makes each port when it is first asked for, as the ports below do."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports

    def __getattr__(self, name: str) -> Any:
        port = getattr(self._ports, name)
        if name in _MARKED:
            from shared.usecases.archive import mark_puts

            mark = mark_puts.MarkPuts(lambda: self._ports.late_puts, self._ports.clock)
            port = getattr(mark_puts, _MARKED[name])(port, mark)
        setattr(self, name, port)
        return port

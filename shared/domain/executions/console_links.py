"""Links from notifications to pages of the console. They have ids, and neither keys nor names."""

from collections.abc import Container
from urllib.parse import quote

from shared.dataclass import dataclass
from shared.domain.delivery.alerts import AlertEvent
from shared.names import CONSOLE_PATH


@dataclass(frozen=True, slots=True)
class ConsoleLinks:
    """Absolute URLs, or None everywhere if the deployment does not know where people open its console.

    The paths are those of functions/api/console/static/lib/route.js.
    """

    origin: str | None
    """Scheme and host, such as `https://console.example.com`."""

    def execution(self, execution_id: str) -> str | None:
        """The page of one run, with its attempts and the way to its job."""
        return self._page("runs", execution_id)

    def workflow_run(self, run_id: str) -> str | None:
        """The page of a run of a workflow, with its graph and a way to redrive it."""
        return self._page("workflow-runs", run_id)

    def alert(self, events: Container[AlertEvent], job_id: str, execution_id: str) -> str | None:
        """The page on which to act: a job whose receiver is gone is paused until it is edited and resumed."""
        return self._page("jobs", job_id) if AlertEvent.GONE in events else self.execution(execution_id)

    def suppressed(self, events: Container[AlertEvent]) -> str | None:
        """The page on which to look for the executions of suppressed alerts: those that failed have one."""
        has_failed = AlertEvent.FAILED in events or AlertEvent.GONE in events
        return self._page("dead-letters" if has_failed else "")

    def usage(self) -> str | None:
        """The page with the limits of the tenant."""
        return self._page("usage")

    def _page(self, *parts: str) -> str | None:
        """Percent-encoded, so that no part adds another part, a query or markup of a chat."""
        if self.origin is None:
            return None
        path = "/".join(quote(part, safe="") for part in parts)
        return f"{self.origin}{CONSOLE_PATH}#/{path}"

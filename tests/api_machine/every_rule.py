"""All rules together."""

from tests.api_machine.authenticating import Authenticating
from tests.api_machine.batching import Batching
from tests.api_machine.calendars import Calendars
from tests.api_machine.cancelling import Cancelling
from tests.api_machine.concurrent_requests import ConcurrentRequests
from tests.api_machine.creating import Creating
from tests.api_machine.cross_tenant import CrossTenant
from tests.api_machine.eventing import Eventing
from tests.api_machine.limited_events import LimitedEvents
from tests.api_machine.parking import Parking
from tests.api_machine.passing_time import PassingTime
from tests.api_machine.pausing import Pausing
from tests.api_machine.putting import Putting
from tests.api_machine.reading import Reading
from tests.api_machine.refusing import Refusing
from tests.api_machine.refusing_changes import RefusingChanges
from tests.api_machine.resuming import Resuming
from tests.api_machine.triggering import Triggering
from tests.api_machine.updating import Updating
from tests.api_machine.workflows import Workflows


class Machine(
    Creating,
    Batching,
    Refusing,
    Updating,
    Putting,
    Pausing,
    Resuming,
    Triggering,
    Eventing,
    ConcurrentRequests,
    RefusingChanges,
    Cancelling,
    Reading,
    CrossTenant,
    Parking,
    Workflows,
    LimitedEvents,
    Calendars,
    Authenticating,
    PassingTime,
):
    """All rules together."""

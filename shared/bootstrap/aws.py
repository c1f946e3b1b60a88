"""What entry points use directly: messages of the lane queues, settings of a function, the event loop."""

from shared.adapters.clients import function_environment
from shared.adapters.greenlets import run
from shared.adapters.sqs.newer_messages import read_newer
from shared.adapters.sqs.traces import read_wakeup

__all__ = ["function_environment", "read_newer", "read_wakeup", "run"]

"""What entry points use directly: messages of the lane queues, settings of a function, the event loop."""

from shared.adapters.clients import function_environment
from shared.adapters.greenlets import run
from shared.adapters.sqs.messages import decode_wakeup
from shared.adapters.sqs.newer_messages import read_newer

__all__ = ["decode_wakeup", "function_environment", "read_newer", "run"]

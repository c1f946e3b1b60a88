"""Shifts `time.time` and `time.time_ns` by `CLOCK_OFFSET_SECONDS`. Python imports it before any other module.

The functions, queues, tables and the HTTP API of the stack read these; `datetime.now` is not shifted.

`clock_offset.clock_variables` puts this directory on the import path of the emulator and the functions.
"""

import os
import time

_seconds = int(os.environ["CLOCK_OFFSET_SECONDS"])
_time, _time_ns = time.time, time.time_ns
time.time = lambda: _time() + _seconds
time.time_ns = lambda: _time_ns() + _seconds * 1_000_000_000

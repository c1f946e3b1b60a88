"""One cold start with samples, in a process of its own, with the event in BENCH_EVENT.

It imports little, because what it imports is missing in the samples. The answer is one object of JSON: the seconds
before the first line and until the end, the place of each sample, and what the process has loaded.
"""

import json
import os
import signal
import sys
import time
from importlib import import_module
from types import FrameType, SimpleNamespace
from typing import Any

STEP_SECONDS = 0.001
"""A kernel that counts in longer steps interrupts less often."""
EVENT = "the first event"
DATACLASSES = "dataclasses"
_OF_DATACLASSES = ("/shared/dataclass.py", "/dataclasses.py")


def place_of(frame: FrameType | None) -> str:
    """The creation of a dataclass, or else the file of the innermost module that is being imported, if one is."""
    while frame is not None:
        code = frame.f_code
        if code.co_filename == __file__:
            return ""
        if code.co_filename.endswith(_OF_DATACLASSES) and code.co_name != "<module>":
            return DATACLASSES
        if code.co_name == "<module>":
            return code.co_filename
        if "importlib" in code.co_filename and code.co_name in ("get_code", "exec_module", "create_module"):
            # What it takes to read a module belongs to that module, not to the one that asks for it.
            loader = frame.f_locals.get("self")
            return str(getattr(loader, "path", ""))
        frame = frame.f_back
    return ""


def main(function: str) -> None:
    """Import the handler, and hand it one event."""
    begun = time.process_time()
    places: list[str] = []
    has_started = False

    def note(_: int, frame: FrameType | None) -> None:
        place = place_of(frame)
        # What the first event imports counts for the modules.
        places.append(place or EVENT * has_started)

    signal.signal(signal.SIGPROF, note)
    signal.setitimer(signal.ITIMER_PROF, STEP_SECONDS, STEP_SECONDS)
    out, sys.stdout = sys.stdout, sys.stderr
    handler = import_module(f"functions.{function}.handler").handler
    has_started = True
    handler(json.loads(os.environ["BENCH_EVENT"]), _context())
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, signal.SIG_IGN)
    found = {
        "begun": begun,
        "ended": time.process_time(),
        "places": places,
        "modules": len(sys.modules),
        "dataclasses": _dataclasses(),
    }
    out.write(json.dumps(found))


def _context() -> Any:
    return SimpleNamespace(
        function_name="f",
        memory_limit_in_mb=512,
        invoked_function_arn="arn:f",
        aws_request_id="r",
        get_remaining_time_in_millis=lambda: 75_000,
    )


def _dataclasses() -> int:
    """How many classes of the project are dataclasses."""
    own = [module for name, module in sys.modules.items() if name.split(".")[0] in ("shared", "functions")]
    return sum(
        isinstance(each, type) and each.__module__ == module.__name__ and "__dataclass_fields__" in vars(each)
        for module in own
        for each in vars(module).values()
    )

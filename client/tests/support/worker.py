"""A receiver as a process of its own, for a test that kills it. Prints its port.

Its settings are JSON in its first argument: `secret`, `api`, `seen` (a file), `log` (a file), `hangs` and
`ahead_seconds`, by which its clock is fast.
"""

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from flask import Flask
from werkzeug.serving import make_server

from punctual.receivers import LongWork, ReceivedCall, Receiver, SqliteSeen
from punctual.receivers._work import Work
from punctual.receivers.flask import receives
from punctual.receivers.timing import Timing


def main(settings: dict[str, Any]) -> None:
    def clock() -> float:
        return time.time() + float(settings["ahead_seconds"])

    def log(event: str) -> None:
        with Path(settings["log"]).open("a") as file:
            file.write(f"{event} {os.getpid()}\n")

    receiver = Receiver(
        settings["secret"],
        seen=SqliteSeen(settings["seen"], wait_seconds=30),
        long_work=LongWork(api_url=settings["api"], timing=Timing(clock=clock)),
        clock=clock,
    )
    app = Flask(__name__)

    @app.post("/hooks/export")
    @receives(receiver)
    def export(call: ReceivedCall) -> Any:
        return call.later(work)

    def work(work: Work) -> None:
        log("began")
        if settings["hangs"]:
            threading.Event().wait()
        work.check()
        log("done")

    server = make_server("127.0.0.1", settings["port"], app, threaded=True)
    print(server.server_port, flush=True)  # noqa: T201 - the test reads it
    server.serve_forever()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))

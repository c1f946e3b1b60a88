"""Where the processor time of the measured scenarios and of cold starts goes, by samples of the stack.

The kernel interrupts the process after each few milliseconds of its own processor time. A sample belongs to the
innermost frame that has a part of its own: what a module of the project asks of a library counts for the module.
"""

import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from types import FrameType

from tests.bench.cold import sampled_starts
from tests.bench.measured import Bench, Prepare
from tests.bench.sampled_start import DATACLASSES, EVENT, STEP_SECONDS
from tests.bench.tables import markdown
from tests.support.sources import ROOT

SAMPLES = 1_000
"""Of a scenario: with so many, a share of 20 % is known to about two points."""
MOST_ROUNDS = 1_000
STARTS = 10
AWS, LOOP = "sign, send and read requests of AWS", "event loop and greenlets"
RECEIVER = "call of the receiver: connection, HTTP, addresses"
SEAL, ITEMS = "seal and open requests, sign calls", "items, statements, messages and their groups"
RULES, BODY = "rules of jobs and attempts: domain, ids, use cases", "checks of the body"
ROUTES, LOG, REST = "routing, admission, presentation", "log line and metrics", "rest, and the bench itself"
PARTS = (AWS, LOOP, RECEIVER, SEAL, ITEMS, RULES, BODY, ROUTES, LOG, REST)
_BY_PATH = {
    "shared/adapters/aws/": AWS,
    "shared/adapters/greenlets.py": LOOP,
    "shared/adapters/http/": RECEIVER,
    "shared/adapters/kms/": SEAL,
    "shared/domain/delivery/signing.py": SEAL,
    "shared/usecases/requests/": SEAL,
    "shared/adapters/": ITEMS,
    "shared/observability.py": LOG,
    "shared/domain/tenancy/audit.py": LOG,
    "functions/api/resources/jobs/responses.py": LOG,
    "shared/domain/": RULES,
    "shared/usecases/": RULES,
    "functions/api/http/strict_json.py": BODY,
    "functions/api/http/bodies.py": BODY,
    "functions/": ROUTES,
    "tests/": REST,
}
"""The first prefix that fits decides. A digest of the job is made for its log line."""


@cache
def part_of_file(path: str) -> str | None:
    """None for files that belong to their caller, such as those of libraries and generated methods."""
    own = path.removeprefix(f"{ROOT}/")
    if "/pydantic" in path or (own.startswith("functions/api/") and own.endswith("models.py")):
        return BODY
    if "/logging/" in path:
        return LOG
    return next((part for prefix, part in _BY_PATH.items() if own.startswith(prefix)), None)


def part_of(frame: FrameType | None) -> str:
    """The part of a stack, from its innermost frame outwards."""
    while frame is not None:
        if frame.f_code.co_name == "_run_once":
            return LOOP
        part = part_of_file(frame.f_code.co_filename)
        if part is not None:
            return part
        frame = frame.f_back
    return REST


@contextmanager
def sampling(note: Callable[[FrameType | None], None]) -> Iterator[None]:
    """Calls `note` with the stack of the main thread while the block uses processor time."""
    signal.signal(signal.SIGPROF, lambda _, frame: note(frame))
    signal.setitimer(signal.ITIMER_PROF, STEP_SECONDS, STEP_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        # A signal that is still under way would end the process.
        signal.signal(signal.SIGPROF, signal.SIG_IGN)


@dataclass(frozen=True, slots=True)
class Profile:
    """Samples of one scenario."""

    name: str
    parts: Mapping[str, int]
    functions: Mapping[str, int]
    """The innermost function of the project of each sample."""

    @property
    def largest(self) -> str:
        """The function with the most samples, and its share."""
        name, count = max(self.functions.items(), key=lambda each: each[1])
        return f"{name} {count / sum(self.parts.values()):.0%}"


def profiles(bench: Bench) -> Iterator[Profile]:
    """One for each column of the table."""
    for name, prepare in bench.scenarios():
        yield _profile(name, prepare)


def _profile(name: str, prepare: Prepare) -> Profile:
    parts: Counter[str] = Counter()
    functions: Counter[str] = Counter()

    def note(frame: FrameType | None) -> None:
        parts[part_of(frame)] += 1
        functions[_function_of(frame)] += 1

    prepare()[0]()
    for _ in range(MOST_ROUNDS):
        product, *_ = prepare()
        with sampling(note):
            product()
        if sum(parts.values()) >= SAMPLES:
            break
    return Profile(name, parts, functions)


def _function_of(frame: FrameType | None) -> str:
    while frame is not None:
        if part_of_file(frame.f_code.co_filename) is not None or frame.f_code.co_name == "_run_once":
            return f"{frame.f_code.co_filename.removeprefix(f'{ROOT}/')}:{frame.f_code.co_qualname}"
        frame = frame.f_back
    return ""


@dataclass(frozen=True, slots=True)
class StartProfile:
    """Seconds of all starts of one function, by part."""

    function: str
    parts: Mapping[str, float]
    modules: int
    dataclasses: int


PYTHON, ASYNC, STANDARD = "Python itself", "asyncio and TLS", "other modules of the standard library"
PYDANTIC, COMPILED = "pydantic", "cryptography, httptools, greenlet, orjson"
CLASSES, OWN, FIRST = "creation of dataclasses", "other work of this project's modules", "first event"
START_PARTS = (PYTHON, ASYNC, STANDARD, PYDANTIC, COMPILED, CLASSES, OWN, FIRST)
_BY_NAME = {
    EVENT: FIRST,
    DATACLASSES: CLASSES,
    "pydantic": PYDANTIC,
    "annotated_types": PYDANTIC,
    "typing_": PYDANTIC,
    "cryptography": COMPILED,
    "cffi": COMPILED,
    "httptools": COMPILED,
    "greenlet": COMPILED,
    "orjson": COMPILED,
}
"""By the beginning of a place, or of the name of a library."""
_OF_ASYNC = ("/asyncio/", "/ssl.py", "/socket.py", "/selectors.py", "/_ssl", "/_socket", "/_asyncio")


def part_of_place(place: str) -> str:
    """The part of a sample of a start."""
    library = place.rpartition("/site-packages/")[2]
    named = next((part for name, part in _BY_NAME.items() if library.startswith(name)), None)
    if named is not None:
        return named
    if place.startswith(f"{ROOT}/") and library == place:
        return OWN
    return ASYNC if any(part in place for part in _OF_ASYNC) else STANDARD


def start_profiles(bench: Bench) -> Iterator[StartProfile]:
    """One for each function."""
    for function, events in bench.first_events(STARTS):
        parts: Counter[str] = Counter()
        for start in (starts := sampled_starts(function, events)):
            parts[PYTHON] += start["python"]
            parts[STANDARD] += start["begun"] - start["python"]
            places = start["places"]
            for place in places:
                parts[part_of_place(place)] += (start["ended"] - start["begun"]) / len(places)
        yield StartProfile(function, parts, starts[-1]["modules"], starts[-1]["dataclasses"])


def profile_tables(profiled: Sequence[Profile], started: Sequence[StartProfile]) -> str:
    """The shares, and below each table what else was seen."""
    largest = "; ".join(f"{each.name}: {each.largest}" for each in profiled)
    loaded = "; ".join(
        f"{each.function}: {each.modules} modules, {each.dataclasses} dataclasses" for each in started
    )
    return "\n\n".join(
        [
            markdown(
                ["share of the product's time", *(each.name for each in profiled)],
                _rows(PARTS, [each.parts for each in profiled]),
            ),
            f"The largest functions: {largest}.",
            markdown(
                ["share of a cold start", *(each.function for each in started)],
                _rows(START_PARTS, [each.parts for each in started]),
            ),
            f"Loaded: {loaded}.",
        ]
    )


def _rows(parts: Iterable[str], columns: Sequence[Mapping[str, float]]) -> list[list[str]]:
    """A part that takes less than half a percent has an empty cell."""
    return [
        [part, *(_share(column.get(part, 0), sum(column.values())) for column in columns)] for part in parts
    ]


def _share(part: float, whole: float) -> str:
    percent = round(100 * part / whole)
    return f"{percent} %" if percent else ""

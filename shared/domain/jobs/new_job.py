"""A requested job, before it has an id."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import Any

from shared.dataclass import dataclass
from shared.domain.delivery.async_policy import DEFAULT_ASYNC_POLICY, AsyncPolicy, check_span
from shared.domain.delivery.call_kind import CallKind
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.delivery.request import Request, encode_request
from shared.domain.delivery.retry import ONE_ATTEMPT, RetryPolicy
from shared.domain.delivery.trace import Trace
from shared.domain.errors import InvalidValueError, ScheduleError, raise_any
from shared.domain.jobs.job import Definition
from shared.domain.jobs.job_key import check_set
from shared.domain.schedules.catch_up import DEFAULT_POLICY, CatchUpPolicy
from shared.domain.schedules.jitter import check_jitter
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.schedules.schedule import (
    Cron,
    Once,
    Rate,
    Series,
    check_once,
    encode_schedule,
)
from shared.domain.schedules.timing import After, Every, Timing
from shared.names import MAX_CALLBACK_TIMEOUT_SECONDS, Lane

MAX_NAME_LENGTH = 128
MAX_TAGS = 10
DEFAULT_TIMEOUT_SECONDS = 30
CALL_ONLY = {
    "retry": "a job that starts a workflow has no retry: each task of the workflow has its own",
    "timeout_seconds": "a job that starts a workflow has no timeout_seconds: each task of the workflow has its own",
    "async_deadline_seconds": "the run of a workflow ends by the deadline_seconds of the workflow",
    "heartbeat_seconds": "the run of a workflow sends no heartbeats",
}
"""Members that a job which starts a workflow does not have, and why."""
MAX_START_DEADLINE_SECONDS = 7 * 86_400
MAX_RUNS = 1_000_000_000
TAG = r"^[a-z0-9][a-z0-9._:/=-]{0,62}$"
"""The pattern of a tag."""
TAG_TEXT = "1 to 63 lower-case letters, digits and . _ : / = - with a letter or digit at its beginning"
_SHOWN = r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
NAME = rf"^{_SHOWN}*{_SHOWN.replace('[^', '[^ ')}{_SHOWN}*$"
"""The pattern of a name. Control characters and changes of the writing direction would alter the terminals and
pages that show it."""
NAME_TEXT = "a name has characters other than spaces, and no control characters"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurring:
    """Settings that only recurring jobs can have."""

    max_runs: int | None = None
    catch_up: CatchUpPolicy = DEFAULT_POLICY
    overlap_policy: OverlapPolicy = OverlapPolicy.ALLOW

    def __post_init__(self) -> None:
        """Raises ScheduleError for `max_runs` out of range."""
        if self.max_runs is not None and not 1 <= self.max_runs <= MAX_RUNS:
            raise ScheduleError(f"max_runs: must be 1 to {MAX_RUNS}", field="max_runs")


_RUNS_ONCE = Recurring()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    timing: Timing
    request: Request
    name: str | None = None
    tags: tuple[str, ...] = ()
    set_name: str | None = None
    """Not part of the fingerprint: jobs without a key have no set."""
    lane: Lane = Lane.STANDARD
    timeout_seconds: int = DEFAULT_TIMEOUT_SECONDS
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    jitter_ms: int = 0
    recurring: Recurring = field(default_factory=Recurring)
    start_deadline_seconds: int | None = None
    """A one-off job that has not started this long after its due time is skipped."""
    runs_when_suspended: bool = False
    """Whether a one-off job that is due during a suspension of its tenant runs afterwards."""
    async_policy: AsyncPolicy = DEFAULT_ASYNC_POLICY
    signing_secret: str | None = None
    """The name of the signing secrets; None for the secrets without a name."""
    depth: int = 0
    """Not part of the fingerprint: a repeated request creates no second job from another depth."""
    trace: Trace | None = None
    """Not part of the fingerprint either: a repeated request may come from another trace."""

    def __post_init__(self) -> None:
        """Raises InvalidValueError for values out of range or settings that contradict each other."""
        if not 1 <= self.timeout_seconds <= MAX_CALLBACK_TIMEOUT_SECONDS:
            raise InvalidValueError(
                f"timeout_seconds must be 1 to {MAX_CALLBACK_TIMEOUT_SECONDS}", path=("timeout_seconds",)
            )
        check_name(self.name)
        check_tags(self.tags)
        check_set(self.set_name)
        check_jitter(self.jitter_ms)
        check_span(self.retry, self.async_policy)
        deadline = self.start_deadline_seconds
        if deadline is not None and not 1 <= deadline <= MAX_START_DEADLINE_SECONDS:
            raise InvalidValueError(
                f"start_deadline_seconds must be 1 to {MAX_START_DEADLINE_SECONDS}",
                path=("start_deadline_seconds",),
            )
        if deadline is not None and not isinstance(self.timing, Once | After):
            raise InvalidValueError(
                "start_deadline_seconds is for jobs that run once; a job that recurs has catch_up",
                path=("start_deadline_seconds",),
            )
        if self.runs_when_suspended and not isinstance(self.timing, Once | After):
            raise InvalidValueError(
                "when_suspended is for jobs that run once; a job that recurs goes on with its next instant",
                path=("when_suspended",),
            )
        if isinstance(self.timing, Once | After) and self.recurring != _RUNS_ONCE:
            raise InvalidValueError("max_runs, catch_up and overlap_policy are for jobs that recur")
        if self.request.kind is CallKind.WORKFLOW:
            raise_any(call_only_errors(members_of_calls(self.unsealed_call)))

    @property
    def unsealed_call(self) -> CallSpec:
        """The call without its request, which is sealed into it later."""
        return CallSpec(
            lane=self.lane,
            request=b"",
            retry=self.retry,
            timeout_ms=self.timeout_seconds * 1000,
            async_policy=self.async_policy,
            signing_secret=self.signing_secret,
            depth=self.depth,
            trace=self.trace,
            workflow_id=self.request.workflow_id,
        )

    def keeping_phase_of(self, schedule: Series) -> "NewJob":
        """With the start of this rate, if the request has the same interval and names no start of its own."""
        timing = self.timing
        is_open = isinstance(timing, Every) and timing.start_at is None
        if not (is_open and isinstance(timing, Every) and isinstance(schedule, Rate)):
            return self
        if timing.rate_seconds * 1000 != schedule.interval_ms:
            return self
        return replace(self, timing=replace(timing, start_at=schedule.anchor))

    def definition(self, schedule: Series, call: CallSpec) -> Definition:
        """The definition of a recurring job with its resolved schedule and sealed request."""
        return Definition(
            schedule=schedule,
            call=call,
            name=self.name,
            tags=self.tags,
            set_name=self.set_name,
            jitter_ms=self.jitter_ms,
            catch_up=self.recurring.catch_up,
            overlap_policy=self.recurring.overlap_policy,
            max_runs=self.recurring.max_runs,
        )

    def start_deadline_at(self, dispatch_at: int) -> int | None:
        """The last instant at which a job due at `dispatch_at` may start; None if there is no limit."""
        seconds = self.start_deadline_seconds
        return None if seconds is None else dispatch_at + seconds * 1000

    def schedule_at(self, now_ms: int) -> Once | Rate | Cron:
        """The schedule of a request that is made at `now_ms`; ScheduleError if it is not acceptable."""
        match self.timing:
            case After(delay_seconds):
                schedule = Once(at=now_ms + delay_seconds * 1000)
            case Every(rate_seconds, start_at, end_at):
                anchor = now_ms // 1000 * 1000 if start_at is None else start_at
                return Rate(interval_ms=rate_seconds * 1000, anchor=anchor, end_at=end_at)
            case Once():
                schedule = self.timing
            case Cron():
                return self.timing
        check_once(schedule.at, now_ms)
        return schedule


def members_of_calls(call: CallSpec) -> Iterator[str]:
    """The members in `CALL_ONLY` that a job which starts a workflow must not have, and that this call has."""
    if call.retry != ONE_ATTEMPT:
        yield "retry"
    if call.timeout_ms != DEFAULT_TIMEOUT_SECONDS * 1000:
        yield "timeout_seconds"
    if call.async_policy.deadline_seconds != DEFAULT_ASYNC_POLICY.deadline_seconds:
        yield "async_deadline_seconds"
    if call.async_policy.heartbeat_seconds != DEFAULT_ASYNC_POLICY.heartbeat_seconds:
        yield "heartbeat_seconds"


def call_only_errors(members: Iterable[str]) -> Iterator[InvalidValueError]:
    """An error for each of these members of a job that starts a workflow which only calls have."""
    for name in members:
        if name in CALL_ONLY:
            yield InvalidValueError(CALL_ONLY[name], path=(name,))


def check_name(name: str | None) -> None:
    """Raises InvalidValueError for a name that lists could not show."""
    if name is not None and not 1 <= len(name) <= MAX_NAME_LENGTH:
        raise InvalidValueError(f"a name is 1 to {MAX_NAME_LENGTH} characters", path=("name",))
    if name is not None and not re.fullmatch(NAME, name):
        raise InvalidValueError(NAME_TEXT, path=("name",))


def check_tags(tags: Sequence[str]) -> None:
    """Raises InvalidValueError for tags that a query could not contain."""
    if len(tags) > MAX_TAGS or len(set(tags)) != len(tags):
        raise InvalidValueError(f"tags: {MAX_TAGS} at most, each once", path=("tags",))
    for number, tag in enumerate(tags):
        if not re.fullmatch(TAG, tag):
            raise InvalidValueError(f"tags: {tag[:63]!a} is not {TAG_TEXT}", path=("tags", str(number)))


def _members(value: Any) -> tuple[object, ...]:
    """The values of a dataclass with slots, in order. `astuple` would copy each of them deeply."""
    return tuple([getattr(value, name) for name in value.__slots__])


def _retry_parts(retry: RetryPolicy) -> tuple[object, ...]:
    """Optional parts come last and only if set, so that older fingerprints of other policies stay equal."""
    *backoff, delays, age = _members(retry)
    return (*backoff, delays, age) if delays or age is not None else tuple(backoff)


def encode_new_job(new: NewJob) -> bytes:
    """Canonical encoding of the request, for its fingerprint."""
    match new.timing:
        case After(delay_seconds):
            timing: object = ["after", delay_seconds]
        case Every():
            timing = ["every", *_members(new.timing)]
        case Cron():
            # A repeated request may find other days of its calendar.
            timing = encode_schedule(new.timing.without_rules)
        case _:
            timing = encode_schedule(new.timing)
    recurring = new.recurring
    parts = [
        timing,
        encode_request(new.request).decode(),
        new.name,
        new.tags,
        new.lane,
        new.timeout_seconds,
        _retry_parts(new.retry),
        new.jitter_ms,
        (recurring.max_runs, _members(recurring.catch_up), recurring.overlap_policy),
        new.start_deadline_seconds,
        _members(new.async_policy),
        *((new.signing_secret,) if new.signing_secret is not None else ()),
        *((["when_suspended", "run"],) if new.runs_when_suspended else ()),
    ]
    return json.dumps(parts, ensure_ascii=False, separators=(",", ":")).encode()

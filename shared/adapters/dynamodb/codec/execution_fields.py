"""Encodings of parts of executions: policies, redrives and attempt outcomes.

Values that are the defaults are left out. The parts that every retry policy has keep their first format;
delay table and maximum age are a separate attribute, so that older code can read every policy. Attempt
outcomes take 13 bytes each, so that an item with its history stays below 1 KB."""

import struct
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from shared.adapters.dynamodb.codec.notification_fields import (
    ALERTS,
    callback_attributes,
    encode_alerts,
    read_alerts,
    read_callbacks,
)
from shared.adapters.dynamodb.codec.versions import known
from shared.domain.delivery.async_policy import DEFAULT_ASYNC_POLICY, AsyncPolicy
from shared.domain.delivery.call_kind import AuthKind
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.delivery.callback import Reason
from shared.domain.delivery.destination import UNKNOWN
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.delivery.trace import Trace
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import TaskRef
from shared.domain.executions.redrive import RedrivenBy, RedriveOf
from shared.domain.ids import parse_execution_id
from shared.names import Lane


def encode_async_policy(policy: AsyncPolicy) -> str | None:
    """The limits that differ from the defaults; None if there are none."""
    if policy == DEFAULT_ASYNC_POLICY:
        return None
    return f"{policy.deadline_seconds}/{policy.heartbeat_seconds}"


def read_async_policy(text: str | None) -> AsyncPolicy:
    """ValueError for malformed text."""
    if text is None:
        return DEFAULT_ASYNC_POLICY
    deadline_seconds, heartbeat_seconds = (int(part) for part in text.split("/"))
    return AsyncPolicy(deadline_seconds=deadline_seconds, heartbeat_seconds=heartbeat_seconds)


def async_until_text(claims: int, until: int) -> str:
    """The asynchronous deadline together with the number of its claim.

    For a later claim the value is void, so neither a claim nor an outcome has to remove it.
    """
    return f"{claims}/{until}"


def read_async_until(text: str | None, running: int | None) -> int | None:
    """The deadline under the running claim (None: no attempt is running); ValueError for malformed text."""
    if text is None:
        return None
    claims, until = (int(part) for part in text.split("/"))
    return until if claims == running else None


REFUNDS = "gb"
"""The attribute for refunded claims."""


def encode_refunds(refunded: int, since: int | None) -> str | None:
    """The number of refunded claims and the start of the first; None if there is none."""
    return f"{refunded}/{since}" if refunded else None


def read_refunds(text: str | None) -> tuple[int, int | None]:
    """ValueError for malformed text."""
    if text is None:
        return 0, None
    refunded, since = (int(part) for part in text.split("/"))
    return refunded, since


EXTRAS = "rp"
"""The attribute for the optional parts of a retry policy."""


def encode_retry_extras(retry: RetryPolicy) -> str | None:
    """The delay table and the maximum age, such as `60,600;3600`; None if the policy has neither."""
    if not retry.delays_seconds and retry.give_up_after_seconds is None:
        return None
    age = "" if retry.give_up_after_seconds is None else str(retry.give_up_after_seconds)
    return f"{','.join(map(str, retry.delays_seconds))};{age}"


@lru_cache(maxsize=1024)
def read_retry(max_attempts: int, backoff: tuple[Any, ...], extras: str | None) -> RetryPolicy:
    """The policy from its encoded parts, of which few differ; ValueError for malformed values."""
    base, factor, cap = (int(part) for part in backoff)
    table, _, age = (extras or "").partition(";")
    return RetryPolicy(
        max_attempts=max_attempts,
        base_seconds=base,
        factor=factor,
        cap_seconds=cap,
        delays_seconds=tuple(int(delay) for delay in table.split(",")) if table else (),
        give_up_after_seconds=int(age) if age else None,
    )


def encode_redrive_of(redrive: RedriveOf | None) -> str | None:
    return f"{redrive.number}|{redrive.original}" if redrive is not None else None


def read_redrive_of(text: str | None) -> RedriveOf | None:
    """ValueError for malformed text."""
    if text is None:
        return None
    number, original = text.split("|")
    return RedriveOf(original=parse_execution_id(original), number=int(number))


def encode_redriven_by(redriven_by: RedrivenBy | None) -> str | None:
    """The redrive and its bulk redrive, if any."""
    if redriven_by is None:
        return None
    return str(redriven_by.execution) + (f"|{redriven_by.task}" if redriven_by.task else "")


def read_redriven_by(text: str | None) -> RedrivenBy | None:
    """ValueError for malformed text."""
    if text is None:
        return None
    execution, _, task = text.partition("|")
    return RedrivenBy(execution=parse_execution_id(execution), task=task or None)


TASK = "wf"
"""The attribute of a task's run."""
HANDS_ON, NEEDS_RESULTS = "h", "n"
TAKES_INPUT = "i"
"""Followed by the name of the input, if the run has one: hexadecimal digits, which no other flag is."""
RESULT = "re"
"""The attribute of a task's sealed result."""


def encode_task_ref(task: TaskRef | None) -> str | None:
    if task is None:
        return None
    flags = HANDS_ON * task.hands_on + NEEDS_RESULTS * task.needs_results
    item = f"/{task.item}.{task.items}" if task.item is not None else ""
    taken = f"/{TAKES_INPUT}{task.input_id or ''}" if task.takes_input else ""
    return f"{task.run.body}/{task.epoch}/{task.key}" + (f"/{flags}" if flags else "") + item + taken


def read_task_ref(text: str | None) -> TaskRef | None:
    """ValueError for malformed text."""
    if text is None:
        return None
    run, epoch, key, *flags = text.split("/")
    item, _, items = next((each for each in flags if "." in each), "").partition(".")
    taken = next((each for each in flags if each.startswith(TAKES_INPUT)), None)
    return TaskRef(
        run=parse_execution_id(f"exe_{run}"),
        key=key,
        epoch=int(epoch),
        hands_on=any(HANDS_ON in each for each in flags),
        needs_results=any(NEEDS_RESULTS in each for each in flags),
        item=int(item) if item else None,
        items=int(items) if items else 0,
        takes_input=taken is not None,
        input_id=taken.removeprefix(TAKES_INPUT) or None if taken is not None else None,
    )


AUTH = "ai"
"""The attribute for how the request authenticates itself."""
WORKFLOW = "wj"
"""The attribute for the workflow that an execution starts."""
HAS_INPUT = "wi"
"""Whether the run that it starts has an input."""
TRACE = "tp"
"""The attribute for the trace of the client that created the job. Releases without it ignore it."""
_TRACE_BYTES = 17


def pack_trace(trace: Trace | None) -> bytes | None:
    """The id (16 bytes) and the flags (1); None without a trace."""
    return None if trace is None else bytes.fromhex(trace.id) + bytes([trace.is_sampled])


def unpack_trace(packed: object) -> Trace | None:
    """None for a form of another release: no execution fails because of its trace."""
    if not isinstance(packed, bytes) or len(packed) != _TRACE_BYTES:
        return None
    return Trace(packed[:-1].hex(), is_sampled=bool(packed[-1] & 1))


def call_attributes(call: CallSpec) -> dict[str, Any]:
    """The attributes that executions and definitions share; each spells `ln` and `rt` in its own way."""
    return {
        "rq": call.request or None,
        "pa": call.payload_id,
        "ds": call.destination or None,
        "ta": call.target,
        AUTH: None if call.auth is None else call.auth.value,
        "mx": call.retry.max_attempts,
        EXTRAS: encode_retry_extras(call.retry),
        "tm": call.timeout_ms,
        "ap": encode_async_policy(call.async_policy),
        "sg": call.signing_secret,
        "dp": call.depth or None,
        TRACE: pack_trace(call.trace),
        WORKFLOW: call.workflow_id,
        HAS_INPUT: call.has_input or None,
        **callback_attributes(call.callbacks),
        ALERTS: encode_alerts(call.alerts),
    }


def read_call(plain: Mapping[str, Any], lane: Lane, backoff: Iterable[Any]) -> CallSpec:
    """The inverse; ValueError or KeyError for anything else."""
    return CallSpec(
        lane=lane,
        request=plain.get("rq", b""),
        payload_id=plain.get("pa"),
        destination=plain.get("ds", UNKNOWN),
        target=plain.get("ta"),
        auth=known(AuthKind, plain[AUTH]) if AUTH in plain else None,
        callbacks=read_callbacks(plain),
        alerts=read_alerts(plain.get(ALERTS)),
        retry=read_retry(
            plain["mx"] - read_refunds(plain.get(REFUNDS))[0], tuple(backoff), plain.get(EXTRAS)
        ),
        timeout_ms=plain["tm"],
        async_policy=read_async_policy(plain.get("ap")),
        signing_secret=plain.get("sg"),
        depth=plain.get("dp", 0),
        trace=unpack_trace(plain.get(TRACE)),
        workflow_id=plain.get(WORKFLOW),
        has_input=plain.get(HAS_INPUT, False),
    )


_ROW = struct.Struct(">BQIHB")
_WIDTH = 13
_SECONDS = 1 << 23
"""Durations below this value are in milliseconds; the excess above it is in seconds (two hours and more)."""
_MAX_SECONDS = _SECONDS - 1


def pack_outcomes(outcomes: tuple[AttemptOutcome, ...]) -> bytes:
    """Attempt (1 byte), start (6), duration (3), status or 0 (2), reason (1)."""
    rows = []
    for outcome in outcomes:
        row = _ROW.pack(
            outcome.attempt,
            outcome.started_at,
            _pack_duration(outcome.duration_ms),
            outcome.status or 0,
            outcome.reason,
        )
        rows.append(row[0:1] + row[3:9] + row[10:13] + row[13:])
    return b"".join(rows)


def unpack_outcomes(packed: bytes) -> tuple[AttemptOutcome, ...]:
    """ValueError or struct.error for malformed bytes."""
    outcomes = []
    for start in range(0, len(packed), _WIDTH):
        row = packed[start : start + _WIDTH]
        attempt, started_at, duration, status, reason = _ROW.unpack(
            row[0:1] + b"\0\0" + row[1:7] + b"\0" + row[7:10] + row[10:]
        )
        outcomes.append(
            AttemptOutcome(
                attempt=attempt,
                started_at=started_at,
                duration_ms=_unpack_duration(duration),
                status=status or None,
                reason=known(Reason, reason),
            )
        )
    return tuple(outcomes)


def last_started_at(packed: bytes) -> int | None:
    """When the last packed attempt began; None if there is none."""
    row = packed[-_WIDTH:]
    return int.from_bytes(row[1:7]) if len(row) == _WIDTH else None


def _pack_duration(duration_ms: int) -> int:
    """Exact below two hours, in seconds above: enough for the longest asynchronous attempt."""
    if duration_ms < _SECONDS:
        return duration_ms
    return _SECONDS + min(duration_ms // 1000, _MAX_SECONDS)


def _unpack_duration(packed: int) -> int:
    return packed if packed < _SECONDS else (packed - _SECONDS) * 1000

"""The traces of a wake-up as a message attribute, which releases without it ignore: the body stays as it was."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from shared.adapters.sqs.messages import decode_wakeup
from shared.adapters.sqs.waits import read_wait
from shared.domain.delivery.trace import Trace
from shared.domain.dispatch.wakeup import Wakeup

TRACES = "punctual.traces"
_TRACE = re.compile(r"(?!0{32})([0-9a-f]{32})-([01])")


def trace_attribute(traces: Sequence[Trace | None]) -> dict[str, Any]:
    """The attribute of a message; none if no client gave a trace."""
    if not traces:
        return {}
    text = ",".join(f"{trace.id}-{int(trace.is_sampled)}" if trace else "" for trace in traces)
    return {TRACES: {"DataType": "String", "StringValue": text}}


def read_traces(record: Mapping[str, Any], keys: int) -> tuple[Trace | None, ...]:
    """The traces of a record in an event of Lambda, one for each key; nothing for a form of another release."""
    text = (record.get("messageAttributes") or {}).get(TRACES, {}).get("stringValue") or ""
    parts = text.split(",")
    matches = [_TRACE.fullmatch(part) for part in parts]
    if len(parts) != keys or not all(match or not part for match, part in zip(matches, parts, strict=True)):
        return ()
    return tuple(Trace(match[1], is_sampled=match[2] == "1") if match else None for match in matches)


def read_wakeup(record: Mapping[str, Any]) -> Wakeup:
    """The wake-up of a record in an event of Lambda; raises like `decode_wakeup`."""
    wakeup = decode_wakeup(record["body"])
    traces, wait = read_traces(record, len(wakeup.keys)), read_wait(record)
    if not any(traces) and wait is None:
        return wakeup
    return replace(wakeup, traces=traces if any(traces) else (), wait=wait)

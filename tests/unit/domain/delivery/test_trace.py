"""W3C Trace Context: what counts as a client's trace, and the trace of an execution without one."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.delivery.trace import Trace, own_trace, read_traceparent, span_of
from shared.domain.ids import ExecutionId

TRACE_ID, PARENT_ID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
VALID = f"00-{TRACE_ID}-{PARENT_ID}-01"
HOSTILE = {
    "nothing": "",
    "a later version": f"01{VALID[2:]}",
    "the version that is none": f"ff{VALID[2:]}",
    "a trace of zeros": f"00-{'0' * 32}-{PARENT_ID}-01",
    "a span of zeros": f"00-{TRACE_ID}-{'0' * 16}-01",
    "upper case": VALID.upper(),
    "one character more": VALID + "0",
    "a fifth part": VALID + "-extra",
    "a line break at the end": VALID + "\n",
    "a second header": f"{VALID},{VALID}",
    "a space before": f" {VALID}",
    "a control character": VALID.replace("b7", "b\x00", 1),
    "digits of another script": VALID.replace("0af7", "\u0660af7"),
    "no digits": VALID.replace("0af7", "0xf7"),
    "flags of one digit": VALID[:-1],
    "a flood": VALID * 100_000,
}
IDS = st.builds(
    ExecutionId,
    cell=st.just("0"),
    dispatch_at=st.integers(0, (1 << 50) - 1),
    shard=st.integers(0, 32_767),
    entropy=st.integers(0, (1 << 80) - 1),
)


@pytest.mark.parametrize(("flags", "is_sampled"), [("00", False), ("01", True), ("02", False), ("ff", True)])
def test_header_of_a_client_gives_its_trace_and_its_span(flags: str, is_sampled: bool) -> None:
    read = read_traceparent(VALID[:-2] + flags)
    assert read is not None
    assert (read.trace, read.parent_id) == (Trace(TRACE_ID, is_sampled), PARENT_ID)


@pytest.mark.parametrize("kind", HOSTILE)
def test_malformed_traceparent_is_ignored(kind: str) -> None:
    assert read_traceparent(HOSTILE[kind]) is None


def test_request_without_the_header_has_no_trace() -> None:
    assert read_traceparent(None) is None


@given(execution=IDS, claims=st.integers(0, 3_000))
def test_own_trace_of_any_execution_is_valid_and_the_same_in_every_process(
    execution: ExecutionId, claims: int
) -> None:
    header = own_trace(execution).header(span_of(execution, claims))
    assert re.fullmatch(r"00-[0-9a-f]{32}-[0-9a-f]{16}-00", header)
    assert read_traceparent(header) is not None
    assert own_trace(execution) == own_trace(execution)


def test_own_trace_begins_with_the_second_of_the_due_time_as_x_ray_requires() -> None:
    execution = ExecutionId(cell="0", dispatch_at=1_767_225_600_123, shard=0, entropy=5)
    assert int(own_trace(execution).id[:8], 16) == 1_767_225_600


def test_attempts_have_spans_of_their_own() -> None:
    executions = [ExecutionId(cell="0", dispatch_at=at, shard=0, entropy=7) for at in range(10)]
    spans = {span_of(execution, claims) for execution in executions for claims in range(1, 11)}
    assert len(spans) == 100

"""What a verified call says, whatever its unsigned headers are, and what the import of the package costs."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.tests.support.calls import NEW, NOW, clock, headers_of
from punctual.webhooks import Call, verify


@given(value=st.text(max_size=40))
@pytest.mark.parametrize("name", ["x-attempt", "x-scheduled-at", "x-job-id"])
def test_unsigned_headers_of_any_form_do_not_break_a_genuine_call(name: str, value: str) -> None:
    call = _with(name, value)
    assert call.attempt is None or 1 <= call.attempt <= 9999
    assert call.scheduled_at is None or call.scheduled_at.tzinfo is not None


def _with(name: str, value: str) -> Call:
    headers = {each.lower(): other for each, other in headers_of(b"").items()}
    return verify({**headers, name: value}, b"", NEW, clock=clock)


@pytest.mark.parametrize("attempt", ["0", "-1", "1.0", "٣", "", "1, 2", "99999"])
def test_attempt_that_is_no_positive_number_is_unknown(attempt: str) -> None:
    assert _with("x-attempt", attempt).attempt is None


@pytest.mark.parametrize("instant", ["", "today", "2027-01-15T08:00:00", "2027-13-01T00:00:00Z"])
def test_instant_that_is_malformed_or_has_no_zone_is_unknown(instant: str) -> None:
    assert _with("x-scheduled-at", instant).scheduled_at is None


def test_body_is_read_as_json_or_text_when_asked_for() -> None:
    body = '{"straße": 1}'.encode()
    call = verify(headers_of(body), body, NEW, clock=clock)
    assert (call.json(), call.text()) == ({"straße": 1}, '{"straße": 1}')
    empty = verify(headers_of(b""), b"", NEW, clock=clock)
    with pytest.raises(ValueError):
        empty.json()
    odd = verify(headers_of(b"\xff"), b"\xff", NEW, clock=clock)
    with pytest.raises(ValueError):
        odd.text()
    assert odd.text("latin-1") == "ÿ"


def test_bytearray_and_memoryview_are_bytes() -> None:
    for body in (bytearray(b"{}"), memoryview(b"{}")):
        assert verify(headers_of(b"{}"), body, NEW, clock=clock).body == b"{}"


def test_import_loads_the_standard_library_alone_and_little_of_it() -> None:
    script = (
        "import sys; import punctual.webhooks; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    )
    printed = subprocess.run(
        [sys.executable, "-S", "-c", script], capture_output=True, text=True, check=True, env=_path()
    )
    loaded = set(printed.stdout.split())
    assert not loaded & {
        "httpx",
        "msgspec",
        "dataclasses",
        "inspect",
        "json",
        "asyncio",
        "logging",
        "email",
        "ssl",
    }
    assert loaded - set(sys.stdlib_module_names) <= {"punctual", "__main__", "sitecustomize"}


def _path() -> dict[str, str]:
    import punctual

    return {"PYTHONPATH": str(next(iter(punctual.__path__)).removesuffix("/punctual"))}


def test_retry_hours_later_is_accepted_because_each_attempt_is_signed_anew() -> None:
    late = headers_of(b"", at=NOW + 30_000, attempt=4)
    assert verify(late, b"", NEW, clock=lambda: NOW + 30_001.5).attempt == 4


def test_call_of_a_task_names_its_run_and_its_task_and_has_its_results() -> None:
    results = b'{"a":{"state":"succeeded","result":[1]},"b":{"state":"failed","result":null}}'
    body = b'{"body":{"to":"sales"},"results":' + results + b"}"
    headers = {name.lower(): value for name, value in headers_of(body).items()}
    call = verify({**headers, "punctual-run": "run_1", "punctual-task": "report"}, body, NEW, clock=clock)
    assert (call.run_id, call.task, call.task_body()) == ("run_1", "report", {"to": "sales"})
    assert call.results() == {"a": ("succeeded", [1]), "b": ("failed", None)}
    assert call.results()["a"].result == [1]


def test_call_of_an_item_of_a_map_has_its_element() -> None:
    body = b'{"body":{"to":"sales"},"item":{"index":3,"count":10,"value":{"file":"d"}},"results":{}}'
    headers = {name.lower(): value for name, value in headers_of(body).items()}
    call = verify({**headers, "punctual-item": "3"}, body, NEW, clock=clock)
    item = call.item()
    assert (item.index, item.count, item.value) == (3, 10, {"file": "d"})
    assert repr(item) == "TaskItem(index=3, count=10)", "the value may have secrets"
    assert (call.item_index, call.task_body(), call.results()) == (3, {"to": "sales"}, {})
    for text in ("", "-1", "x", "\u0663"):
        assert verify({**headers, "punctual-item": text}, body, NEW, clock=clock).item_index is None


def test_call_of_a_task_that_is_no_map_has_no_item() -> None:
    body = b'{"body":1,"results":{}}'
    call = verify(headers_of(body), body, NEW, clock=clock)
    assert call.item_index is None
    with pytest.raises(ValueError, match="only a map"):
        call.item()


@pytest.mark.parametrize(("text", "value"), [("null", None), ('{"order":7}', {"order": 7})])
def test_call_of_a_task_with_input_has_that_of_its_run(text: str, value: object) -> None:
    body = f'{{"input":{text},"body":{{"to":"sales"}},"results":{{}}}}'.encode()
    call = verify(headers_of(body), body, NEW, clock=clock)
    assert (call.run_input(), call.task_body(), call.results()) == (value, {"to": "sales"}, {})


def test_call_of_a_task_without_input_has_none() -> None:
    body = b'{"body":1,"results":{}}'
    call = verify(headers_of(body), body, NEW, clock=clock)
    with pytest.raises(ValueError, match="only a task with input"):
        call.run_input()


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"body":1}', b'{"body":1,"results":{},"x":1}'])
def test_call_of_a_job_has_no_results(body: bytes) -> None:
    call = verify(headers_of(body), body, NEW, clock=clock)
    assert (call.run_id, call.task) == (None, None)
    with pytest.raises(ValueError):
        call.results()

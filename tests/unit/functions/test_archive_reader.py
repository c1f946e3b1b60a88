"""The reader of the archive: what the API asks, its entry point answers, over one message each way."""

import importlib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from io import BytesIO
from types import ModuleType
from typing import Any

import orjson
import pytest

from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.aws_lambda.archive_reader import InvokedArchiveReader
from shared.domain.archive.questions import newest_question, read_filter
from shared.domain.archive.reading import RowFilter
from shared.domain.archive.row import ArchivedOutcome, ArchivedRange, row_of
from shared.domain.archive.unit import ArchiveUnit, unit_of
from shared.domain.errors import UnavailableError, UnreadableItemError
from shared.domain.executions.states import State
from shared.domain.listings.position import IndexPosition, PositionRange, due_position
from shared.names import Env
from tests.support.api.environment import ENVIRONMENT
from tests.support.builders import DUE_AT, TENANT, in_state, one_off
from tests.support.fakes.archive_reader import FakeArchiveReader

EXECUTIONS = [in_state(one_off(number, name="import"), State.SUCCEEDED) for number in range(5)]
ROWS = [
    replace(
        row_of(each, bytes(range(256))),
        missed=ArchivedRange(count=3, first_at=1, last_at=2),
        outcomes=(ArchivedOutcome(attempt=1, started_at=5, duration_ms=8, status=None, reason="timeout"),),
        tags=("eu", "billing"),
    )
    for each in EXECUTIONS
]
UNITS = [unit_of(EXECUTIONS[0].id), ArchiveUnit(hour=0, group=3)]


@pytest.fixture
def handler(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    for name, value in (ENVIRONMENT | {Env.ARCHIVE_BUCKET: "archive"}).items():
        monkeypatch.setenv(name, value)
    yield importlib.import_module("functions.archive_reader.handler")
    sys.modules.pop("functions.archive_reader.handler")


class Invoked:
    """Lambda: carries messages to the handler as JSON."""

    def __init__(self, handler: ModuleType) -> None:
        self.behind = FakeArchiveReader()
        for row in ROWS:
            self.behind.keep(row)
        handler.reader = self.behind  # type: ignore[attr-defined]
        self._handler = handler
        self.named: list[str] = []
        self.reader = InvokedArchiveReader(AwsClient(self), "archive-reader:live")

    def __call__(self, operation: str, params: Mapping[str, Any]) -> dict[str, Any]:
        assert operation == "Invoke"
        self.named.append(params["FunctionName"])
        answer = self._handler.handler(orjson.loads(params["Payload"]), None)
        return {"StatusCode": 200, "Payload": BytesIO(orjson.dumps(answer))}


def test_newest_rows_come_back_as_they_are(handler: ModuleType) -> None:
    invoked = Invoked(handler)
    span = PositionRange(before=due_position(EXECUTIONS[4].id))
    page = invoked.reader.newest(TENANT, UNITS, span, limit=3)
    assert page == invoked.behind.newest(TENANT, UNITS, span, limit=3)
    assert (len(page.rows), page.edge) == (3, due_position(EXECUTIONS[1].id))
    assert invoked.named == ["archive-reader:live"]


def test_last_page_has_no_edge_and_every_bound_arrives(handler: ModuleType) -> None:
    invoked = Invoked(handler)
    span = PositionRange(after=due_position(EXECUTIONS[1].id), before=IndexPosition(at=DUE_AT + 1))
    assert invoked.reader.newest(
        TENANT, UNITS, span, only=RowFilter(state="succeeded"), limit=9
    ).rows == tuple(ROWS[:1:-1])
    assert invoked.reader.newest(TENANT, UNITS, span, only=RowFilter(state="failed"), limit=9).rows == ()
    assert invoked.reader.newest(TENANT, UNITS[1:], span, limit=9).rows == ()
    assert invoked.reader.newest("globex", UNITS, span, limit=9).edge is None


def test_every_criterion_arrives(handler: ModuleType) -> None:
    invoked = Invoked(handler)
    for only in (
        RowFilter(job_id=ROWS[3].job_id),
        RowFilter(lane="standard", status=200),
        RowFilter(reason="timeout", state="succeeded"),
    ):
        page = invoked.reader.newest(TENANT, UNITS, PositionRange(), only=only, limit=9)
        assert page == invoked.behind.newest(TENANT, UNITS, PositionRange(), only=only, limit=9)


def test_question_of_an_api_of_an_earlier_release_is_understood(handler: ModuleType) -> None:
    question = newest_question(TENANT, UNITS, PositionRange(), RowFilter(state="failed"), 9)
    del question["only"]
    assert read_filter(question) == RowFilter(state="failed")
    invoked = Invoked(handler)
    assert invoked._handler.handler(question | {"state": "succeeded"}, None)["rows"]
    assert not invoked._handler.handler(question, None)["rows"]


def test_rows_are_found_by_ids(handler: ModuleType) -> None:
    invoked = Invoked(handler)
    unknown = one_off(77).id
    found = invoked.reader.by_ids(TENANT, [EXECUTIONS[2].id, unknown])
    assert found == {EXECUTIONS[2].id: ROWS[2]}
    assert invoked.reader.by_ids("globex", [EXECUTIONS[2].id]) == {}


@pytest.mark.parametrize(
    "fault",
    [
        AwsError("Invoke", {"Error": {"Code": "TooManyRequestsException"}}),
        AwsError("Invoke", {"Error": {"Code": "ResourceNotFoundException"}}),
        NoAnswerError("ReadTimeoutError"),
        {"FunctionError": "Unhandled", "Payload": BytesIO(b'{"errorMessage": "Task timed out"}')},
        {"FunctionError": "Unhandled", "Payload": BytesIO(b"out of memory")},
        {"FunctionError": "Unhandled", "Payload": BytesIO(b'["out of memory"]')},
    ],
)
def test_reader_that_does_not_answer_is_unavailable(fault: Any) -> None:
    def call(operation: str, params: Mapping[str, Any]) -> dict[str, Any]:
        assert (operation, *params) == ("Invoke", "FunctionName", "Payload")
        if isinstance(fault, Exception):
            raise fault
        answer: dict[str, Any] = fault
        return answer

    with pytest.raises(UnavailableError):
        InvokedArchiveReader(AwsClient(call), "archive-reader:live").by_ids(TENANT, [EXECUTIONS[0].id])


def test_damaged_file_is_the_error_of_the_reader() -> None:
    described = b'{"errorType": "UnreadableItemError", "errorMessage": "the file of 1 is missing"}'

    def call(operation: str, params: Mapping[str, Any]) -> dict[str, Any]:
        return {"FunctionError": "Unhandled", "Payload": BytesIO(described)}

    with pytest.raises(UnreadableItemError, match="the file of 1 is missing"):
        InvokedArchiveReader(AwsClient(call), "archive-reader:live").by_ids(TENANT, [EXECUTIONS[0].id])

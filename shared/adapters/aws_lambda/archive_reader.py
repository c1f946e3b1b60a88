"""The reader of the archive as a function of its own: the library of Parquet files is in its bundle alone."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.domain.archive.questions import Plain, ids_question, newest_question, read_answer
from shared.domain.archive.reading import EVERY_ROW, ArchivePage, RowFilter
from shared.domain.archive.row import ArchiveRow
from shared.domain.archive.unit import ArchiveUnit
from shared.domain.errors import UnavailableError, UnreadableItemError
from shared.domain.ids import ExecutionId
from shared.domain.listings.position import PositionRange


class InvokedArchiveReader:
    """One synchronous invocation for each question. `function` names the function and its alias."""

    def __init__(self, client: AwsClient, function: str) -> None:
        self._client = client
        self._function = function

    def newest(
        self,
        tenant_id: str,
        units: Sequence[ArchiveUnit],
        span: PositionRange,
        *,
        only: RowFilter = EVERY_ROW,
        limit: int,
    ) -> ArchivePage:
        return read_answer(self._ask(newest_question(tenant_id, units, span, only, limit)))

    def by_ids(self, tenant_id: str, ids: Sequence[ExecutionId]) -> Mapping[ExecutionId, ArchiveRow]:
        wanted = {str(each): each for each in ids}
        return {wanted[row.id]: row for row in read_answer(self._ask(ids_question(tenant_id, ids))).rows}

    def _ask(self, question: Plain) -> Any:
        try:
            answer: Any = self._client.invoke(FunctionName=self._function, Payload=orjson.dumps(question))
            content = answer["Payload"].read()
        except AwsError as error:
            raise UnavailableError(f"the reader of the archive refused: {error.code}") from error
        except NoAnswerError as error:
            raise UnavailableError("the reader of the archive had no answer") from error
        if "FunctionError" in answer:
            raise _error_of(content)
        return orjson.loads(content)


def _error_of(content: bytes) -> Exception:
    """A damaged file stays damaged: the caller need not repeat the request."""
    try:
        described = orjson.loads(content)
        if described["errorType"] == UnreadableItemError.__name__:
            return UnreadableItemError(described["errorMessage"])
    except (orjson.JSONDecodeError, KeyError, TypeError):
        pass
    return UnavailableError("the reader of the archive failed")

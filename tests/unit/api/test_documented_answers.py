"""The examples in docs/api.md: each is what the API would answer, member for member."""

import re
from pathlib import Path
from typing import Any

import orjson
import pytest
from pydantic import BaseModel

from functions.api.models import executions, listings, schedules

DOCUMENT = Path(__file__).parents[3] / "docs" / "api.md"
EXAMPLE = re.compile(r"<!-- (answer|body): (\w+) -->\n```json\n(.*?)```", re.DOTALL)
EXAMPLES = EXAMPLE.findall(DOCUMENT.read_text(encoding="utf-8"))
MODULES = (executions, listings, schedules)


def model(name: str) -> type[BaseModel]:
    (found,) = {getattr(module, name) for module in MODULES if hasattr(module, name)}
    return found


def test_there_is_an_example_of_every_list() -> None:
    shown = {name for _, name, _ in EXAMPLES}
    pages = {name for module in MODULES for name in vars(module) if name.endswith("PageOut")}
    assert pages | {"NextRunsOut", "SchedulePreviewOut", "ScheduleIn"} <= shown


@pytest.mark.parametrize(("kind", "name", "text"), EXAMPLES, ids=[name for _, name, _ in EXAMPLES])
def test_an_example_has_exactly_the_members_that_are_answered(kind: str, name: str, text: str) -> None:
    document: Any = orjson.loads(text)
    read = model(name).model_validate_json(text)
    assert kind == "body" or orjson.loads(read.model_dump_json()) == document

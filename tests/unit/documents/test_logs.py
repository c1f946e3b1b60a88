"""docs/operations/logs.md has every log line of the code, and nothing that the code does not write."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

import shared.names
from tests.support.sources import ROOT

PAGE = (ROOT / "docs" / "operations" / "logs.md").read_text()
LEVELS = {"debug": "DEBUG", "info": "INFO", "warning": "WARNING", "error": "ERROR", "exception": "ERROR"}
ROW = re.compile(r"\| `([^`]+)` \| ([A-Z]+) \| ([^|]+) \| ([^|]+) \|")


@dataclass(frozen=True, slots=True)
class Line:
    """What a line of the log consists of."""

    level: str
    fields: tuple[str, ...]


def documented() -> dict[str, Line]:
    found: dict[str, Line] = {}
    for message, level, fields, when in ROW.findall(PAGE):
        assert when.strip()
        assert message not in found
        found[message] = Line(level, tuple(re.findall(r"`(\w+)`", fields)))
    return found


def written() -> Iterator[tuple[str, Line]]:
    """Every call of the logger; its message and the names of its fields must be literal."""
    for folder in ("shared", "functions"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                match node:
                    case ast.Call(func=ast.Attribute(value=ast.Name(id="logger"), attr=attr)) if (
                        attr in LEVELS
                    ):
                        yield _message(node.args[0]), Line(LEVELS[attr], _fields(node))


def _message(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.Name(id=name):
            text = getattr(shared.names, name)
            assert isinstance(text, str)
            return text
    raise AssertionError(f"the message of a log line is no literal: {ast.dump(node)}")


def _fields(call: ast.Call) -> tuple[str, ...]:
    extra = {keyword.arg: keyword.value for keyword in call.keywords}.get("extra")
    if extra is None:
        return ()
    assert isinstance(extra, ast.Dict), f"the fields of a log line are no literal: {ast.dump(call)}"
    names = [key.value if isinstance(key, ast.Constant) else None for key in extra.keys]
    assert all(isinstance(name, str) for name in names)
    return tuple(map(str, names))


def test_page_has_every_line_of_the_code_with_its_level_and_fields() -> None:
    assert documented() == dict(written())


def test_message_names_one_kind_of_line() -> None:
    kinds: dict[str, set[Line]] = {}
    for message, line in written():
        kinds.setdefault(message, set()).add(line)
    assert {message for message, lines in kinds.items() if len(lines) > 1} == set()


def test_no_other_logger_writes() -> None:
    """Lines of another logger would have no row in the table, and another form."""
    for folder in ("shared", "functions"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text()
            if path.name != "observability.py":
                assert "getLogger" not in text, path
                assert "import logging" not in text, path

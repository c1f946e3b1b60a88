"""The sources of the project, parsed once for each process."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUN_TIME = ("shared", "functions")
PRODUCT = (*RUN_TIME, "infra")


def modules(*parts: str) -> list[Path]:
    """Every module of these top-level packages, by its path from the root; by default the run-time code."""
    return sorted(
        path.relative_to(ROOT) for part in parts or RUN_TIME for path in (ROOT / part).rglob("*.py")
    )


def text(module: Path) -> str:
    """The source of a module."""
    return (ROOT / module).read_text(encoding="utf-8")


@cache
def parsed(module: Path) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(text(module), str(module))


def imported(module: Path) -> Iterator[str]:
    """The full name of everything that a module imports, anywhere in it."""
    for node in ast.walk(parsed(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def called(module: Path) -> Iterator[str]:
    """Every dotted name that a module uses, such as `time.time`, spelled as it was imported."""
    names = _aliases(module)
    for node in ast.walk(parsed(module)):
        dotted = _dotted(node)
        if dotted:
            first, _, rest = dotted.partition(".")
            yield f"{names.get(first, first)}{'.' if rest else ''}{rest}"


def _aliases(module: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in ast.walk(parsed(module)):
        if isinstance(node, ast.Import):
            found |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return found


def _dotted(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value)
        return f"{before}.{node.attr}" if before else None
    return None

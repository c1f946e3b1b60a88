"""The oracle of the simulation shares no code with what it oracles, however indirectly."""

import ast
from pathlib import Path

import pytest

from tests.support.sources import ROOT

SIMULATION = ROOT / "tests" / "simulation"
ORACLES = sorted(path.stem for path in SIMULATION.glob("oracle*.py"))


def imports_of(path: Path) -> set[str]:
    """Every module that a module imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def reached_from(start: str) -> set[str]:
    """Everything that a module of the simulation imports, and what those import, as far as tests go."""
    seen: set[str] = set()
    waiting = [f"tests.simulation.{start}"]
    while waiting:
        name = waiting.pop()
        path = ROOT.joinpath(*name.split(".")).with_suffix(".py")
        if name in seen:
            continue
        seen.add(name)
        if path.is_file():
            waiting += imports_of(path)
    return seen


@pytest.mark.parametrize("oracle", ORACLES)
def test_an_oracle_reaches_no_module_of_the_product(oracle: str) -> None:
    reached = reached_from(oracle)
    assert not {
        name for name in reached if name.split(".")[0] in ("shared", "functions", "infra", "croniter")
    }
    assert not {name for name in reached if name.startswith(("tests.fakes", "tests.support.builders"))}


def test_the_check_sees_what_a_module_reaches_through_others() -> None:
    assert len(ORACLES) >= 6
    assert "tests.simulation.rhythms" in reached_from("oracle")
    assert any(name.startswith("shared.") for name in reached_from("run"))

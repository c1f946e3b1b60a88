"""The oracle of the simulation shares no code with the product that it judges, not even indirectly."""

from pathlib import Path

from tests.support.sources import ROOT, imported

SIMULATION = ROOT / "tests" / "simulation"
ORACLES = sorted(path.stem for path in SIMULATION.glob("oracle*.py"))


def reached_from(start: str) -> set[str]:
    """All modules that a module of the simulation imports, directly or through other modules of the project."""
    seen: set[str] = set()
    waiting = [f"tests.simulation.{start}"]
    while waiting:
        name = waiting.pop()
        module = Path(*name.split(".")).with_suffix(".py")
        if name in seen:
            continue
        seen.add(name)
        if (ROOT / module).is_file():
            waiting += imported(module)
    return seen


def is_forbidden(name: str) -> bool:
    """Whether an oracle must not reach this module: the product, its fakes, and values built by the product."""
    product = name.split(".")[0] in ("shared", "functions", "infra", "croniter")
    return product or name.startswith(("tests.support.fakes", "tests.support.builders"))


def test_no_oracle_reaches_a_module_of_the_product() -> None:
    reached = {oracle: sorted(filter(is_forbidden, reached_from(oracle))) for oracle in ORACLES}
    assert {oracle: names for oracle, names in reached.items() if names} == {}


def test_the_search_follows_indirect_imports() -> None:
    assert len(ORACLES) >= 6
    assert "tests.simulation.rhythms" in reached_from("oracle")
    assert any(name.startswith("shared.") for name in reached_from("run"))

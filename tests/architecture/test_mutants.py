"""The catalogue of mutants keeps up with the source, and killing one takes a fault of its own."""

import sys
from pathlib import Path

import pytest

from tests.mutants import killing
from tests.mutants.catalogue import MUTANTS
from tests.mutants.killing import Death, evidence_of, kill, plant
from tests.mutants.mutant import SIMULATION, Mutant
from tests.support.sources import ROOT


def misplaced(mutant: Mutant) -> bool:
    """Whether the mutant's text is not in its file exactly once, changes nothing, or has no killer."""
    occurs_once = (ROOT / mutant.file).read_text(encoding="utf-8").count(mutant.old) == 1
    has_killer = mutant.killer == SIMULATION or (ROOT / mutant.killer).exists()
    return not (occurs_once and mutant.new != mutant.old and has_killer)


def test_every_mutant_finds_its_text_exactly_once_and_has_a_killer() -> None:
    assert [mutant.name for mutant in MUTANTS if misplaced(mutant)] == []


def test_no_two_mutants_share_a_name() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tiny project, with a simulation that fails in seed 3 where its one rule is broken."""
    for part in (*killing.COPIED, ".tools"):
        (tmp_path / part).mkdir()
    for name in killing.COPIED_FILES:
        (tmp_path / name).write_text("")
    (tmp_path / "shared" / "rule.py").write_text("LIMIT = 5\nOTHER = 1\n")
    (tmp_path / "tests" / "simulation.py").write_text(
        "import sys\n"
        "from shared.rule import LIMIT, OTHER\n"
        "if LIMIT != 5 or OTHER == 13:\n"
        "    print('seed 3 (abc): late: planted')\n"
        "    sys.exit(1)\n"
        "sys.exit(2 if OTHER == 2 else 0)\n"
    )
    monkeypatch.setattr(killing, "ROOT", tmp_path)
    monkeypatch.setattr(killing, "SIMULATE", (sys.executable, "-m", "tests.simulation"))
    return tmp_path


def mutant(old: str, new: str) -> Mutant:
    return Mutant(name="planted", file="shared/rule.py", old=old, new=new)


def died_of(death: Death) -> tuple[bool, int | None]:
    return death.died, death.seed


def test_a_mutant_dies_of_a_seed_that_lives_without_it(sources: Path) -> None:
    death = kill(mutant("LIMIT = 5", "LIMIT = 6"))
    assert died_of(death) == (True, 3)
    assert str(death).startswith("died  planted: seed 3 (abc): late: planted (")
    assert (sources / "shared" / "rule.py").read_text() == "LIMIT = 5\nOTHER = 1\n"


def test_a_mutant_that_nobody_notices_lives(sources: Path) -> None:
    assert died_of(kill(mutant("OTHER = 1", "OTHER = 7"))) == (False, None)


def test_a_suite_that_cannot_even_run_has_found_nothing(sources: Path) -> None:
    assert died_of(kill(mutant("OTHER = 1", "OTHER = 2"))) == (False, None)


@pytest.mark.parametrize("new", ["LIMIT = UNKNOWN", "LIMIT = (", "LIMIT = 5\nraise RuntimeError"])
def test_a_copy_that_is_no_program_or_breaks_down_has_found_nothing(sources: Path, new: str) -> None:
    assert died_of(kill(mutant("LIMIT = 5", new))) == (False, None)


def test_a_seed_that_fails_by_itself_kills_nothing(sources: Path) -> None:
    (sources / "shared" / "rule.py").write_text("LIMIT = 6\nOTHER = 1\n")
    death = kill(mutant("OTHER = 1", "OTHER = 7"))
    assert died_of(death) == (False, 3)
    assert "without the mutant" in death.evidence


def test_a_killer_that_does_not_end_has_found_nothing(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(killing, "LONGEST_SECONDS", 0.01)
    assert not kill(mutant("LIMIT = 5", "LIMIT = 6")).died


@pytest.mark.parametrize("source", ["", "LIMIT = 5\nLIMIT = 5\n"])
def test_a_place_that_is_not_there_once_is_an_error(sources: Path, source: str) -> None:
    (sources / "shared" / "rule.py").write_text(source)
    with pytest.raises(AssertionError, match="has changed"):
        plant(mutant("LIMIT = 5", "LIMIT = 6"), sources)


def test_the_evidence_is_the_line_that_names_the_test() -> None:
    by_tests = Mutant(name="planted", file="", old="", new="", killer="tests/unit")
    output = "....F\nFAILED tests/unit/test_it.py::test_one - AssertionError\n1 failed"
    assert evidence_of(by_tests, output) == "FAILED tests/unit/test_it.py::test_one - AssertionError"
    assert evidence_of(by_tests, "") == "nothing printed"

"""The table of deviations: it names real tests of real implementations, and the docs show the same rows."""

from pathlib import Path

import pytest

from tests.support.conformance.aws_facts import functions_of
from tests.support.conformance.deviations import DEVIATIONS, IMPLEMENTATIONS, deviates

HERE = Path(__file__).parent
DOCUMENT = HERE.parents[1] / "docs" / "design" / "deviations.md"
WAYS_TO_SKIP = ("pytest.skip", "mark.skip", "xfail", "importorskip")
NAMES = {name for names in IMPLEMENTATIONS.values() for name in names}
NAMES |= {name.rpartition("-")[0] for name in IMPLEMENTATIONS["claiming"] if name != "fake"}


@pytest.mark.parametrize(("implementation", "test"), DEVIATIONS)
def test_every_entry_names_an_implementation_and_an_existing_test(implementation: str, test: str) -> None:
    module, _, function = test.partition("::")
    assert implementation in NAMES
    assert functions_of(module)
    assert not function or function in functions_of(module)


@pytest.mark.parametrize("row", DEVIATIONS)
def test_no_entry_is_covered_by_another(row: tuple[str, str]) -> None:
    others = {key: reason for key, reason in DEVIATIONS.items() if key != row}
    module, _, function = row[1].partition("::")
    assert not deviates(row[0], module, function, others)


def test_the_document_shows_the_same_rows() -> None:
    lines = DOCUMENT.read_text().splitlines()
    begin = lines.index("| implementation | left out | why |") + 2
    shown = []
    for line in lines[begin:]:
        if not line.startswith("|"):
            break
        implementation, test, reason = (cell.strip().strip("`") for cell in line.strip("|").split("|"))
        shown.append(((implementation, test), reason))
    assert shown == list(DEVIATIONS.items())


def test_deviations_table_is_the_only_way_to_skip_a_test() -> None:
    for path in sorted(set(HERE.glob("*.py")) - {Path(__file__)}):
        assert not [way for way in WAYS_TO_SKIP if way in path.read_text()], path.name

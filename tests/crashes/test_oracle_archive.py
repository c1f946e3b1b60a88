"""The oracle of the archive: each ended execution has one row, and nothing else has any."""

import pytest

from tests.crashes.archived_rows import archive_faults

ENDED = {"exe_1": "succeeded", "exe_2": "failed"}
ROWS = [("exe_1", "succeeded"), ("exe_2", "failed")]


def test_execution_that_has_one_row_is_nothing_to_find() -> None:
    assert archive_faults(ENDED, ROWS) == []


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        pytest.param(ROWS[:1], "exe_2 has ended and has no row", id="lost"),
        pytest.param([*ROWS, ROWS[0]], "exe_1 has two rows", id="twice"),
        pytest.param([*ROWS, ("exe_3", "succeeded")], "exe_3 is succeeded there, and is None", id="foreign"),
        pytest.param(
            [ROWS[0], ("exe_2", "succeeded")], "exe_2 is succeeded there, and is failed", id="other"
        ),
    ],
)
def test_forged_row_is_found(rows: list[tuple[str, str]], fault: str) -> None:
    assert archive_faults(ENDED, rows) == [f"archive: {fault}"]

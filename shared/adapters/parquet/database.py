"""duckdb on the local disk alone: one thread, a bound on memory, no network, no extensions."""

from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from shared.domain.errors import UnreadableItemError

FETCHED_ROWS = 10_000
MEMORY_LIMIT = "800MB"
"""Of duckdb: beyond it, a sort uses the local disk. The function has twice as much."""


@contextmanager
def duck(folder: Path) -> Iterator[Any]:
    """A database for one question."""
    with closing(open_database(folder)) as db, reported_errors():
        yield db


def open_database(folder: Path) -> Any:
    """A database in memory that can read and write the files of one folder, and nothing else."""
    # Imported late: a tick without a pass does not load the library.
    import duckdb

    settings: dict[str, Any] = {
        "threads": 1,
        "memory_limit": MEMORY_LIMIT,
        "temp_directory": str(folder / "spilled"),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    db = duckdb.connect(":memory:", config=settings)
    # From here on, other paths and the network are out of reach, and no setting can be changed.
    db.execute(f"SET allowed_directories = [{literal(folder)}]")
    db.execute("SET enable_external_access = false; SET lock_configuration = true")
    return db


@contextmanager
def reported_errors() -> Iterator[None]:
    """UnreadableItemError in place of the errors of duckdb."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise UnreadableItemError(f"duckdb refused a file of the archive: {type(error).__name__}") from error


def of_tenants(tenants: Collection[str]) -> str:
    return f"tenant IN ({', '.join(map(literal, sorted(tenants)))})"


def literal(value: object) -> str:
    """A literal of SQL."""
    quoted = str(value).replace("'", "''")
    return f"'{quoted}'"

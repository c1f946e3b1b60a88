"""SQL of the documents, over a table like that of the archive."""

import duckdb

from shared.adapters.parquet.schema import COLUMNS

_FOLDERS = ("cell VARCHAR", "dt VARCHAR", "hh INTEGER")


def check_query(sql: str) -> None:
    """Run a query on an empty table; duckdb.Error for one that no archive could answer."""
    columns = [*(f"{column.name} {column.file_type}" for column in COLUMNS), *_FOLDERS]
    with duckdb.connect(":memory:") as db:
        db.execute(f"CREATE TABLE executions ({', '.join(columns)})")
        db.execute(sql)

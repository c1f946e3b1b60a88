"""Results on standard output: tables for people; JSON, YAML and CSV for programs.

A table is for people: instants are local, nothing is cut, and columns without a value are left out. Where its columns
do not fit into the terminal, each entry is shown as lines of its own. Without a terminal a table is as wide as it
needs. JSON and YAML have the members of the API, and CSV has the columns of the table with the values of the API.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone, tzinfo
from enum import Enum
from typing import TYPE_CHECKING, Any, TextIO

from punctual.cli.exits import CommandError, Exit
from punctual.cli.texts import escaped, escaped_json, is_unsafe, text_of

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

UNLIMITED_WIDTH = 100_000
FOLDED_WIDTH = 12
"""The least width of a column that may be folded."""


class Format(str, Enum):
    """How results are written."""

    TABLE = "table"
    JSON = "json"
    YAML = "yaml"
    CSV = "csv"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a list, or a row of a single object: its title, and its value of an entry.

    `folds` says that a long text may be folded into several lines. Ids and instants are never folded.
    """

    title: str
    value: Callable[[Any], Any]
    folds: bool = False


@dataclass(frozen=True, slots=True)
class Output:
    """Writes results to a stream. `width` is that of the terminal in characters; None asks the terminal."""

    stream: TextIO
    format: Format
    zone: tzinfo | None
    is_terminal: bool
    has_color: bool
    width: int | None

    def list(self, items: Iterable[Any], columns: Sequence[Column], *, data: Any = None) -> None:
        """Write a list. JSON and YAML have `data` if it is given, and otherwise the items."""
        entries = tuple(items)
        match self.format:
            case Format.TABLE:
                self._table(entries, columns)
            case Format.CSV:
                self._csv([each.title for each in columns], _cells(entries, columns))
            case _:
                self.data(entries if data is None else data)

    def one(self, item: Any, rows: Sequence[Column]) -> None:
        """Write one object of the API: in a table with a line for each row that has a value."""
        match self.format:
            case Format.TABLE:
                self._record(item, rows)
            case Format.CSV:
                self._csv([each.title for each in rows], _cells((item,), rows))
            case _:
                self.data(item)

    def text(self, text: str, data: Any) -> None:
        """Write text where tables are wanted, and the data that it tells about otherwise."""
        if self.format is Format.TABLE:
            self.line(text)
        elif self.format is Format.CSV:
            raise CommandError("this command has no CSV: use -o table, json or yaml", Exit.USAGE)
        else:
            self.data(data)

    def line(self, text: str) -> None:
        """Write text, which may have several lines, with its control characters escaped."""
        self.stream.write(escaped(text, keep="\n") + "\n")

    def data(self, value: Any) -> None:
        """Write objects of the API as JSON or YAML."""
        if self.format is Format.YAML:
            self.stream.write(_yaml(plain(value)))
        else:
            written = json.dumps(plain(value), ensure_ascii=False, indent=2)
            self.stream.write(escaped_json(written) + "\n")

    def _csv(self, titles: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        written = io.StringIO()
        writer = csv.writer(written, lineterminator="\n")
        writer.writerow(titles)
        writer.writerows([_csv_cell(value) for value in row] for row in rows)
        self.stream.write(written.getvalue())

    def _table(self, entries: Sequence[Any], columns: Sequence[Column]) -> None:
        if not entries:
            return
        cells = [[text_of(value, self.zone) for value in row] for row in _cells(entries, columns)]
        used = [place for place in range(len(columns)) if any(row[place] for row in cells)]
        columns, cells = [columns[place] for place in used], [[row[place] for place in used] for row in cells]
        console = self._console()
        table = _table_of(columns, cells)
        from rich.measure import Measurement

        if (
            Measurement.get(console, console.options.update(width=UNLIMITED_WIDTH), table).minimum
            > console.width
        ):
            self._records(columns, cells)
        else:
            self._print(console, table)

    def _records(self, columns: Sequence[Column], cells: Sequence[Sequence[str]]) -> None:
        width = max(len(each.title) for each in columns)
        for number, row in enumerate(cells):
            if number:
                self.stream.write("\n")
            for column, cell in zip(columns, row, strict=True):
                if cell:
                    self.stream.write(f"{column.title:<{width}}  {cell}\n")

    def _record(self, item: Any, rows: Sequence[Column]) -> None:
        [cells] = _cells((item,), rows)
        self._records(rows, [[text_of(value, self.zone) for value in cells]])

    def _console(self) -> "Console":
        from rich.console import Console

        return Console(
            file=self.stream,
            width=self.width if self.is_terminal else UNLIMITED_WIDTH,
            force_terminal=self.is_terminal,
            no_color=not self.has_color,
            color_system="auto" if self.has_color else None,
            markup=False,
            emoji=False,
            highlight=False,
        )

    def _print(self, console: "Console", table: "Table") -> None:
        with console.capture() as captured:
            console.print(table)
        for line in captured.get().splitlines():
            self.stream.write(line.rstrip() + "\n")


def _table_of(columns: Sequence[Column], cells: Sequence[Sequence[str]]) -> "Table":
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, show_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for place, column in enumerate(columns):
        longest = max(map(cell_len, (row[place] for row in cells)), default=0)
        table.add_column(
            Text(column.title.upper()),
            no_wrap=not column.folds,
            overflow="fold",
            min_width=min(FOLDED_WIDTH, longest) if column.folds else None,
        )
    for row in cells:
        table.add_row(*map(Text, row))
    return table


def _cells(entries: Iterable[Any], columns: Sequence[Column]) -> list[list[Any]]:
    return [[column.value(entry) for column in columns] for entry in entries]


def _csv_cell(value: Any) -> str:
    """A cell without control characters; a text that a spreadsheet would take for a formula begins with `'`."""
    if isinstance(value, str):
        text = escaped(value)
        return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text
    flat = plain(value)
    if flat is None or isinstance(flat, str | int | float):
        return "" if flat is None else json.dumps(flat) if isinstance(flat, bool) else str(flat)
    if isinstance(flat, list) and all(isinstance(each, str) for each in flat):
        return escaped(" ".join(flat))
    return escaped_json(json.dumps(flat, ensure_ascii=False))


def instant_text(instant: datetime) -> str:
    """An instant as the API writes it: UTC with milliseconds."""
    return instant.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def plain(value: Any) -> Any:
    """Objects of the API as dicts, lists and texts, with its names. Members that are not set are left out."""
    from msgspec import UNSET

    from punctual._model import Model

    match value:
        case Model():
            names = zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True)
            members = ((name, getattr(value, field)) for name, field in names)
            return {name: plain(each) for name, each in members if each is not UNSET}
        case datetime():
            return instant_text(value)
        case Mapping():
            return {str(name): plain(each) for name, each in value.items()}
        case list() | tuple():
            return [plain(each) for each in value]
    return value


def _yaml(value: Any) -> str:
    import yaml

    class Dumper(yaml.SafeDumper):  # type: ignore[misc]
        """Puts texts with control characters into quotes, where they can be escaped, and makes no aliases."""

        def ignore_aliases(self, _: Any) -> bool:
            return True

    def text(dumper: Any, text: str) -> Any:
        style = '"' if is_unsafe(text) else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    Dumper.add_representer(str, text)
    written: str = yaml.dump(
        value,
        Dumper=Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=False,
        width=UNLIMITED_WIDTH,
    )
    # PyYAML escapes what it takes for unprintable; the marks of direction, which it does not, are in quotes, too.
    return escaped(written, keep="\n")

"""The columns of an archived execution: the schema of version 1.

Columns are only added at the end, and each is nullable. Readers name columns, so that files of earlier releases stay
readable. Another change needs another prefix (`v2/`). Tests keep a file of each version.
"""

from collections.abc import Mapping

from shared.dataclass import dataclass

INSTANT = "TIMESTAMP_MS"
"""UTC, without a zone in the file."""
_OUTCOME = (
    "STRUCT(attempt INTEGER, started_at {instant}, duration_ms BIGINT, status INTEGER, reason VARCHAR)[]"
)
_MISSED = "STRUCT(count BIGINT, first_at {instant}, last_at {instant})"


@dataclass(frozen=True, slots=True)
class Column:
    """`{instant}` in a type stands for an instant: an integer of ms in JSON, a timestamp in Parquet."""

    name: str
    type: str

    @property
    def json_type(self) -> str:
        """Bytes are base64 in JSON."""
        return "VARCHAR" if self.type == "BLOB" else self.type.format(instant="BIGINT")

    @property
    def file_type(self) -> str:
        return self.type.format(instant=INSTANT)

    @property
    def from_json(self) -> str:
        """The expression that converts the JSON value."""
        if self.type == "BLOB":
            return f"from_base64({self.name})"
        if self.type == "{instant}":
            return f"make_timestamp_ms({self.name})::{INSTANT}"
        if self.name == "missed":
            return f"CASE WHEN missed IS NULL THEN NULL ELSE {_struct(_MISSED_FIELDS, 'missed')} END"
        if self.name == "outcomes":
            return f"list_transform(outcomes, lambda o: {_struct(_OUTCOME_FIELDS, 'o')})"
        return self.name

    @property
    def to_plain(self) -> str:
        """The expression that converts a stored value: instants are integers of ms."""
        if self.type == "{instant}":
            return f"epoch_ms({self.name})"
        if self.name == "missed":
            return f"CASE WHEN missed IS NULL THEN NULL ELSE {_plain(_MISSED_FIELDS, 'missed')} END"
        if self.name == "outcomes":
            return f"list_transform(outcomes, lambda o: {_plain(_OUTCOME_FIELDS, 'o')})"
        return self.name


_MISSED_FIELDS: Mapping[str, bool] = {"count": False, "first_at": True, "last_at": True}
_OUTCOME_FIELDS: Mapping[str, bool] = {
    "attempt": False,
    "started_at": True,
    "duration_ms": False,
    "status": False,
    "reason": False,
}
"""The fields of a struct, and whether each is an instant."""


def _struct(fields: Mapping[str, bool], value: str) -> str:
    parts = (
        f"{name} := make_timestamp_ms({value}.{name})::{INSTANT}"
        if is_instant
        else f"{name} := {value}.{name}"
        for name, is_instant in fields.items()
    )
    return f"struct_pack({', '.join(parts)})"


def _plain(fields: Mapping[str, bool], value: str) -> str:
    parts = (
        f"{name} := epoch_ms({value}.{name})" if is_instant else f"{name} := {value}.{name}"
        for name, is_instant in fields.items()
    )
    return f"struct_pack({', '.join(parts)})"


COLUMNS = (
    Column("tenant", "VARCHAR"),
    Column("id", "VARCHAR"),
    Column("job_id", "VARCHAR"),
    Column("due_at", "{instant}"),
    Column("scheduled_at", "{instant}"),
    Column("created_at", "{instant}"),
    Column("started_at", "{instant}"),
    Column("ended_at", "{instant}"),
    Column("state", "VARCHAR"),
    Column("end_reason", "VARCHAR"),
    Column("lane", "VARCHAR"),
    Column("revision", "INTEGER"),
    Column("run", "INTEGER"),
    Column("attempts", "INTEGER"),
    Column("status", "INTEGER"),
    Column("reason", "VARCHAR"),
    Column("destination", "VARCHAR"),
    Column("name", "VARCHAR"),
    Column("tags", "VARCHAR[]"),
    Column("redrive_of", "VARCHAR"),
    Column("notification_of", "VARCHAR"),
    Column("moved_to", "VARCHAR"),
    Column("missed", _MISSED),
    Column("outcomes", _OUTCOME),
    Column("body", "BLOB"),
    Column("queue_ms", "BIGINT"),
    Column("wait_ms", "BIGINT"),
    Column("wait_cause", "VARCHAR"),
    Column("claim_ms", "BIGINT"),
    Column("ready_ms", "BIGINT"),
    Column("connect_ms", "BIGINT"),
    Column("head_ms", "BIGINT"),
    Column("refunded_since", "{instant}"),
    Column("run_id", "VARCHAR"),
    Column("task", "VARCHAR"),
    Column("epoch", "INTEGER"),
    Column("trigger_name", "VARCHAR"),
    Column("event_source", "VARCHAR"),
    Column("event_id", "VARCHAR"),
    Column("postponed_to", "{instant}"),
    Column("item", "INTEGER"),
)

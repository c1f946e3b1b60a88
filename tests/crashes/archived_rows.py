"""What the archive has of the executions of a run, read from its bucket by duckdb alone."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from infra.local.clients import REGION
from shared.adapters.dynamodb.archive.archive_units import DynamoArchiveUnits
from shared.adapters.dynamodb.archive.history import DynamoHistoryStore
from shared.adapters.dynamodb.codec.archive_keys import archive_unit_key, passed_key
from shared.adapters.dynamodb.codec.keys import item_key
from shared.domain.archive.manifest import read_manifest
from shared.domain.archive.unit import ArchiveUnit, hour_of
from shared.domain.bucket import LEAST_COUNTS
from shared.names import Env
from shared.ports.archive import PlanMark
from tests.crashes.deployment import Deployment
from tests.crashes.orders import ENDED


class ArchivedRows:
    """The hours that a run expects in the archive; none unless it asks for one."""

    def __init__(self, deployment: Deployment) -> None:
        self._clock = deployment.engines.clock
        self._s3 = deployment.engines.others.client("s3")
        self._bucket = deployment.environment[Env.ARCHIVE_BUCKET]
        client, tables = deployment.engines.store.client("dynamodb"), deployment.tables
        self._client, self._leases, self._sums = client, tables.leases, tables.history
        self._units = DynamoArchiveUnits(client, tables.leases, REGION)
        self._history = DynamoHistoryStore(client, tables.history, REGION)
        self.forget()

    def forget(self) -> None:
        """A new run."""
        self._units_of_run: list[ArchiveUnit] = []

    def expect_present_hour(self) -> None:
        """Archive this hour as the first one: those before belong to other runs."""
        hour = hour_of(self._clock.now_ms())
        for state in self._units.listed():
            self._delete(self._leases, archive_unit_key(REGION, state.unit))
        self._delete(self._sums, passed_key(REGION))
        self._units.note_planned(PlanMark(hour=hour - 1, recorded=LEAST_COUNTS))
        self._units_of_run.append(ArchiveUnit(hour=hour, group=0))

    def _delete(self, table: str, key: tuple[str, str]) -> None:
        self._client.delete_item(TableName=table, Key=item_key(*key))

    def are_sealed(self) -> bool:
        """Whether each expected unit is sealed, and compared with the index."""
        listed = {state.unit for state in self._units.listed()}
        return all(unit not in listed and self._is_sealed(unit) for unit in self._units_of_run)

    def faults(self, records: list[dict[str, Any]]) -> list[str]:
        """How the files differ from what has ended, and manifests from the files."""
        faults: list[str] = []
        for unit in self._units_of_run:
            ended = {each["id"]: each["state"] for each in records if each["state"] in ENDED}
            rows = self._rows(unit)
            archived = [(identity, state) for identity, job, state in rows if job in _jobs(records)]
            faults += archive_faults(ended, archived)
            if not self.are_sealed():
                faults.append(f"archive: hour {unit.hour} is not sealed")
            elif self._manifest(unit).file.rows != len(rows):
                faults.append(f"archive: hour {unit.hour} has another number of rows than its manifest")
        return faults

    def faults_of_deleted(self, archived: Mapping[str, int]) -> list[str]:
        """What is left of deleted tenants, and rows of theirs that no file counts as removed."""
        faults = [
            f"archive: {owner} is deleted, and has rows of hour {unit.hour}"
            for unit in self._units_of_run
            for owner in self._select(unit, "DISTINCT tenant")
            if owner in archived
        ]
        for unit in self._units_of_run if archived else ():
            removed = sum(self._manifest(unit).file.forgotten.values())
            if removed != sum(archived.values()):
                faults.append(f"archive: hour {unit.hour} counts {removed} removed rows of {archived}")
            faults += [
                f"archive: {owner} is deleted, and has statistics of hour {unit.hour}"
                for owner in archived
                if self._history.of_unit(owner, unit) is not None
            ]
        return faults

    def _is_sealed(self, unit: ArchiveUnit) -> bool:
        try:
            return bool(self._manifest(unit).sealed)
        except self._s3.exceptions.NoSuchKey:
            return False

    def _manifest(self, unit: ArchiveUnit) -> Any:
        return read_manifest(self._get(unit.manifest_key(REGION)))

    def _get(self, key: str) -> bytes:
        content: bytes = self._s3.get_object(Bucket=self._bucket, Key=key)["Body"].read()
        return content

    def _rows(self, unit: ArchiveUnit) -> list[tuple[str, str, str]]:
        """Id, job and state of each row."""
        return self._query(unit, "id, job_id, state")

    def _select(self, unit: ArchiveUnit, column: str) -> list[str]:
        return [value for (value,) in self._query(unit, column)]

    def _query(self, unit: ArchiveUnit, columns: str) -> list[Any]:
        try:
            content = self._get(unit.file_key(REGION))
        except self._s3.exceptions.NoSuchKey:
            return []
        with TemporaryDirectory() as folder:
            path = Path(folder) / "unit.parquet"
            path.write_bytes(content)
            sql = f"SELECT {columns} FROM read_parquet(?)"
            return duckdb.execute(sql, [str(path)]).fetchall()


def archive_faults(ended: dict[str, str], archived: list[tuple[str, str]]) -> list[str]:
    """Each ended execution has one row, with its state; nothing else has any. `archived` has ids and states."""
    faults = [f"archive: {identity} has ended and has no row" for identity in ended.keys() - dict(archived)]
    for number, (identity, state) in enumerate(archived):
        if ended.get(identity) != state:
            faults.append(f"archive: {identity} is {state} there, and is {ended.get(identity)}")
        if identity in dict(archived[:number]):
            faults.append(f"archive: {identity} has two rows")
    return faults


def _jobs(records: list[dict[str, Any]]) -> set[str]:
    return {each["job_id"] for each in records}

"""The production ports of the archive. All functions count late puts; the API and the redriver read; the other
ports are the archiver's."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shared.bootstrap.reports import reported_denials
from shared.bootstrap.settings import require
from shared.bootstrap.table_access import TableAccess
from shared.domain.errors import InvalidStateError
from shared.settings import ApiSettings, ArchiverSettings, HistorySettings, ReadingSettings

if TYPE_CHECKING:
    from shared.ports.archive import ArchiveFiles, ArchiveUnits, IndexCounts, LatePuts, ObjectStore
    from shared.ports.archive_reading import ArchiveReader, TenantRows
    from shared.ports.history import HistoryStore
    from shared.ports.searches import SearchFiles

READER_SECONDS = 12
"""For an answer of the reader: a page takes two of them at most, and the gateway waits for 30 s."""


class ArchivePorts(TableAccess):
    """A part of `DynamoPorts`."""

    @cached_property
    def late_puts(self) -> LatePuts:
        from shared.adapters.dynamodb.archive.late_puts import DynamoLatePuts

        return DynamoLatePuts(self._dynamodb, self._leases, self._region)

    @cached_property
    def archive_units(self) -> ArchiveUnits:
        from shared.adapters.dynamodb.archive.archive_units import DynamoArchiveUnits

        return DynamoArchiveUnits(self._dynamodb, self._leases, self._region)

    @cached_property
    def index_counts(self) -> IndexCounts:
        from shared.adapters.dynamodb.archive.index_counts import DynamoIndexCounts

        return DynamoIndexCounts(self._dynamodb, self._executions)

    @cached_property
    def history(self) -> HistoryStore:
        from shared.adapters.dynamodb.archive.history import DynamoHistoryStore

        table = require(self._settings, HistorySettings).history_table
        return DynamoHistoryStore(self._dynamodb, table, self._region)

    @cached_property
    def archive_objects(self) -> ObjectStore:
        from shared.adapters.s3.object_store import LateS3Call, S3ObjectStore

        bucket = require(self._settings, ArchiverSettings).archive_bucket
        return S3ObjectStore(reported_denials(LateS3Call(self._region)), bucket)

    @cached_property
    def archive_reader(self) -> ArchiveReader:
        from shared.adapters.aws.late_sdk_call import LateSdkCall
        from shared.adapters.aws_lambda.archive_reader import InvokedArchiveReader

        function = require(self._settings, ReadingSettings).archive_reader
        if function is None:
            raise InvalidStateError("this stage has no archive")
        call = LateSdkCall("lambda", self._region, answer_seconds=READER_SECONDS, tries=1)
        return InvokedArchiveReader(reported_denials(call), function)

    @cached_property
    def search_files(self) -> SearchFiles:
        from shared.adapters.s3.object_store import LateS3Call
        from shared.adapters.s3.search_files import S3SearchFiles
        from shared.adapters.s3.signed_urls import SignedUrls

        bucket = require(self._settings, ReadingSettings).archive_bucket
        if bucket is None:
            raise InvalidStateError("this stage has no archive")
        call = reported_denials(LateS3Call(self._region))
        return S3SearchFiles(call, bucket, SignedUrls(self._region, bucket))

    @cached_property
    def tenant_rows(self) -> TenantRows:
        """For operators' commands."""
        from shared.bootstrap.archive_reader import parquet_reader

        bucket = require(self._settings, ApiSettings).archive_bucket
        if bucket is None:
            raise InvalidStateError("this stage has no archive")
        return parquet_reader(self._region, bucket)

    @cached_property
    def archive_files(self) -> ArchiveFiles:
        from shared.adapters.parquet.files import ParquetFiles

        return ParquetFiles()

"""Composition of the reader of the archive, which has no tables."""

from shared.adapters.parquet.reader import ParquetReader
from shared.adapters.s3.object_store import LateS3Call, S3ObjectStore
from shared.adapters.thread_pools import ThreadSpread
from shared.bootstrap.reports import reported_denials
from shared.ports.archive_reading import ArchiveReader
from shared.settings import ArchiveReaderSettings

READS_AT_ONCE = 16


def archive_reader(settings: ArchiveReaderSettings) -> ArchiveReader:
    return parquet_reader(settings.region, settings.archive_bucket)


def parquet_reader(region: str, bucket: str) -> ParquetReader:
    objects = S3ObjectStore(reported_denials(LateS3Call(region)), bucket)
    return ParquetReader(objects, region, ThreadSpread(READS_AT_ONCE))

"""Composition of the reader of the archive, which has no tables."""

from shared.adapters.parquet.reader import ParquetReader
from shared.adapters.s3.object_store import LateS3Call, S3ObjectStore
from shared.adapters.thread_pools import ThreadSpread
from shared.bootstrap.reports import reported_denials
from shared.ports.archive_reading import ArchiveReader
from shared.settings import ArchiveReaderSettings

READS_AT_ONCE = 16


def archive_reader(settings: ArchiveReaderSettings) -> ArchiveReader:
    objects = S3ObjectStore(reported_denials(LateS3Call(settings.region)), settings.archive_bucket)
    return ParquetReader(objects, settings.region, ThreadSpread(READS_AT_ONCE))

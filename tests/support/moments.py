"""Instants for tests of time zones."""

from datetime import datetime


def ms(text: str) -> int:
    """ISO 8601 with an offset, as milliseconds."""
    return int(datetime.fromisoformat(text).timestamp()) * 1000

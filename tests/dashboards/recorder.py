"""Records metrics: the embedded format that the functions write, and what AWS would count."""

from __future__ import annotations

import io
import json
import logging
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from typing import cast

from shared.domain.bucket import MINUTE_MS
from shared.names import Dimension
from shared.observability import logger, metrics
from tests.support.cloudwatch import Key

STAGE = "test"


class Recorder:
    """Values by metric and minute. Dimensions of resources have their names in the stacks, without hashes."""

    def __init__(self, now_ms: Callable[[], float]) -> None:
        self._now_ms = now_ms
        self._began_ms: float | None = None
        self._output = io.StringIO()
        self.values: dict[Key, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
        self.tenants: dict[str, dict[str, Counter[int]]] = defaultdict(lambda: defaultdict(Counter))
        """Lines of the log by rule, tenant and minute."""

    def begin(self) -> None:
        """Minute 0 begins now."""
        self._began_ms = self._now_ms()

    @contextmanager
    def capturing(self) -> Iterator[None]:
        """The functions write into this recorder."""
        (lines,) = (each for each in logger.handlers if isinstance(each, logging.StreamHandler))
        dimensions, stream = metrics.dimensions, lines.setStream(self._output)
        metrics.dimensions = {Dimension.STAGE: STAGE, Dimension.SERVICE: ""}
        metrics.clear_metrics()
        try:
            with redirect_stdout(self._output):
                yield
        finally:
            metrics.dimensions = dimensions
            lines.setStream(stream or sys.stdout)

    @property
    def minute(self) -> int | None:
        """None before the beginning."""
        return None if self._began_ms is None else int((self._now_ms() - self._began_ms) // MINUTE_MS)

    def add(self, namespace: str, name: str, value: float, **dimensions: str) -> None:
        """A value of this minute."""
        if self.minute is not None:
            self.values[namespace, name, tuple(sorted(dimensions.items()))][self.minute].append(value)

    def count_tenant(self, rule: str, tenant: str) -> None:
        if self.minute is not None:
            self.tenants[rule][tenant][self.minute] += 1

    def read(self, service: str) -> int:
        """Take what a function has written: metrics, and lines that name a tenant. The bytes."""
        text = self._output.getvalue()
        self._output.seek(0)
        self._output.truncate()
        for line in text.splitlines():
            document = json.loads(line)
            for part in document.get("_aws", {}).get("CloudWatchMetrics", []):
                self._read_part(document, part, service)
            if "_aws" not in document and "tenant" in document:
                self.count_tenant("failures", document["tenant"])
        return len(text.encode())

    def _read_part(self, document: Mapping[str, object], part: Mapping[str, list], service: str) -> None:
        for names in part["Dimensions"]:
            dimensions = {name: str(document[name]) for name in names}
            if Dimension.SERVICE in dimensions:
                dimensions[Dimension.SERVICE] = service
            for metric in part["Metrics"]:
                values = cast("float | list[float]", document[metric["Name"]])
                for value in values if isinstance(values, list) else [values]:
                    self.add(str(part["Namespace"]), metric["Name"], value, **dimensions)

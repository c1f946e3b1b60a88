"""Reads CronJobs of Kubernetes from YAML or JSON: several documents, and lists as `kubectl get -o yaml` prints them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from punctual.importers.job import SourceFile, SourceJob, Translation, UnreadableSourceError, without_repeats
from punctual.importers.json_object import JsonObject, MemberError
from punctual.importers.models.clock import UnknownZoneError, zone_clock
from punctual.importers.models.fields import Field, LineError
from punctual.importers.models.kubernetes import KubernetesInstants, KubernetesLine, read_kubernetes_line
from punctual.importers.ports import SourceInstants
from punctual.importers.span import Span
from punctual.importers.targets import NO_URL, UrlMap, job_key, tag
from punctual.yaml_values import YamlError, read_documents

_VERSIONS: Final = ("batch/v1", "batch/v1beta1")
_DEFAULT_BACKOFF_LIMIT: Final = 6
_MAX_ATTEMPTS: Final = 20
_MAX_WINDOW: Final = 31_622_400
_MAX_AGE: Final = 604_800
_FIRST_BACKOFF, _LAST_BACKOFF = 10, 360
"""Seconds; a failed Job is retried after 10 s, 20 s, 40 s …, and at most six minutes."""


@dataclass(frozen=True, slots=True)
class KubernetesReader:
    """Reads CronJobs. A job is mapped to a URL by `namespace/name` or by its name.

    `timezone` is the zone of the controller, for jobs without `timeZone`; None if the user has not said.
    """

    urls: UrlMap
    span: Span
    timezone: str | None = None

    def read(self, files: list[tuple[str, bytes]]) -> SourceFile:
        """Read files, each with its name. Raises UnreadableSourceError."""
        found = [value for name, data in files for value in _objects(name, data)]
        jobs = (
            _Translation(self.urls, self.span, self.timezone, JsonObject(value)).job()
            for value in found
            if value.get("kind") == "CronJob"
        )
        others = Counter(_kind(value) for value in found if value.get("kind") != "CronJob")
        remarks = tuple(f"not read: {count} of kind {kind[:60]!r}" for kind, count in sorted(others.items()))
        return SourceFile(tuple(without_repeats(jobs, "namespace and name")), remarks)


def _kind(value: dict[str, Any]) -> str:
    kind = value.get("kind")
    return kind if isinstance(kind, str) else "an object without a kind"


def _objects(name: str, data: bytes) -> Iterator[dict[str, Any]]:
    try:
        for document in read_documents(data):
            value = document.value
            if not isinstance(value, dict):
                raise UnreadableSourceError(f"{name}:{document.line}: not an object of Kubernetes")
            if isinstance(value.get("items"), list) and str(value.get("kind", "")).endswith("List"):
                yield from (each for each in value["items"] if isinstance(each, dict))
            else:
                yield value
    except YamlError as error:
        raise UnreadableSourceError(f"{name}:{error.line}: {error}") from None


@dataclass(slots=True)
class _Translation(Translation):
    urls: UrlMap
    span: Span
    timezone: str | None
    source: JsonObject

    def job(self) -> SourceJob:
        origin, instants = "CronJob", None
        try:
            metadata = self.source.object("metadata")
            namespace, name = metadata.get("namespace", str) or "default", metadata.require("name", str)
            origin = f"{namespace}/{name}"[:200]
            if self.source.get("apiVersion", str) not in _VERSIONS:
                self.misfits.append("its apiVersion is none of batch/v1 and batch/v1beta1")
            self.members = {"name": name[:128], "tags": [tag(f"namespace:{namespace}")]}
            spec = self.source.object("spec")
            instants = self._when(spec)
            url = self.urls.find(origin, name)
            if url is None:
                self.misfits.append(f"no URL: give --map for {origin}")
            self.members["url"] = url or NO_URL
            self._policies(spec)
            self._template(spec)
        except (MemberError, LineError, UnknownZoneError) as error:
            self.misfits.insert(0, str(error))
        return self.source_job(job_key(origin), origin, () if instants is None else (instants,))

    def _when(self, spec: JsonObject) -> SourceInstants:
        zone = spec.get("timeZone", str) or self.timezone
        line = read_kubernetes_line(spec.require("schedule", str))
        if zone is None:
            raise LineError("no timeZone, so the zone of the controller counts: give --timezone, often UTC")
        clock = zone_clock(zone, *self.span)
        self.members |= {"cron": _punctual_line(line), "timezone": zone}
        if clock.changes(*self.span):
            self.members |= {"dst_gap": "skip", "dst_overlap": "both"}
        return KubernetesInstants(line, clock)

    def _policies(self, spec: JsonObject) -> None:
        match spec.get("concurrencyPolicy", str) or "Allow":
            case "Allow":
                pass
            case "Forbid":
                self.members["overlap_policy"] = "skip"
                self.notes.append(
                    "Kubernetes may start a skipped run after the earlier one; Punctual does not"
                )
            case "Replace":
                self.misfits.append("concurrencyPolicy Replace: a run that has begun is not replaced")
            case other:
                self.misfits.append(f"concurrencyPolicy {other[:40]!r} is not known to the importer")
        deadline = spec.get("startingDeadlineSeconds", int)
        if deadline is not None:
            self.members["catch_up_window_seconds"] = max(0, min(deadline, _MAX_WINDOW))
        else:
            self.notes.append(
                "without startingDeadlineSeconds, a run is made up for within one day, the default"
            )
        if spec.get("suspend", bool):
            self.misfits.append("it is suspended, and a job cannot be created paused")
        spec.skip("successfulJobsHistoryLimit", "failedJobsHistoryLimit", "jobTemplate")
        self.misfits.extend(f"{unknown} is not known to the importer" for unknown in spec.unused())

    def _template(self, spec: JsonObject) -> None:
        """Take the retries; the containers are not carried over, since an endpoint does their work."""
        template = spec.object("jobTemplate").object("spec")
        limit = template.get("backoffLimit", int)
        attempts = (_DEFAULT_BACKOFF_LIMIT if limit is None else limit) + 1
        if attempts > _MAX_ATTEMPTS:
            self.notes.append(f"{attempts} attempts become {_MAX_ATTEMPTS}, the most")
        self.members["retry"] = {
            "max_attempts": max(1, min(attempts, _MAX_ATTEMPTS)),
            "base_seconds": _FIRST_BACKOFF,
            "factor": 2,
            "cap_seconds": _LAST_BACKOFF,
        }
        deadline = template.get("activeDeadlineSeconds", int)
        if deadline is not None:
            self.members["retry"]["give_up_after_seconds"] = max(1, min(deadline, _MAX_AGE))


def _punctual_line(line: KubernetesLine) -> str:
    """Return the line for `cron`: `?` becomes `*`, and `5/10` becomes `5-59/10`."""
    fields = (line.minute, line.hour, line.day, line.month, line.weekday)
    return " ".join(_portable(each) for each in fields)


def _portable(field_: Field) -> str:
    if any(item.is_wildcard and item.step == 1 for item in field_.items):
        return "*"
    return ",".join(item.portable() for item in field_.items)

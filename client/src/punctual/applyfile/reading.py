"""Reads and checks an `apply` file; the errors name the file, the line and the member."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from punctual.applyfile.checking import Path, job_error, member_error
from punctual.applyfile.model import KEY, SET, ApplyFileError, Job, api_key
from punctual.applyfile.named import Named, NamedKind, NamedReader
from punctual.applyfile.reading_workflows import WorkflowReader
from punctual.applyfile.schema import CALL_MEMBERS, KINDS, MEMBERS, ONLY_WITH, REQUEST_MEMBERS, TARGET_MEMBERS
from punctual.applyfile.workflow import ApplyFile, Workflow
from punctual.aws_targets import TARGETS
from punctual.yaml_values import Document, YamlError, read_documents

_SECTIONS = ("set", "defaults", "jobs", "workflows", "calendars", "triggers")
_NOT_IN_DEFAULTS = (*KINDS, "name")
_OF_URLS = ("url", "method", "headers", "auth", "signing_secret")
"""Members that a message to a queue does not have."""


def read_apply_file(data: bytes, name: str = "the file") -> ApplyFile:
    """Read a file in UTF-8; `name` is how errors call it. Raises ApplyFileError."""
    try:
        documents = list(read_documents(data))
    except YamlError as error:
        raise ApplyFileError(f"{name}:{error.line}: {error}") from None
    if len(documents) != 1:
        raise ApplyFileError(f"{name}: {len(documents)} YAML documents; one is needed")
    return _Reader(documents[0], name).file()


@dataclass(frozen=True, slots=True)
class _Reader:
    document: Document
    name: str

    def file(self) -> ApplyFile:
        root = self._mapping((), self.document.value)
        for section in root:
            if section not in _SECTIONS:
                self._refuse((section,), f"unknown; a file has {', '.join(_SECTIONS)}")
        chosen = root.get("set")
        if not isinstance(chosen, str) or not SET.fullmatch(chosen):
            self._refuse(
                ("set",),
                "is required: 1 to 64 letters, digits and . _ : -, with a letter or digit at the beginning, "
                "such as `set: billing`",
            )
        defaults = self._defaults(root.get("defaults"))
        workflows = self._mapping(("workflows",), root.get("workflows", {}))
        calendars, triggers = self._named("calendar", root), self._named("trigger", root)
        # A file may have any of the others alone.
        jobs = self._mapping(("jobs",), root.get("jobs", {} if workflows or calendars or triggers else None))
        return ApplyFile(
            chosen,
            tuple(self._job(chosen, key, value, defaults) for key, value in jobs.items()),
            tuple(self._workflow(chosen, key, value, defaults) for key, value in workflows.items()),
            calendars,
            triggers,
        )

    def _named(self, kind: NamedKind, root: Mapping[str, Any]) -> tuple[Named, ...]:
        section = f"{kind}s"
        reader = NamedReader(self._refuse, self.document.line_at)
        entries = self._mapping((section,), root.get(section, {}))
        return tuple(reader.read(kind, name, value) for name, value in entries.items())

    def _defaults(self, value: Any) -> Mapping[str, Any]:
        if value is None:
            return {}
        path: Path = ("defaults",)
        defaults = self._checked(path, value)
        for member in _NOT_IN_DEFAULTS:
            if member in defaults:
                self._refuse((*path, member), "belongs to a job, not to the defaults")
        return defaults

    def _job(self, chosen: str, key: str, value: Any, defaults: Mapping[str, Any]) -> Job:
        path: Path = ("jobs", key)
        self._check_key(path, chosen, key)
        members = _completed(self._checked(path, value), defaults)
        if error := job_error(members):
            self._refuse((*path, *error[0]), error[1])
        line_at = self.document.line_at
        return Job(key, members, line_at(path), workflow_line=line_at((*path, "workflow")))

    def _workflow(self, chosen: str, key: str, value: Any, defaults: Mapping[str, Any]) -> Workflow:
        self._check_key(("workflows", key), chosen, key)
        return WorkflowReader(self._refuse, self.document.line_at, defaults, _merged).read(key, value)

    def _check_key(self, path: Path, chosen: str, key: str) -> None:
        if not KEY.fullmatch(key):
            self._refuse(
                path, "a key has letters, digits and . _ : -, with a letter or digit at the beginning"
            )
        if not KEY.fullmatch(api_key(chosen, key)):
            self._refuse(path, "the set, a dot and the key have more than 128 characters together")

    def _checked(self, path: Path, value: Any) -> dict[str, Any]:
        mapping = self._mapping(path, value)
        if error := member_error(mapping):
            self._refuse((*path, *error[0]), error[1])
        return mapping

    def _mapping(self, path: Path, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            self._refuse(path, "must be a mapping of names to values" if value is not None else "is required")
        return value

    def _refuse(self, path: Path, why: str) -> NoReturn:
        where = ".".join(str(step) for step in path)[:200]
        raise ApplyFileError(
            f"{self.name}:{self.document.line_at(path)}: {where + ': ' if where else ''}{why}"
        )


def _completed(own: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Add the defaults, without those that have no meaning with the job's kind.

    Headers are merged by name. Every other member of the job replaces the default.
    """
    kind = next((each for each in KINDS if each in own), "")
    left = {name: value for name, value in defaults.items() if kind in ONLY_WITH.get(name, KINDS)}
    other = _excluded(own)
    return _merged(own, {name: value for name, value in left.items() if name not in other})


def _excluded(own: Mapping[str, Any]) -> tuple[str, ...]:
    """The defaults of the other kinds of calls."""
    if "workflow" in own:
        return (*CALL_MEMBERS, *TARGET_MEMBERS)
    if service := next((each for each in TARGETS if each in own), None):
        others = {*TARGET_MEMBERS} - {service, *TARGETS[service]}
        return ("workflow", *_OF_URLS, *others)
    if "url" in own:
        return ("workflow", *TARGET_MEMBERS)
    return ("workflow",) if any(name in own for name in REQUEST_MEMBERS) else ()


def _merged(own: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    left = dict(defaults)
    if "body" in own or "json" in own:
        left = {name: value for name, value in left.items() if name not in ("body", "json")}
    members = {**left, **own}
    if "headers" in left and "headers" in own:
        named = {header.lower() for header in own["headers"]}
        kept = {header: text for header, text in left["headers"].items() if header.lower() not in named}
        members["headers"] = {**kept, **own["headers"]}
    return {member: members[member] for member in MEMBERS if member in members}

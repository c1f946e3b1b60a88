"""Writes an `apply` file: members in a fixed order, comments, and jobs that are left out as comments.

`read_apply_file` reads the text back as the same jobs.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from punctual.applyfile.model import Job
from punctual.applyfile.named import Named
from punctual.applyfile.schema import MEMBERS
from punctual.applyfile.workflow import Workflow
from punctual.applyfile.workflow_schema import TASK_MEMBERS, WORKFLOW_MEMBERS

_WIDTH = 100
_LONGEST_VARIABLE = 200
_DIGITS = 12
_INVISIBLE = re.compile("[\x85\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
_UNSAFE = re.compile(r"[^\x20-\x7e\xa0-\u2027\u2030-\ud7ff\ue000-\ufefe\uff00-\ufffd]+")


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]
    """Puts texts with line breaks of Unicode, marks of direction and the like into quotes, where they are escaped."""


def _represent_text(dumper: _Dumper, text: str) -> yaml.Node:
    style = '"' if _INVISIBLE.search(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


@dataclass(frozen=True, slots=True)
class Section:
    """A job with the comments above it. A job that is left out is written as a comment, too."""

    job: Job | None
    comments: tuple[str, ...] = ()
    is_left_out: bool = False


def write_apply_file(
    set_name: str,
    sections: Iterable[Section],
    *,
    comments: Iterable[str] = (),
    workflows: Sequence[Workflow] = (),
    named: Sequence[Named] = (),
) -> str:
    """Return the text of the file; `comments` stand at its head. The jobs keep the order of `sections`, and the
    workflows, calendars and triggers, which stand behind them, have theirs."""
    lines = [*_comment(comments, ""), yaml.safe_dump({"set": set_name}).rstrip("\n")]
    written = [_section(section) for section in sections]
    if any(section.live for section in written):
        lines.append("jobs:")
    elif written or not (workflows or named):
        lines.append("jobs: {}")
    for section in written:
        lines.extend(section.lines)
    if workflows:
        lines.append("workflows:")
    for workflow in workflows:
        lines.extend(f"  {line}" for line in _workflow_lines(workflow))
    for kind in ("calendar", "trigger"):
        if entries := [each for each in named if each.kind == kind]:
            lines.append(f"{kind}s:")
        for entry in entries:
            lines.extend(f"  {line}" for line in _lines({entry.name: _plain(entry.members)}))
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class _Written:
    lines: tuple[str, ...]
    live: bool


def variable_name(key: str, part: str) -> str:
    """Return a name for the environment variable with a part of a job, such as `BILLING_NIGHTLY_X_TOKEN`."""
    name = re.sub(r"[^A-Z0-9]+", "_", f"{key}_{part}".upper(), flags=re.ASCII)
    return (name if name[0].isalpha() else f"JOB_{name}")[:_LONGEST_VARIABLE]


def variable_names(parts: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return a name for each part of a job, given as the job's key and the part: no two parts have the same.

    Where `variable_name` gives several parts the same name, each gets a digest after two underscores, which no other
    name has. So the name of a part depends on no order, and another part never takes it over.
    """
    distinct = dict.fromkeys(parts)
    plain = {part: variable_name(*part) for part in distinct}
    times = Counter(plain.values())
    return {part: name if times[name] == 1 else _with_digest(name, part) for part, name in plain.items()}


def _with_digest(name: str, part: tuple[str, str]) -> str:
    text = "\0".join(part).encode(errors="surrogatepass")
    digest = hashlib.sha256(text).hexdigest()[:_DIGITS].upper()
    return f"{name[: _LONGEST_VARIABLE - _DIGITS - 2].rstrip('_')}__{digest}"


def _section(section: Section) -> _Written:
    lines = list(_comment(section.comments, "  "))
    if section.job is None:
        return _Written(tuple(lines), live=False)
    job = _job_lines(section.job)
    if section.is_left_out:
        lines.extend(f"  # {line}" for line in job)
    else:
        lines.extend(f"  {line}" for line in job)
    return _Written(tuple(lines), live=not section.is_left_out)


def _job_lines(job: Job) -> list[str]:
    return _lines({job.key: _ordered(job.members, MEMBERS)})


def _workflow_lines(workflow: Workflow) -> list[str]:
    tasks = {key: _ordered(task.members, TASK_MEMBERS) for key, task in workflow.tasks.items()}
    return _lines({workflow.key: {**_ordered(workflow.members, WORKFLOW_MEMBERS), "tasks": tasks}})


def _ordered(members: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: _plain(members[name]) for name in names if name in members}


def _lines(entry: dict[str, Any]) -> list[str]:
    text: str = yaml.dump(
        entry,
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=_WIDTH,
        default_flow_style=False,
    )
    visible = _INVISIBLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return visible.rstrip("\n").split("\n")


def _plain(value: Any) -> Any:
    """Copy the value without shared parts, which PyYAML would write as anchors and aliases."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


def _comment(texts: Iterable[str], indent: str) -> Iterator[str]:
    for text in texts:
        for line in text.splitlines() or [""]:
            yield f"{indent}# {_UNSAFE.sub('?', line)}".rstrip()

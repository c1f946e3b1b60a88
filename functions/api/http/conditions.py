"""Conditions on ETags (RFC 9110, 13.1): If-Match and If-None-Match."""

import re

from functions.api.http.problems import Problem, ProblemError
from shared.dataclass import dataclass
from shared.domain.errors import AlreadyExistsError, PreconditionFailedError

UNKNOWN_REVISION = 0
"""A revision that no job ever has."""
_TAG = re.compile(r'(?P<weak>W/)?"(?P<value>[\x21\x23-\x7e]*)"')
_LIST = re.compile(rf"\s*{_TAG.pattern}(\s*,\s*{re.sub('[?]P<[a-z]+>', '', _TAG.pattern)})*\s*")
_REVISION = re.compile(r"[1-9][0-9]{0,8}")


@dataclass(frozen=True, slots=True)
class Tags:
    """The ETags of a condition; `is_any` for `*`."""

    strong: frozenset[str] = frozenset()
    weak: frozenset[str] = frozenset()
    is_any: bool = False

    def include(self, tag: str) -> bool:
        """Whether a representation with this ETag is known: the weak comparison of If-None-Match."""
        return self.is_any or tag.removeprefix("W/").strip('"') in self.strong | self.weak

    def revision(self, present: int) -> int | None:
        """The revision of a job that If-Match demands, where it is at `present`; None for any revision.

        A weak tag never matches. Of several revisions, one that the job has left counts if it is not at any of
        them: some changes may be repeated under the revision that they replaced.
        """
        if self.is_any:
            return None
        revisions = {int(value) for value in self.strong if _REVISION.fullmatch(value)}
        return present if present in revisions else max(revisions, default=UNKNOWN_REVISION)


def read_tags(name: str, header: str) -> Tags:
    """The condition of a header; ProblemError (400) for anything but `*` and ETags in quotes."""
    if header.strip() == "*":
        return Tags(is_any=True)
    if not _LIST.fullmatch(header):
        raise ProblemError(
            Problem.MALFORMED_REQUEST, f'{name} is * or a list of ETags, which have quotes: {name}: "3"'
        )
    tags = list(_TAG.finditer(header))
    return Tags(
        strong=frozenset(tag["value"] for tag in tags if not tag["weak"]),
        weak=frozenset(tag["value"] for tag in tags if tag["weak"]),
    )


def version_etag(version: int) -> dict[str, str]:
    """The header of an answer with this version."""
    return {"ETag": f'"{version}"'}


def check_version(tags: Tags | None, present: int | None, *, must_create: bool, noun: str) -> None:
    """PreconditionFailedError unless what has a name, a `noun`, is at a version that If-Match names; AlreadyExistsError
    if it must be created and is there. `present` is None where nothing has the name."""
    if must_create and present is not None:
        raise AlreadyExistsError(f"the name has a {noun}, which is at version {present}", revision=present)
    if tags is None:
        return
    if present is None:
        raise PreconditionFailedError(f"no {noun} has this name")
    if tags.revision(present) not in (None, present):
        raise PreconditionFailedError(f"the {noun} is at version {present}", revision=present)

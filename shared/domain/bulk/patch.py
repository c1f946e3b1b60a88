"""The patch of a bulk operation: the members of recurring jobs that it can change, and their former values."""

from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError
from shared.domain.jobs.job import Definition
from shared.domain.jobs.new_job import MAX_TAGS, check_tags
from shared.names import Lane


@dataclass(frozen=True, slots=True, kw_only=True)
class FormerMembers:
    """The members of a job before the patch."""

    lane: Lane
    timeout_ms: int
    tags: tuple[str, ...]

    def restored(self, definition: Definition) -> Definition:
        call = replace(definition.call, lane=self.lane, timeout_ms=self.timeout_ms)
        return replace(definition, call=call, tags=self.tags)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPatch:
    lane: Lane | None = None
    timeout_ms: int | None = None
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    max_tags: int = MAX_TAGS
    """The tenant's quota when the operation began."""

    def __post_init__(self) -> None:
        """Raises InvalidValueError for a patch that changes nothing, or contradicts itself."""
        if not (self.changes_call or self.add_tags or self.remove_tags):
            raise InvalidValueError("a patch has a member", path=("patch",))
        for name, tags in (("add_tags", self.add_tags), ("remove_tags", self.remove_tags)):
            try:
                check_tags(tags)
            except InvalidValueError as error:
                raise InvalidValueError(str(error), path=("patch", name)) from error
        if set(self.add_tags) & set(self.remove_tags):
            raise InvalidValueError("a tag is added or removed", path=("patch", "remove_tags"))

    @property
    def changes_call(self) -> bool:
        """Whether it changes more than tags."""
        return self.lane is not None or self.timeout_ms is not None

    def of(self, definition: Definition) -> Definition:
        """The definition after the patch. A repetition changes nothing."""
        kept = tuple(tag for tag in definition.tags if tag not in self.remove_tags)
        added = tuple(tag for tag in self.add_tags if tag not in kept)
        call = replace(
            definition.call,
            lane=self.lane or definition.call.lane,
            timeout_ms=self.timeout_ms or definition.call.timeout_ms,
        )
        return replace(definition, call=call, tags=(*kept, *added))

    def changes(self, definition: Definition) -> bool:
        return self.of(definition) != definition

    def has_too_many_tags(self, definition: Definition) -> bool:
        """Whether the job would have more tags than the quota allows, and more than it has now."""
        return len(self.of(definition).tags) > max(self.max_tags, len(definition.tags))

    def former(self, definition: Definition) -> FormerMembers | None:
        """The members to restore by an undo; None if the patch changes nothing."""
        if not self.changes(definition):
            return None
        call = definition.call
        return FormerMembers(lane=call.lane, timeout_ms=call.timeout_ms, tags=definition.tags)

"""The patch of a bulk operation: what it changes of recurring jobs, and what they had before."""

from dataclasses import field, replace

from shared.dataclass import dataclass
from shared.domain.bulk.members import URLS, Values, values_of, with_values
from shared.domain.delivery.async_policy import check_span
from shared.domain.delivery.call_kind import CallKind
from shared.domain.errors import InvalidValueError
from shared.domain.jobs.job import Definition
from shared.domain.jobs.new_job import MAX_TAGS, check_tags, members_of_calls


@dataclass(frozen=True, slots=True, kw_only=True)
class FormerMembers:
    """What the patch changes of a job, as it was before."""

    values: Values
    tags: tuple[str, ...]

    def restored(self, definition: Definition) -> Definition:
        return replace(with_values(definition, self.values), tags=self.tags)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPatch:
    """Values replace those of each job. Tags are added and removed, since each job has tags of its own."""

    values: Values = field(default_factory=dict)
    """URLs are sealed before the patch is stored."""
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    max_tags: int = MAX_TAGS
    """The tenant's quota when the operation began."""

    def __post_init__(self) -> None:
        """Raises InvalidValueError for a patch that changes nothing, or contradicts itself."""
        if not (self.values or self.add_tags or self.remove_tags):
            raise InvalidValueError("a patch has a member", path=("patch",))
        for name, tags in (("add_tags", self.add_tags), ("remove_tags", self.remove_tags)):
            try:
                check_tags(tags)
            except InvalidValueError as error:
                raise InvalidValueError(str(error), path=("patch", name)) from error
        if set(self.add_tags) & set(self.remove_tags):
            raise InvalidValueError("a tag is added or removed", path=("patch", "remove_tags"))

    @property
    def has_urls(self) -> bool:
        """Whether the record of a job may be long: it keeps the URLs that the job had."""
        return not URLS.isdisjoint(self.values)

    def of(self, definition: Definition) -> Definition:
        """The definition after the patch. A repetition changes nothing."""
        kept = tuple(tag for tag in definition.tags if tag not in self.remove_tags)
        added = tuple(tag for tag in self.add_tags if tag not in kept)
        return replace(with_values(definition, self.values), tags=(*kept, *added))

    def changes(self, definition: Definition) -> bool:
        return self.of(definition) != definition

    def suits(self, definition: Definition) -> bool:
        """Whether the new values and those that the job keeps make a valid job."""
        call = self.of(definition).call
        if call.kind is CallKind.WORKFLOW and any(members_of_calls(call)):
            return False
        try:
            check_span(call.retry, call.async_policy)
        except InvalidValueError:
            return False
        return True

    def has_too_many_tags(self, definition: Definition) -> bool:
        """Whether the job would have more tags than the quota allows, and more than it has now."""
        return len(self.of(definition).tags) > max(self.max_tags, len(definition.tags))

    def former(self, definition: Definition) -> FormerMembers | None:
        """What an undo restores; None if the patch changes nothing."""
        if not self.changes(definition):
            return None
        return FormerMembers(values=values_of(definition, self.values.keys()), tags=definition.tags)

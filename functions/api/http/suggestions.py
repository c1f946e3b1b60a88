"""What a client may have meant by a member that a schema does not have."""

from collections.abc import Mapping
from difflib import get_close_matches

LEAST_LIKENESS = 0.75


def unknown_member(name: str, members: Mapping[str, str]) -> str:
    """The text for an unknown member.

    `members` has the path of each member that the object or an object inside of it has, by its name.
    """
    similar = get_close_matches(name, members, n=1, cutoff=LEAST_LIKENESS)
    if similar:
        return f"there is no such member here; did you mean {members[similar[0]]}?"
    here = [path for path in members.values() if "." not in path]
    return f"there is no such member; the members here are {', '.join(here) or 'none'}"

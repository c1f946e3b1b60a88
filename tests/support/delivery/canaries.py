"""Secret values, and a search for leaks of them in every encoding."""

import base64
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class Canary:
    """One secret value. Everything that contains it, in any spelling, has leaked it."""

    name: str
    text: str

    def spellings(self) -> set[bytes]:
        """As text, escaped, encoded, and the bytes that it stands for itself."""
        raw = self.text.encode()
        found = {raw, quote(self.text, safe="").encode(), json.dumps(self.text)[1:-1].encode()}
        found |= {base64.b64encode(raw), base64.urlsafe_b64encode(raw), raw.hex().encode()}
        if self.text.startswith("whsec_"):
            key = base64.b64decode(self.text.removeprefix("whsec_"))
            found |= {
                self.text.removeprefix("whsec_").encode(),
                key,
                key.hex().encode(),
                repr(key)[2:-1].encode(),
            }
        return found


@dataclass(slots=True)
class Cage:
    """Outputs by place, and the canaries that must not occur in them."""

    canaries: list[Canary] = field(default_factory=list)
    seen: list[tuple[str, bytes]] = field(default_factory=list)

    def put(self, place: str, *produced: object) -> None:
        """Add an output: text, bytes, or an object with a JSON form or a repr."""
        self.seen += [(place, _bytes(each)) for each in produced]

    def leaks(self, *, but: Iterable[tuple[str, str]] = ()) -> set[tuple[str, str]]:
        """Each leaked canary with its place, except the expected pairs in `but`."""
        found = {
            (canary.name, place)
            for canary in self.canaries
            for place, produced in self.seen
            if any(spelling in produced for spelling in canary.spellings())
        }
        return found - set(but)


def _bytes(produced: object) -> bytes:
    match produced:
        case bytes():
            return produced
        case str():
            return produced.encode()
        case dict() | list() | tuple():
            parts = produced.items() if isinstance(produced, dict) else enumerate(produced)
            return b"\n".join(_bytes(part) for pair in parts for part in pair)
        case _:
            return repr(produced).encode()

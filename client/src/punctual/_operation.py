"""Operations of the API, and single calls of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Generic, TypeVar
from urllib.parse import quote

from punctual._model import HIDDEN, Ref

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
ANY_REVISION = "*"


class Repeat(Enum):
    """When a request may be sent again although an earlier one may have taken effect."""

    ALWAYS = auto()
    """A repetition changes nothing."""
    KEY = auto()
    """With the same Idempotency-Key, which every call of the operation has."""
    ETAG = auto()
    """While If-Match names a revision: the second one is refused if the first took effect."""
    NEVER = auto()
    """Each request makes something new, such as a key."""


class Auth(Enum):
    """The credential of an operation."""

    KEY = auto()
    TOKEN = auto()
    """The X-Callback-Token of an attempt."""
    NONE = auto()


class Secret:
    """A text that is never part of a repr, a log line or a pickle."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text itself."""
        return self._text

    def __repr__(self) -> str:
        return HIDDEN

    def __reduce__(self) -> Any:
        raise TypeError("a secret cannot be pickled")


@dataclass(frozen=True, slots=True)
class Operation(Generic[T_co]):
    """An operation of the OpenAPI document; `answers` has the type of each success by its status."""

    id: str
    method: str
    path: str
    answers: Mapping[int, Any]
    repeat: Repeat = Repeat.ALWAYS
    auth: Auth = Auth.KEY

    def at(self, *ids: Ref) -> str:
        """The path with these ids in the place of its variables; ValueError for what is no id."""
        parts = iter(ids)
        return "/".join(
            _segment(next(parts), part) if part.startswith("{") else part for part in self.path.split("/")
        )


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One request, which may be sent several times."""

    operation: Operation[T]
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict)
    token: Secret | None = None

    @property
    def idempotency_key(self) -> str | None:
        """The key that all attempts of the call share."""
        return self.headers.get("Idempotency-Key")

    @property
    def may_repeat_effect(self) -> bool:
        """Whether the call may be sent again when an earlier attempt may have taken effect."""
        match self.operation.repeat:
            case Repeat.ALWAYS:
                return True
            case Repeat.KEY:
                return self.idempotency_key is not None
            case Repeat.ETAG:
                return self.headers.get("If-Match", ANY_REVISION) != ANY_REVISION
            case Repeat.NEVER:
                return False


def _segment(ref: Ref, name: str) -> str:
    value = id_of(ref)
    if value in ("", ".", ".."):
        raise ValueError(f"{value!r} is no id: give the {name[1:-1]} as the API shows it")
    return quote(value, safe="")


def id_of(ref: Ref) -> str:
    """The id; TypeError for anything that is and has none."""
    value = ref if isinstance(ref, str) else getattr(ref, "id", None)
    if not isinstance(value, str):
        raise TypeError(f"a {type(ref).__name__} has no id: give an id, or an object of the API that has one")
    return value

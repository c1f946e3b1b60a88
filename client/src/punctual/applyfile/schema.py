"""The members of a job in the file, with the types and limits of the API's schemas.

The names and limits are those of `KeyedJobIn`, `ScheduleIn` and `RequestIn` in `docs/openapi.json`; a test compares
them. Rules that need the server, such as whether a cron line ever fires, are left to the API.
"""

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from punctual.aws_targets import OPTIONS, TARGETS

KINDS: Final = ("cron", "rate_seconds", "expression")
"""A job has exactly one of these. A file has recurring jobs only: a job with a key recurs."""
SCHEDULE_MEMBERS: Final = (
    *KINDS,
    "timezone",
    "start_at",
    "end_at",
    "max_runs",
    "jitter_seconds",
    "dst_gap",
    "dst_overlap",
    "calendar",
    "when_excluded",
    "business_day",
)
REQUEST_MEMBERS: Final = ("url", "method", "headers", "body", "json", "auth")
CALL_MEMBERS: Final = (
    *REQUEST_MEMBERS,
    "timeout_seconds",
    "retry",
    "async_deadline_seconds",
    "heartbeat_seconds",
)
"""The members that a job with a `workflow` does not have."""
TARGET_MEMBERS: Final = (*TARGETS, *OPTIONS)
"""Of a job that sends its `body` or `json` to a target in AWS, which has no `url`."""
ONLY_WITH: Final[dict[str, tuple[str, ...]]] = dict.fromkeys(
    ("timezone", "dst_gap", "dst_overlap", "calendar", "when_excluded", "business_day"),
    ("cron", "expression"),
)
"""The kinds with which a member has a meaning; members that are not named here have one with every kind."""
URL_POINTERS: Final[dict[tuple[str, ...], str]] = {
    ("url",): "/request/url",
    ("on_success",): "/on_success",
    ("on_failure",): "/on_failure",
    ("alerts", "url"): "/alerts/url",
}
"""The members with a URL, each with its JSON pointer in the API."""

_Zone = Annotated[str, Meta(max_length=64)]
_InstantText = Annotated[str, Meta(max_length=64)]
_Url = Annotated[str, Meta(max_length=2048, pattern="^https?://")]
Callback = Annotated[str, Meta(max_length=2048, pattern="^(none$|https?://)")]
_Wait = Annotated[int, Meta(ge=1, le=86_400)]
_HeaderText = Annotated[str, Meta(pattern=r"^[\t\x20-\x7e]*\Z")]
_Line = Annotated[str, Meta(max_length=1024)]
_Tag = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9._:/=-]{0,62}\Z")]


class Outside(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A value that is read when the file is applied: of an environment variable, or what a command prints."""

    env: Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,254}\Z")] | UnsetType = UNSET
    command: (
        Annotated[list[Annotated[str, Meta(max_length=4096)]], Meta(min_length=1, max_length=64)] | UnsetType
    ) = UNSET


class Retry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`RetryIn`: the number of attempts and the delays between them."""

    max_attempts: Annotated[int, Meta(ge=1, le=20)] | UnsetType = UNSET
    base_seconds: _Wait | UnsetType = UNSET
    factor: Annotated[int, Meta(ge=1, le=10)] | UnsetType = UNSET
    cap_seconds: _Wait | UnsetType = UNSET
    delays_seconds: Annotated[list[_Wait], Meta(min_length=1, max_length=19)] | UnsetType = UNSET
    give_up_after_seconds: Annotated[int, Meta(ge=1, le=604_800)] | UnsetType = UNSET


class OidcAuth(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`OidcAuthIn`: the audience of the identity token."""

    audience: Annotated[str, Meta(max_length=255, pattern=r"^[!-~]{1,255}\Z")]


class SigV4Auth(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`SigV4AuthIn`: the role that signs for AWS, and the service and region of the signature."""

    role: Annotated[
        str, Meta(max_length=576, pattern=r"^arn:aws[a-z-]{0,18}:iam::[0-9]{12}:role/[!-~]{1,512}\Z")
    ]
    service: Annotated[str, Meta(max_length=64, pattern=r"^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?\Z")]
    region: Annotated[str, Meta(max_length=32, pattern=r"^[a-z]{2,4}(?:-[a-z]{1,12}){1,3}-[1-9][0-9]?\Z")]


class Auth(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """`AuthIn`: how a request authenticates itself, in one way."""

    oidc: OidcAuth | UnsetType = UNSET
    sigv4: SigV4Auth | UnsetType = UNSET

    def __post_init__(self) -> None:
        if (self.oidc is UNSET) is (self.sigv4 is UNSET):
            raise ValueError("auth names one way: oidc or sigv4")


class Alerts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`AlertsIn`: the events that are announced, and the URL that is called."""

    url: Callback | Outside
    events: (
        Annotated[
            list[Literal["failed", "recovered", "late", "skipped", "gone"]], Meta(min_length=1, max_length=5)
        ]
        | UnsetType
    ) = UNSET
    format: Literal["json", "slack"] | UnsetType = UNSET
    late_after_seconds: Annotated[int, Meta(ge=1, le=86_400)] | UnsetType = UNSET


class Fields(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """All members that a job of the file may have, in the order in which they are written."""

    name: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=128,
                pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]*\Z",
            ),
        ]
        | UnsetType
    ) = UNSET
    tags: Annotated[list[_Tag], Meta(max_length=10)] | UnsetType = UNSET
    cron: _Line | UnsetType = UNSET
    rate_seconds: Annotated[int, Meta(ge=1, le=31_622_400)] | UnsetType = UNSET
    expression: _Line | UnsetType = UNSET
    timezone: _Zone | UnsetType = UNSET
    start_at: _InstantText | UnsetType = UNSET
    end_at: _InstantText | UnsetType = UNSET
    max_runs: Annotated[int, Meta(ge=1, le=1_000_000_000)] | UnsetType = UNSET
    jitter_seconds: Annotated[int, Meta(ge=0, le=86_400)] | UnsetType = UNSET
    dst_gap: Literal["shift", "skip"] | UnsetType = UNSET
    dst_overlap: Literal["first", "second", "both"] | UnsetType = UNSET
    calendar: Annotated[str, Meta(max_length=72)] | UnsetType = UNSET
    when_excluded: Literal["skip", "next", "previous", "modified_following"] | UnsetType = UNSET
    business_day: Annotated[int, Meta(ge=-23, le=23)] | UnsetType = UNSET
    url: _Url | Outside | UnsetType = UNSET
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] | UnsetType = UNSET
    headers: (
        Annotated[
            dict[Annotated[str, Meta(pattern=r"^[!#$%&'*+\-.^_`|~0-9A-Za-z]+\Z")], _HeaderText | Outside],
            Meta(max_length=50),
        ]
        | UnsetType
    ) = UNSET
    body: Annotated[str, Meta(max_length=204_800)] | Outside | UnsetType = UNSET
    json: Any | UnsetType = UNSET
    auth: Auth | UnsetType = UNSET
    workflow: str | UnsetType = UNSET
    sqs: Annotated[str, Meta(max_length=256, pattern=r"^(arn:aws[a-z-]*:sqs:|https://sqs\.)")] | UnsetType = (
        UNSET
    )
    lambda_: Annotated[str, Meta(max_length=256, pattern=r"^arn:aws[a-z-]*:lambda:")] | UnsetType = (
        msgspec.field(default=UNSET, name="lambda")
    )
    sns: Annotated[str, Meta(max_length=256, pattern=r"^arn:aws[a-z-]*:sns:")] | UnsetType = UNSET
    eventbridge: Annotated[str, Meta(max_length=256, pattern=r"^arn:aws[a-z-]*:events:")] | UnsetType = UNSET
    step_functions: Annotated[str, Meta(max_length=256, pattern=r"^arn:aws[a-z-]*:states:")] | UnsetType = (
        UNSET
    )
    message_group_id: Annotated[str, Meta(max_length=128, pattern=r"^[!-~]{1,128}\Z")] | UnsetType = UNSET
    invocation_type: Literal["event", "request_response"] | UnsetType = UNSET
    source: Annotated[str, Meta(max_length=256, pattern=r"^[!-~]{1,256}\Z")] | UnsetType = UNSET
    detail_type: Annotated[str, Meta(min_length=1, max_length=128)] | UnsetType = UNSET
    lane: Literal["critical", "standard", "bulk"] | UnsetType = UNSET
    timeout_seconds: Annotated[int, Meta(ge=1, le=60)] | UnsetType = UNSET
    retry: Retry | UnsetType = UNSET
    async_deadline_seconds: Annotated[int, Meta(ge=60, le=43_200)] | UnsetType = UNSET
    heartbeat_seconds: Annotated[int, Meta(ge=10, le=3_600)] | UnsetType = UNSET
    catch_up: Literal["coalesce", "skip", "all"] | UnsetType = UNSET
    catch_up_limit: Annotated[int, Meta(ge=1, le=1_000)] | UnsetType = UNSET
    catch_up_window_seconds: Annotated[int, Meta(ge=0, le=31_622_400)] | UnsetType = UNSET
    late_tolerance_seconds: Annotated[int, Meta(ge=0, le=86_400)] | UnsetType = UNSET
    overlap_policy: Literal["allow", "skip", "queue_one"] | UnsetType = UNSET
    on_success: Callback | Outside | UnsetType = UNSET
    on_failure: Callback | Outside | UnsetType = UNSET
    alerts: Alerts | UnsetType = UNSET
    signing_secret: Annotated[str, Meta(pattern=r"^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?\Z")] | UnsetType = (
        UNSET
    )


MEMBERS: Final = Fields.__struct_encode_fields__
"""The names of all members, in the order in which they are written."""

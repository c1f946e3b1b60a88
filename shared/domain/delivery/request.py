"""What a job calls, sends to or starts, and its stored form."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from shared.dataclass import dataclass
from shared.domain.delivery.alerts import AlertEvent, AlertFormat, AlertRules, Alerts
from shared.domain.delivery.call_kind import AuthKind, CallKind
from shared.domain.delivery.outcome_callbacks import NO_CALLBACK
from shared.domain.delivery.target import check_no_aws_endpoint, check_target, header_errors
from shared.domain.delivery.target_policy import TargetPolicy
from shared.domain.errors import (
    CallbackUrlNotAllowedError,
    InvalidValueError,
    UnreadableItemError,
    raise_any,
)
from shared.names import MAX_PAYLOAD_BYTES

if TYPE_CHECKING:
    from shared.domain.delivery.aws_target import AwsTarget
    from shared.domain.delivery.request_auth import Auth

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
INLINE_BYTES = 600
"""A larger sealed request gets an item of its own, which is written once.

Creation, claim and outcome each pay for every kilobyte of the execution's item; the entry of the tenant's index
costs one unit more. Write units, where a one-off has 240 bytes beside its request when it has ended, a run of a
cron line 345, and a job with both outcome callbacks 413:

    sealed request    600 bytes   900 bytes   1.5 KB   2.6 KB   2.9 KB
    in the item               4           7        7       10       13
    apart                     5           5        6        7        7

Apart, a batch of messages reads its requests in one request, at half a read unit for 4 KB, and the request is
stored for `PAYLOAD_SPARE_DAYS` longer. So a request stays in the item as long as the item stays below 1 KB.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a job calls, sends to or starts. Headers keep their order and spelling."""

    method: str = ""
    """Empty, like `url`, for a job that sends to a target or starts a workflow."""
    url: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    on_success: str | None = None
    """The URL of the success callback, or NO_CALLBACK; None inherits the tenant's."""
    on_failure: str | None = None
    alerts: Alerts | None = None
    """The job's own subscription; None inherits the tenant's."""
    workflow_id: str | None = None
    target: AwsTarget | None = None
    """Where the body goes in place of an HTTP request."""
    auth: Auth | None = None
    """The token or the signature of AWS that an HTTP request has."""

    @property
    def kind(self) -> CallKind:
        if self.target is not None:
            return CallKind.TARGET
        return CallKind.REQUEST if self.workflow_id is None else CallKind.WORKFLOW

    @property
    def is_signed_for_aws(self) -> bool:
        return self.auth is not None and self.auth.kind is AuthKind.SIGV4

    @property
    def needs_role(self) -> bool:
        """Whether a role of the tenant makes the call."""
        return self.target is not None or self.is_signed_for_aws


def new_payload_id(job_id: str, entropy: int) -> str:
    """Return a new id for a separately stored request when a job changes.

    At creation, the id is the job's id. Chance tells apart what rivals store for the same revision: the loser
    must not write over the winner's.
    """
    return f"{job_id}.{entropy:020x}"


def job_of_payload(payload_id: str) -> str:
    """Return the id of the job that a separately stored request was stored for."""
    return payload_id.split(".", 1)[0]


def check_request(request: Request, policy: TargetPolicy) -> None:
    """Raise InvalidValueError or CallbackUrlNotAllowedError for a request that must not or cannot be sent."""
    raise_any(request_errors(request, policy))


def request_errors(request: Request, policy: TargetPolicy) -> Iterator[InvalidValueError]:
    """Yield an error for each rule that a request breaks."""
    if request.kind is CallKind.REQUEST:
        yield from _http_errors(request, policy)
    yield from _target_errors(request)
    if request.auth is not None:
        # Imported late: only requests with a token or a signature of AWS need it.
        from shared.domain.delivery.request_auth import auth_errors

        yield from auth_errors(request, policy)
    yield from _caught(lambda: check_callback_target("on_success", request.on_success, policy))
    yield from _caught(lambda: check_callback_target("on_failure", request.on_failure, policy))
    yield from _caught(lambda: check_alerts(request.alerts, policy))


def _target_errors(request: Request) -> Iterator[InvalidValueError]:
    if request.target is not None:
        # Imported late: only jobs with a target need it.
        from shared.domain.delivery.target_rules import target_errors

        yield from target_errors(request.target, request.body)


def _http_errors(request: Request, policy: TargetPolicy) -> Iterator[InvalidValueError]:
    if request.method not in METHODS:
        yield InvalidValueError(f"method must be one of {', '.join(METHODS)}", path=("request", "method"))
    if len(request.body) > MAX_PAYLOAD_BYTES:
        yield InvalidValueError(
            f"the body may have at most {MAX_PAYLOAD_BYTES} bytes", path=("request", "body")
        )
    yield from _caught(lambda: check_target(request.url, policy))
    if not request.is_signed_for_aws:
        yield from _caught(lambda: check_no_aws_endpoint(request.url))
    for error in header_errors(dict(request.headers)):
        yield InvalidValueError(str(error), path=("request", *error.path))


def _caught(check: Callable[[], None]) -> Iterator[InvalidValueError]:
    try:
        check()
    except InvalidValueError as error:
        yield error


def check_callback_target(name: str, url: str | None, policy: TargetPolicy) -> None:
    """Raise CallbackUrlNotAllowedError for an outcome URL that may not be called."""
    _check_notified(url, policy, path=(name,))


def check_alerts(alerts: Alerts | None, policy: TargetPolicy) -> None:
    """Raise CallbackUrlNotAllowedError for a subscription whose URL may not be called."""
    if alerts is not None:
        _check_notified(alerts.url, policy, path=("alerts", "url"))


def _check_notified(url: str | None, policy: TargetPolicy, path: tuple[str, ...]) -> None:
    if url is None or url == NO_CALLBACK:
        return
    try:
        check_target(url, policy)
    except CallbackUrlNotAllowedError as refused:
        raise CallbackUrlNotAllowedError(str(refused), path=path) from None


def encode_request(request: Request) -> bytes:
    """Encode for storage, before sealing; equal requests give equal bytes."""
    try:
        body = {"t": request.body.decode()}
    except UnicodeDecodeError:
        body = {"b": b64encode(request.body).decode()}
    target = request.target
    document: dict[str, Any] = (
        {"m": request.method, "u": request.url, "h": request.headers, **body}
        if target is None
        else {**target.document, **body}
    )
    callbacks = {"s": request.on_success, "f": request.on_failure}
    document |= {name: url for name, url in callbacks.items() if url is not None}
    if request.alerts is not None:
        document["a"] = encode_alerts(request.alerts)
    if request.workflow_id is not None:
        document["w"] = request.workflow_id
    if request.auth is not None:
        # Imported late: only requests with a token or a signature of AWS need it.
        from shared.domain.delivery.request_auth import encode_auth

        document["au"] = encode_auth(request.auth)
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def decode_request(stored: bytes) -> Request:
    """Decode the stored form; raises UnreadableItemError for anything else."""
    try:
        document = json.loads(stored.decode())
        target = _decode_target(document) if "k" in document else None
        return Request(
            method=document["m"] if target is None else "",
            url=document["u"] if target is None else "",
            headers=tuple((name, value) for name, value in document.get("h", ())),
            target=target,
            body=b64decode(document["b"]) if "b" in document else document["t"].encode(),
            on_success=document.get("s"),
            on_failure=document.get("f"),
            alerts=decode_alerts(document["a"]) if "a" in document else None,
            workflow_id=document.get("w"),
            auth=_decode_auth(document["au"]) if "au" in document else None,
        )
    except (ValueError, KeyError, TypeError) as error:
        raise UnreadableItemError("the stored request cannot be read") from error


def _decode_target(document: Mapping[str, Any]) -> AwsTarget:
    # Imported late: only jobs with a target need it.
    from shared.domain.delivery.aws_target import decode_target

    return decode_target(document)


def _decode_auth(document: Mapping[str, Any]) -> Auth:
    # Imported late: only requests with a token or a signature of AWS need it.
    from shared.domain.delivery.request_auth import decode_auth

    return decode_auth(document)


def encode_alerts(alerts: Alerts) -> dict[str, Any]:
    """Encode a subscription as a part of a request; equal ones give equal documents."""
    rules = alerts.rules
    document: dict[str, Any] = {"u": alerts.url, "e": sorted(rules.events)}
    document |= {} if rules.late_after_seconds is None else {"l": rules.late_after_seconds}
    return document | ({} if rules.format is AlertFormat.JSON else {"f": rules.format})


def decode_alerts(document: Mapping[str, Any]) -> Alerts:
    """Decode a subscription; raises ValueError, KeyError or TypeError for anything else."""
    events = frozenset(AlertEvent(event) for event in document["e"])
    rules = AlertRules(
        events=events,
        late_after_seconds=document.get("l"),
        format=AlertFormat(document.get("f", AlertFormat.JSON)),
    )
    return Alerts(url=document["u"], rules=rules)

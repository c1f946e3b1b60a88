"""`punctual send`, `replay` and `verify`: single calls to a receiver of this machine, and stored requests."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import typer

from punctual.cli.exits import CommandError, Exit
from punctual.cli.job_values import body as body_text
from punctual.cli.job_values import header_values, json_value
from punctual.cli.options import DURATION, seconds
from punctual.cli.output import Column
from punctual.cli.session import Session, session_of
from punctual.cli.signing_secrets import SecretFile, signing_secrets_of
from punctual.cli.verdicts import verdict_document, verdict_text

if TYPE_CHECKING:
    from punctual.hooks.composing import LocalCall
    from punctual.hooks.target import Target
    from punctual.models import FailedRequest

MAX_BODY_BYTES = 204_800
"""The largest body of a job."""
MAX_REQUEST_BYTES = 1024 * 1024
SHOWN_BYTES = 256
"""What a deployment keeps of a failing answer."""
TIMEOUT_SECONDS = 30

To = Annotated[
    str, typer.Option("--to", metavar="URL", help="The receiver, such as http://localhost:3000/hooks.")
]
Attempt = Annotated[
    int | None, typer.Option(min=1, max=9999, help="The number of the attempt.", show_default=False)
]
Timeout = Annotated[
    str | None,
    typer.Option(metavar=DURATION, help="For the whole call; 30 s by default.", show_default=False),
]
AllowRemote = Annotated[bool, typer.Option("--allow-remote", help="Allow a receiver on another machine.")]

ROWS = (
    Column("call", lambda call: call["call_id"]),
    Column("job", lambda call: call["job_id"]),
    Column("attempt", lambda call: call["attempt"]),
    Column("sent to", lambda call: call["url"]),
    Column("status", lambda call: call["status"]),
    Column("meaning", lambda call: call["meaning"]),
    Column("took", lambda call: f"{call['duration_ms']:.0f} ms"),
    Column("answer", lambda call: call["answer"] or None),
)


def send(
    context: typer.Context,
    to: To,
    job: Annotated[
        str | None,
        typer.Option(
            "--job", metavar="JOB", help="Take method, timeout and id of this job.", show_default=False
        ),
    ] = None,
    json_: Annotated[
        str | None,
        typer.Option(
            "--json",
            metavar="@FILE|-|JSON",
            help="The body in JSON; - is standard input.",
            show_default=False,
        ),
    ] = None,
    body: Annotated[
        str | None,
        typer.Option(
            metavar="@FILE|-|TEXT", help="The body as it is; - is standard input.", show_default=False
        ),
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(
            "-H",
            "--header",
            metavar="'NAME: VALUE'",
            help="A header of the job. The value env:VAR is read from the environment.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option("-X", "--method", help="The method; that of the job, or POST.", show_default=False),
    ] = None,
    attempt: Attempt = None,
    call_id: Annotated[
        str | None,
        typer.Option("--id", help="The webhook-id; the default is a new one.", show_default=False),
    ] = None,
    secret_file: SecretFile = None,
    timeout: Timeout = None,
    allow_remote: AllowRemote = False,
) -> None:
    """Make one call, as the deployment would, to a receiver of this machine.

    The deployment has no part in it: nothing is recorded, and there is no retry. The API shows neither headers nor
    body of a job, so they have to be given. Without a signing secret a new one is made and shown. The exit code is 0
    for an answer of 2xx.
    """
    import secrets

    from punctual.cli.jobs_of import find_job
    from punctual.hooks.composing import LocalCall, check_headers

    session = session_of(context)
    way = _way(session, to, secret_file, timeout, allow_remote)
    headers = header_values(session, "--header", header or [])
    check_headers(headers)
    content = _content(session, json_, body)
    if json_ is not None and not any(name.lower() == "content-type" for name in headers):
        headers["Content-Type"] = "application/json"
    found = None if job is None else find_job(session, job)
    if found is not None and found.request is None:
        does = "starts a workflow" if found.target is None else "sends to a target in AWS"
        raise CommandError(f"{found.id} {does}, and calls no receiver", Exit.USAGE)
    if found is not None and not (content or headers):
        session.note("The API shows no headers and no body of a job: --header, --json and --body give them.")
    call = LocalCall(
        call_id=call_id or f"exe_local_{secrets.token_hex(8)}",
        job_id=found.id if found else "job_local",
        attempt=attempt or 1,
        scheduled_at=session.around.now(),
        method=(method or (found.request.method if found and found.request else "POST")).upper(),
        headers=tuple(headers.items()),
        body=content,
    )
    _make(session, call, way, found.timeout_seconds if found else TIMEOUT_SECONDS)


def replay(
    context: typer.Context,
    execution: Annotated[
        str, typer.Argument(metavar="exe_…", help="A dead letter, of `punctual dead list`.")
    ],
    to: To,
    attempt: Attempt = None,
    secret_file: SecretFile = None,
    timeout: Timeout = None,
    allow_remote: AllowRemote = False,
) -> None:
    """Repeat the request of a dead letter to a receiver of this machine, as one more attempt of it.

    The deployment reveals the request to keys with the scopes read and admin, and records that in its audit trail. It
    does not know of the call itself, and the dead letter stays what it is: `punctual dead redrive` runs it again.
    """
    from punctual.hooks.composing import LocalCall

    session = session_of(context)
    way = _way(session, to, secret_file, timeout, allow_remote)
    found = session.client.dead_letters.get(execution, reveal=True)
    session.note(
        "The audit trail has a record that the request was revealed; the call to --to is in no record."
    )
    if found.request is None:
        raise CommandError(f"the request of {found.id} is no longer stored", Exit.NOT_FOUND)
    call = LocalCall(
        call_id=found.id,
        job_id=found.job_id,
        attempt=attempt or found.attempts_begun + 1,
        scheduled_at=found.scheduled_at,
        method=found.request.method,
        headers=tuple((each.name, each.value) for each in found.request.headers),
        body=_revealed_body(found.request),
        backfill_of=found.backfill_of,
    )
    _make(session, call, way)


def verify_request(
    context: typer.Context,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A request as text; - is standard input.")
    ] = "-",
    tolerance: Annotated[float, typer.Option(min=0, help="Seconds that the call may be old.")] = 300.0,
    secret_file: SecretFile = None,
) -> None:
    """Say whether a stored request is genuine, and which part is wrong if it is not.

    The file has the request line, the headers, a blank line and the exact bytes of the body. The exit code is 0 for a
    genuine call that is not too old, and 1 otherwise.
    """
    from punctual.webhooks.diagnosis import diagnose

    session = session_of(context)
    if file == secret_file == "-":
        raise CommandError("the request and the secret cannot both be standard input", Exit.USAGE)
    secrets = signing_secrets_of(session, secret_file)
    if not secrets:
        raise CommandError(
            "there is no signing secret to verify with",
            Exit.USAGE,
            hint="set PUNCTUAL_SIGNING_SECRET, or give --secret-file",
        )
    raw = session.content(file)
    if len(raw) > MAX_REQUEST_BYTES:
        raise CommandError(f"the request has more than {MAX_REQUEST_BYTES} bytes", Exit.USAGE)
    found = diagnose(raw, secrets, tolerance, clock=lambda: session.around.now().timestamp())
    session.show(verdict_text(found, session.local), verdict_document(found))
    if found.call is None:
        raise typer.Exit(Exit.FAILED)


def _content(session: Session, json_: str | None, text: str | None) -> bytes:
    import msgspec

    if json_ is not None and text is not None:
        raise CommandError("--json and --body exclude each other", Exit.USAGE)
    content = b""
    if json_ is not None:
        content = msgspec.json.encode(json_value(session, "--json", json_))
    elif text is not None:
        content = body_text(session, "--body", text).encode()
    if len(content) > MAX_BODY_BYTES:
        raise CommandError(f"a job has a body of at most {MAX_BODY_BYTES} bytes", Exit.USAGE)
    return content


def _revealed_body(request: "FailedRequest") -> bytes:
    body = (request.body or "").encode()
    if len(body) != request.body_bytes:
        raise CommandError(
            f"the body is not shown as it is: {len(body)} bytes in place of {request.body_bytes}"
        )
    return body


@dataclass(frozen=True, slots=True)
class _Way:
    """How calls get to their receiver."""

    target: "Target"
    secrets: list[str] = field(repr=False)
    """None: a new one is made."""
    seconds: int | None


def _way(session: Session, to: str, secret_file: str | None, timeout: str | None, allow_remote: bool) -> _Way:
    from punctual.hooks.target import parse_target

    return _Way(
        target=parse_target(to, is_remote_allowed=allow_remote),
        secrets=signing_secrets_of(session, secret_file),
        seconds=None if timeout is None else seconds(timeout, "--timeout"),
    )


def _make(session: Session, call: "LocalCall", way: _Way, job_seconds: int = TIMEOUT_SECONDS) -> None:
    """Make a call and show its answer. The exit code is 1 unless the answer is 2xx."""
    import asyncio

    from punctual.hooks.calling import make_call
    from punctual.hooks.composing import compose, meaning

    secrets = way.secrets or [_new_secret(session)]
    request = compose(call, way.target, secrets=secrets, now=session.around.now())
    result = asyncio.run(
        make_call(
            way.target,
            request,
            max_seconds=way.seconds or job_seconds,
            max_bytes=SHOWN_BYTES,
            monotonic=session.around.monotonic,
        )
    )
    session.show_one(
        {
            "call_id": call.call_id,
            "job_id": call.job_id,
            "attempt": call.attempt,
            "url": way.target.url,
            "status": result.status,
            "meaning": meaning(result.status, result.headers),
            "duration_ms": round(result.seconds * 1000, 1),
            "answer": result.start_of_body.decode("utf-8", "replace"),
        },
        ROWS,
    )
    if not 200 <= result.status < 300:
        raise typer.Exit(Exit.FAILED)


def _new_secret(session: Session) -> str:
    import secrets

    from punctual.hooks.composing import SECRET_BYTES, new_secret

    made = new_secret(secrets.token_bytes(SECRET_BYTES))
    session.warn("Signed with a new secret. This line gives it to further calls, and to a receiver:")
    session.warn(f"export PUNCTUAL_SIGNING_SECRET={made}")
    return made


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("send")(send)
    app.command("replay")(replay)
    app.command("verify")(verify_request)

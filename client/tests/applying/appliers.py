"""Applies files to the API in memory, with a blow at one of the requests."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from client.tests.sdk.deployment import HOOK, URL, Deployment
from punctual import Punctual
from punctual.applyfile import read_apply_file
from punctual.applying import Done, Plan, WantedJob, carry_out, make_plan, wanted_jobs

REFUSED = (
    b'{"type":"urn:punctual:problem:quota-exceeded","title":"A quota is used up","status":429,'
    b'"detail":"no more jobs","instance":"urn:punctual:request:1","quota":"recurring_jobs"}'
)
Members = Mapping[str, Any]


class CrashError(BaseException):
    """The program ends."""


@dataclass
class Blow:
    """What happens at the request with this number, from 0.

    `crash before`: the program ends, and nothing is sent. `crash after`: the API acts, and the program ends. `lost`,
    `answer lost` and `throttled`: once, so that the client sends again. `silent`: the network is gone from then on.
    `refused`: the first change from then on is refused by a quota. `rival`: another program does its work meanwhile.
    """

    kind: str = "none"
    at: int = 0
    rival: Callable[[], None] = lambda: None
    seen: int = field(default=0, init=False)
    has_refused: bool = field(default=False, init=False)

    def answer(
        self, request: httpx.Request, act: Callable[[httpx.Request], httpx.Response]
    ) -> httpx.Response:
        number, self.seen = self.seen, self.seen + 1
        if self.kind == "silent" and number >= self.at:
            raise httpx.ConnectError("no route", request=request)
        if self.kind == "refused" and number >= self.at and _is_change(request) and not self.has_refused:
            self.has_refused = True
            return httpx.Response(429, headers={"content-type": "application/problem+json"}, content=REFUSED)
        return self._struck(request, act) if number == self.at else act(request)

    def _struck(
        self, request: httpx.Request, act: Callable[[httpx.Request], httpx.Response]
    ) -> httpx.Response:
        match self.kind:
            case "crash before":
                raise CrashError
            case "crash after":
                act(request)
                raise CrashError
            case "lost":
                raise httpx.WriteError("connection reset", request=request)
            case "answer lost":
                act(request)
                raise httpx.ReadTimeout("timed out", request=request)
            case "throttled":
                return httpx.Response(429, headers={"retry-after": "3"}, content=b"{}")
            case "rival":
                self.rival()
        return act(request)


def _is_change(request: httpx.Request) -> bool:
    return request.method in ("PUT", "DELETE") and "dry_run" not in request.url.params


def jobs_of(
    set_name: str, jobs: Mapping[str, Members], workflows: Mapping[str, Members] | None = None
) -> tuple[WantedJob, ...]:
    """The jobs and workflows of a file, which is written and read."""
    lines = [f"set: {set_name}", "jobs:" if jobs else "jobs: {}"]
    for key, members in jobs.items():
        lines.append(f"  {key}:")
        lines += [f"    {name}: {value}" for name, value in _called(members).items()]
    if workflows is not None:
        lines.append("workflows:" if workflows else "workflows: {}")
        for key, members in workflows.items():
            lines.append(f"  {key}:")
            lines += [f"    {name}: {value}" for name, value in members.items()]
    return wanted_jobs(
        read_apply_file("\n".join(lines).encode()),
        {"TOKEN": "s3cret", "CHAT": "https://chat.example/hooks/s3cret"},
        None,
    )


def _called(members: Members) -> Members:
    return members if "workflow" in members else {"url": HOOK, **members}


def apply(
    deployment: Deployment,
    set_name: str,
    jobs: Mapping[str, Members],
    *,
    prune: bool = True,
    blow: Blow | None = None,
    workflows: Mapping[str, Members] | None = None,
) -> tuple[Plan, tuple[Done, ...]]:
    """The plan, and what became of it; a plan that is not possible is not carried out."""
    struck, wanted = blow or Blow(), jobs_of(set_name, jobs, workflows)
    transport = httpx.MockTransport(lambda request: struck.answer(request, deployment.answer))
    with Punctual(URL, deployment.key, transport=transport, runtime=deployment.runtime) as client:
        plan = make_plan(client, set_name, wanted, prune=prune, workers=1)
        return plan, carry_out(client, plan, wanted, workers=1) if plan.is_possible else ()

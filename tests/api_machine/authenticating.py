"""Jobs and tasks whose calls authenticate themselves: by identity tokens, and by signatures of the tenant's roles."""

import base64
import json
import re
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from tests.api_machine.deployment import WORKFLOWS_TENANT
from tests.api_machine.receiver import DURATION_MS
from tests.api_machine.sightings import SEEN
from tests.api_machine.targeting import FOREIGN, Targeting, accounts, check_refused, role_in

AUDIENCES = ("https://reports.example.com", "reports")
SERVICES = (("execute-api", "eu-west-1"), ("lambda", "us-east-1"))
URL = "https://auth.receiver.example/call"
API_URL = "https://a1b2c3.execute-api.eu-west-1.amazonaws.com/prod/orders"
SIGNATURE = re.compile(
    r"AWS4-HMAC-SHA256 Credential=ASIAFAKE/\d{8}/(?P<region>[^/]+)/(?P<service>[^/]+)/aws4_request, "
    r"SignedHeaders=(?P<headers>[^,]+), Signature=[0-9a-f]{64}"
)
tokens = st.sampled_from(AUDIENCES).map(lambda audience: {"oidc": {"audience": audience}})
signatures = st.builds(
    lambda account, place: {"sigv4": {"role": role_in(account), "service": place[0], "region": place[1]}},
    accounts,
    st.sampled_from(SERVICES),
)
ways = st.one_of(st.none(), tokens, signatures)
SIGNED = {"role": role_in(FOREIGN), "service": "execute-api", "region": "eu-west-1"}
WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "/oidc"),
    ({"oidc": {"audience": "a"}, "sigv4": SIGNED}, "/sigv4"),
    ({"oidc": {"audience": "two words"}}, "/oidc/audience"),
    ({"sigv4": {**SIGNED, "service": "S3"}}, "/sigv4/service"),
    ({"sigv4": {**SIGNED, "service": "lambda"}}, "/sigv4/service"),
    ({"sigv4": {**SIGNED, "region": "us-east-1"}}, "/sigv4/region"),
    ({"sigv4": {**SIGNED, "role": "arn:aws:iam::1:user/me"}}, "/sigv4/role"),
]
"""For the URL of an API in AWS; two name another service and another region than the host does."""


class Authenticating(Targeting):
    """`request.auth`, whose roles are those of the targets."""

    @initialize()
    def begin_auth(self) -> None:
        """Nothing was called yet."""
        self.auth_calls: list[Callback] = []

    @rule(auth=ways, patch=st.one_of(st.just("kept"), ways), is_task=st.booleans(), is_removed=st.booleans())
    def call_with_auth(self, auth: Any, patch: Any, is_task: bool, is_removed: bool) -> None:
        """In a minute, by a job or by a task. The way of a job may change until then, and its role may go."""
        document = _request(auth)
        body = (
            {"tasks": [{"key": "a"} | document]}
            if is_task
            else {"schedule": {"delay_seconds": 60}} | document
        )
        answer = self._send_target("/v1/workflows" if is_task else "/v1/jobs", body)
        if not self._has_role(auth):
            check_refused(answer, f"{'/tasks/0' if is_task else ''}/request/auth/sigv4/role")
            SEEN["auth refused: no role"] += 1
            return
        assert answer.status == 201, answer.text
        shown = answer.json["tasks"][0] if is_task else answer.json
        assert shown["request"].get("auth") == auth
        if not is_task and patch != "kept":
            auth = self._change_auth(answer.json["id"], auth, patch)
        self.deployment.receiver.others[answer.json["id"]] = self._answer_auth
        called, signed, kept = len(self.auth_calls), len(self.deployment.signed_roles), self.target_accounts
        if is_removed:
            self.register_roles(set())
        self.deployment.pass_time(61_000)
        if is_task:
            started = self._send_target(f"/v1/workflows/{answer.json['id']}/runs", {})
            assert started.status == 201, started.text
            self.deployment.pass_time(1_000)
        calls, roles = self.auth_calls[called:], self.deployment.signed_roles[signed:]
        self.register_roles(kept)
        if is_removed and auth is not None and "sigv4" in auth:
            assert (calls, roles) == ([], [])
            SEEN["signature without its role"] += 1
            return
        (call,) = calls
        assert roles == ([auth["sigv4"]["role"]] if auth is not None and "sigv4" in auth else [])
        self._check_authorization(call, auth)

    @rule(wrong=st.sampled_from(WRONG), is_task=st.booleans())
    def misuse_auth(self, wrong: tuple[dict[str, Any], str], is_task: bool) -> None:
        """What no role could make right."""
        auth, pointer = wrong
        document = {"request": {"url": API_URL, "auth": auth}}
        body = (
            {"tasks": [{"key": "a"} | document]}
            if is_task
            else {"schedule": {"delay_seconds": 60}} | document
        )
        answer = self._send_target("/v1/workflows" if is_task else "/v1/jobs", body)
        check_refused(answer, f"{'/tasks/0' if is_task else ''}/request/auth{pointer}")
        SEEN["auth refused: wrong"] += 1

    def _change_auth(self, job_id: str, auth: Any, patch: Any) -> Any:
        """What stands after a request to change it."""
        path = f"/v1/jobs/{job_id}"
        document = {"request": {"auth": patch}}
        changed = self.deployment.send(WORKFLOWS_TENANT, "PATCH", path, document, if_match="*")
        if self._has_role(patch):
            assert changed.status == 200, changed.text
            auth = patch
            SEEN["auth changed"] += 1
        else:
            check_refused(changed, "/request/auth/sigv4/role")
            SEEN["auth not changed: no role"] += 1
        assert self.deployment.ask(WORKFLOWS_TENANT, "GET", path).json["request"].get("auth") == auth
        return auth

    def _check_authorization(self, call: Callback, auth: Any) -> None:
        headers = {name.lower(): value for name, value in call.headers}
        assert headers["webhook-signature"]
        said = headers.get("authorization")
        if auth is None:
            assert said is None
            SEEN["call without auth"] += 1
        elif "oidc" in auth:
            assert said is not None
            claims = _claims(said.removeprefix("Bearer "))
            assert (claims["aud"], claims["iat"] * 1000 <= self.now_ms < claims["exp"] * 1000) == (
                auth["oidc"]["audience"],
                True,
            )
            assert WORKFLOWS_TENANT in claims["sub"]
            assert "x-amz-date" not in headers
            SEEN["call with a token"] += 1
        else:
            match = SIGNATURE.fullmatch(said or "")
            assert match is not None, said
            assert (match["service"], match["region"]) == (auth["sigv4"]["service"], auth["sigv4"]["region"])
            assert {"host", "webhook-signature", "x-amz-date"} <= set(match["headers"].split(";"))
            SEEN["call with a signature"] += 1

    def _has_role(self, auth: Any) -> bool:
        if auth is None or "sigv4" not in auth:
            return True
        return auth["sigv4"]["role"] in {role_in(each) for each in self.target_accounts}

    def _answer_auth(self, call: Callback) -> CallbackResponse:
        self.auth_calls.append(call)
        return CallbackResponse(reason=Reason.OK, duration_ms=DURATION_MS, status=200)


def _request(auth: Any) -> dict[str, Any]:
    request = {"url": URL} if auth is None else {"url": URL, "auth": auth}
    return {"request": request, "retry": {"max_attempts": 1}}


def _claims(token: str) -> dict[str, Any]:
    _, claims, _ = token.split(".")
    decoded: dict[str, Any] = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    return decoded

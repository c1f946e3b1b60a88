"""Requests that a role signs for AWS: whose role, which rights, what is signed, and what a response may repeat."""

from tests.mutants.mutant import Mutant

_SENDER = "shared/adapters/targets/signed_sender.py"
_RIGHTS = "shared/adapters/targets/signed_rights.py"
_SIGV4 = "shared/adapters/aws/sigv4.py"
_AUTH = "shared/domain/delivery/sigv4_auth.py"
_VERSIONS = "shared/adapters/dynamodb/codec/versions.py"
_ADAPTER = "tests/unit/adapters/test_signed_sender.py"
_RULES = "tests/unit/domain/delivery/test_sigv4_auth.py"
_CALLS = "tests/unit/usecases/attempts/test_signed_calls.py"

SIGNED_CALLS = (
    Mutant(
        name="signed call with a role that the tenant no longer has",
        file="shared/usecases/attempts/compose_signed_call.py",
        old="    if not has_role(tenant.target_roles, request):\n",
        new="    if False:\n",
        killer=_CALLS,
    ),
    Mutant(
        name="session of one API that signs for all of them",
        file=_RIGHTS,
        old='f"{api}/*" if resource else api',
        new='"*"',
        killer=_ADAPTER,
    ),
    Mutant(
        name="session of a function URL that invokes functions",
        file=_RIGHTS,
        old='            "Condition": {"Bool": {"lambda:InvokedViaFunctionUrl": "true"}},\n',
        new="",
        killer=_ADAPTER,
    ),
    Mutant(
        name="response that repeats the signature",
        file=_SENDER,
        old="            body=without_secrets(response.body, signed),\n",
        new="            body=response.body,\n",
        killer=_ADAPTER,
    ),
    Mutant(
        name="revoked session that signs until its end",
        file=_SENDER,
        old="            self.roles.forget(call, older_than_ms=DENIED_MS)\n",
        new="            pass\n",
        killer=_ADAPTER,
    ),
    Mutant(
        name="secret whose escapes of HTML end the redaction",
        file=_SENDER,
        old='|&#?\\w+;)*"',
        new=')*"',
        killer=_ADAPTER,
    ),
    Mutant(
        name="signature for VPC Lattice over the body",
        file=_SIGV4,
        old='"UNSIGNED-PAYLOAD" if service in _BODILESS else sha256',
        new="sha256",
        killer=_ADAPTER,
    ),
    Mutant(
        name="path of S3 that is encoded twice",
        file=_SIGV4,
        old='        return quote(unquote_to_bytes(path), safe="/-_.~") or "/"\n',
        new='        return quote(path, safe="/~")\n',
        killer=_ADAPTER,
    ),
    Mutant(
        name="signature over an address that proxies clean",
        file=_SIGV4,
        old='        elif part not in ("", "."):\n',
        new='        elif part != ".":\n',
        killer=_ADAPTER,
    ),
    Mutant(
        name="signature for a region that the host is not in",
        file=_AUTH,
        old="    if host is not None and host.region not in (None, auth.region):\n",
        new="    if False:\n",
        killer=_RULES,
    ),
    Mutant(
        name="task with a signature that an older release calls without it",
        file=_VERSIONS,
        old="        return max(RUN_INPUTS, call_version(execution.call))\n",
        new="        return RUN_INPUTS\n",
        killer="tests/conformance/test_versions.py",
    ),
    Mutant(
        name="tenant that uses up the calls of STS",
        file="shared/adapters/targets/role_credentials.py",
        old="            if not self._pace.admits(call.tenant_id, began_at):\n",
        new="            if False:\n",
        killer="tests/unit/adapters/test_target_sender.py",
    ),
    Mutant(
        name="refused role that is asked for at each attempt",
        file="shared/adapters/targets/role_credentials.py",
        old="        if refusal is not None and self.clock.now_ms() < refused_until:\n",
        new="        if refusal is not None and not refused_until:\n",
        killer="tests/unit/adapters/test_target_sender.py",
    ),
)

"""Identity tokens: whom a token names, how long it is used, who shares it, and what older releases do."""

from tests.mutants.mutant import Mutant

_TOKEN = "shared/domain/delivery/identity_token.py"
_ISSUER = "shared/adapters/kms/identity_tokens.py"
_VERSIONS = "shared/adapters/dynamodb/codec/versions.py"
_DOMAIN = "tests/unit/domain/delivery/test_identity_token.py"
_ADAPTER = "tests/unit/adapters/test_identity_tokens.py"
_CALLS = "tests/unit/usecases/attempts/test_identity_tokens.py"
_API = "tests/unit/api/test_request_auth.py"

IDENTITY_TOKENS = (
    Mutant(
        name="identity token that names its audience as its subject",
        file=_TOKEN,
        old="(issuer, tenant_id, audience, issued_at, ends_at)",
        new="(issuer, audience, tenant_id, issued_at, ends_at)",
        killer=_DOMAIN,
    ),
    Mutant(
        name="identity token that is valid for a day",
        file=_TOKEN,
        old="    ends_at = issued_at + LIFE_SECONDS\n",
        new="    ends_at = issued_at + 86_400\n",
        killer=_DOMAIN,
    ),
    Mutant(
        name="identity token of the future to a receiver whose clock is behind",
        file=_TOKEN,
        old="now_ms // 1000 - BACKDATED_SECONDS",
        new="now_ms // 1000",
        killer=_DOMAIN,
    ),
    Mutant(
        name="identity token that names another key",
        file=_ISSUER,
        old="token_key_alias(stage, numbers[0]), key_id(numbers[0])",
        new="token_key_alias(stage, numbers[0]), key_id(numbers[-1])",
        killer=_ADAPTER,
    ),
    Mutant(
        name="identity token that the last key signs",
        file=_ISSUER,
        old="token_key_alias(stage, numbers[0])",
        new="token_key_alias(stage, numbers[-1])",
        killer=_ADAPTER,
    ),
    Mutant(
        name="identity token that tenants share",
        file=_ISSUER,
        old="        key, now_ms = (tenant_id, audience), self.clock.now_ms()\n",
        new='        key, now_ms = ("acme", audience), self.clock.now_ms()\n',
        killer=_ADAPTER,
    ),
    Mutant(
        name="identity token that is used to its end",
        file=_ISSUER,
        old="renewed_at=token.ends_at - REUSED_MS",
        new="renewed_at=token.ends_at",
        killer=_ADAPTER,
    ),
    Mutant(
        name="identity token that is used after its end while KMS fails",
        file=_ISSUER,
        old="            if known is None or self.clock.now_ms() >= known.token.ends_at - SPARE_MS:\n",
        new="            if known is None:\n",
        killer=_ADAPTER,
    ),
    Mutant(
        name="identity token for which each caller asks KMS",
        file=_ISSUER,
        old="        if running is not None:\n            return result_of(running)\n",
        new="",
        killer=_ADAPTER,
    ),
    Mutant(
        name="identity token in the text of the token's value",
        file=_TOKEN,
        old="    text: str = field(repr=False)\n",
        new="    text: str\n",
        killer=_DOMAIN,
    ),
    Mutant(
        name="identity token in the text of a call",
        file="shared/domain/delivery/callback.py",
        old="    headers: tuple[tuple[str, str], ...] = field(repr=False)\n",
        new="    headers: tuple[tuple[str, str], ...]\n",
        killer=_CALLS,
    ),
    Mutant(
        name="disabled key of identity tokens that is published on",
        file="shared/adapters/kms/token_keys.py",
        old="            if error.code in _OUT_OF_USE:\n",
        new="            if False:\n",
        killer=_ADAPTER,
    ),
    Mutant(
        name="call without the identity token of its job",
        file="shared/usecases/attempts/compose_callback.py",
        old="                *self._authorization(tenant, request),\n",
        new="",
        killer=_CALLS,
    ),
    Mutant(
        name="request with two headers of authorization",
        file="shared/domain/delivery/request_auth.py",
        old="        if name.lower() == AUTHORIZATION.lower():\n",
        new="        if name == AUTHORIZATION:\n",
        killer=_API,
    ),
    Mutant(
        name="job with an identity token in a stage that issues none",
        file=_TOKEN,
        old="    if not policy.issues_tokens:\n",
        new="    if False:\n",
        killer=_API,
    ),
    Mutant(
        name="request that an older release calls without its identity token",
        file=_VERSIONS,
        old='    "AuthKind": {"OIDC": TARGETS, "SIGV4": SIGNED_CALLS},\n',
        new='    "AuthKind": {"SIGV4": SIGNED_CALLS},\n',
        killer="tests/conformance/test_versions.py",
    ),
    Mutant(
        name="task that an older release calls without its identity token",
        file=_VERSIONS,
        old="        return max(WORKFLOWS, call_version(execution.call))\n",
        new="        return WORKFLOWS\n",
        killer="tests/conformance/test_versions.py",
    ),
    Mutant(
        name="workflow whose tasks an older release would file without their identity tokens",
        file="shared/adapters/dynamodb/codec/workflow_items.py",
        old="max(WORKFLOWS, *map(call_version, workflow.calls))",
        new="WORKFLOWS",
        killer="tests/conformance/test_versions.py",
    ),
    Mutant(
        name="job that forgets its identity token with an unrelated change",
        file="shared/usecases/jobs/revise_job.py",
        old="                auth=before.auth,\n",
        new="",
        killer=_API,
    ),
    Mutant(
        name="tenant that uses up the signatures of the account",
        file="shared/adapters/kms/identity_tokens.py",
        old="        if not self._pace.admits(tenant_id, now_ms):\n",
        new="        if False:\n",
        killer="tests/unit/adapters/test_identity_tokens.py",
    ),
    Mutant(
        name="key set without the key that signs",
        file="shared/adapters/kms/token_keys.py",
        old="        if not keys or not entries[0].is_read:\n",
        new="        if not keys:\n",
        killer="tests/unit/adapters/test_identity_tokens.py",
    ),
)

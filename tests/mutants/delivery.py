"""Faults of what goes out: where calls may go, and that they are signed."""

from tests.mutants.mutant import Mutant

_ADDRESSES = "tests/delivery/test_addresses.py"
_TARGETS = "tests/unit/domain/delivery/test_target.py"
_SIGNED = "tests/delivery/test_signed.py"
_WIRED = "tests/delivery/test_refused_targets.py"
_CANARIES = "tests/delivery/test_canaries.py"

DELIVERY = (
    Mutant(
        name="literal addresses are not checked at creation",
        file="shared/domain/delivery/target.py",
        old="    elif not policy.admits_address(host, plain_http=plain_http):",
        new="    elif False:",
        killer=_TARGETS,
    ),
    Mutant(
        name="a row of the table is missing",
        file="shared/domain/delivery/addresses.py",
        old='    "168.63.129.16/32": "the wire server of Azure, in public space",\n',
        new="",
        killer=_ADDRESSES,
    ),
    Mutant(
        name="is_global instead of the table",
        file="shared/domain/delivery/addresses.py",
        old="return not any(address in network for network in _BLOCKED[address.version])",
        new="return address.is_global",
        killer=_ADDRESSES,
    ),
    Mutant(
        name="an exception opens everything",
        file="shared/domain/delivery/addresses.py",
        old="return any(address in network for network in exceptions)",
        new="return bool(exceptions)",
        killer=_ADDRESSES,
    ),
    Mutant(
        name="plain http goes everywhere",
        file="shared/domain/delivery/target_policy.py",
        old="(is_exception if plain_http else may_dial)",
        new="may_dial",
        killer=_ADDRESSES,
    ),
    Mutant(
        name="metadata services are called by name",
        file="shared/domain/delivery/target_policy.py",
        old=" or is_metadata_name(folded)",
        new="",
        killer=_TARGETS,
    ),
    Mutant(
        name="jobs call the API that made them",
        file="shared/domain/delivery/target_policy.py",
        old="folded in self.own_hosts or ",
        new="",
        killer=_TARGETS,
    ),
    Mutant(
        name="opened loopback opens plain http to every name",
        file="shared/domain/delivery/target_policy.py",
        old="any(not network.is_loopback for network in self.exceptions)",
        new="bool(self.exceptions)",
        killer=_TARGETS,
    ),
    Mutant(
        name="executors do not know the API by name",
        file="shared/bootstrap/dynamo_ports.py",
        old="CallbackSender(require(self._settings, ExecutorSettings).target_policy, self.clock)",
        new="CallbackSender(type(require(self._settings, ExecutorSettings).target_policy)("
        "exceptions=require(self._settings, ExecutorSettings).dial_exceptions), self.clock)",
        killer=_WIRED,
    ),
    Mutant(
        name="the oldest secret alone signs",
        file="shared/usecases/attempts/compose_callback.py",
        old="for secret in tenant.signing_at(now_ms, name)",
        new="for secret in tenant.signing_at(now_ms, name)[-1:]",
        killer=_SIGNED,
    ),
    Mutant(
        name="a named job is signed with the default secrets",
        file="shared/usecases/attempts/compose_callback.py",
        old="for secret in tenant.signing_at(now_ms, name)",
        new="for secret in tenant.signing_at(now_ms, None)",
        killer=_SIGNED,
    ),
    Mutant(
        name="every job is signed with all secrets",
        file="shared/domain/tenancy/tenant.py",
        old="return tuple(secret for secret in self.active_secrets(now_ms) if secret.name == name)",
        new="return self.active_secrets(now_ms)",
        killer=_SIGNED,
    ),
    Mutant(
        name="a name that is gone falls back to the default secrets",
        file="shared/usecases/attempts/compose_callback.py",
        old="                raise SigningSecretGoneError\n",
        new="                name = None\n",
        killer=_SIGNED,
    ),
    Mutant(
        name="a name is sought in the cached tenant alone",
        file="shared/usecases/tenancy/read_tenant.py",
        old="return tenant if tenant.secret_names.issuperset(names) else self._read(tenant.id) or tenant",
        new="return tenant",
        killer=_SIGNED,
    ),
    Mutant(
        name="an outcome callback is signed with the default secrets",
        file="shared/domain/executions/notification.py",
        old="ended.call.signing_secret if is_own_url else None",
        new="None",
        killer=_SIGNED,
    ),
    Mutant(
        name="a default outcome callback is signed with the secret of the job",
        file="shared/domain/executions/notification.py",
        old="ended.call.signing_secret if is_own_url else None",
        new="ended.call.signing_secret",
        killer=_SIGNED,
    ),
    Mutant(
        name="a secret that is none fails the batch",
        file="shared/usecases/attempts/compose_callback.py",
        old="except ValueError:",
        new="except ZeroDivisionError:",
        killer=_SIGNED,
    ),
    Mutant(
        name="the URL is printed with its query",
        file="shared/usecases/attempts/compose_callback.py",
        old="        request = self.open_request.execute(tenant, execution, sealed)\n",
        new="        request = self.open_request.execute(tenant, execution, sealed)\n        print(request.url)\n",
        killer=_CANARIES,
    ),
    Mutant(
        name="calls create jobs of any depth",
        file="shared/domain/delivery/depth.py",
        old="    if depth >= MAX_DEPTH:",
        new="    if False:",
        killer="tests/unit/api/test_depth.py",
    ),
    Mutant(
        name="a change of a job forgets its depth",
        file="shared/usecases/jobs/revise_job.py",
        old="replace(new.unsealed_call, depth=before.depth, trace=before.trace)",
        new="new.unsealed_call",
        killer="tests/unit/api/test_depth.py",
    ),
    Mutant(
        name="the depth of a job is not stored",
        file="shared/adapters/dynamodb/codec/execution_fields.py",
        old='        depth=plain.get("dp", 0),\n',
        new="",
        killer="tests/property/test_items.py",
    ),
    Mutant(
        name="trace of zeros taken from a client",
        file="shared/domain/delivery/trace.py",
        old="00-(?!0{32})",
        new="00-",
        killer="tests/unit/domain/delivery/test_trace.py",
    ),
    Mutant(
        name="attempts of an execution that are one span",
        file="shared/domain/delivery/trace.py",
        old="{execution}/{claims}",
        new="{execution}",
        killer="tests/unit/api/test_traces.py",
    ),
    Mutant(
        name="item that cannot be read because of its trace",
        file="shared/adapters/dynamodb/codec/execution_fields.py",
        old="    if not isinstance(packed, bytes) or len(packed) != _TRACE_BYTES:\n",
        new="    if packed is None:\n",
        killer="tests/property/test_items.py",
    ),
    Mutant(
        name="text of an unexpected error in the log",
        file="shared/observability.py",
        old="found.append(type(cause).__name__)",
        new="found.append(repr(cause))",
        killer="tests/unit/functions/test_log_leaks.py",
    ),
    Mutant(
        name="jobs of a batch that no reconciler reads",
        file="shared/adapters/logs/accepted_log.py",
        old='entry["message"] == ACCEPTED_BATCH_LOG_LINE',
        new="False",
        killer="tests/conformance/test_accepted_log.py",
    ),
    Mutant(
        name="both signature schemes use one key",
        file="shared/domain/delivery/signing.py",
        old='secrets[0].encode("ascii")',
        new="_keys(secrets)[0]",
        killer="tests/unit/domain/delivery/test_signing.py",
    ),
    Mutant(
        name="headers of Punctual pass with an underscore",
        file="shared/domain/delivery/target.py",
        old='hyphened = folded.replace("_", "-")',
        new="hyphened = folded",
        killer=_TARGETS,
    ),
)

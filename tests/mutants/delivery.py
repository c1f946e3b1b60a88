"""Faults of what goes out: where calls may go, how they are bounded, and that they are signed."""

from tests.mutants.mutant import Mutant

_NAMES = "tests/delivery/test_names.py"
_LOOK_UPS = "tests/delivery/test_look_ups.py"
_ADDRESSES = "tests/delivery/test_addresses.py"
_TARGETS = "tests/unit/domain/delivery/test_target.py"
_HOSTILE = "tests/delivery/test_hostile_receivers.py"
_SIGNED = "tests/delivery/test_signed.py"
_WIRED = "tests/delivery/test_refused_targets.py"
_CANARIES = "tests/delivery/test_canaries.py"
_BUDGETS = "tests/delivery/test_budgets.py"
_SEGMENTS = "tests/delivery/test_segments.py"
_CONNECTIONS = "tests/delivery/test_connections.py"
_ERRORS = "tests/delivery/test_protocol_errors.py"
_REQUESTS = "tests/delivery/test_requests.py"
_RACES = "tests/delivery/test_races.py"
_FRAMING = "tests/delivery/test_framing.py"
_RAISES = "tests/delivery/test_never_raises.py"
_TLS = "shared/adapters/http/tls.py"
_RESPONSE = "shared/adapters/http/response.py"
_CONNECTION = "shared/adapters/http/connection.py"
_REQUEST = "shared/adapters/http/request.py"
_LOOK_UP = "shared/adapters/http/look_up.py"
_SOCKETS = "shared/adapters/http/sockets.py"
_DIAL = "shared/adapters/http/dial.py"
_SENDER = "shared/adapters/http/sender.py"
_POOL = "shared/adapters/http/pool.py"

DELIVERY = (
    Mutant(
        name="only the first address of a name is checked",
        file=_DIAL,
        old="for text in addresses:",
        new="for text in list(addresses)[:1]:",
        killer=_NAMES,
    ),
    Mutant(
        name="a name is looked up again to be dialled",
        file=_DIAL,
        old="        first = [",
        new="        addresses = await asyncio.to_thread(self._resolver._look_up, target.host)\n        first = [",
        killer=_NAMES,
    ),
    Mutant(
        name="literal addresses are not checked at the socket",
        file=_DIAL,
        old="        self.judge([address])\n",
        new="",
        killer=_NAMES,
    ),
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
        old="CallbackSender(settings.target_policy)",
        new="CallbackSender(type(settings.target_policy)(exceptions=settings.dial_exceptions))",
        killer=_WIRED,
    ),
    Mutant(
        name="redirects are successes",
        file=_RESPONSE,
        old="            return Reason.REDIRECT",
        new="            return Reason.OK",
        killer="tests/delivery/test_answers.py",
    ),
    Mutant(
        name="a deadline for connecting alone",
        file=_SENDER,
        old="asyncio.timeout(timeout_seconds)",
        new="asyncio.timeout(None)",
        killer="tests/delivery/test_deadlines.py",
    ),
    Mutant(
        name="answers without bounds on the wire",
        file=_RESPONSE,
        old="MAX_RESPONSE_BYTES = 256 * 1024",
        new="MAX_RESPONSE_BYTES = 1 << 40",
        killer=_HOSTILE,
    ),
    Mutant(
        name="lines of any length",
        file=_RESPONSE,
        old="MAX_LINE_BYTES = 8 * 1024",
        new="MAX_LINE_BYTES = 1 << 28",
        killer=_ERRORS,
    ),
    Mutant(
        name="look-ups in the few threads of the loop",
        file=_LOOK_UP,
        old="loop.run_in_executor(self._threads,",
        new="loop.run_in_executor(None,",
        killer=_LOOK_UPS,
    ),
    Mutant(
        name="a look-up without a bound",
        file=_LOOK_UP,
        old="asyncio.timeout(self._seconds)",
        new="asyncio.timeout(None)",
        killer=_LOOK_UPS,
    ),
    Mutant(
        name="certificates are not verified",
        file=_TLS,
        old="    context.minimum_version = ",
        new="    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE\n    context.minimum_version = ",
        killer="tests/delivery/test_tls.py",
    ),
    Mutant(
        name="the oldest secret alone throttle_status",
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
        old="        request = self.open_request.execute(tenant, execution)\n",
        new="        request = self.open_request.execute(tenant, execution)\n        print(request.url)\n",
        killer=_CANARIES,
    ),
    Mutant(
        name="all addresses of a name are dialled",
        file=_DIAL,
        old="DIALLED_PER_FAMILY = 2",
        new="DIALLED_PER_FAMILY = 2_000",
        killer=_BUDGETS,
    ),
    Mutant(
        name="names have any number of addresses",
        file=_LOOK_UP,
        old="if not 0 < len(unique) <= MAX_ADDRESSES:",
        new="if not unique:",
        killer=_BUDGETS,
    ),
    Mutant(
        name="addresses that failed are dialled again",
        file=_DIAL,
        old="        waiting, errors = list(addresses), ",
        new="        waiting, errors = [*addresses, *addresses], ",
        killer=_BUDGETS,
    ),
    Mutant(
        name="connecting has no deadline of its own",
        file=_DIAL,
        old="asyncio.timeout(CONNECT_SECONDS)",
        new="asyncio.timeout(None)",
        killer=_BUDGETS,
    ),
    Mutant(
        name="all calls of a tenant race over addresses",
        file=_DIAL,
        old="1 if self._dialling[tenant_id] >= RACING_CALLS else None",
        new="None",
        killer=_BUDGETS,
    ),
    Mutant(
        name="sockets without a budget",
        file=_SOCKETS,
        old="        if self._count_open() >= self._limit:",
        new="        if False:",
        killer=_BUDGETS,
    ),
    Mutant(
        name="idle connections are kept when sockets run out",
        file=_POOL,
        old="        if self._sockets.is_tight:",
        new="        if False:",
        killer=_BUDGETS,
    ),
    Mutant(
        name="ciphertext is not counted",
        file=_SOCKETS,
        old="        self._allowance -= count\n",
        new="",
        killer=_BUDGETS,
    ),
    Mutant(
        name="a read takes all that has arrived",
        file=_SOCKETS,
        old="min(size or len(buffer), READ_BYTES)",
        new="size or len(buffer)",
        killer=_BUDGETS,
    ),
    Mutant(
        name="connections end their TLS in peace",
        file=_CONNECTION,
        old="        self._transport.abort()",
        new="        self._transport.close()",
        killer=_BUDGETS,
    ),
    Mutant(
        name="key exchanges over finite fields under TLS 1.2",
        file=_TLS,
        old='    context.set_ciphers("ECDHE+AESGCM:ECDHE+CHACHA20")\n',
        new="",
        killer=_HOSTILE,
    ),
    Mutant(
        name="key exchanges over finite fields under TLS 1.3",
        file=_TLS,
        old='    context.set_ecdh_curve("prime256v1")\n',
        new="",
        killer=_HOSTILE,
    ),
    Mutant(
        name="a status counts only with the end of its response",
        file=_RESPONSE,
        old="        self.status = status\n        if",
        new="        self.status = status if self._is_head else None\n        if",
        killer=_SEGMENTS,
    ),
    Mutant(
        name="the reader of a body that cannot be parsed is left waiting",
        file=_CONNECTION,
        old="        except CallFailedError as error:\n            self._finish(error)\n",
        new="        except CallFailedError:\n            self._response = None\n",
        killer=_SEGMENTS,
    ),
    Mutant(
        name="a connection on which data arrived is used again",
        file=_POOL,
        old="            if self._is_fresh(connection) and connection.is_quiet():\n                return",
        new="            if True:\n                return",
        killer=_CONNECTIONS,
    ),
    Mutant(
        name="a certificate that is asked for late is a broken protocol",
        file=_CONNECTION,
        old="isinstance(error, SSLError)",
        new="False",
        killer=_HOSTILE,
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
        old="replace(new.unsealed_call, depth=before.depth)",
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
    Mutant(
        name="a second response takes the place of the first",
        file=_RESPONSE,
        old="        if self.is_complete:\n            raise",
        new="        if False:\n            raise",
        killer=_CONNECTIONS,
    ),
)

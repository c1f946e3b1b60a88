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
        old="        return answers\n",
        new="        return await self._resolver.resolve(host, port, family)\n",
        killer=_NAMES,
    ),
    Mutant(
        name="literal addresses are not checked at the socket",
        file=_DIAL,
        old="        self.judge([destination[0]])\n",
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
        old="AiohttpSender(settings.target_policy)",
        new="AiohttpSender(type(settings.target_policy)(exceptions=settings.dial_exceptions))",
        killer=_WIRED,
    ),
    Mutant(
        name="redirects are followed",
        file=_SENDER,
        old="allow_redirects=False",
        new="allow_redirects=True",
        killer="tests/delivery/test_answers.py",
    ),
    Mutant(
        name="a deadline for each read instead of the whole",
        file=_SENDER,
        old="total=timeout_seconds",
        new="total=None, sock_read=timeout_seconds, sock_connect=timeout_seconds",
        killer=_HOSTILE,
    ),
    Mutant(
        name="answers without bounds on the wire",
        file=_POOL,
        old="partial(_handler, self._loop)",
        new="partial(ResponseHandler, self._loop)",
        killer=_HOSTILE,
    ),
    Mutant(
        name="lines of any length",
        file=_POOL,
        old="_MAX_LINE_BYTES = 8 * 1024",
        new="_MAX_LINE_BYTES = 1 << 28",
        killer="tests/delivery/test_protocol_errors.py",
    ),
    Mutant(
        name="look-ups in the few threads of the loop",
        file="shared/adapters/http/look_up.py",
        old="loop.run_in_executor(self._threads,",
        new="loop.run_in_executor(None,",
        killer=_LOOK_UPS,
    ),
    Mutant(
        name="a look-up without a bound",
        file="shared/adapters/http/look_up.py",
        old="asyncio.timeout(self._seconds)",
        new="asyncio.timeout(None)",
        killer=_LOOK_UPS,
    ),
    Mutant(
        name="certificates are not verified",
        file=_POOL,
        old="ssl=ssl_context or True",
        new="ssl=False",
        killer="tests/delivery/test_tls.py",
    ),
    Mutant(
        name="the oldest secret alone throttle_status",
        file="shared/usecases/attempts/compose_callback.py",
        old="for secret in tenant.signing_at(now_ms)",
        new="for secret in tenant.signing_at(now_ms)[-1:]",
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
)

"""What operators can do from a command line: the same operations as over HTTP, by AWS credentials and no key."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from functions.api.operations.accounts import AccountOperations
from functions.api.operations.audit import Author
from functions.api.resources.keys.models import KeyIn, KeyRotationIn
from functions.api.resources.signing_secrets.models import SecretRotationIn
from functions.api.resources.tenants.models import NewTenantOut, TenantIn, TenantPatch
from shared.domain.tenancy.audit import Actor
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.tenant import OPERATOR, Scope, TenantState

AUTHOR = Author(actor=Actor(tenant_id=OPERATOR, key_id=None), request_id="command")
"""Who acts here: whoever may write the tables. AWS has it on record who that was."""
Shown = BaseModel | Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command: its arguments, and what it does."""

    help: str
    arguments: tuple[str, ...]
    run: Callable[[AccountOperations, Namespace], Shown]


def create_tenant(accounts: AccountOperations, given: Namespace) -> Shown:
    """A tenant with its first key."""
    scopes = {"scopes": given.scopes} if given.scopes else {}
    return _credentials(accounts.tenants.create(AUTHOR, TenantIn(id=given.tenant, **scopes)))


def create_operator(accounts: AccountOperations, _: Namespace) -> Shown:
    """The first key that may manage tenants."""
    made = accounts.tenants.create_operator(AUTHOR)
    return {"tenant": made.tenant.id, "api_key": made.api_key}


def _credentials(made: NewTenantOut) -> Shown:
    return {"tenant": made.tenant.id, "api_key": made.api_key, "signing_secret": made.signing_secret}


def list_tenants(accounts: AccountOperations, _: Namespace) -> Shown:
    """All tenants."""
    return {"tenants": [tenant.model_dump(mode="json") for tenant in accounts.tenants.all()]}


def show_tenant(accounts: AccountOperations, given: Namespace) -> Shown:
    """One tenant."""
    return accounts.tenants.get(given.tenant)


def change_tenant(accounts: AccountOperations, given: Namespace) -> Shown:
    """Suspension, weight and limits."""
    fields = {
        "state": given.state,
        "weight": given.weight,
        "index_shards": given.index_shards,
        "quotas": dict(given.quota) if given.quota else None,
        "on_success": given.on_success,
        "on_failure": given.on_failure,
    }
    asked = {name: value for name, value in fields.items() if value is not None}
    return accounts.tenants.change(AUTHOR, given.tenant, TenantPatch(**asked))


def show_usage(accounts: AccountOperations, given: Namespace) -> Shown:
    """Limits, and what of them is used."""
    return accounts.tenants.usage(given.tenant)


def list_keys(accounts: AccountOperations, given: Namespace) -> Shown:
    """A tenant's keys."""
    return accounts.keys.all(given.tenant)


def create_key(accounts: AccountOperations, given: Namespace) -> Shown:
    """A key."""
    fields = {"name": given.name, "expires_in_seconds": given.expires_in_seconds}
    asked = {name: value for name, value in fields.items() if value is not None}
    return accounts.keys.create(AUTHOR, given.tenant, KeyIn(scopes=given.scopes or frozenset(), **asked))


def revoke_key(accounts: AccountOperations, given: Namespace) -> Shown:
    """The end of a key, even of the last one: here another can always be made."""
    return accounts.keys.revoke(AUTHOR, given.tenant, given.key, even_the_last=True)


def rotate_key(accounts: AccountOperations, given: Namespace) -> Shown:
    """A new key in the place of an old one."""
    asked = KeyRotationIn(overlap_seconds=given.overlap_seconds)
    return accounts.keys.rotate(AUTHOR, given.tenant, given.key, asked)


def list_secrets(accounts: AccountOperations, given: Namespace) -> Shown:
    """Which secrets sign."""
    return accounts.secrets.all(given.tenant)


def rotate_secret(accounts: AccountOperations, given: Namespace) -> Shown:
    """A new signing secret."""
    asked = SecretRotationIn(overlap_seconds=given.overlap_seconds)
    return accounts.secrets.rotate(AUTHOR, given.tenant, asked)


def retire_secret(accounts: AccountOperations, given: Namespace) -> Shown:
    """The end of an old signing secret."""
    return accounts.secrets.retire(AUTHOR, given.tenant, given.secret)


def list_parked(accounts: AccountOperations, given: Namespace) -> Shown:
    """What could not be acted on, newest first."""
    return {"messages": [each.model_dump(mode="json") for each in accounts.parked.newest(given.limit)]}


def remove_parked(accounts: AccountOperations, given: Namespace) -> Shown:
    """One message less."""
    return accounts.parked.remove(AUTHOR, given.message)


COMMANDS: dict[str, Command] = {
    "create-operator": Command(
        help="create the operators' tenant and show its first key, once",
        arguments=(),
        run=create_operator,
    ),
    "create-tenant": Command(
        help="create a tenant and show its API key and signing secret, once",
        arguments=("tenant", "--scopes"),
        run=create_tenant,
    ),
    "list-tenants": Command(help="show all tenants", arguments=(), run=list_tenants),
    "show-tenant": Command(help="show a tenant", arguments=("tenant",), run=show_tenant),
    "change-tenant": Command(
        help="suspend a tenant, let it in again, or change its weight, its quotas and whom it has told of outcomes",
        arguments=(
            "tenant",
            *("--state", "--weight", "--index-shards", "--quota", "--on-success", "--on-failure"),
        ),
        run=change_tenant,
    ),
    "show-usage": Command(
        help="show a tenant's quotas and what of them is in use", arguments=("tenant",), run=show_usage
    ),
    "list-keys": Command(help="show a tenant's API keys", arguments=("tenant",), run=list_keys),
    "create-key": Command(
        help="create an API key and show it, once",
        arguments=("tenant", "--scopes", "--name", "--expires-in-seconds"),
        run=create_key,
    ),
    "revoke-key": Command(help="revoke an API key", arguments=("tenant", "key"), run=revoke_key),
    "rotate-key": Command(
        help="put a new API key in the place of an old one and show it, once",
        arguments=("tenant", "key", "--overlap-seconds"),
        run=rotate_key,
    ),
    "list-signing-secrets": Command(
        help="show which secrets sign a tenant's callbacks", arguments=("tenant",), run=list_secrets
    ),
    "rotate-signing-secret": Command(
        help="create a signing secret and show it, once; the old ones sign beside it for a while",
        arguments=("tenant", "--overlap-seconds"),
        run=rotate_secret,
    ),
    "retire-signing-secret": Command(
        help="end an old signing secret now", arguments=("tenant", "secret"), run=retire_secret
    ),
    "list-parked": Command(
        help="show the newest messages that could not be acted on", arguments=("--limit",), run=list_parked
    ),
    "remove-parked": Command(
        help="remove such a message for good, and show it", arguments=("message",), run=remove_parked
    ),
}


def _scopes(text: str) -> frozenset[Scope]:
    try:
        return frozenset(Scope(name) for name in text.split(","))
    except ValueError as fault:
        raise ArgumentTypeError(f"scopes are some of {','.join(Scope)}") from fault


def _quota(text: str) -> tuple[Quota, int | None]:
    name, _, limit = text.partition("=")
    try:
        return Quota(name), None if limit == "default" else int(limit)
    except ValueError as fault:
        named = ", ".join(Quota)
        raise ArgumentTypeError(f"a quota is one of {named}, then = and a number or 'default'") from fault


_ARGUMENTS: dict[str, dict[str, Any]] = {
    "tenant": {"help": "1 to 40 lower-case letters, digits and inner hyphens"},
    "key": {"help": "the id of a key, which stands between pk_ and the next underscore"},
    "secret": {"help": "the id of a signing secret"},
    "message": {"help": "the id of a parked message, as list-parked shows it"},
    "--limit": {"type": int, "default": 20, "help": "how many; 20, if not given"},
    "--scopes": {"type": _scopes, "help": "some of read,write,admin; a tenant's first key has read,write"},
    "--name": {"help": "what the key is for"},
    "--expires-in-seconds": {"type": int, "help": "when the key ends; never, if not given"},
    "--overlap-seconds": {
        "type": int,
        "default": 86_400,
        "help": "for how long the old one is good beside the new one; a day, if not given",
    },
    "--state": {"choices": list(TenantState)},
    "--weight": {"type": int},
    "--index-shards": {"type": int, "help": "only ever more"},
    "--on-success": {"help": "the URL that is told of successes where a job says nothing of it, or none"},
    "--on-failure": {"help": "the same for failures"},
    "--quota": {"type": _quota, "action": "append", "help": "such as tags=5 or tags=default"},
}


def add_commands(parser: ArgumentParser) -> None:
    """Let the parser know every command."""
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for name, command in COMMANDS.items():
        own = commands.add_parser(name, help=command.help)
        for argument in command.arguments:
            own.add_argument(argument, **_ARGUMENTS[argument])

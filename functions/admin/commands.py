"""The operators' commands: arguments and actions. They need AWS credentials and no API key."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable
from typing import Any

from functions.admin import actions, deletions, export, history, lookups, trail
from functions.admin.actions import Document
from shared.bootstrap.use_cases import UseCases
from shared.dataclass import dataclass
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.tenant import Scope, TenantState


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    help: str
    arguments: tuple[str, ...]
    """Names of `_ARGUMENTS`."""
    run: Callable[[UseCases, Namespace], Document]
    has_failed: Callable[[Document], bool] = lambda _: False
    """Whether the document tells of something that is wrong: the exit status is then 1."""


COMMANDS: dict[str, Command] = {
    "create-operator": Command(
        help="create the operators' tenant and show its first key, once",
        arguments=(),
        run=actions.create_operator,
    ),
    "create-canary": Command(
        help="give the canary its tenant and its secrets, or new secrets; shows none of them",
        arguments=(),
        run=actions.create_canary,
    ),
    "create-tenant": Command(
        help="create a tenant and show its API key and signing secret, once",
        arguments=("tenant", "--scopes"),
        run=actions.create_tenant,
    ),
    "list-tenants": Command(help="show all tenants", arguments=(), run=actions.list_tenants),
    "show-tenant": Command(help="show a tenant", arguments=("tenant",), run=actions.show_tenant),
    "change-tenant": Command(
        help="suspend or reactivate a tenant, or change its weight, quotas, default callbacks and target roles",
        arguments=(
            "tenant",
            *("--state", "--weight", "--index-shards", "--quota", "--on-success", "--on-failure"),
            "--target-role",
        ),
        run=actions.change_tenant,
    ),
    "export-tenant": Command(
        help="write a tenant's settings, definitions and executions to a new file, without the archive",
        arguments=("tenant", "--file"),
        run=export.export_tenant,
    ),
    "delete-tenant": Command(
        help="delete a suspended tenant and all that is stored of it, in the background and for good",
        arguments=("tenant", "--asked-by"),
        run=actions.delete_tenant,
    ),
    "show-deletion": Command(
        help="show how far the deletion of a tenant is, or what it has deleted",
        arguments=("tenant",),
        run=actions.show_deletion,
    ),
    "repeat-deletions": Command(
        help="delete tenants again whose deletion a restore of tables has undone; repeat it after again_after",
        arguments=("--from", "--to", "--asked-by", "--dry-run"),
        run=deletions.repeat_deletions,
    ),
    "show-usage": Command(
        help="show a tenant's quotas and their usage", arguments=("tenant",), run=actions.show_usage
    ),
    "list-keys": Command(help="show a tenant's API keys", arguments=("tenant",), run=actions.list_keys),
    "create-key": Command(
        help="create an API key and show it, once",
        arguments=("tenant", "--scopes", "--name", "--expires-in-seconds"),
        run=actions.create_key,
    ),
    "revoke-key": Command(help="revoke an API key", arguments=("tenant", "key"), run=actions.revoke_key),
    "rotate-key": Command(
        help="replace an API key with a new one and show it, once",
        arguments=("tenant", "key", "--overlap-seconds"),
        run=actions.rotate_key,
    ),
    "list-signing-secrets": Command(
        help="show the secrets that sign a tenant's callbacks",
        arguments=("tenant",),
        run=actions.list_secrets,
    ),
    "rotate-signing-secret": Command(
        help="create a signing secret and show it, once; the old ones sign beside it for a while",
        arguments=("tenant", "--name", "--overlap-seconds"),
        run=actions.rotate_secret,
    ),
    "retire-signing-secret": Command(
        help="retire an old signing secret now", arguments=("tenant", "secret"), run=actions.retire_secret
    ),
    "remove-signing-secret-name": Command(
        help="remove all secrets of a name for good; calls of jobs that still give the name fail",
        arguments=("tenant", "secret_name"),
        run=actions.remove_secret_name,
    ),
    "list-audit": Command(
        help="show the newest changes of a tenant, by one key or of one thing",
        arguments=("tenant", "--key", "--target", "--hours", "--limit"),
        run=lookups.list_audit,
    ),
    "restore-history": Command(
        help="copy the archived executions of a tenant to a new file; exit status 1 if some are missing",
        arguments=("tenant", "--from", "--to", "--file"),
        run=history.restore_history,
        has_failed=lambda document: bool(document["missing"]),
    ),
    "verify-audit": Command(
        help="compare the audit trail with its own hashes and locks, and with the table; exit status 1 if they differ",
        arguments=("--from", "--to"),
        run=trail.verify_audit,
        has_failed=lambda document: not document["verified"],
    ),
    "show-execution": Command(
        help="show whose execution it is, and its attempts; not its request",
        arguments=("execution",),
        run=lookups.show_execution,
    ),
    "list-parked": Command(
        help="show the newest messages that could not be handled",
        arguments=("--limit",),
        run=actions.list_parked,
    ),
    "remove-parked": Command(
        help="remove a parked message for good, and show it",
        arguments=("message",),
        run=actions.remove_parked,
    ),
}


def _scopes(text: str) -> frozenset[Scope]:
    try:
        return frozenset(Scope(name) for name in text.split(","))
    except ValueError as error:
        raise ArgumentTypeError(f"scopes are some of {','.join(Scope)}") from error


def _quota(text: str) -> tuple[Quota, int | None]:
    name, _, limit = text.partition("=")
    try:
        return Quota(name), None if limit == "default" else int(limit)
    except ValueError as error:
        names = ", ".join(Quota)
        raise ArgumentTypeError(f"a quota is one of {names}, then = and a number or 'default'") from error


_ARGUMENTS: dict[str, dict[str, Any]] = {
    "tenant": {"help": "1 to 40 lower-case letters, digits and inner hyphens"},
    "key": {"help": "the id of a key: the part between pk_ and the next underscore"},
    "secret": {"help": "the id of a signing secret"},
    "secret_name": {"help": "the name of signing secrets"},
    "message": {"help": "the id of a parked message, from list-parked"},
    "execution": {"help": "the id of an execution, which receivers get as webhook-id"},
    "--key": {"help": "only changes by this key, given by its id"},
    "--target": {"help": "only changes of the thing with this id, such as a job"},
    "--hours": {"type": int, "default": 24, "help": "of the last hours; default 24"},
    "--from": {"help": "the first instant, such as 2026-01-31T00:00:00Z; default: from the beginning"},
    "--to": {"help": "the instant after the last one; default: now"},
    "--limit": {"type": int, "default": 20, "help": "at most this many; default 20"},
    "--scopes": {
        "type": _scopes,
        "help": "some of read,write,admin; default of a tenant's first key: read,write",
    },
    "--name": {"help": "a name for the key, or the name of the signing secrets"},
    "--expires-in-seconds": {"type": int, "help": "the life of the key; by default it does not expire"},
    "--overlap-seconds": {
        "type": int,
        "default": 86_400,
        "help": "how long the old one stays valid besides the new one; default one day",
    },
    "--state": {"choices": list(TenantState)},
    "--weight": {"type": int},
    "--index-shards": {"type": int, "help": "can only grow"},
    "--on-success": {"help": "the URL to call after a success where a job names none; or the word none"},
    "--on-failure": {"help": "the URL to call after a failure"},
    "--target-role": {
        "action": "append",
        "help": "the ARN of a role for targets in its account, in place of all registered ones; or the word none",
    },
    "--asked-by": {"required": True, "help": "who asked for it, such as a ticket; the record keeps it"},
    "--dry-run": {"action": "store_true", "help": "show what would be done, and change nothing"},
    "--file": {"required": True, "help": "the file to create; it must not exist"},
    "--quota": {"type": _quota, "action": "append", "help": "such as tags=5 or tags=default"},
}


def add_commands(parser: ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for name, command in COMMANDS.items():
        own = commands.add_parser(name, help=command.help)
        for argument in command.arguments:
            own.add_argument(argument, **_ARGUMENTS[argument])

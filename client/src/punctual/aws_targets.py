"""The services of AWS that a job sends to: their names in the API, and the members that each of them has."""

from typing import Any, Final

TARGETS: Final[dict[str, tuple[str, ...]]] = {
    "sqs": ("message_group_id",),
    "lambda": ("invocation_type",),
    "sns": ("message_group_id",),
    "eventbridge": ("source", "detail_type"),
    "step_functions": (),
}
"""Beside the message, and beside the ARN, which stands under the name of the service in options and files."""
OPTIONS: Final = tuple(dict.fromkeys(option for options in TARGETS.values() for option in options))
"""The members of all services, each once."""


def target_of(service: str, place: str, members: dict[str, Any]) -> dict[str, Any]:
    """The `target` of the API. `place` is an ARN, or the URL of a queue."""
    return {service: {"arn" if place.startswith("arn:") else "queue_url": place, **members}}


def target_parts(target: Any) -> list[tuple[str, Any]]:
    """The service of a `Job.target`, with its members."""
    parts = (
        (service, getattr(target, service, None) or getattr(target, f"{service}_", None))
        for service in TARGETS
    )
    return [(service, part) for service, part in parts if part is not None]


def services_with(option: str) -> str:
    """The services that have this member, such as `sqs or sns`."""
    return " or ".join(service for service, options in TARGETS.items() if option in options)

"""`problems.py` of the client: an exception for each problem type of the document."""

from collections.abc import Iterator, Mapping
from typing import Any

from client.generate import names
from client.generate.models import docstring

URN = "urn:punctual:problem:"
HEAD = '''"""The errors of the API, by problem type. Generated from docs/openapi.json: run `make client-sdk`."""

from punctual._api_error import ApiError, FieldError

__all__ = [
    "PROBLEMS",
%s
]
'''


def problems(document: Mapping[str, Any]) -> str:
    """The source of the module."""
    found = dict(sorted(_titles(document)))
    classes = {slug: problem_class(slug) for slug in found}
    exported = "\n".join(f'    "{name}",' for name in sorted([*classes.values(), "ApiError", "FieldError"]))
    parts = [HEAD % exported]
    for slug, name in classes.items():
        parts.append(
            f'class {name}(ApiError):\n    {docstring(f"{found[slug]} (`{slug}`).")}\n\n    slug = "{slug}"\n'
        )
    table = "\n".join(f'    "{slug}": {name},' for slug, name in classes.items())
    parts.append(
        f'PROBLEMS: dict[str, type[ApiError]] = {{\n{table}\n}}\n"""The class of each problem type."""\n'
    )
    return "\n\n".join(parts)


def problem_class(slug: str) -> str:
    """The name of the exception of a problem type."""
    name = "".join(part.capitalize() for part in slug.split("-"))
    return name if name.endswith("Error") else f"{name}Error"


def _titles(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield from names.PROBLEMS_WITHOUT_EXAMPLE.items()
    for example in document["components"]["examples"].values():
        value = example.get("value")
        if isinstance(value, dict) and str(value.get("type", "")).startswith(URN):
            yield value["type"].removeprefix(URN), value["title"]

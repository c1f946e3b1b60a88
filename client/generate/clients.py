"""`_sync_groups.py` and `_async_groups.py` of the client: a method for each operation, in groups."""

from collections.abc import Iterator
from dataclasses import replace

from client.generate import names
from client.generate.models import docstring
from client.generate.operations import KEY_HEADER, REVISION_HEADER, Argument, Described, arguments
from client.generate.schemas import attribute

HEAD = '''"""The methods of `{client}`. Generated from docs/openapi.json: run `make client-sdk` instead of editing."""

from __future__ import annotations

from collections.abc import {iterator}, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Literal, overload

from msgspec import UNSET, UnsetType

from punctual import _bodies, _operations
from punctual._groups import {group}
from punctual._model import Instant, Ref
from punctual._put import Put, PutWorkflow
from punctual._values import IfMatch, When
from punctual.models import (
{models}
)
'''
DRY_RUN = "dry_run"


def groups(found: list[Described], *, is_async: bool) -> str:
    """The source of the module."""
    by_group: dict[str, list[Described]] = {}
    for each in found:
        by_group.setdefault(each.group, []).append(each)
    nested = sorted({name.partition(".")[0] for name in by_group if "." in name})
    bodies = [_group(name, each, is_async) for name, each in sorted(by_group.items())]
    bodies += [
        _nest(name, [each for each in sorted(by_group) if each.startswith(f"{name}.")]) for name in nested
    ]
    top = sorted({name.partition(".")[0] for name in by_group})
    bodies.append(_nest("", top, "AsyncOperations" if is_async else "Operations"))
    code = "\n\n".join(bodies)
    head = HEAD.format(
        client="AsyncPunctual" if is_async else "Punctual",
        iterator="AsyncIterator" if is_async else "Iterator",
        group="AsyncGroup" if is_async else "Group",
        models="\n".join(f"    {name}," for name in found[0].types.models_in(code)),
    )
    return _plain(head + "\n\n" + code, is_async)


def _plain(code: str, is_async: bool) -> str:
    base = "AsyncGroup" if is_async else "Group"
    return code.replace("@GROUP@", base)


def _class_of(group: str) -> str:
    return "".join(part.capitalize() for part in group.replace(".", "_").split("_")) + "Methods"


def _nest(prefix: str, members: list[str], name: str = "") -> str:
    """A class whose attributes are groups."""
    what = f"The groups of `{prefix}`." if prefix else "Every group of operations."
    lines = [f"class {name or _class_of(prefix)}(@GROUP@):", f"    {docstring(what)}"]
    for group in members:
        attribute_name = group.rpartition(".")[2]
        lines.append(
            f"\n    @cached_property\n    def {attribute_name}(self) -> {_class_of(group)}:\n"
            f"        return {_class_of(group)}(self._client)"
        )
    return "\n".join(lines) + "\n"


def _group(group: str, found: list[Described], is_async: bool) -> str:
    lines = [f"class {_class_of(group)}(@GROUP@):", f"    {docstring(f'The operations of `{group}`.')}\n"]
    for each in found:
        lines += _methods(each, is_async)
    return "\n".join(lines)


def _methods(each: Described, is_async: bool) -> Iterator[str]:
    positional, by_name = arguments(each)
    if each.id in names.BY_CLIENT:
        yield _by_client(each, by_name, is_async)
        return
    kinds = list(dict.fromkeys(each.answers.values()))
    kinds += [names.PAIRS[each.id]] if each.id in names.PAIRS else []
    if len(kinds) > 1:
        plan = each.answers[200]
        made = next(kind for kind in kinds if kind != plan)
        for value, answer in (
            ("Literal[True]", plan),
            ("Literal[False]", made),
            ("bool", f"{plan} | {made}"),
        ):
            yield _overload(each, positional, by_name, value, answer, is_async)
    yield _method(each, positional, by_name, " | ".join(kinds), is_async)
    if each.items is not None:
        yield _iterate(each, positional, by_name, is_async)


def _signature(
    name: str, positional: list[Argument], by_name: list[Argument], answer: str, define: str
) -> str:
    ordered = sorted(by_name, key=lambda each: each.default is not None)
    texts = [f"{each.name}: {each.kind}" for each in positional]
    texts += ["*"] if ordered else []
    texts += [
        f"{each.name}: {each.kind}" + (f" = {each.default}" if each.default else "") for each in ordered
    ]
    return f"    {define} {name}(self{''.join(f', {text}' for text in texts)}) -> {answer}:"


def _overload(
    each: Described,
    positional: list[Argument],
    by_name: list[Argument],
    value: str,
    answer: str,
    is_async: bool,
) -> str:
    """One way to call a method whose answer depends on `dry_run`."""
    [own] = [one for one in by_name if one.name == DRY_RUN]
    default = own.default if value == "Literal[False]" else None
    kind = f"{value} | {'UnsetType' if default == 'UNSET' else 'None'}" if default else value
    changed = [replace(one, kind=kind, default=default) if one.name == DRY_RUN else one for one in by_name]
    define = "async def" if is_async else "def"
    return f"    @overload\n{_signature(each.name, positional, changed, answer, define)} ...\n"


def _method(
    each: Described, positional: list[Argument], by_name: list[Argument], answer: str, is_async: bool
) -> str:
    define, wait = ("async def", "await ") if is_async else ("def", "")
    lines = [_signature(each.name, positional, by_name, answer, define), _docs(each, positional, by_name)]
    parts = [f"_operations.{each.constant}", *(one.name for one in positional)]
    if query := each.parameters("query"):
        pairs = ", ".join(f'"{one["name"]}": {_sent(one["name"])}' for one in query)
        parts.append(f"query={{{pairs}}}")
    if each.body is not None:
        parts.append(f"body={_body(each)}")
        if not each.body_is_required:
            parts.append("body_is_required=False")
    parts += _header_parts(each, positional)
    if each.needs_token:
        parts.append("token=token")
    call = f"{wait}self._client.call({', '.join(parts)})"
    if each.id in names.PAIRS:
        lines.append(f"        answer = {call}")
        call = f"answer if {DRY_RUN} else {names.PAIRS[each.id]}.of(answer)"
    lines.append(f"        return {call}\n")
    return "\n".join(lines)


def _sent(member: str) -> str:
    name = attribute(member)
    return f"self._client.instant({name})" if member in names.AGO else name


def _body(each: Described) -> str:
    from client.generate.bodies import function_name, pairs_of

    assert each.body is not None
    if each.id in names.FLATTENED:
        from client.generate.operations import body_arguments

        passed = ", ".join(f"{one.name}={one.name}" for one in body_arguments(each))
        return f"_bodies.{function_name(each)}({passed})"
    return "{" + ", ".join(pairs_of(each.body, "self._client.instant")) + "}"


def _header_parts(each: Described, positional: list[Argument]) -> Iterator[str]:
    for parameter in each.parameters("header"):
        header = parameter["name"]
        argument = names.HEADERS[header][0]
        if header == REVISION_HEADER and parameter.get("required"):
            yield f"if_match=self._client.revision_of({positional[0].name}, if_match)"
        elif header in (KEY_HEADER, REVISION_HEADER):
            yield f"{argument}={argument}"
    others = [one for one in each.header_names if one not in (KEY_HEADER, REVISION_HEADER)]
    if others:
        pairs = ", ".join(f'"{one}": {names.HEADERS[one][0]}' for one in others)
        yield f"headers={{{pairs}}}"


def _iterate(each: Described, positional: list[Argument], by_name: list[Argument], is_async: bool) -> str:
    """The method that goes through all pages."""
    name = each.name.replace("list", "iterate", 1)
    kept = [one for one in by_name if one.name != "cursor"]
    kind = "AsyncIterator" if is_async else "Iterator"
    lines = [_signature(name, positional, kept, f"{kind}[{each.item_type}]", "def")]
    text = "Go through the entries of all pages, and read a page when its first entry is wanted."
    lines.append(f"        {docstring(f'{text} See `{each.name}`.', ' ' * 8)}")
    # The start of "24h" is computed once: a cursor belongs to the filters of its first page.
    lines += [
        f"        {attribute(one)} = self._client.instant({attribute(one)})"
        for one in sorted(names.AGO)
        if any(parameter["name"] == one for parameter in each.parameters("query"))
    ]
    by_keyword = [f"{one.name}={one.name}" for one in kept]
    passed = ", ".join([*(one.name for one in positional), *by_keyword, "cursor=cursor"])
    read = f"lambda cursor: self.{each.name}({passed})"
    lines.append(
        f"        return self._client.pages({read}, lambda page: page.{attribute(each.items or '')})\n"
    )
    return "\n".join(lines)


def _by_client(each: Described, by_name: list[Argument], is_async: bool) -> str:
    """A method whose steps the client has by hand; its one member of the body is the positional argument."""
    define, wait = ("async def", "await ") if is_async else ("def", "")
    headers = [one for one in by_name if one.name in {name for name, _ in names.HEADERS.values()}]
    members = [one for one in by_name if one not in headers]
    items = [replace(one, kind="Iterable[JobIn | Mapping[str, Any]]", default=None) for one in members]
    passed = ", ".join([*(one.name for one in items), *(f"{one.name}={one.name}" for one in headers)])
    answer = next(iter(each.answers.values()))
    return "\n".join(
        [
            _signature(each.name, items, headers, answer, define),
            _docs(each, items, headers),
            f"        return {wait}self._client.{names.BY_CLIENT[each.id]}({passed})\n",
        ]
    )


def _docs(each: Described, positional: list[Argument], by_name: list[Argument]) -> str:
    text = f"{each.raw['summary']}."
    if description := each.raw.get("description"):
        text += f"\n\n{description}"
    lines = docstring(text, " " * 8).rstrip('"').rstrip()
    notes = [
        f"* `{one.name}`: {' '.join(one.description.split())}".replace("\\", "\\\\")
        for one in (*positional, *by_name)
        if one.description
    ]
    if not notes:
        return f"        {docstring(text, ' ' * 8)}"
    return "\n".join([f"        {lines}", "", *_wrapped(notes), '        """'])


def _wrapped(notes: list[str]) -> Iterator[str]:
    from textwrap import wrap

    for note in notes:
        yield from wrap(note, 108, initial_indent="        ", subsequent_indent="          ")

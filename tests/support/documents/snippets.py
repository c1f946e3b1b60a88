"""Python that a document shows.

A snippet that only imports and defines is executed. Any other snippet drives a system that is not running, such as
a laptop stack: its imports must exist, and the calls of imported names must match their signatures.
"""

import ast
import importlib
import inspect
import os
import typing
from typing import Any
from unittest.mock import patch

from shared.domain.delivery.signing import new_secret

_ENVIRONMENT = {
    "SECRET": new_secret(bytes(32)),
    "PUNCTUAL": "http://127.0.0.1:1",
    "AWS_DEFAULT_REGION": "eu-west-1",
    "AWS_ACCESS_KEY_ID": "document",
    "AWS_SECRET_ACCESS_KEY": "document",
}
"""The variables that receivers read when they start."""
_DEFINITIONS = (
    ast.Import,
    ast.ImportFrom,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Assign,
)


def uses_the_sdk(text: str) -> bool:
    """Whether a snippet is a receiver of the SDK: client/tests/receivers/test_guides.py runs these with calls."""
    return "punctual." in text or "receives(" in text


def run_snippet(text: str, namespace: dict[str, Any]) -> None:
    """Any error of the snippet: it would not run for want of a name or an argument."""
    tree = ast.parse(text)
    if all(isinstance(statement, _DEFINITIONS) for statement in tree.body):
        if "django" in text:
            importlib.import_module("client.tests.support.django_project")
        namespace.setdefault("__name__", "document")
        with patch.dict(os.environ, _ENVIRONMENT | os.environ):
            exec(compile(tree, "document", "exec"), namespace)
    else:
        _check(tree)


def _check(tree: ast.Module) -> None:
    known: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = importlib.import_module(str(node.module))
            known |= {alias.name: getattr(module, alias.name) for alias in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.withitem) and isinstance(node.optional_vars, ast.Name):
            known[node.optional_vars.id] = _made_by(node.context_expr, known)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            _check_call(node, known)


def _made_by(expression: ast.expr, known: dict[str, Any]) -> Any:
    """The type of the result of a call, if it is known."""
    assert isinstance(expression, ast.Call) and isinstance(expression.func, ast.Name)
    maker = known[expression.func.id]
    if isinstance(maker, type):
        return maker
    made = typing.get_type_hints(inspect.unwrap(maker))["return"]
    return typing.get_args(made)[0]


def _check_call(call: ast.Call, known: dict[str, Any]) -> None:
    match call.func:
        case ast.Name(id=name):
            called = known[name]
        case ast.Attribute(value=ast.Name(id=owner), attr=name) if isinstance(known.get(owner), type):
            assert hasattr(known[owner], name), f"{owner} has no {name}"
            called = getattr(known[owner], name)
        case _:
            return
    self_ = [object()] if inspect.isfunction(called) and isinstance(call.func, ast.Attribute) else []
    arguments = {str(keyword.arg): object() for keyword in call.keywords}
    inspect.signature(called).bind(*self_, *(object() for _ in call.args), **arguments)

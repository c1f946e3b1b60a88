"""Schemas and examples."""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from functions.api.http.problem_examples import problem_example
from functions.api.http.problems import Problem
from functions.api.http.route import JSON, Route
from functions.api.models import EXAMPLES, ProblemOut
from functions.api.routes import every_route

_REF = "#/components/schemas/{model}"


class _Untitled(GenerateJsonSchema):
    """Leaves out the titles of members, which would only repeat their names."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - the base class's form
        return False


def schemas() -> dict[str, Any]:
    """Every schema of a request or response, and the schemas inside of them."""
    models: set[type[BaseModel]] = {ProblemOut}
    for route in every_route():
        models |= {model for model in (route.answer, route.body, route.dry_run) if model is not None}
    criteria = [(model, "validation") for model in sorted(models, key=lambda model: model.__name__)]
    _, generated = models_json_schema(
        criteria,  # type: ignore[arg-type]
        ref_template=_REF,
        schema_generator=_Untitled,
    )
    return {name: _cleaned(schema) for name, schema in generated["$defs"].items()}


def _cleaned(schema: dict[str, Any]) -> dict[str, Any]:
    """Without examples, which are components, and without defaults of null where null is not allowed."""
    members = {name: _without_null(member) for name, member in schema.get("properties", {}).items()}
    rest = {name: value for name, value in schema.items() if name != EXAMPLES}
    return rest | ({"properties": members} if members else {})


def _without_null(member: dict[str, Any]) -> dict[str, Any]:
    if "properties" in member.get("items", {}):
        member = {**member, "items": _cleaned(member["items"])}
    admits_null = {"type": "null"} in member.get("anyOf", []) or not member.keys() & {"type", "anyOf", "$ref"}
    if admits_null or member.get("default", ...) is not None:
        return member
    return {name: value for name, value in member.items() if name != "default"}


def examples() -> dict[str, Any]:
    """Every example, by its key among the components."""
    examples = {
        _name(model, name): {"summary": _words(name), "value": value}
        for model in _models()
        for name, value in examples_of(model).items()
    }
    problems = {
        problem.slug: {"summary": problem.title, "value": problem_example(problem)}
        for problem in sorted(_problems(), key=lambda problem: problem.slug)
    }
    return examples | problems


def _models() -> Iterator[type[BaseModel]]:
    used = {
        model
        for route in every_route()
        for model in (route.body, route.answer, route.dry_run)
        if model is not None
    }
    yield from sorted(used, key=lambda model: model.__name__)


def _problems() -> set[Problem]:
    return {problem for route in every_route() for problem in route.all_problems}


def examples_of(model: type[BaseModel]) -> dict[str, Any]:
    """The examples of a schema, by name."""
    extra: Any = model.model_config.get("json_schema_extra") or {}
    return dict(extra.get(EXAMPLES, {}))


def body_content(route: Route) -> dict[str, Any]:
    """The request body of a route, by media type."""
    return {media: content_of(route.body) for media in route.media_types} if route.body else {}


def answer_content(route: Route) -> dict[str, Any]:
    """The response body of a route."""
    return {JSON: content_of(route.answer)}


def content_of(model: type[BaseModel]) -> dict[str, Any]:
    """A schema with its examples."""
    examples = {name: {"$ref": f"#/components/examples/{_name(model, name)}"} for name in examples_of(model)}
    return {"schema": schema_of(model)} | ({"examples": examples} if examples else {})


def schema_of(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": _REF.format(model=model.__name__)}


def _name(model: type[BaseModel], example: str) -> str:
    return f"{model.__name__}.{example}"


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()

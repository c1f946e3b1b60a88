"""A synthesised template, read the way CloudFormation would resolve it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Resource = dict[str, Any]


@dataclass(frozen=True)
class Template:
    """The JSON of one stack."""

    body: dict[str, Any]

    def of_type(self, kind: str) -> dict[str, Resource]:
        """Resources of a type by logical id."""
        found = {name: made for name, made in self.body["Resources"].items() if made["Type"] == kind}
        assert found, f"no {kind} in the template"
        return found

    def properties(self, kind: str) -> Iterator[Resource]:
        """The properties of every resource of a type."""
        return (made["Properties"] for made in self.of_type(kind).values())

    def functions(self) -> dict[str, Resource]:
        """The properties of the functions by the name of their service."""
        return {
            made["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"]: made
            for made in self.properties("AWS::Lambda::Function")
        }

    def referred(self, value: Any) -> Resource:
        """The properties of the resource that a Ref or GetAtt names."""
        name = value["Ref"] if "Ref" in value else value["Fn::GetAtt"][0]
        properties: Resource = self.body["Resources"][name].get("Properties", {})
        return properties

    def alias(self, value: Any) -> str:
        """The logical id of the alias `live` that a part of the template names."""
        resources = self.body["Resources"]
        named = {name for name in references(value) if resources[name]["Type"] == "AWS::Lambda::Alias"}
        assert len(named) == 1, f"{value} names no alias"
        (name,) = named
        assert resources[name]["Properties"]["Name"] == "live"
        return name

    def invoked(self, value: Any) -> Resource:
        """The properties of the function whose alias a part of the template names."""
        alias: Resource = self.body["Resources"][self.alias(value)]["Properties"]
        return self.referred(alias["FunctionName"])


_IN_TEXT = re.compile(r"\$\{([A-Za-z0-9]+)(?:\.[A-Za-z0-9.]+)?\}")


def references(value: Any) -> Iterator[str]:
    """The logical ids that a part of a template names."""
    match value:
        case {"Ref": str(name)}:
            yield name
        case {"Fn::GetAtt": [name, *_]}:
            yield name
        case {"Fn::Sub": str(text)}:
            yield from _IN_TEXT.findall(text)
        case dict():
            for part in value.values():
                yield from references(part)
        case list():
            for part in value:
                yield from references(part)


def resolve(value: Any) -> str:
    """Text as it might be after deployment; references become plausible values that contain their names."""
    match value:
        case str():
            return value
        case {"Fn::Join": [separator, parts]}:
            return str(separator).join(resolve(part) for part in parts)
        case {"Ref": name} if name.startswith("Lanes"):
            return f"https://sqs.eu-west-1.amazonaws.com/111111111111/{name}"
        case {"Ref": name}:
            return str(name)
        case {"Fn::ImportValue": name}:
            return str(name).rsplit(":", 1)[-1]
        case {"Fn::GetAtt": [name, "ApiEndpoint"]}:
            return f"https://{name}.execute-api.eu-west-1.amazonaws.com"
        case {"Fn::GetAtt": [name, attribute]}:
            return f"{name}.{attribute}"
    raise AssertionError(f"cannot resolve {value}")


def environment(function: Resource) -> dict[str, str]:
    """The variables that a function would see."""
    return {name: resolve(value) for name, value in function["Environment"]["Variables"].items()}

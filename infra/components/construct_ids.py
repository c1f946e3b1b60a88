"""How constructs are called."""


def construct_id(name: str) -> str:
    """A name of words and hyphens in CamelCase, as CloudFormation names resources."""
    return "".join(word.capitalize() for word in name.split("-"))

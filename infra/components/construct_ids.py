def construct_id(name: str) -> str:
    """Convert a hyphenated name to CamelCase, as CloudFormation requires."""
    return "".join(word.capitalize() for word in name.split("-"))

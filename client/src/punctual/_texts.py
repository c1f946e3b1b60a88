"""Small parts of texts for people."""


def counted(number: int, nouns: str) -> str:
    """A number with its noun, whose plural ends with an s: `1 job`, `2 jobs`."""
    return f"{number} {nouns.removesuffix('s') if number == 1 else nouns}"

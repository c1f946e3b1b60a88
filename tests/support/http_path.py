"""The path of a request as an HTTP API of API Gateway passes it to a function."""

from urllib.parse import unquote


def raw_path(target: str) -> str:
    """`rawPath`: the path of the request's target, decoded, and cut at the first decoded question mark."""
    return unquote(target.partition("?")[0]).partition("?")[0]

"""The URL of the API, to which the tokens of attempts are sent."""

from ipaddress import ip_address
from urllib.parse import urlsplit


def checked_url(api_url: str) -> str:
    """The URL without a slash at its end.

    ValueError unless it is https, or http to this machine: the token of an attempt must not travel in the clear.
    """
    parts = urlsplit(api_url)
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(parts.hostname or ""))
    if not (is_safe and parts.hostname) or parts.query or parts.fragment or parts.username is not None:
        raise ValueError(
            "the URL of the API is https://HOST, or http:// with a loopback address, without query and user name"
        )
    return api_url.rstrip("/")


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False

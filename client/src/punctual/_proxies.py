"""Which requests go past the proxies of the environment.

httpx takes `HTTP_PROXY` for this machine as well, unless `NO_PROXY` names it. A key would go to the proxy unencrypted,
and the proxy would look for the deployment on its own machine.
"""

from urllib.parse import urlsplit

from punctual._config import is_loopback


def no_proxy_for(url: str) -> dict[str, None]:
    """The `mounts` of an httpx client: no proxy for the host of a URL on this machine; else as the environment says."""
    host = urlsplit(url).hostname or ""
    return {f"all://[{host}]" if ":" in host else f"all://{host}": None} if is_loopback(host) else {}

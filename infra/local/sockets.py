"""Ports on the loopback address."""

import http.client
import socket

HOST = "127.0.0.1"


def free_port() -> int:
    """Return a port that is currently free."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def in_use(port: int) -> bool:
    """Return whether another process uses this port of the loopback address."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return True
    return False


def responds(port: int, path: str) -> bool:
    """Return whether an HTTP server on this port responds, with any status."""
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", path)
        connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True

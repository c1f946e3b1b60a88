"""The IP addresses that callbacks may reach: public unicast, and the exceptions of the deployment's operator.

The tables list every block, because `ipaddress.is_global` accepts many of these addresses.
"""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# The IANA special-purpose registries and further blocks. Blocks outside 2000::/3 or inside a larger row are
# listed too, so that a reader can look up each of them.
BLOCKED_V4 = {
    "0.0.0.0/8": "this network",
    "10.0.0.0/8": "private use",
    "100.64.0.0/10": "shared address space (CGNAT), and the metadata of Alibaba",
    "127.0.0.0/8": "loopback, and the runtime API of Lambda",
    "168.63.129.16/32": "the wire server of Azure, in public space",
    "169.254.0.0/16": "link local: metadata of every cloud, credentials of containers",
    "172.16.0.0/12": "private use",
    "192.0.0.0/24": "IETF protocol assignments, and the metadata of Oracle",
    "192.0.2.0/24": "documentation",
    "192.31.196.0/24": "AS112",
    "192.52.193.0/24": "automatic multicast tunneling",
    "192.88.99.0/24": "6to4 relays",
    "192.168.0.0/16": "private use",
    "192.175.48.0/24": "AS112",
    "198.18.0.0/15": "benchmarking",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "class E, and limited broadcast",
}
BLOCKED_V6 = {
    "::/128": "unspecified",
    "::1/128": "loopback",
    "::/96": "IPv4-compatible",
    "::ffff:0:0/96": "IPv4-mapped",
    "::ffff:0:0:0/96": "IPv4-translated",
    "64:ff9b::/96": "NAT64",
    "64:ff9b:1::/48": "local-use NAT64",
    "100::/64": "discard only",
    "100:0:0:1::/64": "dummy prefix",
    "2001::/23": "IETF protocol assignments, with Teredo, benchmarking, ORCHID and DRIP",
    "2001:db8::/32": "documentation",
    "2002::/16": "6to4",
    "2620:4f:8000::/48": "AS112",
    "3ffe::/16": "the former 6bone",
    "3fff::/20": "documentation",
    "5f00::/16": "segment routing",
    "fc00::/7": "unique local (ULA): metadata of AWS and Google",
    "fe80::/10": "link local",
    "fec0::/10": "site local",
    "ff00::/8": "multicast",
}
_BLOCKED: dict[int, tuple[Network, ...]] = {
    4: tuple(IPv4Network(text) for text in BLOCKED_V4),
    6: tuple(IPv6Network(text) for text in BLOCKED_V6),
}
_GLOBAL_UNICAST_V6 = IPv6Network("2000::/3")


def may_dial(address: Address, exceptions: Sequence[Network]) -> bool:
    """Return whether a callback may connect to this address. Pure; no other code makes this decision.

    True for an address in an exception; otherwise only for public unicast. An exception is taken literally:
    an IPv4 network does not cover the IPv6 forms of its addresses.
    """
    if is_exception(address, exceptions):
        return True
    if address.version == 6 and address not in _GLOBAL_UNICAST_V6:
        return False
    return not any(address in network for network in _BLOCKED[address.version])


def is_exception(address: Address, exceptions: Sequence[Network]) -> bool:
    """Return whether the operator of this deployment has explicitly allowed this address."""
    return any(address in network for network in exceptions)

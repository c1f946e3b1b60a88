"""Host names that no callback may use, whatever address they resolve to.

The address check at each call is the security boundary; this check is a second layer. It reports the error
when the job is created. It also protects credentials from a foreign resolver and from an address exception
that is too wide.
"""

METADATA_NAMES = {
    "instance-data": "EC2, by the search list of its resolver",
    "instance-data.ec2.internal": "EC2",
    "metadata": "Google Cloud, by the search list of its resolver",
    "metadata.google.internal": "Google Cloud",
    "metadata.goog": "Google Cloud",
    "metadata.tencentyun.com": "Tencent Cloud",
    "metadata.packet.net": "Equinix Metal, in public space",
    "metadata.platformequinix.com": "Equinix Metal, in public space",
    "api.metadata.cloud.ibm.com": "IBM Cloud",
    "rancher-metadata": "Rancher",
    "sandbox": "the runtime API of Lambda, in emulators",
    "sandbox.localdomain": "the runtime API of Lambda, for its extensions",
    "kubernetes.default.svc": "the API of a Kubernetes cluster",
}
"""Services that issue credentials, including all names below. No exception allows them."""

LOOPBACK_SUFFIX = "localhost"
"""Loopback by RFC 6761; resolvers differ on names below it."""

PRIVATE_SUFFIXES = {
    "alt": "RFC 9476, names outside the DNS",
    "arpa": "RFC 3172, infrastructure such as in-addr.arpa and ip6.arpa; home.arpa is private by RFC 8375",
    "corp": "RFC 6762, appendix G",
    "home": "RFC 6762, appendix G",
    "internal": "reserved by ICANN for private use; instances of EC2",
    "intranet": "RFC 6762, appendix G",
    "invalid": "RFC 6761",
    "lan": "RFC 6762, appendix G",
    "local": "RFC 6762, multicast DNS; clusters",
    "localdomain": "the default domain of many hosts",
    "onion": "RFC 7686, names of Tor",
    "private": "RFC 6762, appendix G",
    "svc": "services of a Kubernetes cluster",
    "test": "RFC 6761",
}
"""Names that the public DNS never resolves; useful only in a deployment that dials private addresses. `example`
is not among them, so that examples can be tried up to the call."""


def is_metadata_name(name: str) -> bool:
    """Return whether this lower-case name belongs to a service that issues credentials, on any cloud."""
    return name.startswith("instance-data.") or any(each in METADATA_NAMES for each in _ancestry(name))


def is_loopback_name(name: str) -> bool:
    """Return whether this lower-case name means the local host."""
    return name.rpartition(".")[2] == LOOPBACK_SUFFIX


def is_private_name(name: str) -> bool:
    """Return whether this lower-case name never resolves in the public DNS, such as a single label."""
    return "." not in name or any(each in PRIVATE_SUFFIXES for each in _ancestry(name))


def _ancestry(name: str) -> list[str]:
    """Return the name and all its parents, up to the top-level domain."""
    labels = name.split(".")
    return [".".join(labels[start:]) for start in range(len(labels))]

"""Host names that no callback may go to, whatever they resolve to today.

A name is no more than a hint: its addresses are judged at each call, and that is what holds. Names are refused so that
a user hears of it when the job is made, and so that a resolver which somebody else set up, or an exception that is too
wide, opens no way to credentials.
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
"""Services that hand out credentials, with everything below their names. No exception opens them."""

LOOPBACK_SUFFIX = "localhost"
"""Loopback by RFC 6761; resolvers differ on what stands below it."""

PRIVATE_SUFFIXES = {
    "corp": "RFC 6762, appendix G",
    "home": "RFC 6762, appendix G",
    "home.arpa": "RFC 8375",
    "internal": "reserved by ICANN for private use; instances of EC2",
    "intranet": "RFC 6762, appendix G",
    "lan": "RFC 6762, appendix G",
    "local": "RFC 6762, multicast DNS; clusters",
    "localdomain": "what many hosts call their own network",
    "private": "RFC 6762, appendix G",
    "svc": "services of a Kubernetes cluster",
}
"""Names that the public DNS never answers; only a deployment that dials private addresses has use for them."""


def is_metadata_name(name: str) -> bool:
    """Whether a service that hands out credentials goes by this name (in lower case), on this cloud or another."""
    return name.startswith("instance-data.") or any(each in METADATA_NAMES for each in _ancestry(name))


def is_loopback_name(name: str) -> bool:
    """Whether this name (in lower case) means the host itself."""
    return name.rpartition(".")[2] == LOOPBACK_SUFFIX


def is_private_name(name: str) -> bool:
    """Whether this name (in lower case) can mean something on a private network only: one label is such a name."""
    return "." not in name or any(each in PRIVATE_SUFFIXES for each in _ancestry(name))


def _ancestry(name: str) -> list[str]:
    """The name, its parent, and so on up to the top-level domain."""
    labels = name.split(".")
    return [".".join(labels[start:]) for start in range(len(labels))]

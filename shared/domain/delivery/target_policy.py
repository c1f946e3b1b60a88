"""What one deployment lets its users call: the same rules when a job is made and when it is called."""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

from shared.domain.delivery.addresses import Address, Network, is_exception, may_dial
from shared.domain.delivery.host_names import is_loopback_name, is_metadata_name, is_private_name

_LOOPBACK = (IPv4Address("127.0.0.1"), IPv6Address("::1"))


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetPolicy:
    """The choices of whoever operates the deployment; by default there are none, and only public https is called."""

    exceptions: tuple[Network, ...] = ()
    """Networks that may be dialled although they are not public. Plain http goes there and nowhere else."""
    own_hosts: frozenset[str] = frozenset()
    """The host names of the deployment's own API, in lower case: a job that makes jobs would multiply."""

    @property
    def allows_http(self) -> bool:
        """Plain http is for the addresses of the exceptions only, so without any there is none."""
        return bool(self.exceptions)

    def admits_address(self, address: Address, *, plain_http: bool) -> bool:
        """Whether this address may be dialled, for http or for https."""
        return (is_exception if plain_http else may_dial)(address, self.exceptions)

    def admits_name(self, name: str) -> bool:
        """Whether this host name may be called at all; its addresses are judged when it is resolved."""
        folded = name.lower()
        if folded in self.own_hosts or is_metadata_name(folded):
            return False
        if is_loopback_name(folded):
            return any(is_exception(address, self.exceptions) for address in _LOOPBACK)
        return bool(self.exceptions) or not is_private_name(folded)

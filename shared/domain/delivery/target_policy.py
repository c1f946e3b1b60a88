"""The targets that a deployment allows. Job creation and each call apply the same rules."""

from ipaddress import IPv4Address, IPv6Address

from shared.dataclass import dataclass
from shared.domain.delivery.addresses import Address, Network, is_exception, may_dial
from shared.domain.delivery.host_names import is_loopback_name, is_metadata_name, is_private_name

_LOOPBACK = (IPv4Address("127.0.0.1"), IPv6Address("::1"))


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetPolicy:
    """The operator's settings; by default, only public https is allowed."""

    exceptions: tuple[Network, ...] = ()
    """Non-public networks that callbacks may reach. Plain http is allowed only to these networks."""
    own_hosts: frozenset[str] = frozenset()
    """Host names of the deployment's own API, in lower case: jobs that create jobs could multiply without
    bound."""
    issues_tokens: bool = False
    """Whether calls may have identity tokens."""

    @property
    def allows_http(self) -> bool:
        """Whether plain http is allowed; it is limited to the exceptions."""
        return bool(self.exceptions)

    def admits_address(self, address: Address, *, plain_http: bool) -> bool:
        """Return whether a callback may connect to this address."""
        return (is_exception if plain_http else may_dial)(address, self.exceptions)

    def admits_name(self, name: str) -> bool:
        """Return whether this host name may be called; its addresses are checked after it is resolved."""
        folded = name.lower()
        if folded in self.own_hosts or is_metadata_name(folded):
            return False
        if is_loopback_name(folded):
            return any(is_exception(address, self.exceptions) for address in _LOOPBACK)
        return self._opens_private_networks or not is_private_name(folded)

    def admits_plain_http(self, name: str) -> bool:
        """Return whether a job may call this host name by plain http.

        Only names that may resolve to an exception qualify; each call then checks the address.
        """
        return self._opens_private_networks or is_loopback_name(name.lower())

    @property
    def _opens_private_networks(self) -> bool:
        """Whether an exception goes beyond loopback, so that any name may resolve to an address in it."""
        return any(not network.is_loopback for network in self.exceptions)

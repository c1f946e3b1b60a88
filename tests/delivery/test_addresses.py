"""Which addresses may be dialled: every row of the tables, at its edges, and what stands beside it."""

from ipaddress import ip_address, ip_network

import pytest

from shared.adapters.http.dial import DialGuard
from shared.adapters.http.errors import CallFailedError
from shared.adapters.http.sockets import SocketBudget
from shared.domain.delivery.addresses import BLOCKED_V4, BLOCKED_V6, may_dial
from tests.support.delivery.sending import policy

# fmt: off
MUST_BLOCK = [
    # metadata, credentials and runtimes, of every cloud
    "169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.169.253", "169.254.79.129", "169.254.0.23",
    "fd00:ec2::254", "fd00:ec2::253", "fd00:ec2::23", "fd20:ce::254", "100.100.100.200", "192.0.0.192",
    "168.63.129.16", "127.0.0.1",
    # the special-purpose registry of IPv4
    "0.0.0.0", "0.1.2.3", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.53",
    "127.255.255.255", "169.254.0.1", "169.254.255.255", "172.16.0.0", "172.31.255.255", "192.0.0.1", "192.0.0.8",
    "192.0.0.9", "192.0.0.10", "192.0.0.170", "192.0.2.1", "192.31.196.1", "192.52.193.1", "192.88.99.1",
    "192.88.99.2", "192.168.0.1", "192.168.255.255", "192.175.48.1", "198.18.0.0", "198.19.255.255",
    "198.51.100.1", "203.0.113.1",
    # multicast, class E, broadcast
    "224.0.0.1", "232.1.1.1", "239.255.255.250", "240.0.0.1", "255.255.255.254", "255.255.255.255",
    # IPv4 in the clothes of IPv6: compatible, mapped, translated, NAT64, 6to4, Teredo
    "::2", "::7f00:1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:169.254.169.254", "::ffff:a9fe:a9fe",
    "::ffff:0:127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b::808:808", "64:ff9b:1::1", "64:ff9b:1:fffe::a9fe:a9fe",
    "2002::1", "2002:7f00:1::1", "2002:a9fe:a9fe::1", "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    # the special-purpose registry of IPv6
    "::", "::1", "100::1", "100:0:0:1::1", "2001:1::1", "2001:1::2", "2001:2::1", "2001:3::1", "2001:4:112::1",
    "2001:10::1", "2001:20::1", "2001:30::1", "2001:1ff:ffff::1", "2001:db8::1", "2001:db8:ffff::1",
    "2620:4f:8000::1", "3fff::1", "3fff:fff::1", "5f00::1", "fc00::1", "fdff::1", "fe80::1", "fe80::1%eth0",
    "febf::1", "ff00::1", "ff02::1", "ff0e::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    # legacy: site local, the 6bone
    "fec0::1", "feff::1", "3ffe::1", "3ffe:ffff::1",
    # outside 2000::/3, whatever becomes of it
    "200::1", "400::1", "1000::1", "1fff:ffff::1", "4000::1", "8000::1", "c000::1", "e000::1", "fe00::1",
]

MAY_PASS = [
    "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
    "128.0.0.0", "168.63.129.15", "168.63.129.17", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
    "191.255.255.255", "192.0.1.0", "192.0.3.0", "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0",
    "198.17.255.255", "198.20.0.0", "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "2000::1",
    "2001:200::1", "2001:db7::1", "2001:db9::1", "2001:4860:4860::8888", "2003::1", "2600::1",
    "2606:4700::1111", "2620:4f:8001::1", "2a00:1450::1", "3ffd::1", "3fff:1000::1",
]
# fmt: on


def test_the_table_is_long_enough_to_be_one() -> None:
    assert len(set(MUST_BLOCK)) == len(MUST_BLOCK) >= 90
    assert len(set(MAY_PASS)) == len(MAY_PASS) >= 30


@pytest.mark.parametrize("text", MUST_BLOCK)
def test_addresses_that_no_callback_may_reach(text: str) -> None:
    address = ip_address(text)
    assert not may_dial(address, ())
    assert not may_dial(address, (ip_network("198.51.100.128/25"), ip_network("2001:db8:1::/48")))
    everything = (ip_network("0.0.0.0/0"), ip_network("::/0"))
    assert may_dial(address, everything)


@pytest.mark.parametrize("text", MAY_PASS)
def test_public_addresses_pass(text: str) -> None:
    assert may_dial(ip_address(text), ())


def test_an_exception_covers_what_it_says_and_no_more() -> None:
    exceptions = (ip_network("10.1.0.0/16"), ip_network("fd12::/64"))
    assert may_dial(ip_address("10.1.2.3"), exceptions)
    assert may_dial(ip_address("fd12::9"), exceptions)
    for text in (
        "10.2.0.1",
        "fd12:0:0:1::1",
        "::ffff:10.1.2.3",
        "::10.1.2.3",
        "2002:a01:203::1",
        "127.0.0.1",
    ):
        assert not may_dial(ip_address(text), exceptions), text


def test_plain_http_goes_to_the_exceptions_only() -> None:
    tls = DialGuard(policy=policy("10.1.0.0/16"), plain_http=False, sockets=SocketBudget(1))
    plain = DialGuard(policy=policy("10.1.0.0/16"), plain_http=True, sockets=SocketBudget(1))
    tls.judge(["8.8.8.8", "10.1.0.1"])
    plain.judge(["10.1.0.1"])
    for guard, addresses in ((plain, ["8.8.8.8"]), (plain, ["10.1.0.1", "8.8.8.8"]), (tls, ["10.2.0.1"])):
        with pytest.raises(CallFailedError, match="may not be called"):
            guard.judge(addresses)


@pytest.mark.parametrize("text", ["", "localhost", "127.1", "0x7f000001", "8.8.8.8\n", "8.8.8.8:53"])
def test_text_that_is_no_address_is_not_dialled(text: str) -> None:
    with pytest.raises(CallFailedError, match="may not be called"):
        DialGuard(policy=policy(), plain_http=False, sockets=SocketBudget(1)).judge([text])


@pytest.mark.parametrize("row", [*BLOCKED_V4, *BLOCKED_V6])
def test_every_row_is_blocked_from_its_first_address_to_its_last(row: str) -> None:
    network = ip_network(row)
    for address in (network.network_address, network.broadcast_address):
        assert not may_dial(address, ())


@pytest.mark.parametrize("row", [*BLOCKED_V4, *BLOCKED_V6])
def test_every_row_is_among_what_must_be_blocked(row: str) -> None:
    """So that a row that is dropped, or written narrower, is missed by the table above."""
    network = ip_network(row)
    assert any(ip_address(text) in network for text in MUST_BLOCK)

"""The grammar of target URLs and of users' headers."""

from ipaddress import ip_network

import pytest

from shared.domain.delivery.host_names import METADATA_NAMES, PRIVATE_SUFFIXES
from shared.domain.delivery.target import check_headers, check_target
from shared.domain.delivery.target_policy import TargetPolicy
from shared.domain.errors import CallbackUrlNotAllowedError, InvalidValueError

PUBLIC = TargetPolicy(own_hosts=frozenset({"abc.execute-api.eu-west-1.amazonaws.com", "jobs.example.com"}))
"""What a deployment in the cloud is like."""
LAPTOP = TargetPolicy(exceptions=(ip_network("127.0.0.0/8"), ip_network("::1/128")))
PRIVATE = TargetPolicy(exceptions=(ip_network("10.0.0.0/8"), ip_network("fd12::/64")))
LABEL_63 = "a" * 63
HOST_253 = ".".join([LABEL_63, LABEL_63, LABEL_63, "a" * 61])

GOOD = [
    "https://example.com",
    "https://example.com/",
    "https://EXAMPLE.com/Path",
    "https://example.com?x=1",
    "https://example.com/a/../b//c;v=1?ids[]=1&q=%20+~:@!$&'()*,#"[:-1],
    "https://a.b-c.example:443/",
    "https://example.com:1024/",
    "https://example.com:65535/",
    "https://localhost.example/",
    "https://internal.example/",
    "https://metadata.example.com/",
    "https://jobs.example.com.evil.example/",
    "https://a.jobs.example.com/",
    "https://1.2.3.4.example/",
    "https://3com.example/",
    "https://xn--mnchen-3ya.example/",
    "https://r3---sn-x.example/",
    "https://8.8.8.8/",
    "https://8.8.8.8:8443/",
    "https://[2606:4700::1111]/",
    "https://[2606:4700::1111]:8443/x",
    f"https://{HOST_253}/",
    "https://example.com/" + "a" * (2048 - len("https://example.com/")),
]

BAD = {
    # scheme
    "http://example.com/": "https://",
    "HTTPS://example.com/": "lower case",
    "ftp://example.com/": "https://",
    "wss://example.com/": "https://",
    "//example.com/": "https://",
    "example.com": "https://",
    "https:/example.com/": "https://",
    "https:example.com": "https://",
    "javascript:alert(1)": "https://",
    "": "https://",
    # user information
    "https://user@example.com/": "user name",
    "https://user:pass@example.com/": "user name",
    "https://example.com:443@127.0.0.1/": "user name",
    "https://@example.com/": "user name",
    # characters
    "https://example.com/a b": "spaces",
    "https://example.com\\@evil.example/": "backslashes",
    "https://example.com/\r\nX: y": "control",
    "https://example.com/\x00": "control",
    "https://example.com/\x7f": "control",
    "https://example.com/\t": "control",
    "https://example.com/\n": "control",
    " https://example.com/": "spaces",
    "https://münchen.example/": "xn--",
    "https://example.com/ü": "percent-encode",
    "https://example。com/": "xn--",
    "https://①②⑦.0.0.1/": "xn--",
    "https://example.com/#part": "fragment",
    "https://example.com#@127.0.0.1/": "fragment",
    "https://example.com/<x>": "percent-encoded",
    "https://example.com/{id}": "percent-encoded",
    "https://example.com/%zz": "percent-encoded",
    "https://example.com/%2": "percent-encoded",
    "https://example.com/[x]": "percent-encoded",
    'https://example.com/?q="x"': "percent-encoded",
    "https://example.com/?q=%": "percent-encoded",
    # host names
    "https://": "host name",
    "https:///path": "host name",
    "https://?x": "host name",
    "https://:443/": "host name",
    "https://example.com./": "final dot",
    "https://localhost./": "final dot",
    "https://127.0.0.1./": "final dot",
    "https://example..com/": "host name",
    "https://.example.com/": "host name",
    "https://./": "host name",
    "https://-a.example/": "host name",
    "https://a-.example/": "host name",
    "https://a_b.example/": "host name",
    "https://ex%61mple.com/": "host name",
    "https://a*.example/": "host name",
    f"https://{LABEL_63}a.example/": "host name",
    f"https://{HOST_253}a/": "host name",
    "https://xn--.example/": "host name",
    "https://xn--abc-.example/": "host name",
    "https://xn--99999999.example/": "xn-- label",
    "https://xn--a.example/": "xn-- label",
    "https://XN--A.example/": "xn-- label",
    # IPv4 in costume
    "https://127.1/": "IPv4",
    "https://127.0.1/": "IPv4",
    "https://2130706433/": "IPv4",
    "https://0x7f.1/": "IPv4",
    "https://0x7f000001/": "IPv4",
    "https://0x7f.0.0.0x1/": "IPv4",
    "https://0177.0.0.1/": "IPv4",
    "https://127.0.0.01/": "IPv4",
    "https://017700000001/": "IPv4",
    "https://256.0.0.1/": "IPv4",
    "https://1.2.3.4.5/": "IPv4",
    "https://example.1/": "IPv4",
    "https://0x/": "IPv4",
    # IPv6
    "https://[::1": "IPv6",
    "https://::1/": "IPv6",
    "https://2001:db8::1/": "IPv6",
    "https://[]/": "IPv6",
    "https://[::1]x/": "IPv6",
    "https://[[::1]]/": "IPv6",
    "https://[fe80::1%25eth0]/": "canonical",
    "https://[fe80::1%eth0]/": "canonical",
    "https://[2001:DB8::1]/": "canonical",
    "https://[2001:db8:0:0:0:0:0:1]/": "canonical",
    "https://[2001:0db8::1]/": "canonical",
    "https://[::ffff:127.0.0.1]/": "canonical",
    "https://[::ffff:7f00:1]/": "canonical",
    "https://[127.0.0.1]/": "IPv6",
    "https://[v1.x]/": "IPv6",
    # ports
    "https://example.com:/": "port",
    "https://example.com:0/": "port",
    "https://example.com:22/": "port",
    "https://example.com:80/": "port",
    "https://example.com:442/": "port",
    "https://example.com:444/": "port",
    "https://example.com:1023/": "port",
    "https://example.com:65536/": "port",
    "https://example.com:0443/": "port",
    "https://example.com:+443/": "port",
    "https://example.com:443:443/": "cannot be read",
    "https://example.com:4_43/": "port",
    "https://example.com:https/": "port",
    # length
    "https://example.com/" + "a" * 2029: "2048",
}


REFUSED_NAMES = [
    "localhost",
    "LOCALHOST",
    "app.localhost",
    "localhost.localdomain",
    "metadata",
    "metadata.google.internal",
    "Metadata.Google.Internal",
    "x.metadata.google.internal",
    "metadata.goog",
    "metadata.tencentyun.com",
    "instance-data",
    "instance-data.ec2.internal",
    "instance-data.eu-west-1.compute.internal",
    "instance-data.example.com",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
    "sandbox.localdomain",
    "host.docker.internal",
    "ip-10-0-0-1.ec2.internal",
    "ip-10-0-0-1.eu-west-1.compute.internal",
    "printer.local",
    "router.lan",
    "nas.home",
    "nas.home.arpa",
    "1.0.0.127.in-addr.arpa",
    "1.0.0.0.ip6.arpa",
    "facebookcorewwwi.onion",
    "hooks.test",
    "hooks.invalid",
    "hooks.alt",
    "wiki.corp",
    "wiki.intranet",
    "db.private",
    "database",
    "abc.execute-api.eu-west-1.amazonaws.com",
    "ABC.execute-api.eu-west-1.amazonaws.com",
    "jobs.example.com",
    "Jobs.Example.Com",
    *METADATA_NAMES,
    *(f"x.{suffix}" for suffix in PRIVATE_SUFFIXES),
]
REFUSED_ADDRESSES = [
    "127.0.0.1",
    "10.0.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "169.254.169.254",
    "169.254.170.2",
    "172.16.0.1",
    "192.0.0.192",
    "192.168.1.1",
    "192.0.2.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "0.0.0.0",
    "[::]",
    "[::1]",
    "[64:ff9b::a9fe:a9fe]",
    "[2001:db8::1]",
    "[2002:a9fe:a9fe::1]",
    "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[ff02::1]",
    "[4000::1]",
]


@pytest.mark.parametrize("url", GOOD)
def test_good_targets(url: str) -> None:
    check_target(url, PUBLIC)
    check_target(url, LAPTOP)
    check_target(url, PRIVATE)


@pytest.mark.parametrize(("url", "words"), BAD.items())
def test_bad_targets_say_what_is_wrong(url: str, words: str) -> None:
    with pytest.raises(CallbackUrlNotAllowedError) as caught:
        check_target(url, PUBLIC)
    assert words in str(caught.value)


@pytest.mark.parametrize("host", REFUSED_NAMES)
@pytest.mark.parametrize("url", ["https://{}/", "https://{}:8443/x?y=1"])
def test_names_of_private_networks_metadata_and_the_api_itself_are_refused(host: str, url: str) -> None:
    with pytest.raises(CallbackUrlNotAllowedError, match="may not be called"):
        check_target(url.format(host), PUBLIC)


@pytest.mark.parametrize("host", REFUSED_ADDRESSES)
def test_addresses_that_are_not_public_are_refused_when_the_job_is_made(host: str) -> None:
    with pytest.raises(CallbackUrlNotAllowedError, match="not a public address"):
        check_target(f"https://{host}/", PUBLIC)


@pytest.mark.parametrize("policy", [LAPTOP, PRIVATE])
@pytest.mark.parametrize("name", ["instance-data.example.com", *METADATA_NAMES])
def test_no_exception_opens_the_names_of_metadata(policy: TargetPolicy, name: str) -> None:
    for scheme in ("http", "https"):
        with pytest.raises(CallbackUrlNotAllowedError, match="metadata service"):
            check_target(f"{scheme}://{name}/", policy)


def test_an_exception_opens_the_names_and_addresses_that_it_may_be_meant_for() -> None:
    for url in ("https://billing.internal/", "http://billing/", "https://10.1.2.3/", "https://[fd12::9]/"):
        check_target(url, PRIVATE)
    for url in (
        "http://localhost:8080/",
        "https://app.localhost/",
        "https://127.0.0.1/",
        "http://[::1]:8080/",
    ):
        check_target(url, LAPTOP)


@pytest.mark.parametrize(
    "url", ["https://localhost/", "https://127.0.0.1/", "https://192.168.0.1/", "https://[fd13::1]/"]
)
def test_an_exception_opens_nothing_else(url: str) -> None:
    with pytest.raises(CallbackUrlNotAllowedError):
        check_target(url, PRIVATE)


@pytest.mark.parametrize(
    "url", ["http://localhost/", "http://127.0.0.1:8080/", "http://[::1]/", "http://localhost:80/"]
)
def test_plain_http_is_a_choice_of_the_deployment(url: str) -> None:
    check_target(url, LAPTOP)
    with pytest.raises(CallbackUrlNotAllowedError):
        check_target(url, PUBLIC)


@pytest.mark.parametrize("url", ["http://8.8.8.8/", "http://[2606:4700::1111]/", "http://10.0.0.1/"])
def test_plain_http_goes_to_the_exceptions_only(url: str) -> None:
    with pytest.raises(CallbackUrlNotAllowedError, match="this deployment opened"):
        check_target(url, LAPTOP)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://example.com/", "http:// is only for hosts that this deployment opened"),
        ("http://example.com:8080/", "http:// is only for hosts that this deployment opened"),
        ("https://example.com:80/", "port must be 443 or one from 1024"),
        ("https://127.0.0.1:80/", "port must be 443 or one from 1024"),
        ("https://db/", "private network"),
        ("http://db/", "private network"),
        ("https://billing.internal/", "private network"),
        ("https://10.0.0.1/", "not a public address"),
    ],
)
def test_opened_loopback_leaves_every_other_rule_of_the_cloud(url: str, words: str) -> None:
    with pytest.raises(CallbackUrlNotAllowedError, match=words):
        check_target(url, LAPTOP)
    with pytest.raises(CallbackUrlNotAllowedError):
        check_target(url, PUBLIC)


@pytest.mark.parametrize("url", ["http://a.example:22/", "http://u@a.example/", "http://127.1/", "ftp://a/"])
def test_plain_http_lifts_no_other_rule(url: str) -> None:
    with pytest.raises(CallbackUrlNotAllowedError):
        check_target(url, LAPTOP)


def test_good_headers() -> None:
    check_headers({})
    check_headers({"Authorization": "Bearer x", "X-Tab": "a\tb", "User-Agent": "mine/1", "X-Empty": ""})
    check_headers({"Content-Type": "application/json", "!#$%&'*+-.^_`|~09az": "odd but lawful"})
    check_headers({"X-Amzn-Trace-Id": "Root=1-67891233-abcdef012345678912345678"})


@pytest.mark.parametrize(
    "name",
    [
        "Host",
        "CONTENT-LENGTH",
        "transfer-encoding",
        "Connection",
        "Keep-Alive",
        "Upgrade",
        "TE",
        "Trailer",
        "Expect",
        "Proxy-Authorization",
        "proxy-connection",
        "Webhook-Id",
        "webhook-anything",
        "X-Job-Id",
        "X-Attempt",
        "X-Scheduled-At",
        "X-Scheduler-Signature",
        "Idempotency-Key",
        "TraceParent",
        "tracestate",
        "HTTP2-Settings",
        "Punctual-Depth",
        "Content_Length",
        "Webhook_Id",
        "PUNCTUAL_DEPTH",
    ],
)
def test_headers_of_the_connection_and_of_punctual_are_refused(name: str) -> None:
    with pytest.raises(InvalidValueError, match="set by Punctual"):
        check_headers({name: "x"})


@pytest.mark.parametrize("name", ["", " ", "a b", "a:", "a\r\nb", "ü", "a\x00", "(a)", "a\n"])
def test_header_names_are_tokens(name: str) -> None:
    with pytest.raises(InvalidValueError, match="letters, digits and hyphens"):
        check_headers({name: "x"})


@pytest.mark.parametrize("value", ["a\r\nX: y", "a\n", "\r", "\x00", "\x7f", "ü", "\x0b"])
def test_header_values_are_printable_ascii_on_one_line(value: str) -> None:
    with pytest.raises(InvalidValueError, match="printable ASCII"):
        check_headers({"X-A": value})


def test_a_header_is_given_once() -> None:
    with pytest.raises(InvalidValueError, match="twice"):
        check_headers({"X-A": "1", "x-a": "2"})


def test_headers_are_bounded_in_number_and_size() -> None:
    check_headers({f"X-{number}": "" for number in range(50)})
    with pytest.raises(InvalidValueError, match="at most 50"):
        check_headers({f"X-{number}": "" for number in range(51)})
    check_headers({"X-A": "a" * (8192 - 3)})
    with pytest.raises(InvalidValueError, match="8192 bytes"):
        check_headers({"X-A": "a" * (8192 - 2)})

"""S4: a gateway of the API's kind makes of requests what the golden file says, and so do the limits of the API."""

from tests.smoke.findings import Findings
from tests.smoke.http_client import Site
from tests.smoke.judge.golden import NOT_CAPTURED, answer_of, cases, differences
from tests.smoke.world import World


def run(world: World, findings: Findings) -> None:
    echo = Site(world.probe["EchoUrl"].rstrip("/"))
    for case in cases():
        if case.differs_on_emulator and not findings.can_show("gateway", case.name):
            continue
        answer = answer_of(echo.exchange(case.bytes(echo.host)))
        if case.expected == NOT_CAPTURED:
            findings.figure(case.name, answer)
        else:
            wrong = differences(case.expected, answer)
            findings.check(case.name, not wrong, wrong)
    _api(world, findings)


def _api(world: World, findings: Findings) -> None:
    site = world.tenant("gateway").site
    large = site.request("POST", "/v1/jobs", b'{"a": "' + b"x" * 256 * 1024 + b'"}')
    findings.check("the API refuses 256 KiB and more itself", large.status == 413, large.status)
    packed = site.request("POST", "/v1/jobs", b"\x1f\x8b", {"Content-Encoding": "gzip"})
    findings.check("the API refuses a packed body", packed.status in (400, 415), packed.status)
    head = site.request("HEAD", "/v1/jobs")
    findings.check("HEAD is answered as GET, without a body", (head.status, head.body) == (200, b""))
    sneaky = site.request("GET", "/v1/jobs/a%2F..%2F..%2Fadmin%2Ftenants")
    findings.check("an encoded path reaches no other route", sneaky.status == 404, sneaky.status)

"""The rules that every test of the console keeps: each fault of a page is seen, whatever the test is about."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.support.browser import chromium
from tests.support.browser.chromium import chromium_of_tests, context_of
from tests.support.browser.gates import watched
from tests.support.browser.packages import ForeignContentError, Package, packages
from tests.support.console.served import ServedApi
from tests.support.console.visit import CONSOLE
from tests.support.sources import ROOT

FAULTS = {
    "an error in the log": ("console.error('broken')", "console error: broken"),
    "a warning in the log": ("console.warn('old')", "console warning: old"),
    "an uncaught error": ("setTimeout(() => { throw new Error('oops'); })", "uncaught: oops"),
    "an unhandled rejection": ("void Promise.reject(new Error('oops'))", "uncaught: oops"),
    "an inline style": ("document.body.setAttribute('style', 'color: red')", "style-src-attr inline"),
    "markup from text": ("try { document.body.innerHTML = '<b>'; } catch {}", "require-trusted-types-for"),
    "another host": ("fetch('https://example.com/').catch(() => {})", "connect-src https://example.com/"),
    "a refused request": ("fetch('v1/jobs').then((answer) => answer.text())", "status 401: GET"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_of_a_page_is_seen(browser: Browser, api: ServedApi, fault: str) -> None:
    script, seen = FAULTS[fault]
    context = context_of(browser)
    page, gates = watched(context, api.origin)
    page.goto(f"{api.origin}{CONSOLE}")
    page.get_by_label("API key").wait_for()
    gates.check()
    # In a block, so that the value of the last statement is not waited for.
    page.evaluate(f"() => {{ {script}; }}")
    gates.await_quiet(page)
    context.close()
    with pytest.raises(AssertionError, match="broke a rule") as refused:
        gates.check()
    assert seen in str(refused.value)


def test_status_that_the_test_announces_is_no_fault(browser: Browser, api: ServedApi) -> None:
    context = context_of(browser)
    page, gates = watched(context, api.origin)
    gates.allow(401)
    page.goto(f"{api.origin}{CONSOLE}")
    page.evaluate("() => fetch('v1/jobs').then(() => 0)")
    context.close()
    gates.check()


def test_request_to_another_host_is_seen_where_no_policy_forbids_it(browser: Browser, api: ServedApi) -> None:
    context = context_of(browser)
    page, gates = watched(context, api.origin)
    page.set_content('<img src="http://example.com/pixel.gif" alt="">')
    gates.await_quiet(page)
    context.close()
    assert "a request to another host: http://example.com/pixel.gif" in gates.faults


@pytest.mark.parametrize(
    ("variable", "outcome"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)]
)
def test_machine_without_a_browser_skips_its_tests_but_not_in_continuous_integration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setattr(chromium, "FOLDER", ROOT / ".tools" / "no-browser")
    monkeypatch.setenv("CI", variable)
    with pytest.raises(outcome, match=r"^no Chromium in "):
        next(chromium_of_tests(tmp_path))


def test_package_with_another_content_is_refused() -> None:
    known = Package(
        name="axe-core",
        version="4.14.1",
        integrity="sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    )
    known.check(b"")
    with pytest.raises(ForeignContentError, match="has the hash sha512-"):
        known.check(b"other")


def test_every_package_has_a_version_and_a_hash() -> None:
    assert set(packages()) == {"axe", "chromium", "fonts"}
    assert all(
        each.integrity.startswith("sha512-") and len(each.integrity) == 95 for each in packages().values()
    )

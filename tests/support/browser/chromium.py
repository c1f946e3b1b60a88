"""A headless Chromium under Playwright: its own libraries and fonts, and no network but loopback."""

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, expect, sync_playwright

from tests.support.browser.packages import FONTS, LIBRARIES, MACHINE, PROGRAM
from tests.support.sources import ROOT

FOLDER = ROOT / ".tools" / "browser"
LOCALE, ZONE = "en-GB", "Europe/Berlin"
"""Without a locale, Chromium takes `en-US@posix` from LANG=C, which `Intl` refuses."""
WAIT_MS = 30_000
"""For how long a test waits for what it expects to see: a bound for a busy machine."""
ARGUMENTS = (
    "--no-sandbox",
    "--no-zygote",
    "--disable-gpu",
    # Whatever a page asks for, no name but that of this machine is looked up.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    # Glyphs of the same pixels on every machine.
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
    "--disable-lcd-text",
)
_FONTS_CONF = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>{fonts}</dir>
  <cachedir>{cache}</cachedir>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
"""


class NoBrowserError(Exception):
    """No Chromium can run on this machine; the message says why."""


@contextmanager
def chromium(temporary: Path) -> Iterator[Browser]:
    """A browser that ends with the block. NoBrowserError.

    Inside of the block this thread has an event loop that runs: `asyncio.run` needs another thread.
    """
    if not (FOLDER / PROGRAM).exists():
        missing = (
            "there is none for this machine" if platform.machine() != MACHINE else "make tools installs it"
        )
        raise NoBrowserError(f"no Chromium in {FOLDER.relative_to(ROOT)}: {missing}")
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(
                executable_path=FOLDER / PROGRAM, args=ARGUMENTS, env=_environment(temporary)
            )
        except Error as error:
            raise NoBrowserError(f"Chromium does not start: {error.message}") from error
        try:
            yield browser
        finally:
            browser.close()


def chromium_of_tests(temporary: Path) -> Iterator[Browser]:
    """For a fixture: without a browser the tests are skipped, and fail in continuous integration."""
    try:
        with chromium(temporary) as browser:
            yield browser
    except NoBrowserError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))


def context_of(
    browser: Browser, width: int = 1_280, scheme: str = "light", **options: object
) -> BrowserContext:
    """A profile of its own, which ends with its context: no cookies, no storage, no cache of others."""
    given: dict[str, object] = {
        "viewport": {"width": width, "height": 900},
        "color_scheme": scheme,
        "locale": LOCALE,
        "timezone_id": ZONE,
        "reduced_motion": "reduce",
    }
    context = browser.new_context(**(given | options))  # type: ignore[arg-type]
    context.set_default_timeout(WAIT_MS)
    expect.set_options(timeout=WAIT_MS)
    return context


def _environment(temporary: Path) -> dict[str, str | float | bool]:
    """Nothing of this machine's but the path to its programs."""
    conf = temporary / "fonts.conf"
    conf.write_text(_FONTS_CONF.format(fonts=FOLDER / FONTS, cache=temporary / "fonts"))
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(temporary),
        "LANG": "C.UTF-8",
        "LD_LIBRARY_PATH": str(FOLDER / LIBRARIES),
        "FONTCONFIG_FILE": str(conf),
    }

"""A person who has a keyboard and no mouse."""

from dataclasses import dataclass

from playwright.sync_api import Locator, expect

from tests.support.console.visit import Console

MOST_STOPS = 80
_NO_MOUSE = "addEventListener('pointerdown', () => console.error('a mouse was used'), true)"
_STOP = """() => {
  const focused = document.activeElement;
  const box = focused.getBoundingClientRect();
  const line = (focused.closest('tr') ?? focused).getBoundingClientRect();
  const { outlineStyle, outlineWidth } = getComputedStyle(focused);
  return {
    name: focused.getAttribute('aria-label') ?? focused.labels?.[0]?.innerText ?? focused.innerText,
    isBody: focused === document.body,
    isOutlined: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2,
    isShown: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight,
    top: line.top + scrollY,
    bottom: line.bottom + scrollY,
  };
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """What has the focus after a press of Tab."""

    name: str
    top: float
    bottom: float
    """Pixels from the top of the page; those of its row for a control in a table."""


@dataclass(frozen=True, slots=True)
class Keys:
    """Each act is a press of a key. A press of a mouse is a fault of the test."""

    console: Console

    def sign_in(self, route: str = "#/", key: str | None = None) -> None:
        """Open a page, from the address that `make run` prints, with its heading in focus."""
        page = self.console.page
        page.add_init_script(_NO_MOUSE)
        self.console.visit(f"#key={self.console.day.key if key is None else key}")
        expect(page.get_by_label("API key")).to_be_focused()
        self.press("Enter")
        page.locator("main h1:focus").wait_for()
        self.console.go(route)
        self.console.settle()
        expect(page.locator("main h1")).to_be_focused()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.console.page.keyboard.press(key)

    def type(self, text: str) -> None:
        """Replace the text of the field in focus."""
        self.press("Control+a")
        self.console.page.keyboard.type(text)

    def tab_to(self, target: Locator, *, backwards: bool = False) -> list[str]:
        """Press Tab until the target has the focus; the names of all stops, of which each must be seen."""
        expect(target).to_be_visible()
        names = []
        for _ in range(MOST_STOPS):
            stop = self._next("Shift+Tab" if backwards else "Tab")
            # Beyond the last stop of a page or a dialog, Tab begins again.
            names += [stop.name] if stop else []
            if target.evaluate("each => each === document.activeElement"):
                return names
        raise AssertionError(f"Tab does not lead to the target, but to {names}")

    def open(self, target: Locator) -> None:
        """Go to a control, and press Enter."""
        self.tab_to(target)
        self.press("Enter")

    def walk(self) -> list[Stop]:
        """Every stop from the heading to the end of the page."""
        stops: list[Stop] = []
        for _ in range(MOST_STOPS):
            stop = self._next("Tab")
            if stop is None:
                return stops
            stops.append(stop)
        raise AssertionError(f"the page has more than {MOST_STOPS} stops")

    def in_dialog(self, name: str) -> Locator:
        """The dialog that a key has opened: it has the focus, and Tab does not leave it for the page behind it."""
        dialog = self.console.page.get_by_role("dialog", name=name)
        expect(dialog.locator(":focus")).to_have_count(1)
        inside = "each => each.contains(document.activeElement) || document.activeElement === document.body"
        for _ in range(dialog.locator("button, input, a").count() + 2):
            self.press("Tab")
            assert dialog.evaluate(inside)
        return dialog

    def _next(self, key: str) -> Stop | None:
        """What has the focus after a press; None beyond the last stop."""
        self.press(key)
        found = self.console.page.evaluate(_STOP)
        if found["isBody"]:
            return None
        name = " ".join(found["name"].split())
        assert found["isOutlined"], f"the focus of {name!r} has no outline"
        assert found["isShown"], f"{name!r} has the focus, and is outside of the window"
        return Stop(name=name, top=found["top"], bottom=found["bottom"])

"""The demo of the third tutorial on a phone's screen: search, connect, services, characteristics, send, receive, notify."""

import pytest

from exploring import begin, lab

WIDTH, HEIGHT = 360, 740


def visible(page, locator):
    """Whether an element is on the screen, above the bar of the time."""
    box = locator.bounding_box()
    bar = page.locator(".time").bounding_box()
    return box is not None and box["y"] >= 0 and box["y"] + min(box["height"], 34) <= bar["y"]


@pytest.fixture
def phone(open_page, browser):
    """The explorer on a phone's screen with fingers."""
    context = browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT}, locale="en-US", has_touch=True, is_mobile=True, reduced_motion="reduce", accept_downloads=True)
    context.set_default_timeout(20_000)
    yield lambda: open_page("explorer", context=context)
    context.close()


def prepare(page):
    do = page.studio.do
    do("room.scene", {"scene": "empty"})
    do("room.add", {"x": 1, "y": 0} | lab())
    do("room.add", {"program": "explorer", "name": "Phone", "x": 0, "y": 0})
    do("time.run")
    page.wait_for_selector("[data-do=scan]:enabled")


def test_by_touch(phone, axe):
    page = phone()
    prepare(page)
    page.tap("[data-do=scan]")
    page.tap(".ex-rows li:has-text('Lab') [data-do=connect]")
    # The screen moves to the device, and then to the characteristic.
    page.wait_for_function("() => document.activeElement.matches('.ex-device h2')")
    assert visible(page, page.locator(".ex-device h2"))
    page.wait_for_selector(".ex-device[data-busy=false] .ex-tree [data-do=characteristic]")
    page.locator(".ex-tree [data-do=characteristic]:has-text('FFE1')").tap()
    page.wait_for_function("() => document.activeElement.matches('.ex-value h2')")
    assert visible(page, page.locator(".ex-value h2"))
    page.select_option(".ex-value [data-do=format]", "utf8")
    page.fill(".ex-value [data-do=text]", "hello")
    page.wait_for_selector("#ex-check:text-is('5 octets')")
    page.tap(".ex-value [data-do=write]")
    page.tap(".ex-value [data-do=read]")
    page.wait_for_selector(".ex-bigvalue:text('hello')")
    page.locator(".ex-tree li:has-text('FFE2') > .ex-row .switch, .ex-tree .ex-row:has-text('FFE2') .switch").first.tap()
    page.wait_for_selector(".ex-live:not([hidden])")
    # Every button is large enough for a finger.
    small = page.evaluate("""() => [...document.querySelectorAll('.ex button, .ex select, .ex .switch')].filter((each) => each.checkVisibility())
        .map((each) => [each.textContent.slice(0, 30) || each.ariaLabel, each.getBoundingClientRect().height]).filter(([, height]) => height < 24)""")
    assert small == []
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTH
    axe(page)


def press_until(page, selector, key="Tab", limit=150):
    """Presses a key until the focus is on an element."""
    for _ in range(limit):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{key} does not reach {selector}")


def test_by_keyboard_alone(open_page):
    page = open_page("explorer", width=WIDTH, height=HEIGHT)
    prepare(page)
    press_until(page, "[data-do=scan]")
    page.keyboard.press("Enter")
    page.wait_for_selector(".ex-rows [data-do=connect]:visible")
    press_until(page, ".ex-rows [data-do=connect]")
    page.keyboard.press("Enter")
    page.wait_for_selector(".ex-device[data-busy=false] .ex-tree [data-do=characteristic]")
    press_until(page, ".ex-tree [data-do=characteristic]")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.matches('.ex-value h2')")
    press_until(page, ".ex-value [data-do=text]")
    page.keyboard.type("0a0b")
    page.wait_for_selector("#ex-check:text-is('2 octets')")
    page.keyboard.press("Enter")
    press_until(page, ".ex-value [data-do=read]", "Shift+Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector(".ex-value .octets:has-text('0a 0b')")
    # The switch of the next characteristic.
    press_until(page, ".ex-tree input[role=switch]", "Shift+Tab")
    page.keyboard.press("Space")
    page.wait_for_selector(".ex-tree input[role=switch]:checked")
    page.keyboard.press("Space")
    page.wait_for_selector(".ex-tree input[role=switch]:checked", state="detached")

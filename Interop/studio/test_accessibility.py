"""Every view in both languages, both colour schemes and two widths: axe's rules, no text outside the screen, and the keyboard alone."""

import pytest

pytestmark = pytest.mark.long

VIEWS = ["room", "lesson", "explorer", "maker", "packets"]


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_view_is_accessible(open_page, axe, language, scheme, width):
    page = open_page(language=language, scheme=scheme, width=width)
    problems = []
    for view in VIEWS:
        page.evaluate("(view) => { location.hash = view; }", view)
        page.wait_for_selector(f"body[data-view={view}]")
        page.wait_for_function("document.querySelector('main').childElementCount > 0")
        settle(page)
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            problems.append(f"{view}: the page is {wide} pixels wide")
        try:
            axe(page)
        except AssertionError as error:
            problems.append(f"{view}: {error}")
    assert not problems, "\n".join(problems)


def settle(page):
    """Waits until two frames have been drawn."""
    page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")


# Marks the focused element as reached. Null if no element has the focus.
FOCUSED = """() => {
    const element = document.activeElement;
    if (!element || element === document.body) return null;
    element.dataset.reached = '1';
    const style = getComputedStyle(element);
    const outlined = (place) => place && getComputedStyle(place).outlineStyle !== 'none' && parseFloat(getComputedStyle(place).outlineWidth) > 0;
    // An editor outlines the whole of its frame.
    const isOutlined = outlined(element) || style.boxShadow !== 'none' || outlined(element.closest('.maker-editor'));
    // A shape of the plan has no outline of its own: a ring in it shows the focus.
    const hasRing = [...element.querySelectorAll('.halo, .hit')].some((ring) => parseFloat(getComputedStyle(ring).strokeWidth) >= 3);
    return { seen: isOutlined || hasRing, text: element.outerHTML.slice(0, 200) };
}"""
MISSED = """() => [...document.querySelectorAll('a[href], button, input, select, textarea, [tabindex="0"]')].filter((element) =>
    !element.dataset.reached && !element.disabled && element.tabIndex >= 0 && element.checkVisibility({ visibilityProperty: true })
    && !(element.type === 'radio' && document.querySelector(`input[name="${element.name}"][data-reached]`))
).map((element) => element.outerHTML.slice(0, 200))"""


def walk(page, view):
    """Presses Tab from the beginning of the page to its end, and returns the controls that have shown the focus."""
    page.evaluate("document.activeElement?.blur()")
    seen = set()
    for _ in range(400):
        page.keyboard.press("Tab")
        state = page.evaluate(FOCUSED)
        if state is None:
            break
        assert state["seen"], f"{view}: the focus is not visible on {state['text']}"
        seen.add(state["text"])
    return seen


def test_every_control_is_reached_by_the_keyboard_and_shows_its_focus(open_page):
    page = open_page(width=1280)
    for view in VIEWS:
        page.evaluate("(view) => { location.hash = view; document.activeElement?.blur(); }", view)
        page.wait_for_selector(f"body[data-view={view}]")
        page.wait_for_function("document.querySelector('main').childElementCount > 0")
        # A control that comes with an answer of the server during a walk is reached by the next one.
        for _ in range(4):
            assert len(walk(page, view)) >= 6
            if not (missed := page.evaluate(MISSED)):
                break
        assert not missed, f"{view}: Tab does not reach {missed}"
        page.evaluate("document.querySelectorAll('[data-reached]').forEach((element) => delete element.dataset.reached)")


def test_the_page_is_used_without_a_mouse(page):
    """From the link to a view and another language, with the keyboard alone."""
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    page.evaluate("document.activeElement.blur()")
    page.locator("nav.tabs a[data-view=packets]").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("body[data-view=packets]")
    page.locator("button.language").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.documentElement.lang === 'zh-CN'")
    assert page.evaluate("document.activeElement.classList.contains('language')")

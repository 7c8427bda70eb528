"""The strips of octets: one look and one behaviour of the keyboard and the pointer in all views."""

import pytest

from exploring import SECOND, begin, choose, connect, lab, row

pytestmark = pytest.mark.long


def maker(page):
    page.wait_for_selector("#maker-problems .good")
    return page.locator(".maker-air")


def packets(page):
    page.studio.seek(SECOND)
    page.locator(".packet-row", has_text="CONNECT_IND").first.click()
    return page.locator(".packet-detail")


def lesson(page):
    page.click(".lesson-steps button[data-step='13']")
    page.locator(".lesson-packets button[aria-pressed=true]", has_text="ATT_WRITE_REQ").wait_for()
    return page.locator(".lesson-languages")


def advertisement(page):
    begin(page, lab())
    row(page, "Lab").locator("[data-do=select]").click()
    return page.locator(".ex-adv .ad-part").first


def value(page):
    begin(page, lab())
    connect(page, "Lab")
    choose(page, "FFE5")
    page.click(".ex-value [data-do=read]")
    page.wait_for_selector(".ex-value .octet >> nth=8")
    return page.locator(".ex-value")


# The view, its strip, the octets of a row, the number of octets, and what is said of the first octet.
VIEWS = [
    ("maker", maker, 16, 14, "Flags, length"), ("packets", packets, 8, 36, "Type and flags"), ("lesson/tour-central", lesson, 8, 11, ""),
    ("explorer", advertisement, 16, 18, "Flags, length"), ("explorer", value, 16, 9, ""),
]


@pytest.mark.parametrize("view, find, columns, count, part", VIEWS, ids=[each[1].__name__ for each in VIEWS])
def test_the_keys_and_the_pointer_go_from_octet_to_octet(open_page, view, find, columns, count, part):
    page = open_page(view)
    place = find(page)
    # The pointer is not on an octet that came to it.
    page.mouse.move(0, 0)
    strip, says = place.locator(".octets").first, place.locator(".octet-says").first
    octets = strip.locator(".octet:not(.free)")
    octets.first.wait_for()
    assert octets.count() == count
    digits = octets.all_inner_texts()
    idle = says.inner_text()

    def at(index):
        assert strip.locator(".octet.cursor").get_attribute("data-index") == str(index)
        # The part of the octet is lit, and at least the octet itself.
        assert "lit" in octets.nth(index).get_attribute("class").split()
        assert says.inner_text().startswith(f"octet {index} = {int(digits[index], 16)}")

    strip.focus()
    at(0)
    assert part in says.inner_text()
    for key, index in [("ArrowRight", 1), ("ArrowLeft", 0), ("ArrowLeft", 0), ("ArrowDown", min(columns, count - 1)), ("ArrowUp", max(0, min(columns, count - 1) - columns))]:
        page.keyboard.press(key)
        at(index)
    page.keyboard.press("End")
    at(count - 1)
    page.keyboard.press("Home")
    at(0)
    page.keyboard.press("Tab")
    assert strip.locator(".octet.lit").count() == 0 and says.inner_text() == idle
    octets.nth(3).hover()
    at(3)


def test_the_keyboard_keeps_its_octet_while_values_arrive(open_page):
    page = open_page("explorer")
    begin(page, lab())
    connect(page, "Lab")
    choose(page, "FFE2")
    page.locator(".ex-value [data-do=notify]").check(force=True)
    strip = page.locator(".ex-value .octets")
    strip.locator(".octet").first.wait_for()
    strip.focus()
    said = set()
    # A counter: the line says the present value of the octet.
    for _ in range(3):
        said.add(page.wait_for_function(
            "(said) => { const text = document.querySelector('.ex-value .octet-says').textContent; return !said.includes(text) && text; }", arg=list(said)))
    assert all(text.startswith("octet 0 = ") for text in said)
    assert strip.locator(".octet.cursor").get_attribute("data-index") == "0"


def test_the_formats_are_the_same_in_both_places(open_page):
    def offered(selector):
        return page.locator(selector).first.evaluate("select => [...select.querySelectorAll('optgroup')].map((group) => [group.label, [...group.children].map((option) => option.value)])")

    page = open_page("explorer")
    begin(page, lab())
    connect(page, "Lab")
    choose(page, "FFE1")
    explorer = offered(".ex-value [data-do=format]")
    page.click(".tabs a[data-view=maker]")
    page.wait_for_selector("#maker-problems .good")
    page.locator('[data-path="services/0/characteristics/0"] summary').first.click()
    assert offered('[data-field="services/0/characteristics/0/format"]') == explorer
    assert [label for label, _ in explorer] == ["Octets", "Text", "Integers, least significant octet first", "Integers, most significant octet first", "Floating point"]

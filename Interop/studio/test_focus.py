"""A button that disappears gives its focus to the place of the next step, so a person without a pointer does not begin at the top of the page."""

import pytest

from exploring import begin, characteristic, connect, lab, row


def focused(page, selector):
    return page.wait_for_function("(selector) => document.activeElement?.matches(selector)", arg=selector)


def press(place):
    """Presses Enter on an element. What is hidden takes no focus, and much is hidden until the room arrives."""
    place.wait_for(state="visible")
    place.focus()
    place.page.keyboard.press("Enter")


@pytest.mark.parametrize("button, next_button", [(0, ".time .run"), (1, ".time .step")])
def test_the_card_that_begins_the_room(page, button, next_button):
    press(page.locator(".begin button").nth(button))
    page.wait_for_selector(".begin", state="hidden")
    focused(page, next_button)


def test_the_empty_list_of_packets(open_page):
    page = open_page("packets")
    press(page.locator(".packet-empty button"))
    page.wait_for_selector(".packet-row")
    focused(page, ".packet-list")


def test_from_an_empty_explorer_to_a_connected_device(open_page):
    page = open_page("explorer")
    page.studio.do("room.scene", {"scene": "empty"})
    page.studio.do("room.add", lab() | {"x": 1, "y": 0})
    press(page.locator("[data-do=addPhone]"))
    focused(page, ".ex [data-do=run]")
    # One notice says what to do.
    assert page.locator(".ex .notice:visible").count() == 1
    page.keyboard.press("Enter")
    focused(page, "[data-do=scan]")
    page.keyboard.press("Enter")
    press(row(page, "Lab").locator("[data-do=connect]"))
    focused(page, ".ex-device h2")
    page.wait_for_selector(".ex-device[data-busy=false] .ex-tree [data-do=characteristic]")
    press(page.locator(".ex-device [data-do=disconnect]:visible"))
    page.wait_for_selector(".ex-device [data-do=connect]:visible")
    focused(page, ".ex-device h2")


@pytest.mark.parametrize("width", [1280, 1000])
def test_a_chosen_characteristic_is_in_view(open_page, width):
    page = open_page("explorer", width=width)
    begin(page, lab())
    connect(page, "Lab")
    characteristic(page, "FFE1").locator("[data-do=characteristic]").click()
    page.wait_for_selector(".ex-value p:has-text('FFE1')")
    page.wait_for_function(
        "() => { const pane = document.querySelector('.ex-value [data-do=read]').getBoundingClientRect(), view = document.querySelector('main').getBoundingClientRect();"
        " return pane.top >= view.top && pane.bottom <= view.bottom; }")


def test_the_card_of_a_device_closes_and_devices_are_removed(page):
    def focused_device(name):
        focused(page, f'.plan g.device[aria-label^="{name},"]')

    page.click(".begin button >> nth=1")
    press(page.locator('.plan g.device[aria-label^="Wristband,"]'))
    press(page.locator(".item-card .close"))
    page.wait_for_selector(".item-card", state="hidden")
    focused_device("Wristband")
    page.keyboard.press("Delete")
    focused_device("Phone")
    # From the card, with the last device.
    page.keyboard.press("Enter")
    press(page.locator(".item-card summary"))
    press(page.locator(".item-card button.danger"))
    page.wait_for_selector(".stage > .empty")
    focused(page, ".stage > .empty button")

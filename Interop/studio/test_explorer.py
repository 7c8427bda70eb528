"""The explorer: a phone of the room that scans, connects, reads, writes and subscribes, clicked through in the page."""

import pathlib
import re

import pytest



@pytest.fixture
def explorer(open_page):
    """Opens the explorer on a phone beside a wristband, with the scan running."""

    def explorer(**options):
        page = open_page("explorer", **options)
        do = page.studio.do
        do("room.scene", {"scene": "empty"})
        do("room.add", {"program": "wristband", "name": "Wristband", "x": 1, "y": 0})
        page.click("[data-do=addPhone]")
        do("time.run")
        page.wait_for_selector("[data-do=scan]:enabled")
        page.click("[data-do=scan]")
        page.wait_for_selector(".ex-row [data-do=connect]:visible")
        return page

    return explorer


def connect(page):
    page.locator(".ex-rows [data-do=connect]").first.click()
    page.wait_for_selector(".ex-tree [data-do=characteristic]")
    page.wait_for_selector(".ex-device[data-busy=false]")


def test_a_room_without_a_phone_offers_one(open_page, axe):
    page = open_page("explorer")
    page.studio.do("room.scene", {"scene": "empty"})
    page.wait_for_selector("[data-do=addPhone]")
    axe(page)
    page.click("[data-do=addPhone]")
    page.wait_for_selector("[data-do=scan]")
    assert [device["isExplorer"] for device in page.studio.topic("room")["devices"]] == [True]


def test_a_scan_shows_devices_with_their_advertisement(explorer, axe):
    page = explorer()
    page.locator(".ex-rows [data-do=select]").first.click()
    page.wait_for_selector(".ex-adv .octet")
    strip = page.locator(".ex-adv .ad-part").first
    assert strip.locator(".octet").count() > 5
    strip.locator(".structures li").first.hover()
    assert strip.locator(".octet.lit").all_inner_texts()[:2] == ["02", "01"]
    # The reverse, with the keyboard.
    strip.locator(".octets").focus()
    page.keyboard.press("ArrowRight")
    assert "octet 1 = 1 \u00b7 Flags, type" in strip.locator(".octet-says").inner_text()
    assert strip.locator(".structures li.lit").count() == 1
    page.keyboard.press("ArrowDown")
    assert strip.locator(".octet.cursor").get_attribute("data-index") == "17"
    assert "centralManager(_:didDiscover:advertisementData:rssi:)" in page.locator(".ex-log").inner_text()
    axe(page)


def test_the_filter_selects_rows(explorer):
    page = explorer()
    page.click(".ex-filter summary")
    page.fill("[data-filter=name]", "no such device")
    page.wait_for_selector(".ex-rows:not(:has(li))", state="attached")
    page.fill("[data-filter=name]", "")
    page.wait_for_selector(".ex-rows li")


def test_a_device_is_connected_read_and_subscribed(explorer, axe):
    page = explorer()
    connect(page)
    page.wait_for_selector(".ex-device .chip.good")
    page.locator(".ex-tree .switch input").first.click()
    page.wait_for_selector(".ex-tree .switch input:checked")
    page.locator(".ex-tree li:has(.switch:visible) [data-do=characteristic]").first.click()
    page.wait_for_selector(".ex-value .ex-plot[aria-label]:visible")
    page.wait_for_selector(".ex-live:not([hidden])")
    assert page.locator(".ex-value [data-do=notify]").is_checked()
    page.locator(".ex-value .ex-formats summary").first.click()
    page.wait_for_selector(".ex-value dl.facts dd")
    axe(page)
    page.locator(".ex-tree .switch input").first.click()
    page.wait_for_selector(".ex-live", state="hidden")
    page.locator(".ex-device [data-do=disconnect]:visible").click()
    page.wait_for_selector(".ex-device .chip:text-matches('not connected')")


def test_a_value_is_written_and_checked_while_it_is_typed(explorer):
    page = explorer()
    connect(page)
    page.locator(".ex-tree [data-do=characteristic]:has-text('write')").click()
    page.select_option(".ex-value [data-do=format]", "hex")
    page.fill(".ex-value [data-do=text]", "0g")
    page.wait_for_selector(".ex-value [data-do=text][aria-invalid=true]")
    assert page.locator(".ex-value [data-do=write]").is_disabled()
    page.fill(".ex-value [data-do=text]", "01")
    page.wait_for_selector(".ex-value [data-do=text][aria-invalid=false]")
    page.wait_for_selector(".ex-value code:text('Data([0x01])')")
    page.click(".ex-value [data-do=write]")
    page.wait_for_selector(".ex-log li:has-text('peripheral.writeValue(Data([0x01])')")


def test_the_log_and_the_script_are_saved(explorer):
    page = explorer()
    connect(page)
    with page.expect_download() as download:
        page.click("[data-do=saveLog]")
    assert "central.connect(peripheral)" in pathlib.Path(download.value.path()).read_text()
    with page.expect_download() as download:
        page.click(".ex-device [data-do=script]")
    assert download.value.suggested_filename == "session.yaml"
    assert re.search(r"- connect:\n +device: ", pathlib.Path(download.value.path()).read_text())
    page.click("[data-do=clearLog]")
    page.wait_for_selector(".ex-loglist li:has-text('central.connect')", state="detached")


def test_a_phone_screen_has_list_device_and_characteristic_below_each_other(explorer, axe):
    page = explorer(width=360, height=740)
    connect(page)
    page.locator(".ex-tree [data-do=characteristic]").first.click()
    tops = [page.locator(name).bounding_box()["y"] for name in (".ex-list", ".ex-device", ".ex-value")]
    assert tops == sorted(tops)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    # A UUID of 128 bits is not below the button of its row.
    row = page.locator(".ex-tree .ex-row", has_text="5B1D0001")
    text, button = row.locator(".mono").bounding_box(), row.locator("[data-do=read]").bounding_box()
    assert text["x"] + text["width"] <= button["x"]
    axe(page)


def test_the_explorer_is_used_with_the_keyboard_alone(explorer):
    page = explorer()
    page.locator(".ex-rows [data-do=connect]").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".ex-tree [data-do=characteristic]")
    page.locator(".ex-tree .switch input").first.focus()
    page.keyboard.press("Space")
    page.wait_for_selector(".ex-log li:has-text('setNotifyValue(true')")


@pytest.mark.parametrize("language, scheme", [("zh", "dark"), ("en", "dark")])
def test_languages_and_colours(explorer, axe, language, scheme):
    page = explorer(language=language, scheme=scheme)
    connect(page)
    text = page.locator("main").inner_text()
    assert not re.search(r"\bex\.[a-z]", text), "a word has no translation"
    if language == "zh":
        assert "服务" in text or "断开" in text
    axe(page)


def test_a_step_back_shows_the_earlier_state(explorer):
    page = explorer()
    connect(page)
    page.studio.do("time.pause")
    now = page.studio.topic("time")["now"]
    page.studio.seek(1_000_000)
    page.wait_for_selector(".ex-tree [data-do=characteristic]", state="detached")
    page.studio.seek(now)
    page.wait_for_selector(".ex-tree [data-do=characteristic]")


def test_a_hostile_name_stays_text(open_page):
    page = open_page("explorer")
    do = page.studio.do
    do("room.scene", {"scene": "empty"})
    do("room.add", {"program": "wristband", "name": "<img src=x onerror=alert(1)>\u202e", "x": 1, "y": 0})
    page.click("[data-do=addPhone]")
    do("time.run")
    page.wait_for_selector("[data-do=scan]:enabled")
    page.click("[data-do=scan]")
    connect(page)
    assert page.locator("main img").count() == 0


def test_an_adapter_that_is_missing_says_what_to_do(open_page):
    page = open_page("explorer", arguments=("--controller", "unix:/nonexistent/adapter"))
    page.wait_for_selector(".ex > .notice.warn:visible")
    assert "adapter" in page.locator(".ex > .notice.warn").inner_text()
    assert page.locator("[data-do=scan]").is_disabled()


PROMPTS = """async (prompts) => {
    const { promptDialog } = await import(new URL('parts/explorer-prompts.js', document.baseURI.split('#')[0]));
    window.answers = [];
    const dialog = promptDialog({ act: (action, args) => { window.answers.push([action, args]); dialog.update([]); } });
    document.querySelector('main').append(dialog.element);
    dialog.update(prompts);
}"""


@pytest.mark.parametrize("kind, digits, keys, answer", [
    ("enter", None, ["1", "2", "3", "4", "5", "6", "Enter"], {"prompt": 7, "accepts": True, "passkey": "123456"}),
    ("compare", "012345", ["Enter"], {"prompt": 7, "accepts": True}),
    ("accept", None, ["Shift+Tab", "Enter"], {"prompt": 7, "accepts": False}),
    ("display", "987654", ["Enter"], {"prompt": 7, "accepts": False}),
])
def test_the_prompts_of_a_pairing_are_answered_with_the_keyboard(open_page, axe, kind, digits, keys, answer):
    page = open_page("explorer")
    page.evaluate(PROMPTS, [{"id": 7, "kind": kind, "device": "x", "name": "<b>Lock</b>", "digits": digits}])
    page.wait_for_selector("dialog[open]")
    assert "<b>Lock</b>" in page.locator("dialog").inner_text()
    if digits:
        assert digits[:3] + " " + digits[3:] in page.locator("dialog").inner_text()
    axe(page)
    for key in keys:
        page.keyboard.press(key)
    assert page.evaluate("() => window.answers") == [["answer", answer]]
    assert page.locator("dialog[open]").count() == 0

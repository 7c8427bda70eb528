"""The explorer: values in every format, long writes, subscriptions, several devices, clones."""

import re
import struct

import pytest

from exploring import LAB, begin, characteristic, choose, connect, device, lab, row, saved, wait_for_log

pytestmark = pytest.mark.long


def integers():
    """A format, a text, its octets and a text that does not fit, for all integers."""
    for bits in (8, 16, 24, 32, 40, 48, 56, 64):
        for kind, number, bad in (("u", 2 ** bits - 2, str(2 ** bits)), ("i", -(2 ** (bits - 1)) + 1, str(2 ** (bits - 1)))):
            for order in ("", "be") if bits > 8 else ("",):
                octets = number.to_bytes(bits // 8, "big" if order else "little", signed=kind == "i")
                yield f"{kind}{bits}{order}", str(number), octets, bad


FORMATS = [
    ("hex", "de ad 01", b"\xde\xad\x01", "0g"), ("utf8", "h\u00e9", "h\u00e9".encode(), None), ("base64", "AQID", b"\x01\x02\x03", "A$"), *integers(),
    *((name, "-2.5", struct.pack(code, -2.5), "two") for name, code in (("f32", "<f"), ("f32be", ">f"), ("f64", "<d"), ("f64be", ">d"))),
]


def test_values_in_every_format(open_page):
    page = open_page("explorer")
    begin(page, lab())
    connect(page, "Lab")
    choose(page, "FFE1")
    offered = page.locator(".ex-value [data-do=format] option").evaluate_all("options => options.map((option) => option.value)")
    assert sorted(offered) == sorted(name for name, *_ in FORMATS)
    lab_ = device(page, "Lab")
    query = {"explorer": page.studio.topic("explorers")[0]["id"], "device": lab_["id"], "attribute": "1.1"}
    link = page.studio.connect()
    for name, text, octets, bad in FORMATS:
        answer = link.do("explorer.validate", query | {"value": text, "format": name})
        assert answer == {"octets": octets.hex(), "count": len(octets), "parts": 0}, name
        if bad is not None:
            try:
                link.do("explorer.validate", query | {"value": bad, "format": name})
            except AssertionError as error:
                assert "'code': 'value'" in str(error)
            else:
                raise AssertionError(f"{bad} is a value of {name}")
    link.close()
    # In the page: a bad value cannot be written, and a good one arrives.
    for name, text, octets, bad in (each for each in FORMATS if each[0] in ("hex", "base64", "i24be", "f32")):
        page.select_option(".ex-value [data-do=format]", name)
        page.fill(".ex-value [data-do=text]", bad)
        page.wait_for_selector(".ex-value [data-do=text][aria-invalid=true]")
        assert page.locator(".ex-value [data-do=write]").is_disabled()
        page.fill(".ex-value [data-do=text]", text)
        page.wait_for_selector(f".ex-value code:text('Data([{', '.join(f'0x{octet:02x}' for octet in octets)}])')")
        page.click(".ex-value [data-do=write]")
        page.click(".ex-value [data-do=read]")
        page.wait_for_selector(f".ex-value .octets:has-text('{octets.hex(' ')}')")
        # All formats show what was written.
        if not page.locator(".ex-value .ex-formats").first.evaluate("details => details.open"):
            page.locator(".ex-value .ex-formats summary").first.click()
        if name != "base64":
            page.wait_for_selector(f".ex-value dt:text-is('{name}') + dd bdi:text-is('{text}')")


def test_a_long_write_counts_its_requests(open_page):
    page = open_page("explorer")
    begin(page, lab())
    connect(page, "Lab")
    page.wait_for_selector(".ex-device .chip:text-is('ATT_MTU 498')")
    page.locator(".ex-device [data-do=disconnect]:visible").click()
    page.wait_for_selector(".ex-device [data-do=connect]:visible")
    page.select_option("[data-do=offerMTU]", "23")
    page.locator(".ex-device [data-do=connect]").click()
    page.wait_for_selector(".ex-device .chip:text-is('ATT_MTU 23')")
    page.wait_for_selector(".ex-device[data-busy=false] .ex-tree [data-do=characteristic]")
    choose(page, "FFE1")
    page.select_option(".ex-value [data-do=format]", "utf8")
    page.fill(".ex-value [data-do=text]", "x" * 20)
    page.wait_for_selector("#ex-check:text-is('20 octets')")
    # 100 octets in Prepare Write Requests of 18.
    page.fill(".ex-value [data-do=text]", "y" * 100)
    page.wait_for_selector("#ex-check:text-is('100 octets: 6 Prepare Write Requests and an Execute Write Request')")
    page.click(".ex-value [data-do=write]")
    wait_for_log(page, "FFE1 was written")
    page.studio.do("time.pause")
    sent = [each for each in page.studio.do("packets.list", {"from": 0, "count": 500, "filter": {"text": "att_prepare_write_req"}, "folded": False})["rows"]]
    assert len(sent) == 6
    page.studio.do("time.run")
    page.click(".ex-value [data-do=read]")
    page.wait_for_selector(".ex-bigvalue:has-text('" + "y" * 100 + "')")
    # A write without response has no parts.
    page.locator(".ex-value form input[type=checkbox]").uncheck()
    page.wait_for_selector("#ex-check:text-is('100 octets')")
    page.click(".ex-value [data-do=write]")
    page.wait_for_selector(".say.shown")
    assert page.locator(".say").inner_text()


def test_subscriptions_of_both_kinds_and_their_graphs(open_page, axe):
    page = open_page("explorer")
    begin(page, lab())
    connect(page, "Lab")
    for uuid, kind in (("FFE2", "Notifications"), ("FFE3", "Indications")):
        switch = characteristic(page, uuid).locator("input[role=switch]")
        assert switch.get_attribute("aria-label").startswith(kind)
        # The input is under its drawing.
        switch.check(force=True)
        choose(page, uuid)
        page.wait_for_selector(".ex-value .ex-plot:visible[aria-label]")
        page.wait_for_selector(f".ex-value .switch:has-text('{kind}')")
    page.wait_for_function("() => document.querySelectorAll('.ex-live:not([hidden])').length === 2")
    axe(page)
    characteristic(page, "FFE2").locator("input[role=switch]").uncheck(force=True)
    page.wait_for_function("() => document.querySelectorAll('.ex-live:not([hidden])').length === 1")
    wait_for_log(page, "FFE2 does not notify any more")
    states = {each["uuid"]: each["isNotifying"] for each in device(page, "Lab")["services"][-1]["characteristics"]}
    assert states["FFE3"] and not states["FFE2"]


@pytest.mark.parametrize("language, reason", [("en", "Reading is not permitted."), ("zh", "不允许读取。")])
def test_what_a_device_refuses_is_said(open_page, language, reason):
    page = open_page("explorer", language=language)
    begin(page, lab())
    connect(page, "Lab")
    page.locator(".ex-device [data-do=readAll]").click()
    characteristic(page, "FFE4").locator(f".bad:text('{reason}')").wait_for()
    page.wait_for_selector(f".ex-log .ex-entry.error:has-text('{reason}')")
    characteristic(page, "FFE5").locator(".ex-treevalue:text('forty-two')").wait_for()
    assert "Answer" in characteristic(page, "FFE5").inner_text()


@pytest.mark.parametrize("language, place, flag", [("en", "Wrist", "general discoverable"), ("zh", "手腕", "通用可发现")])
def test_decoded_values_have_the_language_of_the_page(open_page, language, place, flag):
    page = open_page("explorer", language=language)
    services = 'services:\n  - uuid: 180D\n    characteristics: [{uuid: 2A38, properties: [read], value: "02"}]\n'
    begin(page, {"program": "profile", "name": "Lab", "profile": LAB.replace("services:\n", services, 1)})
    row(page, "Lab").locator("[data-do=select]").click()
    page.locator(f".ex-adv .structures li:has-text('{flag}')").first.wait_for()
    connect(page, "Lab")
    page.locator(".ex-device [data-do=readAll]").click()
    characteristic(page, "2A38").locator(f".ex-treevalue:text-is('{place}')").wait_for()
    choose(page, "2A38")
    page.locator(".ex-formats summary").click()
    page.locator(f".ex-formats dd :text-is('{place}')").wait_for()
    page.locator(f".ex-history td:has-text('{place}')").first.wait_for()


def test_a_right_to_left_text_has_no_marks_of_direction_around_it(open_page):
    page = open_page("explorer")
    services = 'services:\n  - uuid: 180A\n    characteristics: [{uuid: 2A29, properties: [read], format: utf8, value: "שלום"}]\n'
    begin(page, {"program": "profile", "name": "שלום", "profile": LAB.replace("name: Lab", "name: שלום").replace("services:\n", services, 1)})
    row(page, "שלום").locator("[data-do=select]").click()
    page.locator(".ex-adv .structures li:has-text('שלום')").first.wait_for()
    # The octets of a mark of direction would be shown as an open box.
    shown = page.locator(".ex-adv").inner_text()
    connect(page, "שלום")
    page.locator(".ex-device [data-do=readAll]").click()
    choose(page, "2A29")
    page.locator(".ex-formats summary").click()
    page.locator(".ex-formats dd :text-is('שלום')").first.wait_for()
    shown += page.locator(".ex-formats").inner_text()
    assert "\u2423" not in shown and "\u2068" not in shown


def test_several_devices_are_connected(open_page):
    page = open_page("explorer")
    begin(page, lab("One"), lab("Two"), lab("Three"))
    for name in ("One", "Two", "Three"):
        connect(page, name)
    assert page.locator(".ex-tabs [data-do=tab]").all_inner_texts() == ["One", "Two", "Three"]
    for name, value in (("One", "01"), ("Three", "03")):
        page.locator(f".ex-tabs button:has-text('{name}')").click()
        choose(page, "FFE1")
        page.select_option(".ex-value [data-do=format]", "hex")
        page.fill(".ex-value [data-do=text]", value)
        page.wait_for_selector(f".ex-value code:text('Data([0x{value}])')")
        page.click(".ex-value [data-do=write]")
        page.click(".ex-value [data-do=read]")
        page.wait_for_selector(f".ex-value .octets:has-text('{value}')")
    page.locator(".ex-tabs button:has-text('Two')").click()
    page.locator(".ex-device [data-do=close]").click()
    page.wait_for_function("() => document.querySelectorAll('.ex-tabs button').length === 2")
    # The others are still connected.
    page.locator(".ex-tabs button:has-text('One')").click()
    page.wait_for_selector(".ex-device .chip.good:text-is('connected')")


def test_the_filters_select(open_page):
    page = open_page("explorer")
    begin(page, lab(), {"program": "wristband", "name": "Wristband"}, {"program": "beacon", "name": "Beacon", "x": 9, "y": 9})
    shown = lambda *names: page.wait_for_function(
        "names => JSON.stringify([...document.querySelectorAll('.ex-rows li bdi')].map((each) => each.textContent).sort()) === JSON.stringify(names)",
        arg=sorted(names))
    page.click(".ex-filter summary")
    page.fill("[data-filter=name]", "nordic")
    shown("Lab")
    page.fill("[data-filter=name]", "")
    page.fill("[data-filter=service]", "heart")
    shown("Wristband")
    page.fill("[data-filter=service]", "ffe0")
    shown("Lab")
    page.fill("[data-filter=service]", "")
    page.check("[data-filter=connectable]")
    shown("Wristband", "Lab")
    page.uncheck("[data-filter=connectable]")
    page.locator("[data-filter=rssi]").fill("-30")
    page.wait_for_selector(".ex-list .empty p:text('The filter selects no device.')")
    page.locator("[data-filter=rssi]").fill("-105")
    row(page, "Lab").wait_for()


def test_a_connected_device_is_cloned_in_the_maker(open_page, axe):
    page = open_page("explorer")
    begin(page, lab())
    connect(page, "Lab")
    page.locator(".ex-device [data-do=clone]").click()
    page.wait_for_selector(".maker-cloned:visible")
    said = page.locator(".maker-cloned").inner_text()
    assert "FFE4" in said and "does not know how values change" in said
    yaml = page.locator(".maker-editor textarea").input_value()
    assert "forty-two" in yaml and "Answer" in yaml and "0x0059" in yaml and 'name: "Lab"' in yaml
    page.wait_for_selector("#maker-problems .good")
    axe(page)
    # The clone runs, and the explorer reads what the original had.
    page.studio.do("room.remove", {"device": next(each["id"] for each in page.studio.topic("room")["devices"] if each["name"] == "Lab")})
    page.get_by_role("button", name="Run in the room").click()
    page.studio.topic("room", lambda room: any(each["program"] == "profile" and each["state"] == "advertising" for each in room["devices"]))
    page.click(".tabs a[data-view=explorer]")
    # The room has two devices of that name since the scan began: the original is gone.
    row(page, "Lab").nth(1).locator("[data-do=connect]").click()
    page.wait_for_selector(".ex-device[data-busy=false] .ex-tree [data-do=characteristic]")
    characteristic(page, "FFE5").locator("[data-do=read]").click()
    characteristic(page, "FFE5").locator(".ex-treevalue:text('forty-two')").wait_for()


def test_the_log_is_a_file(open_page):
    page = open_page("explorer")
    begin(page, lab())
    connect(page, "Lab")
    name, text = saved(page, "[data-do=saveLog]")
    lines = text.splitlines()
    assert name == "explorer-log.txt" and len(lines) > 10
    entries = lines[:lines.index("")] if "" in lines else lines
    assert entries and all(re.match(r"\d+\.\d{3} s  (call|callback|note|error)  ", line) for line in entries)
    assert sum("| peripheral.discoverServices(nil)" in line for line in lines) == 1


def test_the_signal_is_drawn_while_a_device_moves(open_page):
    page = open_page("explorer")
    begin(page, lab())
    row(page, "Lab").locator("[data-do=select]").click()
    graph = page.locator(".ex-adv .ex-plot")
    graph.and_(page.locator("[aria-label*=dBm]")).wait_for()
    before = row(page, "Lab").locator(".ex-spark path").get_attribute("d")
    page.studio.do("room.move", {"device": "d1", "x": 16, "y": 0})
    page.wait_for_function(
        "() => { const [low, high] = /from (\\S+) to (\\S+)/.exec(document.querySelector('.ex-adv .ex-plot').ariaLabel).slice(1).map((each) => +each.replace('\\u2212', '-'));"
        " return high - low >= 10; }")
    assert row(page, "Lab").locator(".ex-spark path").get_attribute("d") != before
    # A device that is off is silent, and the list says for how long.
    page.studio.do("room.power", {"device": "d1", "isOn": False})
    page.studio.do("time.speed", {"speed": 10})
    page.wait_for_selector(".ex-rows li.silent:has-text('s ago')")


# The distance of an element from the top of its pane.
TOP = "(element) => element.getBoundingClientRect().top - element.closest('.ex-pane').getBoundingClientRect().top + element.closest('.ex-pane').scrollTop"


@pytest.mark.parametrize("language, width", [("en", 1280), ("zh", 360)])
def test_the_past_values_are_listed_and_saved(open_page, axe, language, width):
    page = open_page("explorer", language=language, width=width)
    begin(page, lab())
    connect(page, "Lab")
    choose(page, "FFE2")
    assert page.locator(".ex-history").is_hidden()
    switch = page.locator(".ex-value .switch")
    place = switch.evaluate(TOP)
    page.locator(".ex-value [data-do=notify]").check(force=True)
    rows = page.locator(".ex-history tbody tr")
    rows.nth(4).wait_for()
    # The values that arrive do not move the switch away under the pointer.
    assert switch.evaluate(TOP) == pytest.approx(place, abs=1)
    page.locator(".ex-value [data-do=notify]").uncheck(force=True)
    wait_for_end = {"en": "does not notify any more", "zh": "不再通知"}[language]
    wait_for_log(page, wait_for_end)
    count = next(each["count"] for service in device(page, "Lab")["services"] for each in service["characteristics"] if each["uuid"] == "FFE2")
    page.wait_for_function("(count) => document.querySelectorAll('.ex-history tbody tr').length === count", arg=count)
    # A counter: the newest value is the first.
    octets = [row.locator("td").last.inner_text() for row in rows.all()]
    numbers = [int.from_bytes(bytes.fromhex(each), "little") for each in octets]
    assert numbers == list(range(numbers[0], numbers[-1] - 1, -1))
    # The list scrolls with the keyboard, and the page is not wider.
    page.locator(".ex-historylist").focus()
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == {"en": "Past values", "zh": "历史值"}[language]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    axe(page)
    _, text = saved(page, "[data-do=saveLog]")
    lines = text[text.index("\nValues of FFE2, Lab:\n"):].splitlines()[2:2 + count]
    assert [line.split("  ")[2] for line in lines] == [each.replace(" ", "") for each in reversed(octets)]
    # Another characteristic has its own values.
    choose(page, "FFE5")
    page.wait_for_function("() => document.querySelector('.ex-history').hidden || document.querySelectorAll('.ex-history tbody tr').length === 1")


@pytest.mark.parametrize("size", [(1440, 900), (1280, 720), (390, 844)])
def test_the_graph_of_a_subscription_is_seen_without_scrolling(open_page, size):
    page = open_page("explorer", width=size[0], height=size[1])
    begin(page, lab())
    connect(page, "Lab")
    seen = """() => { const end = document.querySelector('.time').getBoundingClientRect().top;
      return [...document.querySelectorAll('.ex-live:not([hidden]) .ex-plot[aria-label], .ex-value .ex-plot[aria-label]')].some((graph) => {
        const box = graph.getBoundingClientRect();
        return box.height > 0 && graph.style.visibility !== 'hidden' && box.top >= 0 && box.bottom <= end + 1;
      }); }"""
    # Where it is switched on in the tree, and in the pane of the characteristic.
    characteristic(page, "FFE2").locator("input[role=switch]").check(force=True)
    page.wait_for_function(seen)
    characteristic(page, "FFE2").locator("input[role=switch]").uncheck(force=True)
    page.wait_for_selector(".ex-live", state="hidden")
    choose(page, "FFE3")
    page.locator(".ex-value [data-do=notify]").check(force=True)
    page.wait_for_function(seen)


def test_the_header_says_what_each_control_is(open_page):
    page = open_page("explorer")
    begin(page, lab())
    fields = [text.split("\n")[0] for text in page.locator(".ex-head .field").all_inner_texts()]
    assert fields == ["Explores with", "ATT_MTU of the next links", "Swift line of the control under the pointer"]
    assert page.locator(".ex-head select").count() == 1 and page.get_by_label("ATT_MTU of the next links").is_visible()
    assert page.locator(".ex-head code").inner_text().startswith("central.")
    page.locator(".ex-rows [data-do=connect]").first.hover()
    assert page.locator(".ex-head code").inner_text() == "central.connect(peripheral)"

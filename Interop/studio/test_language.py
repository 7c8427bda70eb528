"""The page in Chinese: no English words are left, and a change of the language changes everything that is shown."""

import pathlib
import re

import pytest

from exploring import begin, characteristic, connect, lab

pytestmark = pytest.mark.long

# The visible texts of the page with what names them to a screen reader, as [text, where].
TEXTS = """
() => {
  const found = [];
  const isCode = (element) => element.closest('code, pre, textarea, [lang=en], .swift, .octets, .number');
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || isCode(element)) continue;
    if (!element.closest('option') && !element.checkVisibility({ visibilityProperty: true })) continue;
    found.push([node.data.trim(), element.tagName + '.' + (element.className.baseVal ?? element.className)]);
  }
  for (const element of document.querySelectorAll('[title], [aria-label], [placeholder]')) {
    if (isCode(element)) continue;
    for (const name of ['title', 'aria-label', 'placeholder']) {
      if (element.getAttribute(name)?.trim()) found.push([element.getAttribute(name).trim(), `${element.tagName}@${name}`]);
    }
  }
  return found;
}
"""

# What stays as it is in Chinese: names of products, tools, formats and protocols, and units.
TERMS = """
    Advertising Apple Bluetooth BluetoothPairing CoreBluetooth Ctrl Enter Esc Home End Delete Shift Page Up Down Tab English GAP GATT iPhone LightBlue Linux OpenCoreBluetooth
    Package Ping Sources Swift TLS USB UUID Unix Wireshark YAML bluelab bluetoothctl bluetoothd bluez btmon btsnoop doctor explore hci hello hex main nil none pcapng rfkill scan
    on power serve sine swift studio systemd true unblock utf dBm KiB MHz kbit low medium high error connect
    Frame Prepare Pulse bpm ppm iBeacon Ping Rand
""".split()
# Names that the Bluetooth SIG assigned: AD types, companies, and a PDU of several words.
ASSIGNED = {
    "Flags", "Complete Local Name", "Shortened Local Name", "Tx Power Level", "Manufacturer Specific Data", "Appearance", "Service Data - 16-bit UUID",
    "Complete List of 16-bit Service Class UUIDs", "Incomplete List of 16-bit Service Class UUIDs", "Complete List of 128-bit Service Class UUIDs",
    "Incomplete List of 128-bit Service Class UUIDs", "Apple, Inc.", "Nordic Semiconductor ASA", "Pairing DHKey Check",
}
# Names of the specification, and of types, members, methods, files and the keys of profiles: `ATT_READ_REQ`, `LL encrypted`, `CBPeripheral`, `didConnect`, `peripheral.name`,
# `Sources/hello/main.swift`, `read-not-permitted`, `uint16`, hexadecimal digits.
NAMES = [
    r"\b(?:LL|L2CAP|SMP|ATT|HCI) (?:empty|encrypted|data|part|control|channel|signal)\b", r"\b(?:LL|L2CAP|SMP|ATT) [a-z ]+\b(?= 0x)",
    r"\b\w+(?:/[\w.]+)+(?::\d+)?", r"\bswift run\b", r"\b[a-z]\w*\.[a-z]\w*", r"\b[a-z]+(?:-[a-z]+)+\b", r"\b[A-Z]{2,}[a-z]\w*",
    r"\b[A-Za-z]*[a-z][A-Z]\w*(?:\([\w:]*\))?", r"\b[A-Z0-9]+(?:_[A-Z0-9]+)+\b", r"\b[A-Z][A-Z0-9]+\b", r"\b(?=\w*\d)\w+\b", r"--[a-z-]+", r"\b\w+\.(?:swift|yaml|js|log)\b",
    r"\b(?:[0-9A-Fa-f]{2}[ :])+[0-9A-Fa-f]{2}\b", r"\b(?:Pairing|Identity|Central|Encryption|Security|Master)(?: [A-Z][a-z]+)+\b",
]


def english(texts, names=()):
    """The texts with English words that are neither terms nor names."""
    names = sorted(names, key=len, reverse=True)
    left = []
    for text, where in texts:
        rest = text
        for name in names:
            rest = rest.replace(name, " ")
        for pattern in NAMES:
            rest = re.sub(pattern, " ", rest)
        words = [word for word in re.findall(r"[A-Za-z]{3,}", rest) if word not in TERMS]
        if words:
            left.append((text, where, words))
    return left


def names_of(studio):
    """Names that are data: of devices, of the Bluetooth SIG, of profiles and of scenes' parameters."""
    assigned = studio.do("maker.names")
    names = {name for table in assigned.values() for _, name in table}
    room = studio.topic("room")
    for device in room["devices"]:
        if not device.get("label"):
            names.add(device["name"])
    names |= set(room["platforms"])
    # Names that devices advertise while their label in the room is another one, and values.
    return names | ASSIGNED | {"Gadget", "Renamed", "Wristband", "Checker", "Scale", "Phone as a device", "Wrist", "Daily goal", "Heart rate", "indications", "notifications", "bpm", "Primary Service", "Characteristic"}


def check(page, where, names):
    texts = page.evaluate(TEXTS)
    assert texts, f"no text in {where}"
    left = english(texts, names)
    assert not left, f"English words in {where}:\n" + "\n".join(f"  {words}: {text!r} in {place}" for text, place, words in left[:20])


def test_the_search_for_english_words_finds_them():
    # The test of the test: a sentence is found between names, terms and numbers, and a Chinese one passes.
    assert english([["The device Gadget has no power.", "P"]], {"Gadget"})
    assert english([["didConnect: ten connections", "P"], ["Run", "BUTTON"]]) != []
    assert not english([["didDiscover Gadget，信号强度 -45 dBm", "P"], ["ATT_READ_REQ 句柄 0x0003", "P"]], {"Gadget"})


@pytest.mark.parametrize("view", ["room", "lesson", "explorer", "maker", "packets"])
def test_a_view_in_chinese_has_no_english_words(open_page, view):
    page = open_page(view, language="zh")
    studio = page.studio
    studio.seek(6_000_000_000)
    page.wait_for_selector(".happened li.event, .happened .event")
    names = names_of(studio)
    if view == "packets":
        page.wait_for_selector(".says")
        check(page, "packets, folded", names)
        page.click(".packet-row, [role=row], .says")
        page.wait_for_selector(".packet-field")
    if view == "maker":
        names |= {entry["name"] for entry in studio.do("maker.library")["profiles"]} | {entry["summary"] for entry in studio.do("maker.library")["profiles"]}
    if view == "room":
        page.click(".devices .item")
        page.wait_for_selector(".card:not([hidden])")
    page.wait_for_function("document.querySelectorAll('main *').length > 5")
    check(page, view, names)


def test_cards_dialogs_and_the_world_of_the_lesson_are_chinese(open_page):
    page = open_page("room", language="zh")
    studio = page.studio
    studio.seek(3_000_000_000)
    studio.do("room.wall", {"x1": 0, "y1": -1, "x2": 0, "y2": 1, "attenuation": 20})
    page.wait_for_selector(".plan g.wall", state="attached")
    names = names_of(studio) | {"END_OF_FILE"}
    page.click(".key-button")
    for kind in ("wall", "link"):
        page.locator(f".plan g.{kind}").focus()
        page.keyboard.press("Enter")
        page.locator(".item-card", has_text="极限").wait_for()
        check(page, f"the card of a {kind}", names)
    for button in (2, 3):
        page.locator(".tools button").nth(button).click()
        page.wait_for_selector("dialog[open]")
        # Names of the programs and profiles are data.
        check(page, f"dialog {button}", names | {text for text in page.locator("dialog option").all_inner_texts()})
        page.keyboard.press("Escape")
    page.locator(".settings button").first.click()
    check(page, "the keys", names)
    page.keyboard.press("Escape")
    page.evaluate("location.hash = 'lesson/tour-central'")
    page.click(".lesson-steps button[data-step='6']")
    page.wait_for_selector(".lesson-packets button[aria-pressed=true]")
    check(page, "a step", names)
    page.locator(".lesson-moves button").last.click()
    for choice in (0, 1):
        page.locator("dialog .segmented button").nth(choice).click()
        check(page, "the programs to copy", names)
    page.keyboard.press("Escape")
    page.evaluate("location.hash = 'room@lesson'")
    page.locator(".world", has_text="课程的世界").wait_for()
    check(page, "the world of the lesson", names)


def show_packet(page, number):
    """Opens a packet, and names a field of it below its octets."""
    page.evaluate(f"location.hash = '{'packets@lesson' if page.studio.world else 'packets'}/{number}'")
    page.wait_for_selector(f".packet-detail[data-packet='{number}']")
    page.locator(".packet-detail .octets").last.focus()
    page.keyboard.press("End")
    page.wait_for_selector(".packet-detail .octet.cursor")


@pytest.mark.parametrize("scene,layers", [
    ("tour-central", {"adv", "ll", "att"}),
    # A peripheral that asks for another interval, and a phone that pairs with a lock.
    ("try-interval", {"l2cap"}),
    ("q10", {"smp"}),
])
def test_the_fields_of_every_layer_are_chinese(open_page, scene, layers):
    page = open_page("packets@lesson", language="zh")
    studio = page.studio
    studio.do("lesson.open", {"lesson": scene})
    for action in next((each["actions"] for each in studio.do("lesson.catalogue")["scenes"] if each["id"] == scene), []):
        studio.do("lesson.act", {"action": action})
    studio.seek(studio.topic("time")["now"] + 8_000_000_000)
    # One packet of each name, in each layer.
    chosen = {}
    for layer in ("adv", "ll", "l2cap", "att", "smp", "data"):
        query = {"from": 0, "count": 200, "filter": {"layer": layer}}
        while not (found := studio.do("packets.list", query))["isComplete"]:
            pass
        chosen |= {(layer, row["name"]): row["n"] for row in reversed(found["rows"])}
    assert layers <= {layer for layer, _ in chosen}
    names = names_of(studio)
    for (layer, name), number in chosen.items():
        show_packet(page, number)
        check(page, f"{name} of the layer {layer}", names)
    assert "字段" in page.locator(".packet-sides [role=tree]").first.get_attribute("aria-label")


def test_an_error_of_the_yaml_and_of_a_value_in_it_is_chinese(open_page):
    page = open_page("maker", language="zh")
    page.wait_for_selector("#maker-problems .good")
    text = page.locator(".maker-editor textarea")
    problems = page.locator("#maker-problems .bad")
    for yaml, expected in [
        ("a: [", "不是有效的 YAML"),
        ("a: b: c", "此处不能有映射的值"),
        ("services:\n\t- uuid: FFE0", "有不能作为开头的字符"),
        ("servces: []", "是否想写"),
        ("services: [{uuid: FFE0, characteristics: [{uuid: FFE1, properties: [read], format: u8, value: 300}]}]", "0 至 255 的整数"),
        ("services: [{uuid: 180F, characteristics: [{uuid: 2A19, properties: [read], value: many}]}]", "“many”不是十六进制"),
    ]:
        text.fill(yaml)
        problems.filter(has_text=expected).first.wait_for()
        left = english([[said, "problem"] for said in problems.all_inner_texts()], {"many", "summary", "advertising", "services", "servces", "Battery Level"})
        assert not left, left


def test_an_error_of_a_typed_value_is_chinese(open_page):
    page = open_page("explorer", language="zh")
    begin(page, lab())
    connect(page, "Lab")
    characteristic(page, "FFE1").locator("[data-do=characteristic]").click()
    field = page.locator(".ex-value [data-do=text]")
    for kind, typed, expected in [("hex", "0g", "“0g”不是十六进制"), ("u8", "300", "“300”不是 u8 所需的 0 至 255 的整数。"), ("f32", "warm", "不是 f32 所需的数")]:
        page.select_option(".ex-value [data-do=format]", kind)
        field.fill(typed)
        page.locator(".ex-value", has_text=expected).wait_for()
        check(page, f"a value in {kind}", names_of(page.studio) | {"Lab", "warm", "Answer", "forty-two"})


def scenes():
    """The identifiers of the scenes, as the page's words list them."""
    words = (pathlib.Path(__file__).resolve().parents[2] / "Studio/parts/lesson-words-scenes.js").read_text(encoding="utf-8")
    found = re.findall(r'^  "([\w-]+)": \{$', words, re.MULTILINE)
    assert len(found) >= 20
    return found


def test_the_events_of_every_scene_are_chinese(open_page):
    page = open_page("lesson", language="zh")
    studio = page.studio
    left = []
    for scene in scenes():
        studio.do("lesson.open", {"lesson": scene})
        studio.seek(9_000_000_000)
        for action in next(each for each in studio.do("lesson.catalogue")["scenes"] if each["id"] == scene)["actions"]:
            studio.do("lesson.act", {"action": action})
            now = studio.topic("time")["now"]
            studio.seek(now + 3_000_000_000)
        page.goto(f"{studio.link}#lesson/{scene}")
        last = studio.topic("time")["now"]
        page.wait_for_function(f"document.querySelector('.lesson-heard, .lesson-steps, main h2') && {last} > 0")
        left += [(scene, *each) for each in english(page.evaluate(TEXTS), names_of(studio))]
    assert not left, "English words:\n" + "\n".join(f"  {scene}: {words}: {text!r} in {place}" for scene, text, place, words in left[:30])


def test_a_change_of_the_language_changes_all_that_is_shown(open_page):
    page = open_page("packets", language="en")
    page.studio.seek(6_000_000_000)
    happened = len(page.studio.events())
    page.wait_for_function(f"document.querySelectorAll('.happened .event').length === {happened}")
    page.wait_for_selector(".says")

    def shown(place):
        return page.locator(place).all_inner_texts()

    # The events that stand in the list, before and after.
    before = shown(".happened .event .text")
    assert len(before) > 20 and english([[text, ""] for text in before])
    page.click("button.language")
    assert page.locator("html").get_attribute("lang") == "zh-CN"
    page.wait_for_selector(".says")
    chinese = shown(".happened .event .text")
    assert len(chinese) == len(before)
    assert not english([[text, ""] for text in chinese], names_of(page.studio))
    assert not english([[text, ""] for text in shown(".says")], names_of(page.studio))
    assert any("句柄" in text or "地址" in text or "字节" in text for text in shown(".says"))
    assert "手机" in page.locator(".devices").inner_text()
    page.click("button.language")
    page.wait_for_selector(".says")
    assert shown(".happened .event .text") == before
    assert "Phone" in page.locator(".devices").inner_text()


def test_a_failure_says_what_was_tried_what_happened_and_what_to_do_in_the_language_of_the_page(open_page):
    page = open_page("lesson/try-filter", language="zh")
    field = page.locator("main form input[type=text]")
    field.fill("not a UUID")
    field.press("Enter")
    said = page.locator(".say.shown")
    said.wait_for()
    assert said.inner_text() == "打开课程：not a UUID 不是 UUID：UUID 需要 4、8 或 32 位十六进制数字。请输入 FF00 这样的 UUID。"
    # The sentence that stands there follows the language.
    page.click("button.language")
    assert page.locator(".say.shown").inner_text() == (
        "Open a lesson: not a UUID is not a UUID: it needs 4, 8 or 32 hexadecimal digits. Enter a UUID such as FF00.")


def test_a_hostile_name_in_a_phrase_is_one_isolated_value(open_page):
    page = open_page("room", language="zh")
    name = "<b>\u202egnp.exe{0}\u05d0</b>"
    page.studio.do("room.rename", {"device": "d1", "name": name})
    page.studio.do("room.power", {"device": "d1", "isOn": False})
    value = page.locator(".happened .event .text bdi").last
    value.wait_for()
    assert value.inner_text() == "<b>\u2423gnp.exe{0}\u05d0</b>"
    assert value.get_attribute("dir") == "auto"
    assert page.locator(".happened .event .text").last.inner_text().endswith("已断电")
    assert page.locator(".happened b").count() == 0

"""A capture file in the packet list, beside its story, whose lines lead to packets."""

import re

import pytest

pytestmark = pytest.mark.long

# The time stamp of 1970 in btsnoop.
EPOCH = 0x00DCDDB30F2F8000

# Reset, an advertising report of "Bulb", a link with an exchange of the ATT_MTU and two notifications without a subscription, and its loss.
# A packet is sent (0) or received (1).
VISIT = [
    (0, "01 03 0C 00"),
    (1, "04 0E 04 01 03 0C 00"),
    (1, "04 3E 12 02 01 00 01 01 02 03 04 05 C6 06 05 09 42 75 6C 62 C4"),
    (1, "04 3E 13 01 00 40 00 00 01 01 02 03 04 05 C6 18 00 00 00 F4 01 00"),
    (0, "02 40 00 07 00 03 00 04 00 02 F7 00"),
    (1, "02 40 20 07 00 03 00 04 00 03 B9 00"),
    (1, "02 40 20 08 00 04 00 04 00 1B 09 00 07"),
    (1, "02 40 20 08 00 04 00 04 00 1B 09 00 08"),
    (1, "04 05 04 00 40 00 08"),
]
VIEW = "packets@capture"


def btsnoop(packets):
    """A file with one packet each 10 ms."""
    content = b"btsnoop\0" + (1).to_bytes(4) + (1002).to_bytes(4)
    for number, (flags, digits) in enumerate(packets):
        packet = bytes.fromhex(digits)
        content += len(packet).to_bytes(4) * 2 + flags.to_bytes(4) + bytes(4) + (EPOCH + 1_000_000 + 10_000 * number).to_bytes(8) + packet
    return content


def advertising_report(name):
    data = bytes([len(name) + 1, 9]) + name
    content = bytes([2, 1, 0, 1, 1, 2, 3, 4, 5, 0xC6, len(data)]) + data + b"\xc4"
    return (1, (bytes([4, 0x3E, len(content)]) + content).hex())


def pcap(packets):
    """A file of the air: access address, PDU and a CRC that nothing checks."""
    content = bytes.fromhex("D4C3B2A1 02000400 00000000 00000000 FFFF0000 FB000000")
    for number, (access_address, digits) in enumerate(packets):
        packet = access_address.to_bytes(4, "little") + bytes.fromhex(digits) + bytes(3)
        content += (1).to_bytes(4, "little") + (10_000 * number).to_bytes(4, "little") + len(packet).to_bytes(4, "little") * 2 + packet
    return content


@pytest.fixture
def capture(workplace, open_page):
    """Opens the page of a studio with a capture."""

    def capture(content=btsnoop(VISIT), view=VIEW, name="visit.btsnoop", rows=True, **options):
        (workplace.path / name).write_bytes(content)
        page = open_page(view, arguments=("--capture", name), **options)
        if rows:
            page.wait_for_selector(".packet-row .what")
        return page

    return capture


def unfold(page):
    page.click("[data-focus=packets-fold]")
    page.wait_for_selector("[data-focus=packets-fold][aria-pressed=false]")


def wait_for_packet(page, number):
    """Waits until a packet is chosen, in the list and beside it."""
    page.wait_for_selector(f".packet-detail[data-packet='{number}']")
    page.wait_for_selector(".packet-row[aria-selected=true]")
    page.wait_for_function(f"location.hash === '#packets@capture/{number}'")


def test_the_command_leads_to_the_packets_and_the_story(capture):
    page = capture()
    assert page.studio.view == VIEW
    unfold(page)
    page.wait_for_function("document.querySelectorAll('.packet-row .what').length === 9")
    names = page.locator(".packet-row .what").all_inner_texts()
    assert names[0] == "Reset" and names[4] == "ATT_EXCHANGE_MTU_REQ"
    assert page.locator(".packet-row .when").first.inner_text().startswith("0.000")
    assert page.locator(".packet-row .who").first.inner_text() == "Host"
    page.locator(".story h3", has_text="Link 1: central = this host").wait_for()
    assert page.locator(".capture-name").inner_text().startswith("visit.btsnoop")
    assert "1970-01-01T00:00:01Z" in page.locator(".capture-name").inner_text()
    assert page.locator(".tabs a[aria-current]").get_attribute("data-view") == "capture"
    # A capture has no time that runs, and no devices to change.
    for place in (".time", ".devices", ".world"):
        assert page.locator(place).is_hidden()
    assert page.locator("[data-focus=packets-follow], [data-focus=packets-pcapng], [data-focus=packets-btsnoop]").count() == 0


def test_a_line_of_the_story_selects_its_packet(capture):
    page = capture()
    begins = page.locator(".story a", has_text="begins: interval 30.00 ms")
    begins.click()
    wait_for_packet(page, 4)
    page.locator(".packet-head h3", has_text="LE Connection Complete").wait_for()
    # The second of several packets of a line, in a conversation that is folded.
    page.locator(".story-line.bad a", has_text=re.compile(r"^8$")).click()
    wait_for_packet(page, 8)
    page.locator(".packet-row[aria-selected=true]", has_text="ATT_HANDLE_VALUE_NTF").wait_for()
    # The first line again, after another packet was chosen in the list.
    begins.click()
    wait_for_packet(page, 4)
    page.locator(".packet-row", has_text="Disconnection Complete").click()
    wait_for_packet(page, 9)
    begins.click()
    wait_for_packet(page, 4)


def test_a_line_of_the_story_removes_filters_that_hide_its_packet(capture):
    page = capture()
    page.fill("[data-focus=packets-text]", "reset")
    page.wait_for_selector(".packet-rows:not(:has(.layer-att))")
    page.locator(".story a", has_text="the link is lost").click()
    wait_for_packet(page, 9)
    page.locator(".packet-row[aria-selected=true]", has_text="Disconnection Complete").wait_for()
    assert page.input_value("[data-focus=packets-text]") == ""


def test_another_language_and_a_step_back_keep_filters_that_hide_the_packet(capture):
    page = capture(view=f"{VIEW}/6")
    wait_for_packet(page, 6)

    def shows_the_packet_beside_the_filter():
        wait_for_packet(page, 6)
        assert page.input_value("[data-focus=packets-text]") == "disconnection"
        page.wait_for_selector(".packet-rows:has(.layer-hci):not(:has(.layer-att))")

    page.fill("[data-focus=packets-text]", "disconnection")
    page.wait_for_selector(".packet-rows:has(.layer-hci):not(:has(.layer-att))")
    page.click("button.language")
    page.wait_for_selector("html[lang=zh-CN] .packet-filters")
    shows_the_packet_beside_the_filter()
    page.click(".tabs a[data-view=room]")
    page.wait_for_selector(".plan g.device", state="attached")
    page.go_back()
    shows_the_packet_beside_the_filter()
    page.click("button.language")
    page.wait_for_selector("html[lang=en] .packet-filters")
    shows_the_packet_beside_the_filter()
    # A link that leads to a packet removes them.
    page.locator(".story a", has_text=re.compile(r"^8$")).click()
    wait_for_packet(page, 8)
    page.wait_for_function("document.querySelector('[data-focus=packets-text]').value === ''")


def test_a_page_that_connects_again_shows_the_file_of_the_new_studio(capture, workplace):
    page = capture(view=f"{VIEW}/6")
    wait_for_packet(page, 6)
    page.allowed += ["WebSocket connection", "ERR_CONNECTION_REFUSED"]
    page.studio.end()
    page.wait_for_selector("body[data-link=lost]", state="attached")
    (workplace.path / "visit.btsnoop").write_bytes(btsnoop([advertising_report(name) for name in (b"Lamp", b"Fan")]))
    page.studio.restart()
    page.wait_for_selector("body[data-link=open]", state="attached")
    page.wait_for_selector(".packet-rows:has(.layer-hci):not(:has(.layer-att))")
    page.wait_for_selector(".packet-detail[data-packet='']", state="attached")
    page.wait_for_function("location.hash === '#packets@capture'")
    unfold(page)
    page.wait_for_function("document.querySelectorAll('.packet-row .what').length === 2")


def test_the_story_is_open_where_the_events_of_the_room_are_folded(capture):
    page = capture(view="room", rows=False, width=360)
    fold = page.locator(".happened .fold")
    fold.click()
    page.wait_for_selector(".happened[data-folded=false]")
    fold.click()
    page.wait_for_selector(".happened[data-folded=true]")
    page.click(".tabs a[data-view=capture]")
    page.locator(".story-line").first.wait_for()


def test_an_address_opens_a_packet(capture):
    page = capture(view=f"{VIEW}/6")
    wait_for_packet(page, 6)
    page.locator(".packet-facts", has_text="from Controller").wait_for()
    page.reload()
    wait_for_packet(page, 6)
    # A packet of the file has no moment to go to.
    assert page.locator("[data-focus=packet-seek]").count() == 0
    assert "channel" not in page.locator(".packet-facts").first.inner_text()


def test_fields_of_hci_light_up_their_octets(capture):
    page = capture(view=f"{VIEW}/4")
    wait_for_packet(page, 4)
    page.locator(".packet-field", has_text="Connection handle").hover()
    assert page.locator(".octet.lit").count() == 2
    page.locator(".octet[data-index='1']").hover()
    assert "LE Meta" in page.locator(".packet-field.lit").inner_text()


def test_filters_and_search_work_as_in_the_room(capture):
    page = capture()
    unfold(page)
    options = page.locator("[data-focus=packets-layer] option").all_inner_texts()
    assert options == ["All", "ATT", "HCI"]
    page.select_option("[data-focus=packets-layer]", "hci")
    page.wait_for_function("document.querySelectorAll('.packet-row .layer-hci').length === 5 && !document.querySelector('.packet-row .layer-att')")
    page.select_option("[data-focus=packets-layer]", "")
    page.fill("[data-focus=packets-text]", "bulb")
    page.wait_for_function("document.querySelectorAll('.packet-row .what').length === 1")
    assert "LE Advertising Report" in page.locator(".packet-row").inner_text()
    page.fill("[data-focus=packets-text]", "no such packet")
    page.click(".packet-empty button")
    page.select_option("[data-focus=packets-device]", label="Host")
    page.wait_for_function("document.querySelectorAll('.packet-row .what').length === 2")


def test_a_file_of_the_air_has_its_addresses_as_devices(capture):
    advertising, link = 0x8E89BED6, 0x50655C3A
    page = capture(pcap([
        (advertising, "40 0C 01 02 03 04 05 C6 05 09 42 75 6C 62"),
        (advertising, "C5 22 11 12 13 14 15 D6 01 02 03 04 05 C6 3A 5C 65 50 55 44 33 02 03 00 18 00 00 00 C8 00 FF FF FF FF 1F E9"),
        (link, "02 07 03 00 04 00 0A 03 00"),
    ]), name="air.pcap")
    unfold(page)
    page.wait_for_function("document.querySelectorAll('.packet-row .what').length === 3")
    assert page.locator(".packet-row .who").all_inner_texts() == ["Bulb", "D6:15:14:13:12:11", "D6:15:14:13:12:11"]
    assert "Bulb · C6:05:04:03:02:01" in page.locator("[data-focus=packets-device] option").all_inner_texts()
    page.locator(".packet-row", has_text="ATT_READ_REQ").click()
    page.locator(".packet-facts", has_text="heard by the recorder").wait_for()


def test_the_story_has_the_lines_of_explain(capture, run):
    page = capture()
    printed = run("explain", "visit.btsnoop").output.splitlines()
    assert printed[-1] == "The packets in a browser: bluelab studio --capture visit.btsnoop"
    story = page.studio.do("capture.story")
    lines = ["".join(part["text"] for part in line["parts"]) for line in story["en"]]
    assert [line for line in printed[:-1] if line and "The first packet is from" not in line] == lines
    page.wait_for_function("(count) => document.querySelectorAll('.story-line').length === count", arg=len(lines))


def test_a_cut_file_says_so(capture):
    page = capture(btsnoop(VISIT)[:-3])
    page.locator(".notice.warn", has_text="The file ends inside a packet: the rest is missing.").wait_for()
    page.click("button.language")
    page.locator(".notice.warn", has_text="文件在数据包中间结束：缺少其余内容。").wait_for()
    page.locator(".story", has_text="链路 1").wait_for()


def test_a_file_without_packets_says_so(capture):
    page = capture(btsnoop([]), rows=False)
    page.locator(".packet-empty", has_text="The file has no packets.").wait_for()


def test_a_packet_that_the_file_does_not_have_says_so(capture):
    page = capture(btsnoop([]), view=f"{VIEW}/5", rows=False)
    page.locator(".packet-detail", has_text="Show a packet: Packet 5 is not kept. There are no packets to select.").wait_for()


def test_names_of_hostile_devices_stay_text(capture):
    names = [b"<img src=x onerror=alert(1)>", "\u202egnp.exe".encode(), b"\x00\x1b[31m"]
    page = capture(btsnoop([advertising_report(name) for name in names]))
    page.wait_for_function("document.querySelectorAll('.packet-row .what').length === 3")
    page.locator(".story", has_text="Advertising devices").wait_for()
    assert page.locator(".packet-row img, .story img").count() == 0
    assert "\u202e" not in page.locator("body").inner_text()


def test_the_room_stays_beside_a_capture(capture):
    page = capture()
    page.click(".tabs a[data-view=packets]")
    page.locator(".packet-empty", has_text="No packets yet.").wait_for()
    page.studio.seek(1_000_000_000)
    page.locator(".packet-row", has_text="Advertising").first.wait_for()
    assert page.locator(".time").is_visible() and page.locator("[data-focus=packets-follow]").is_visible()
    page.click(".tabs a[data-view=capture]")
    page.locator(".packet-row", has_text="LE Connection Complete").wait_for()
    # The keys of the time bar do nothing here. The studio performs the commands of a page in their order, so the time after the last one is the time after all.
    page.keyboard.press("n")
    page.click(".tabs a[data-view=room]")
    page.wait_for_selector(".plan g.device", state="attached")
    speed = page.studio.topic("time")["speed"]
    page.keyboard.press("]")
    assert page.studio.topic("time", lambda time: time["speed"] != speed)["now"] == 1_000_000_000


def test_a_studio_without_a_capture_says_how_to_open_one(open_page):
    page = open_page(VIEW)
    page.locator(".notice.warn code", has_text="bluelab studio --capture FILE").wait_for()
    assert page.locator(".tabs a[data-view=capture]").count() == 0


@pytest.mark.parametrize("content, says, code", [
    (b"", "visit.btsnoop is empty.", 1), (b"#!/bin/sh\n", "visit.btsnoop is not a capture", 1), (None, "visit.btsnoop cannot be read", 2)])
def test_a_wrong_file_ends_the_command_before_the_studio_begins(run, workplace, content, says, code):
    if content is not None:
        (workplace.path / "visit.btsnoop").write_bytes(content)
    refused = run("studio", "--no-open", "--port", "0", "--capture", "visit.btsnoop")
    assert refused.code == code and says in refused.errors and "://" not in refused.output


@pytest.mark.parametrize("language, scheme, width", [("en", "light", 1280), ("zh", "dark", 900), ("zh", "light", 360)])
def test_the_capture_is_accessible(capture, axe, language, scheme, width):
    page = capture(view=f"{VIEW}/4", language=language, scheme=scheme, width=width)
    wait_for_packet(page, 4)
    page.locator(".story h3").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    axe(page)

"""The packet list: rows, filters, conversations, fields and octets, files."""

import pathlib

import pytest

SECOND = 1_000_000_000


@pytest.fixture
def packets(open_page):
    """The packet list after two virtual seconds."""

    def packets(seconds=2, **options):
        page = open_page("packets", **options)
        page.studio.seek(seconds * SECOND)
        page.wait_for_selector(".packet-row")
        return page

    return packets


def test_an_empty_list_says_how_packets_come(open_page):
    page = open_page("packets")
    page.click(".packet-empty button")
    page.wait_for_selector(".packet-row")
    assert page.studio.topic("time", lambda time: time["isRunning"])


def test_a_conversation_opens_and_its_packet_shows_fields(packets):
    page = packets()
    row = page.locator(".packet-row", has_text="Discovery of services").first
    row.click()
    page.wait_for_selector(".packet-row.member")
    member = page.locator(".packet-row.member", has_text="ATT_READ_BY_GROUP_TYPE_RSP").first
    member.click()
    page.wait_for_selector(".packet-head h3:has-text('ATT_READ_BY_GROUP_TYPE_RSP')")
    field = page.locator(".packet-field", has_text="Opcode").first
    field.hover()
    assert page.locator(".octet.lit").count() == 1
    page.locator(".octet[data-index='0']").hover()
    assert "Type and flags" in page.locator(".packet-field.lit").inner_text()
    assert page.locator(".packet-row[aria-expanded=true]").count() == 1


def test_the_list_works_with_keys_only(packets):
    page = packets()
    page.locator(".packet-list").focus()
    page.keyboard.press("Home")
    page.wait_for_selector(".packet-row[aria-posinset='1'][aria-selected=true]")
    page.keyboard.press("ArrowDown")
    page.wait_for_selector(".packet-row[aria-posinset='2'][aria-selected=true]")
    page.wait_for_selector(".packet-head h3:has-text('CONNECT_IND')")
    page.locator(".packet-field[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    assert page.locator(".octet.lit").count() == 1
    page.locator(".packet-detail .octets").focus()
    page.keyboard.press("End")
    assert "octet 35" in page.locator(".packet-detail .octet-says").inner_text()


def test_filters_leave_the_packets_that_match(packets):
    page = packets()
    page.select_option("[data-focus=packets-layer]", "att")
    page.click("[data-focus=packets-fold]")
    page.wait_for_selector(".packet-rows:has(.layer-att):not(:has(.layer-adv)):not(:has(.layer-ll))")
    assert page.locator(".packet-row .layer-att").count() > 3
    page.fill("[data-focus=packets-text]", "no such packet")
    page.wait_for_selector(".packet-empty:has-text('No packet matches')")
    page.click(".packet-empty button")
    page.wait_for_selector(".packet-row .layer-adv")


def test_a_link_to_a_packet_selects_it(packets):
    page = packets()
    page.evaluate("location.hash = 'packets/24'")
    page.wait_for_selector(".packet-detail[data-packet='24']")
    page.wait_for_selector(".packet-row[aria-selected=true]")
    # Also a page that opens with the link names the devices, whose names come later than the packet.
    page.reload()
    page.wait_for_selector(".packet-detail[data-packet='24']")
    page.wait_for_selector(".packet-facts:has-text('from Wristband')")
    start = page.studio.do("packets.detail", {"n": 24})["packet"]
    page.click("[data-focus=packet-seek]")
    page.studio.topic("time", lambda time: time["now"] == start["start"] + start["duration"])


def test_the_packets_are_saved_as_pcapng(packets):
    page = packets()
    with page.expect_download() as download:
        page.click("[data-focus=packets-pcapng]")
    content = pathlib.Path(download.value.path()).read_bytes()
    assert download.value.suggested_filename == "packets.pcapng"
    assert content[:4] == bytes([0x0A, 0x0D, 0x0D, 0x0A])


def test_the_hci_packets_of_a_device_are_saved_as_btsnoop(packets, axe):
    page = packets()
    page.click("[data-focus=packets-btsnoop]")
    dialog = page.locator("dialog[open]")
    # Captures of HCI contain keys, which the page says before it saves one.
    assert "keys" in dialog.inner_text()
    axe(page)
    dialog.locator("select").select_option("d2")
    with page.expect_download() as download:
        dialog.locator("button[type=submit]").click()
    assert download.value.suggested_filename == "Wristband-d2.btsnoop"
    content = pathlib.Path(download.value.path()).read_bytes()
    # Version 1, HCI UART. The first record is HCI_Reset.
    assert content[:16] == b"btsnoop\0" + bytes([0, 0, 0, 1, 0, 0, 3, 0xEA])
    assert content[40:44] == bytes([1, 0x03, 0x0C, 0])
    dialog.wait_for(state="detached")


@pytest.mark.parametrize("language, scheme, width", [("en", "light", 1280), ("zh", "dark", 360)])
def test_the_packet_list_is_accessible(packets, axe, language, scheme, width):
    page = packets(language=language, scheme=scheme, width=width)
    page.locator(".packet-row").nth(1).click()
    page.wait_for_selector(".packet-field")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator(".packet-detail .octet").count() == 36
    # All columns are in view.
    assert page.locator(".packet-detail .octets").evaluate("octets => octets.scrollWidth <= octets.clientWidth")
    assert len({round(cell.bounding_box()["x"]) for cell in page.locator(".packet-detail .octet").all()}) == 8
    axe(page)

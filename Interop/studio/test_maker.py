"""The device maker: the form and the YAML in step, the octets of the advertisement, and devices that run in the room."""

import json

import pytest

pytestmark = pytest.mark.long

SERVICE = "services/0"
CHARACTERISTIC = "services/0/characteristics/0"


def field(page, path):
    return page.locator(f'[data-field="{path}"]')


def text(page):
    return page.locator(".maker-editor textarea")


def wait_for_text(page, part):
    page.wait_for_function("part => document.querySelector('.maker-editor textarea').value.includes(part)", arg=part)


@pytest.fixture
def maker(open_page):
    """The maker with the example that a new user sees."""

    def maker(**options):
        page = open_page("maker", **options)
        page.wait_for_selector(".maker-service")
        page.wait_for_selector("#maker-problems .good")
        return page

    return maker


def octets(page, part="Advertisement"):
    cells = page.locator(".ad-part", has=page.locator("h3", has_text=part)).locator(".octet:not(.free)")
    return bytes.fromhex("".join(cells.all_inner_texts()))


def test_a_change_in_the_form_is_in_the_text_and_in_the_octets(maker):
    page = maker()
    assert octets(page) == bytes.fromhex("020106 03030d18 060950756c7365")
    field(page, "advertising/name").fill("Lamp")
    wait_for_text(page, 'name: "Lamp"')
    page.wait_for_function("() => document.querySelectorAll('.ad-part .octet:not(.free)').length === 13")
    assert octets(page) == bytes.fromhex("020106 03030d18 05094c616d70")
    page.locator(f'[data-path="{CHARACTERISTIC}"] summary').first.click()
    field(page, f"{CHARACTERISTIC}/kind").select_option("counter")
    wait_for_text(page, "counter:")
    field(page, f"{CHARACTERISTIC}/value/counter/step").fill("7")
    wait_for_text(page, "step: 7")
    # The focus stays where it was.
    assert page.evaluate("document.activeElement.dataset.field") == f"{CHARACTERISTIC}/value/counter/step"


def test_a_change_in_the_text_is_in_the_form(maker):
    page = maker()
    text(page).fill("advertising: {name: Box}\nservices:\n  - uuid: Battery\n    characteristics:\n      - {uuid: Battery Level, properties: [read], format: u8, value: 80}\n")
    page.wait_for_function("() => document.querySelectorAll('.maker-service').length === 1")
    assert field(page, "advertising/name").input_value() == "Box"
    assert field(page, f"{SERVICE}/uuid").input_value() == "180F"
    assert field(page, f"{CHARACTERISTIC}/value").input_value() == "80"
    assert "Battery Level" in page.locator(".maker-characteristic").inner_text()


def test_a_text_with_errors_says_where_and_the_form_stays(maker):
    page = maker()
    text(page).fill("services:\n  - uuid: FFE0\n    characteristics:\n      - {uuid: FFE1, properties: [notfy]}\n")
    page.wait_for_selector("#maker-problems .bad")
    report = page.locator("#maker-problems").inner_text()
    assert "Line 4, column 35" in report and "notify" in report
    assert page.locator(".maker-service").count() == 3
    assert page.locator(".maker-editor .lines b").inner_text().strip() == "4"
    assert page.get_by_role("button", name="Run in the room").is_disabled()
    page.locator("#maker-problems button").click()
    assert page.evaluate("document.activeElement.value.slice(document.activeElement.selectionStart).startsWith('notfy')")
    text(page).fill("a: [")
    page.wait_for_function("() => !document.querySelector('#maker-problems').innerText.includes('column 35')")
    assert page.locator("#maker-problems .bad").count() == 1


def test_a_wrong_field_is_marked_and_the_text_stays(maker):
    page = maker()
    before = text(page).input_value()
    page.locator(f'[data-path="{CHARACTERISTIC}"] summary').first.click()
    minimum = field(page, f"{CHARACTERISTIC}/value/sine/minimum")
    minimum.fill("many")
    page.wait_for_selector('[aria-invalid="true"]')
    assert minimum.get_attribute("aria-invalid") == "true"
    assert "Expected a number" in page.locator(f'[data-path="{CHARACTERISTIC}/value/sine/minimum"] .error').inner_text()
    assert text(page).input_value() == before
    minimum.fill("61")
    wait_for_text(page, "minimum: 61")
    assert page.locator('[aria-invalid="true"]').count() == 0


def test_what_does_not_fit_is_named(maker):
    page = maker()
    name = "Living room sensor number two"
    field(page, "advertising/name").fill(name)
    page.wait_for_selector(".ad-part:nth-of-type(2)", state="attached")
    page.wait_for_function("() => document.querySelector('.maker-air').innerText.includes('Scan response')")
    assert octets(page) == bytes.fromhex("020106 03030d18")
    assert octets(page, "Scan response") == b"\x0b\x08Living roo"
    assert "31 octets" in page.locator(".maker-air .notice").inner_text()
    text(page).fill("advertising:\n  services: [71DA3FD1-7E10-41C1-B16F-4430B506CDE7, 6E400001-B5A3-F393-E0A9-E50E24DCCA9E]\nservices: []\n")
    page.wait_for_selector(".left-out")
    assert "6E400001-B5A3-F393-E0A9-E50E24DCCA9E needs 18 octets" in page.locator(".left-out").inner_text()


def test_a_device_runs_in_the_room_and_changes_while_it_runs(maker):
    page = maker()
    studio = page.studio
    page.get_by_role("button", name="Run in the room").click()
    device = studio.topic("room", lambda room: any(each["program"] == "profile" for each in room["devices"]))["devices"][-1]
    assert device["name"] == "Pulse"
    studio.do("time.speed", {"speed": 10})
    studio.do("time.run")
    studio.topic("room", lambda room: room["devices"][-1]["state"] in ("advertising", "connected"))
    apply = page.get_by_role("button", name="Apply changes")
    assert apply.is_disabled()
    field(page, "advertising/name").fill("Changed")
    wait_for_text(page, "Changed")
    apply.click()
    studio.topic("room", lambda room: room["devices"][-1]["name"] == "Changed")
    page.wait_for_function("() => document.querySelector('.maker-runs button.primary').disabled")
    page.get_by_role("button", name="Stop").click()
    studio.topic("room", lambda room: all(each["id"] != device["id"] for each in room["devices"]))
    page.get_by_role("button", name="Run in the room").wait_for()


def test_examples_files_and_drafts(maker, tmp_path):
    page = maker()
    page.get_by_label("Start from").select_option("uart")
    wait_for_text(page, "6E400002")
    page.get_by_role("button", name="Undo").click()
    wait_for_text(page, "Heart Rate")
    file = tmp_path / "lamp.yaml"
    file.write_text("advertising: {name: Lamp}\nservices: [{uuid: FFE0}]\n")
    page.locator('input[type="file"]').set_input_files(file)
    wait_for_text(page, "name: Lamp")
    page.wait_for_function("() => document.querySelectorAll('.maker-service').length === 1")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as YAML").click()
    assert download.value.suggested_filename == "lamp.yaml"
    assert open(download.value.path()).read() == file.read_text()
    page.reload()
    page.wait_for_selector(".maker-service")
    wait_for_text(page, "name: Lamp")
    # A draft that something else wrote does not stop the page.
    page.evaluate("localStorage.setItem('maker-draft', '{\"yaml\": 7}')")
    page.goto("about:blank")
    page.goto(page.studio.link + "#maker")
    page.wait_for_selector(".maker-service")


def test_what_was_removed_comes_back_in_steps(maker):
    page = maker()
    services = page.locator(".maker-service")
    assert services.count() == 3
    for left in (2, 1):
        page.get_by_role("button", name="Remove 180", exact=False).first.click()
        page.wait_for_function("left => document.querySelectorAll('.maker-service').length === left", arg=left)
        page.wait_for_function("left => (document.querySelector('.maker-editor textarea').value.match(/characteristics:/g) ?? []).length === left", arg=left)
    undo = page.get_by_role("button", name="Undo")
    for left in (2, 3):
        undo.click()
        page.wait_for_function("left => document.querySelectorAll('.maker-service').length === left", arg=left)
    undo.wait_for(state="hidden")
    # A reload keeps the draft, also one that is not valid.
    text(page).fill("services:\n  - uuid: [\n")
    page.wait_for_selector("#maker-problems .bad")
    page.reload()
    page.wait_for_selector("#maker-problems .bad")
    assert text(page).input_value() == "services:\n  - uuid: [\n"
    assert page.locator(".maker-service").count() == 3


def test_a_file_with_errors_is_opened_and_says_where(maker, tmp_path):
    page = maker()
    file = tmp_path / "bad.yaml"
    file.write_text("advertising: {name: Lamp}\nservices:\n  - uuid: XYZ\n")
    page.locator('input[type="file"]').set_input_files(file)
    page.locator("#maker-problems", has_text="Line 3, column 11").wait_for()
    assert page.get_by_role("button", name="Run in the room").is_disabled()
    page.locator("#maker-problems button").click()
    assert page.evaluate("document.activeElement.value.slice(document.activeElement.selectionStart).startsWith('XYZ')")
    page.get_by_role("button", name="Undo").click()
    page.wait_for_selector("#maker-problems .good")


SENSOR = """\
advertising:
  name: Sensor
  services: [FFE0]
services:
  - uuid: FFE0
    characteristics:
      - {uuid: FFE1, properties: [read, write], format: u16, value: 500}
      - {uuid: FFE2, properties: [read, notify], format: utf8, value: "ready"}
      - uuid: FFE3
        properties: [write-without-response]
        format: u8
        value: 1
        descriptors:
          - {uuid: 2901, value: Switch}
  - uuid: Battery
    characteristics:
      - {uuid: Battery Level, properties: [read], format: u8, value: 80}
"""


def test_the_saved_file_is_the_same_device_for_serve(maker, begin, run, tmp_path):
    page = maker()
    text(page).fill(SENSOR)
    page.wait_for_function("() => document.querySelectorAll('.maker-service').length === 2")
    advertised = octets(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as YAML").click()
    file = tmp_path / "sensor.yaml"
    download.value.save_as(file)
    begin("radio").line("radio")
    begin("serve", str(file)).line("Sensor")
    seen = run("scan", "--json", "--duration", "2").records
    assert any(advertised.hex() in json.dumps(record).replace(" ", "").lower() for record in seen), seen
    tree = run("explore", "Sensor", "--all", "--json").records
    found = [(record["uuid"], record["properties"], record.get("value")) for record in tree if record["type"] == "characteristic"]
    own = [each for each in found if each[0] in ("FFE1", "FFE2", "FFE3", "2A19")]
    # The clone of the device in the room, as the explorer of the page sees it, is the same.
    page.get_by_role("button", name="Run in the room").click()
    page.get_by_role("button", name="Look at it with a phone").click()
    page.wait_for_selector("body[data-view=explorer]", state="attached")
    assert [each[0] for each in own] == ["FFE1", "FFE2", "FFE3", "2A19"]
    assert [each[2] for each in own] == ["f401", "7265616479", None, "50"], own
    assert [sorted(each[1]) for each in own] == [["read", "write"], ["notify", "read"], ["write-without-response"], ["read"]], own
    page.locator(".main, main").get_by_text("Sensor").first.wait_for()


def test_the_form_is_built_with_the_keyboard(maker):
    page = maker()
    page.get_by_role("button", name="Empty device").click()
    page.wait_for_function("() => document.querySelectorAll('.maker-service').length === 0")
    page.get_by_role("button", name="Add a service").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.dataset.field") == f"{SERVICE}/uuid"
    page.keyboard.type("Battery")
    wait_for_text(page, '"180F"')
    page.get_by_role("button", name="Add a characteristic").focus()
    page.keyboard.press("Enter")
    page.keyboard.type("Battery Level")
    wait_for_text(page, '"2A19"')
    field(page, f"{CHARACTERISTIC}/notify").focus()
    page.keyboard.press("Space")
    wait_for_text(page, "properties: [read, notify]")
    assert page.evaluate("document.activeElement.dataset.field") == f"{CHARACTERISTIC}/notify"


def test_hostile_names_are_text(maker):
    page = maker()
    text(page).fill("advertising:\n  name: " + json.dumps("<script>alert(1)</script>\u202e\u0007") + "\nservices: []\n")
    page.wait_for_function("() => document.querySelector('[data-field=\"advertising/name\"]').value.includes('<script>')")
    assert page.locator(".maker script").count() == 0


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_maker_is_accessible(maker, axe, language, scheme):
    page = maker(language=language, scheme=scheme)
    page.locator(f'[data-path="{CHARACTERISTIC}"] summary').first.click()
    field(page, f"{CHARACTERISTIC}/value/sine/minimum").fill("many")
    page.wait_for_selector('[aria-invalid="true"]')
    axe(page)


def test_the_maker_fits_a_phone(maker):
    page = maker(width=360)
    summaries = page.locator(".maker-form summary").all()
    assert summaries
    for summary in summaries:
        if summary.evaluate("each => !each.parentElement.open"):
            summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.locator(".maker-runs button").first.click()
    # The sentence beside the buttons has a line of its own.
    assert page.locator(".maker-runs .grow").bounding_box()["width"] > 200

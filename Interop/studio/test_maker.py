"""The device maker: the form and the YAML in step, the octets of the advertisement, and devices that run in the room."""

import json

import pytest

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
    cells = page.locator(".maker-part", has_text=part).first.locator(".cell.used")
    return bytes.fromhex("".join(cells.all_inner_texts()))


def test_a_change_in_the_form_is_in_the_text_and_in_the_octets(maker):
    page = maker()
    assert octets(page) == bytes.fromhex("020106 03030d18 060950756c7365")
    field(page, "advertising/name").fill("Lamp")
    wait_for_text(page, 'name: "Lamp"')
    page.wait_for_function("() => document.querySelectorAll('.cell.used').length === 13")
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
    page.wait_for_selector(".maker-part:nth-of-type(2)", state="attached")
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
    page.get_by_role("button", name="Back to the earlier draft").click()
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
    page.evaluate("localStorage.setItem('maker.draft', '{\"yaml\": 7}')")
    page.goto("about:blank")
    page.goto(page.studio.link + "#maker")
    page.wait_for_selector(".maker-service")


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
    for summary in page.locator(".maker-form summary").all():
        if summary.evaluate("each => !each.parentElement.open"):
            summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360

"""The dialog of the room's radio: path loss, fading, packet loss, sensitivity, and the scene."""

import pytest

pytestmark = pytest.mark.long

# The names of the fields, the texts to type, and the values of the room.
FIELDS = {"pathLossExponent": ("3.5", 3.5), "fading": ("4", 4), "packetLoss": ("12.5", 0.125), "sensitivity": ("-80", -80)}
TITLES = {"en": "Radio and scene", "zh": "无线环境和场景"}


@pytest.fixture
def environment(open_page):
    """The room with its open dialog."""

    def environment(language="en", **options):
        page = open_page(language=language, **options)
        page.click(f".tools button[aria-label='{TITLES[language]}']")
        page.wait_for_selector("dialog[open]")
        return page

    return environment


def field(page, name):
    return page.locator(f"dialog input[name={name}]")


def present(page):
    return page.studio.topic("room")["environment"]


def test_the_environment_changes_with_the_pointer(environment):
    page = environment()
    for name, (text, _) in FIELDS.items():
        field(page, name).fill(text)
    page.click("dialog button[type=submit]:text-is('Apply')")
    page.wait_for_selector("dialog", state="detached")
    page.studio.topic("room", lambda room: room["environment"] == {name: value for name, (_, value) in FIELDS.items()})
    # The dialog opens with the present values.
    page.click(f".tools button[aria-label='{TITLES['en']}']")
    assert {name: field(page, name).input_value() for name in FIELDS} == {name: text for name, (text, _) in FIELDS.items()}


def test_the_environment_changes_with_the_keyboard(open_page):
    page = open_page()
    opener = page.locator(f".tools button[aria-label='{TITLES['en']}']")
    opener.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog[open]")
    # The first field has the focus; Enter applies.
    assert page.evaluate("document.activeElement.name") == "pathLossExponent"
    page.keyboard.press("Control+a")
    page.keyboard.type("3")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "fading"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog", state="detached")
    found = page.studio.topic("room", lambda room: room["environment"]["pathLossExponent"] == 3)["environment"]
    assert found["fading"] == 1
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == TITLES["en"]
    # Escape changes nothing.
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog[open]")
    page.keyboard.type("5")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    assert present(page)["pathLossExponent"] == 3
    assert opener.evaluate("button => button === document.activeElement")


@pytest.mark.parametrize("name, bad", [
    ("pathLossExponent", "0.5"), ("pathLossExponent", ""), ("fading", "21"), ("packetLoss", "101"), ("packetLoss", "-1"), ("sensitivity", "-20"), ("sensitivity", "1e9"),
])
def test_a_value_out_of_range_is_not_sent(environment, name, bad):
    page = environment()
    before = present(page)
    field(page, name).fill(bad)
    page.click("dialog button[type=submit]:text-is('Apply')")
    # The browser marks the field, and the dialog stays.
    assert not field(page, name).evaluate("input => input.validity.valid")
    assert page.evaluate("document.activeElement.name") == name
    assert present(page) == before
    field(page, name).fill(FIELDS[name][0])
    page.click("dialog button[type=submit]:text-is('Apply')")
    page.studio.topic("room", lambda room: room["environment"][name] == FIELDS[name][1])


@pytest.mark.parametrize("language, reason", [("en", "Use 0 to 20 dB."), ("zh", "0 至 20 dB")])
def test_what_the_studio_refuses_is_said_in_the_dialog(environment, axe, language, reason):
    page = environment(language=language)
    # As a browser without the limits of the field sends it.
    field(page, "fading").evaluate("input => input.removeAttribute('max')")
    field(page, "fading").fill("21")
    page.locator("dialog form").first.locator("button[type=submit]").click()
    page.wait_for_selector(f"dialog .failure:has-text('{reason}')")
    axe(page)
    field(page, "fading").fill("2")
    page.locator("dialog form").first.locator("button[type=submit]").click()
    page.wait_for_selector("dialog", state="detached")
    page.studio.topic("room", lambda room: room["environment"]["fading"] == 2)


def test_all_packets_are_lost_and_heard_again(environment):
    page = environment()
    field(page, "packetLoss").fill("100")
    page.click("dialog button[type=submit]:text-is('Apply')")
    page.studio.topic("room", lambda room: room["environment"]["packetLoss"] == 1)
    page.studio.seek(1_000_000_000)
    sent = page.studio.do("packets.list", {"from": 0, "count": 500, "filter": {}, "folded": False})["rows"]
    outcomes = {outcome for packet in sent for _, _, outcome in packet["receivers"]}
    assert len(sent) > 10 and outcomes and "received" not in outcomes
    # From this moment on, the devices hear each other.
    page.click(f".tools button[aria-label='{TITLES['en']}']")
    field(page, "packetLoss").fill("0")
    page.keyboard.press("Enter")
    page.studio.topic("room", lambda room: room["environment"]["packetLoss"] == 0)
    page.studio.seek(3_000_000_000)
    page.studio.topic("room", lambda room: room["links"])


def test_the_scene_begins_anew_with_another_seed(environment):
    page = environment()
    page.studio.seek(500_000_000)
    page.select_option("dialog select[name=scene]", "empty")
    field(page, "seed").fill("1.5")
    page.keyboard.press("Enter")
    assert not field(page, "seed").evaluate("input => input.validity.valid")
    field(page, "seed").fill("41")
    # Enter in this form begins the scene, and applies nothing.
    field(page, "seed").press("Enter")
    page.wait_for_selector("dialog", state="detached")
    room = page.studio.topic("room", lambda room: room["scene"] == "empty")
    assert room["seed"] == 41
    page.studio.topic("time", lambda time: time["now"] == 0)


@pytest.mark.parametrize("language, scheme, width", [("en", "light", 1280), ("zh", "dark", 1280), ("en", "dark", 360), ("zh", "light", 360)])
def test_the_dialog_is_accessible(environment, axe, language, scheme, width):
    page = environment(language=language, scheme=scheme, width=width)
    assert page.inner_text("dialog h2") == TITLES[language]
    box = page.locator("dialog").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= width
    assert page.locator("dialog").evaluate("dialog => dialog.scrollWidth <= dialog.clientWidth")
    axe(page)

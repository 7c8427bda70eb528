"""The room: the plan, the time bar, the devices, and what happens."""

import re

import pytest

pytestmark = pytest.mark.long

SECOND = 1_000_000_000
MILLISECOND = 1_000_000


def device(studio, name):
    return next(device for device in studio.topic("room")["devices"] if device["name"] == name)


def link_of(studio):
    """Moves the time until a link has a signal on both sides, and returns the link."""
    for step in range(1, 200):
        studio.seek(step * 100 * MILLISECOND)
        links = studio.topic("room")["links"]
        if links and all(isinstance(links[0]["rssi"].get(side), int) for side in ("central", "peripheral")):
            return links[0]
    raise AssertionError("the phone and the wristband did not connect in 20 s")


def on_plan(page, name):
    return page.locator(f'.plan g.device[aria-label^="{name},"]')


def middle(element):
    box = element.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, start, end):
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=4)
    page.mouse.move(*end, steps=4)
    page.mouse.up()


def test_run_connects_the_phone_with_the_wristband(page):
    page.click(".begin button.primary")
    page.wait_for_selector(".plan g.link", state="attached")
    page.wait_for_selector('.log .swift:text("centralManager(_:didConnect:)")', state="attached")
    assert page.locator(".begin").is_hidden()
    page.click(".time .run")
    paused = page.studio.topic("time", lambda time: not time["isRunning"])
    assert paused["now"] > 0
    page.wait_for_selector('.time .run:text("Run")')
    whole, part = f"{paused['now'] / 1e9:.6f}".split(".")
    page.wait_for_function(
        "text => document.querySelector('.clock').textContent.replace(/\\s/g, ' ') === text", arg=f"{whole}.{part[:3]} {part[3:]} s")


def test_a_step_ends_with_one_more_packet(page):
    for number in range(3):
        page.click(".time .step")
        page.studio.topic("counts", lambda counts: counts["packets"] == number + 1)
    page.studio.topic("time", lambda time: not time["isRunning"])
    # The packet is on the plan, as a button that opens it.
    page.wait_for_function("() => document.querySelector('.log .fold-packets')?.textContent.includes('3 packets')")
    page.click(".strip button")
    page.wait_for_selector("body[data-view=packets]", state="attached")
    assert page.evaluate("location.hash") == "#packets/2"


def test_the_slider_goes_back_and_drops_what_happened_later(page):
    link_of(page.studio)
    connected = page.studio.topic("time")["now"]
    rows = page.locator(".log .event")
    page.wait_for_selector('.log .swift:text("centralManager(_:didConnect:)")', state="attached")
    before = rows.count()
    page.focus(".track input")
    # Each press counts, also before the effect of the one before it is known. The last one ends what rounding left.
    for _ in range(11):
        page.keyboard.press("PageDown")
    page.studio.topic("time", lambda time: time["now"] == 0 and not time["isSeeking"])
    page.wait_for_function("before => document.querySelectorAll('.log .event').length < before", arg=before)
    assert page.locator('.log .swift:text("centralManager(_:didConnect:)")').count() == 0
    assert page.locator(".plan g.link").count() == 0
    assert page.studio.topic("time")["end"] >= connected
    page.wait_for_selector(".begin button.primary")


def test_speed_changes_with_the_bar_and_with_keys(page):
    page.click('.speeds button:text-is("×1/100")')
    page.studio.topic("time", lambda time: time["speed"] == 0.01)
    page.wait_for_selector('.speeds button[aria-pressed=true]:text-is("×1/100")')
    page.locator(".plan g.device").first.focus()
    page.keyboard.press("[")
    page.studio.topic("time", lambda time: time["speed"] == 0.001)
    page.keyboard.press("]")
    page.keyboard.press("]")
    page.studio.topic("time", lambda time: time["speed"] == 1)
    page.keyboard.press("n")
    page.studio.topic("time", lambda time: time["now"] > 0 and not time["isRunning"])


# Keeps back the updates of the server until `release()`.
HOLD = """
const kept = [];
let isHeld = true;
window.release = () => { isHeld = false; for (const pass of kept.splice(0)) pass(); };
window.WebSocket = class extends WebSocket {
  set onmessage(receive) {
    super.onmessage = (event) => { if (isHeld && JSON.parse(event.data).push) kept.push(() => receive(event)); else receive(event); };
  }
};
"""


def test_the_tools_wait_until_the_room_is_known(open_page):
    page = open_page(script=HOLD)
    new, radio = (page.locator(f'.tools button[aria-label="{name}"]') for name in ("New device", "Radio and scene"))
    assert new.is_disabled() and radio.is_disabled()
    page.evaluate("release()")
    new.click()
    assert page.locator("dialog select[name=program] option").count() > 0
    page.keyboard.press("Escape")
    radio.click()
    page.locator("dialog select[name=scene]").wait_for()


def test_keys_do_nothing_while_a_person_types(page):
    page.click('.tools button[aria-label="New device"]')
    page.fill("dialog input[name=name]", "")
    page.keyboard.type("n. [thing]")
    assert page.input_value("dialog input[name=name]") == "n. [thing]"
    assert page.studio.topic("time")["now"] == 0
    assert page.studio.topic("time")["speed"] == 1


def test_a_drag_changes_the_place_and_the_signal(page):
    link = link_of(page.studio)
    before = device(page.studio, "Wristband")
    x, y = middle(on_plan(page, "Wristband").locator(".disc"))
    drag(page, (x, y), (x - 40, y + 150))
    moved = page.studio.topic("room", lambda room: any(each["name"] == "Wristband" and each["y"] > before["y"] + 0.3 for each in room["devices"]))
    assert next(each for each in moved["devices"] if each["name"] == "Wristband")["x"] < before["x"]
    page.studio.seek(page.studio.topic("time")["now"] + 300 * MILLISECOND)
    room = page.studio.topic("room", lambda room: room["links"] and room["links"][0]["rssi"] != link["rssi"])
    signal = room["links"][0]["rssi"]["central"]
    page.wait_for_function(
        "signal => document.querySelector('.plan g.link .strong')?.textContent === `${String(signal).replace('-', '−')} dBm`", arg=signal)


def test_a_device_moves_with_the_keyboard_alone(page):
    before = device(page.studio, "Phone")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest?.('.plan g.device')?.getAttribute('aria-label') ?? ''").startswith("Phone,"):
            break
    else:
        raise AssertionError("Tab does not reach the phone")
    page.keyboard.press("ArrowLeft")
    page.studio.topic("room", lambda room: room["devices"][0]["x"] == pytest.approx(before["x"] - 0.25))
    page.keyboard.press("Shift+ArrowDown")
    page.studio.topic("room", lambda room: room["devices"][0]["y"] == pytest.approx(before["y"] + 1))
    page.wait_for_function("() => document.querySelector('.announce').textContent.startsWith('Phone at ')")
    page.keyboard.press("Enter")
    page.wait_for_selector('.item-card:has-text("Phone")')
    page.keyboard.press("Escape")
    page.wait_for_selector(".item-card", state="hidden")


def test_a_wall_drawn_between_two_devices_weakens_the_signal(page):
    before = link_of(page.studio)["rssi"]["central"]
    one, other = middle(on_plan(page, "Phone").locator(".disc")), middle(on_plan(page, "Wristband").locator(".disc"))
    x, y = (one[0] + other[0]) / 2 + 30, (one[1] + other[1]) / 2
    page.click(".tools button[data-tool=wall]")
    page.fill("form.tool input[name=attenuation]", "15")
    drag(page, (x, y - 120), (x + 3, y + 120))
    wall = page.studio.topic("room", lambda room: room["walls"])["walls"][0]
    assert wall["attenuation"] == 15
    assert wall["x1"] == wall["x2"]
    page.wait_for_selector('.plan g.wall[aria-label="Wall, 15 dB"]', state="attached")
    page.studio.seek(page.studio.topic("time")["now"] + 300 * MILLISECOND)
    after = page.studio.topic("room", lambda room: room["links"] and room["links"][0]["rssi"]["central"] != before)["links"][0]["rssi"]["central"]
    assert before - after == pytest.approx(15, abs=1)
    page.click('.item-card button:text("Remove")')
    page.studio.topic("room", lambda room: not room["walls"])


def test_a_wall_is_built_in_numbers_and_removed_with_the_keyboard_alone(page):
    page.focus(".tools button[data-tool=wall]")
    page.keyboard.press("Enter")
    for name, value in {"x1": "0", "y1": "-1", "x2": "0", "y2": "1.5", "attenuation": "30"}.items():
        page.focus(f"form.tool input[name={name}]")
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.type(value)
    page.keyboard.press("Enter")
    wall = page.studio.topic("room", lambda room: room["walls"])["walls"][0]
    assert (wall["x1"], wall["y1"], wall["x2"], wall["y2"], wall["attenuation"]) == (0, -1, 0, 1.5, 30)
    page.locator(".plan g.wall").focus()
    page.keyboard.press("Delete")
    page.studio.topic("room", lambda room: not room["walls"])


def test_a_device_without_power_disconnects_after_the_supervision_timeout(page):
    link = link_of(page.studio)
    now = page.studio.topic("time")["now"]
    on_plan(page, "Wristband").locator(".disc").click()
    page.click('.item-card button:text("Cut power") >> nth=0')
    page.studio.topic("room", lambda room: not next(each for each in room["devices"] if each["name"] == "Wristband")["isOn"])
    page.wait_for_selector('.devices li:has-text("Wristband") .dot.off', state="attached")
    disconnected = page.locator('.log li:has(.swift:text("didDisconnectPeripheral"))')
    page.studio.seek(int(now + link["timeout"] * MILLISECOND * 0.8))
    assert disconnected.count() == 0
    page.studio.seek(int(now + link["timeout"] * MILLISECOND + 2 * link["interval"] * MILLISECOND + 100 * MILLISECOND))
    disconnected.first.wait_for(state="attached")
    page.click('.item-card button:text("Switch on") >> nth=0')
    page.studio.topic("room", lambda room: all(each["isOn"] for each in room["devices"]))


def test_a_phone_behind_a_wall_hears_that_the_link_is_lost(page):
    link = link_of(page.studio)
    now = page.studio.topic("time")["now"]
    page.click(".tools button[data-tool=wall]")
    page.fill("form.tool input[name=attenuation]", "120")
    x, y = middle(on_plan(page, "Wristband").locator(".disc"))
    drag(page, (x + 60, y - 120), (x + 62, y + 120))
    page.studio.topic("room", lambda room: room["walls"])
    page.click(".tools button[data-tool=select]")
    # The wall is right of the wristband: the phone walks around it.
    phone = middle(on_plan(page, "Phone").locator(".disc"))
    drag(page, phone, (x + 100, y))
    page.studio.topic("room", lambda room: room["devices"][0]["x"] > room["devices"][1]["x"])
    page.studio.seek(int(now + link["timeout"] * MILLISECOND + 2 * link["interval"] * MILLISECOND + 100 * MILLISECOND))
    page.locator('.log li:has(.swift:text("didDisconnectPeripheral"))').first.wait_for(state="attached")
    page.studio.topic("room", lambda room: not room["links"])


def test_a_device_that_loses_all_packets_is_not_found(page):
    wristband = device(page.studio, "Wristband")["id"]
    on_plan(page, "Wristband").locator(".disc").click()
    page.click(".item-card summary")
    page.focus(".item-card input[type=range]")
    page.keyboard.press("End")
    page.studio.topic("room", lambda room: any(each["id"] == wristband and each["loss"] == 1 for each in room["devices"]))
    page.studio.seek(2 * SECOND)
    page.studio.topic("counts", lambda counts: counts["lost"] > 0)
    assert not page.studio.topic("room")["links"]
    page.wait_for_function("() => /, [1-9][0-9,]* lost/.test(document.querySelector('.counts').textContent)")


def test_a_device_is_added_renamed_and_removed(page):
    page.click(".devices .grow-button")
    page.select_option("dialog select[name=program]", "beacon")
    page.fill("dialog input[name=name]", "Door")
    page.click("dialog button[type=submit]")
    on_plan(page, "Door").wait_for(state="attached")
    page.click(".item-card summary")
    page.fill(".item-card input[name=name]", "Window")
    page.keyboard.press("Enter")
    on_plan(page, "Window").wait_for(state="attached")
    page.wait_for_selector('.devices li:has-text("Window")')
    page.click('.item-card button.danger:text("Remove")')
    on_plan(page, "Window").wait_for(state="detached")
    page.wait_for_selector(".item-card", state="hidden")


def test_an_empty_room_teaches(page):
    for each in page.studio.topic("room")["devices"]:
        page.studio.do("room.remove", {"device": each["id"]})
    page.wait_for_selector('.devices .empty:has-text("No device yet.")')
    page.click('.devices .empty button.primary')
    page.studio.topic("room", lambda room: len(room["devices"]) >= 2)
    page.studio.topic("time", lambda time: time["isRunning"])


HOSTILE = ["<script>document.title='hacked'</script>", "\u202eevil \u0007\n\u200b", "\U0001F469\u200d\U0001F4BB" * 20, "x" * 248, " ", "'\"><img src=x onerror=alert(1)>"]


def test_hostile_names_are_text_and_bounded(page):
    for number, name in enumerate(HOSTILE):
        page.studio.do("room.add", {"program": "beacon", "name": name, "x": number, "y": 2})
    page.wait_for_function("n => document.querySelectorAll('.plan g.device').length === n", arg=2 + len(HOSTILE))
    for number in range(len(HOSTILE)):
        page.locator(".devices .list .item").nth(2 + number).click()
        page.wait_for_selector(".item-card h3 bdi")
    assert page.title() == "Studio"
    assert page.locator(".devices script, .plan script, .item-card script, .item-card img").count() == 0
    texts = page.evaluate("[...document.querySelectorAll('.devices .name, .plan g.device text, .item-card h3')].map((each) => each.textContent)")
    assert len(texts) > len(HOSTILE) and all(len(text) <= 80 for text in texts)
    assert not any(re.search("[\u0000-\u001f\u200b\u202a-\u202e]", text) for text in texts)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [1280, 360])
def test_the_room_is_accessible(open_page, axe, language, scheme, width):
    page = open_page(language=language, scheme=scheme, width=width)
    page.wait_for_selector(".plan g.device", state="attached")
    axe(page)
    link_of(page.studio)
    page.studio.do("room.wall", {"x1": 0, "y1": -1, "x2": 0, "y2": 1, "attenuation": 10})
    page.wait_for_selector(".plan g.wall", state="attached")
    if width < 760:
        page.click(".happened .fold")
    page.locator(".devices .list .item").first.click()
    page.click(".item-card summary")
    page.locator(".fold-packets").last.click()
    page.click(".key-button")
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # No key of a text is left without words.
    assert not re.search(r"\b(room|time|devices|happened|card|forms|plan|app|state|kind|pane)\.[a-z]", page.locator("body").inner_text().replace("peripheral.", ""))
    for button in (2, 3):
        page.locator(".tools button").nth(button).click()
        axe(page)
        page.keyboard.press("Escape")


def test_a_narrow_page_shows_list_plan_and_events_below_each_other(open_page):
    page = open_page(width=360, height=740)
    page.wait_for_selector(".plan g.device", state="attached")
    places = [page.locator(selector).bounding_box() for selector in (".devices", "main", ".happened")]
    assert [place["x"] for place in places] == [0, 0, 0]
    assert places[0]["y"] + places[0]["height"] <= places[1]["y"] + 1
    assert places[1]["y"] + places[1]["height"] <= places[2]["y"] + 1
    page.click(".time .step")
    page.studio.topic("counts", lambda counts: counts["packets"] == 1)
    assert page.locator(".happened .body").is_hidden()
    page.click(".happened .fold")
    page.wait_for_selector(".happened .body")


def test_the_card_and_the_wall_form_of_a_narrow_page_are_reachable(open_page):
    page = open_page(width=360, height=740)
    on_plan(page, "Phone").wait_for(state="attached")
    # The card that begins the room covers no other control.
    assert page.locator(".begin").is_visible() and page.locator(".lower").is_hidden()
    page.click(".begin button >> nth=1")
    page.mouse.click(*middle(on_plan(page, "Phone").locator(".disc")))
    # The card of the chosen device is above the time bar.
    page.wait_for_selector(".item-card:has-text('Phone')")
    page.wait_for_function(
        "() => document.querySelector('.item-card h3').getBoundingClientRect().bottom <= document.querySelector('.time').getBoundingClientRect().top")
    page.click(".tools [data-tool=wall]")
    page.locator(".tool input[name=x1]").fill("1")
    # Playwright's click fails if another element is above the button.
    page.click(".tool button[type=submit]")
    page.studio.topic("room", lambda room: len(room["walls"]) == 1)
    # A part of the plan is free for the finger, also while the page is scrolled to the card of the wall.
    # The page may still be on its way to the card.
    top = "document.querySelector('{}').getBoundingClientRect().top"
    page.wait_for_function(f"() => {top.format('.tool')} - Math.max({top.format('.stage')}, 0) > 100")


def test_two_pages_stay_in_step(open_page):
    one = open_page()
    other = open_page(of=one.studio)
    one.click(".time .step")
    moved = one.studio.topic("time", lambda time: time["now"] > 0)["now"]
    other.wait_for_function("now => Math.round(Number(document.querySelector('.track input').value)) === now", arg=moved)
    on_plan(other, "Phone").locator(".disc").click()
    other.keyboard.press("ArrowUp")
    y = one.studio.topic("room")["devices"][0]["y"]
    one.studio.topic("room", lambda room: room["devices"][0]["y"] == pytest.approx(y - 0.25) or room["devices"][0]["y"] != 0)
    place = "document.querySelector('.plan g.device').getAttribute('transform')"
    one.wait_for_function(f"() => {place} === {other.evaluate(place)!r}")


def test_the_page_says_that_the_studio_is_lost_and_recovers(page):
    page.allowed += ["WebSocket connection", "ERR_CONNECTION_REFUSED"]
    link_of(page.studio)
    page.wait_for_selector(".log .event", state="attached")
    page.studio.end(is_clean=False)
    page.wait_for_selector('.say.shown:has-text("does not answer")')
    page.studio.restart()
    page.wait_for_selector("body[data-link=open]", state="attached")
    page.wait_for_selector(".plan g.device", state="attached")
    page.wait_for_selector(".say:not(:text('does not answer'))", state="attached")


def test_the_language_changes_and_the_room_stays(page):
    link_of(page.studio)
    page.wait_for_selector(".plan g.link", state="attached")
    # The plan and the log arrive one after the other, and the last events may still be on their way to the page.
    page.wait_for_selector(".log .event", state="attached")
    rows = page.locator(".log .event").count()
    page.click("button.language")
    page.wait_for_selector('.time .run:text("运行")')
    page.wait_for_selector('.plan g.device[aria-label*="手机"]', state="attached")
    assert page.locator(".log .event").count() >= rows
    assert page.locator(".plan g.link").count() == 1
    assert page.evaluate("document.activeElement.className").endswith("language")


def test_the_colours_follow_the_choice(page):
    colour = "getComputedStyle(document.body.querySelector('.top')).backgroundColor"
    light = page.evaluate(colour)
    theme = page.locator(".settings button").nth(1)
    theme.click()
    assert page.evaluate(colour) == light
    theme.click()
    assert page.evaluate(colour) != light
    page.reload()
    page.wait_for_selector("body[data-link=open]", state="attached")
    assert page.evaluate(colour) != light

"""The story of the room succeeds without a document: the first wall breaks the link or says what is missing, and the pulse is seen."""

import re

import pytest

from test_room import MILLISECOND, drag, link_of, middle, on_plan

SECOND = 1_000_000_000


def number(text):
    """The first number of a text."""
    return int(re.search(r"\d+", text).group())


def draw_wall(page):
    """Draws a wall between the phone and the wristband, as a person does who changes nothing in the form."""
    one, other = middle(on_plan(page, "Phone").locator(".disc")), middle(on_plan(page, "Wristband").locator(".disc"))
    x, y = (one[0] + other[0]) / 2 + 30, (one[1] + other[1]) / 2
    page.click(".tools button[data-tool=wall]")
    drag(page, (x, y - 110), (x + 3, y + 110))
    return page.studio.topic("room", lambda room: room["walls"])["walls"][0]["id"]


def test_the_first_wall_breaks_the_link(page):
    link = link_of(page.studio)
    now = page.studio.topic("time")["now"]
    draw_wall(page)
    page.locator(".item-card .bad", has_text="below the limit: nothing arrives. The link ends 2 s after its last packet.").wait_for()
    page.studio.seek(int(now + link["timeout"] * MILLISECOND + 2 * link["interval"] * MILLISECOND + 100 * MILLISECOND))
    page.locator('.log li:has(.swift:text("didDisconnectPeripheral"))').first.wait_for(state="attached")
    page.locator(".item-card .bad", has_text="The link is lost.").wait_for()


def test_a_weak_wall_says_what_is_missing_and_its_loss_is_edited_in_its_card(page):
    page.studio.seek(SECOND)
    wall = page.studio.do("room.wall", {"x1": 0, "y1": -1, "x2": 0, "y2": 1, "attenuation": 20})["id"]
    page.locator(".plan g.wall").focus()
    page.keyboard.press("Enter")
    card = page.locator(".item-card")
    said = card.locator(".crossed p", has_text="above the limit: the link holds.")
    said.wait_for()
    margin = number(said.inner_text())
    # The sentence is right: a loss that is as much higher leaves the signal at the limit.
    field = card.locator("input[name=attenuation]")
    field.fill(str(20 + margin + 2))
    field.press("Enter")
    page.studio.topic("room", lambda room: room["walls"][0]["attenuation"] == 22 + margin)
    card.locator(".crossed p", has_text="below the limit: many packets are lost.").wait_for()
    lost = page.studio.topic("counts")["lost"]
    page.studio.seek(page.studio.topic("time")["now"] + SECOND)
    assert page.studio.topic("counts", lambda counts: counts["lost"] > lost)
    # One press does what is missing.
    page.studio.do("room.attenuation", {"wall": wall, "attenuation": 20})
    page.get_by_role("button", name="Break the link").click()
    page.studio.topic("room", lambda room: room["links"] and room["links"][0]["margin"] <= -7)
    now = page.studio.topic("time")["now"]
    page.studio.seek(now + 3 * SECOND)
    page.studio.topic("room", lambda room: not room["links"] and room["devices"][0]["state"] == "scanning")


def test_the_margin_is_that_of_the_radio(page):
    link_of(page.studio)
    page.studio.seek(SECOND)
    link = found = page.studio.topic("room", lambda room: room["links"] and room["links"][0]["phy"]["central"] == "2M")["links"][0]
    # 2M needs -92 dBm.
    assert found["phy"]["central"] == "2M" and found["margin"] == pytest.approx(link["rssi"]["central"] + 92, abs=0.6)
    page.studio.do("room.wall", {"x1": 0, "y1": -1, "x2": 0, "y2": 1, "attenuation": 17})
    page.studio.do("room.move", {"device": "d2", "x": 6, "y": 0})
    page.studio.seek(page.studio.topic("time")["now"] + SECOND)
    moved = page.studio.topic("room", lambda room: room["links"] and room["links"][0]["rssi"]["central"] < link["rssi"]["central"] - 20)["links"][0]
    assert moved["margin"] == pytest.approx(moved["rssi"]["central"] + 92, abs=0.6)
    assert moved["walls"] == ["w1"]


def test_the_loss_of_a_wall_changes_with_the_keyboard_alone(page):
    page.studio.do("room.wall", {"x1": 0, "y1": -1, "x2": 0, "y2": 1, "attenuation": 20})
    page.locator(".plan g.wall").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Shift+ArrowUp")
    page.keyboard.press("ArrowDown")
    page.studio.topic("room", lambda room: room["walls"][0]["attenuation"] == 31)
    page.wait_for_selector('.plan g.wall[aria-label="Wall, 31 dB"]', state="attached")
    page.wait_for_function("document.querySelector('.announce').textContent === 'Wall, 31 dB'")
    # A run that repeats the commands has the same loss.
    page.studio.seek(SECOND)
    page.studio.seek(0)
    page.studio.topic("room", lambda room: room["walls"] and room["walls"][0]["attenuation"] == 31)


def test_the_plan_has_axes_in_metres(page):
    page.wait_for_selector(".plan g.device", state="attached")
    places = page.evaluate("""() => Object.fromEntries([...document.querySelectorAll('.plan .axes text[text-anchor=middle]')].map((text) => {
      const box = text.getBoundingClientRect(); return [text.textContent.replace('\u2212', '-'), box.x + box.width / 2]; }))""")
    # The phone is at -1 m, and the wristband at 1 m.
    for name, metres in (("Phone", "-1"), ("Wristband", "1")):
        assert places[metres] == pytest.approx(middle(on_plan(page, name).locator(".disc"))[0], abs=2)
    page.click('.view button[aria-label="Zoom out"]')
    page.wait_for_function("before => document.querySelectorAll('.plan .axes text[text-anchor=middle]').length !== before || true", arg=len(places))
    assert page.locator(".plan .axes text.unit").text_content() == "m"


def test_the_next_callback_is_the_next_event_of_a_delegate(page):
    for _ in range(3):
        before = page.studio.topic("time")["now"]
        page.click(".time .callback")
        now = page.studio.topic("time", lambda time: time["now"] > before and not time["isSeeking"] and not time["isRunning"])["now"]
        callbacks = [event for event in page.studio.events() if event["kind"] == "callback"]
        assert callbacks[-1]["time"] == now and all(not before < event["time"] < now for event in callbacks)
    page.locator(".plan g.device").first.focus()
    page.keyboard.press("c")
    page.studio.topic("time", lambda time: time["now"] > now)
    # Without a program there is none.
    page.studio.do("room.scene", {"scene": "empty"})
    page.click(".time .callback")
    page.locator(".say.shown", has_text="No callback in the next 10 s.").wait_for()


def test_the_pulse_is_seen_in_the_room(page):
    page.studio.seek(1_500_000_000)
    value = on_plan(page, "Phone").locator(".value")
    page.wait_for_function("/^\\d+ bpm$/.test(document.querySelector('.plan g.device .value').textContent)")
    first = value.text_content()
    page.locator(".log", has_text=first).wait_for()
    page.studio.seek(2_500_000_000)
    page.wait_for_function("first => !['', first].includes(document.querySelector('.plan g.device .value').textContent)", arg=first)
    page.studio.seek(1_500_000_000)
    page.wait_for_function("first => document.querySelector('.plan g.device .value').textContent === first", arg=first)
    # Without a link there is no pulse.
    page.studio.do("room.power", {"device": "d2", "isOn": False})
    page.studio.seek(5 * SECOND)
    page.wait_for_function("document.querySelector('.plan g.device .value').textContent === ''")


@pytest.mark.parametrize("size", [(1440, 900), (1280, 720), (390, 844)])
def test_the_key_is_closed_at_first_and_covers_no_device(open_page, size):
    page = open_page(width=size[0], height=size[1])
    page.studio.seek(SECOND)
    page.wait_for_selector(".plan g.device", state="attached")
    assert page.locator(".key").is_hidden()
    page.click(".key-button")
    key = page.locator(".key").bounding_box()
    for name in ("Phone", "Wristband"):
        x, y = middle(on_plan(page, name).locator(".disc"))
        assert not (key["x"] <= x <= key["x"] + key["width"] and key["y"] <= y <= key["y"] + key["height"])
    # It is no part of the plan at all.
    stage = page.locator(".stage").bounding_box()
    assert key["y"] >= stage["y"] + stage["height"] - 1
    page.reload()
    page.wait_for_selector(".plan g.device", state="attached")
    assert page.locator(".key").is_hidden()

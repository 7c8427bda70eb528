"""The first minutes: the room at the start, its first run, and what the card of a device offers."""


def open_card(page, name):
    page.locator(".devices .item", has_text=name).click()
    page.wait_for_selector(f'.item-card:has-text("{name}")')


def test_the_first_run_is_slow_and_real_time_once_the_pulse_comes(open_page):
    page = open_page(reduced_motion="no-preference")
    page.click(".begin button.primary")
    page.studio.topic("time", lambda time: time["isRunning"] and time["speed"] == 0.001)
    page.locator(".status", has_text="Slowed down").wait_for()
    # The story follows the phone: here time goes on faster than it would.
    page.studio.do("time.seek", {"to": 20_000_000})
    page.studio.do("time.run")
    page.studio.topic("time", lambda time: time["speed"] == 0.01)
    page.studio.do("time.seek", {"to": 400_000_000})
    page.studio.do("time.run")
    page.studio.topic("time", lambda time: time["speed"] == 1)
    page.locator(".log .text", has_text="bpm").first.wait_for()
    assert "Slowed" not in page.inner_text(".status")


def test_a_chosen_speed_ends_the_slow_run(open_page):
    page = open_page(reduced_motion="no-preference")
    page.click(".begin button.primary")
    page.studio.topic("time", lambda time: time["isRunning"] and time["speed"] == 0.001)
    page.click(".speeds button[data-speed='10']")
    page.studio.topic("time", lambda time: time["now"] > 3_000_000_000)
    assert page.studio.topic("time")["speed"] == 10
    page.click(".time .start")
    page.studio.topic("time", lambda time: time["now"] == 0)
    page.click(".begin button.primary")
    page.studio.topic("time", lambda time: time["now"] > 1_000_000_000)
    assert page.studio.topic("time")["speed"] == 10


def test_the_pulse_is_readable_and_goes_on(page):
    page.studio.do("time.speed", {"speed": 0})
    page.studio.do("time.run")
    page.studio.topic("time", lambda time: time["now"] > 40_000_000_000)
    page.studio.do("time.pause")
    # The time may stop between the value of the wristband and its arrival.
    page.wait_for_function(
        "() => [...document.querySelectorAll('.log .text')].slice(-2).some((text) => /Heart Rate Measurement: \\d+ bpm \\(00 [0-9a-f]{2}\\)/.test(text.textContent))")
    page.studio.topic("room", lambda room: room["devices"] and all(device["state"] == "connected" for device in room["devices"]))
    # The page may be behind the studio.
    page.locator('.log .swift:text("manager.updateValue(")').nth(3).wait_for(state="attached")


def test_the_card_offers_the_actions_of_the_program(page):
    page.studio.seek(3_000_000_000)
    open_card(page, "Phone")
    card = page.locator(".item-card")
    card.locator("summary").click()
    assert card.get_by_role("button", name="Cut power").count() == 1
    card.get_by_role("button", name="Disconnect").wait_for()
    left = page.studio.topic("time")["commandsLeft"]
    # The page and the test have connections of their own: time goes on when the room has the command.
    card.get_by_role("button", name="Go on: steps 17 to 23").click()
    page.studio.topic("time", lambda time: time["commandsLeft"] == left - 1)
    page.studio.seek(5_000_000_000)
    card.get_by_role("button", name="Look for the device again").click()
    page.studio.topic("time", lambda time: time["commandsLeft"] == left - 2)
    page.studio.seek(8_000_000_000)
    page.studio.topic("room", lambda room: room["devices"][0]["state"] == "connected")
    # A device whose program has no action has one way to lose its power.
    open_card(page, "Wristband")
    assert card.get_by_role("button", name="Cut power").count() == 1


def test_a_phone_behind_a_wall_hears_of_it_and_comes_back(page):
    page.studio.seek(3_000_000_000)
    wall = page.studio.do("room.wall", {"x1": 0, "y1": -5, "x2": 0, "y2": 5, "attenuation": 80})["id"]
    page.studio.seek(7_000_000_000)
    page.locator(".log .event.error", has_text="timed out").wait_for()
    page.studio.do("room.unwall", {"wall": wall})
    page.studio.seek(12_000_000_000)
    page.studio.topic("room", lambda room: room["devices"][0]["state"] == "connected")

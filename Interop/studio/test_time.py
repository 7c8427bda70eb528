"""The time bar while the room goes to a moment that takes long."""

import json

SECOND = 1_000_000_000


def test_a_long_way_shows_its_progress_and_can_be_stopped(open_page, axe):
    page = open_page("room")
    studio = page.studio
    studio.do("room.scene", {"scene": "crowd"})
    page.wait_for_function("() => document.querySelectorAll('[data-kind=device]').length > 100")
    # An hour of two hundred advertisers; the answer comes when the room is there or stops.
    link = studio.connect()
    link.send(json.dumps({"id": 1, "do": "time.seek", "with": {"to": 3600 * SECOND}}).encode())
    page.wait_for_selector(".way progress[value]")
    page.wait_for_function("() => document.querySelector('.way progress').value > 0")
    assert studio.topic("time", lambda time: time["isSeeking"])["progress"] < 1
    # Questions are answered meanwhile.
    assert len(studio.do("packets.list", {"count": 5})["rows"]) <= 5
    axe(page)
    page.click(".halt")
    time = studio.topic("time", lambda time: not time["isSeeking"])
    assert 0 < time["now"] < 3600 * SECOND and not time["isRunning"] and time.get("progress") is None
    page.wait_for_selector(".way", state="hidden")
    assert page.evaluate("document.activeElement.classList.contains('run')")
    link.close()

"""The room and the lesson are worlds of their own. The room is never lost: not by a lesson, another tab, a reload, another scene, or a restart."""

import pathlib
import shutil

from commands import wait_for

SECOND = 1_000_000_000


def build(page):
    """Makes a room that no scene has, and returns what tells it from others."""
    studio = page.studio
    studio.world = ""
    studio.seek(2 * SECOND)
    studio.do("room.move", {"device": "d2", "x": 1.5, "y": 0.5})
    studio.do("room.add", {"program": "beacon", "name": "Door", "x": 3, "y": 2})
    studio.do("room.wall", {"x1": 0, "y1": -1, "x2": 0, "y2": 1, "attenuation": 12})
    studio.seek(3 * SECOND)
    return room(studio)


def shown(found):
    return {
        "scene": found["scene"], "seed": found["seed"], "walls": found["walls"],
        "devices": [[each["name"], each["x"], each["y"], each["state"]] for each in found["devices"] or []]}


def room(studio):
    studio.world = ""
    time = studio.topic("time", lambda time: not time["isSeeking"])
    return {"now": time["now"], **shown(studio.topic("room", lambda found: found["devices"] is not None))}


def is_same(page, before):
    """Waits until the room is what it was: its topics arrive one after the other."""
    studio = page.studio
    studio.world = ""
    studio.topic("time", lambda time: time["now"] == before["now"] and not time["isSeeking"])
    studio.topic("room", lambda found: {"now": before["now"], **shown(found)} == before)
    return studio.topic("counts", lambda counts: counts["packets"] > 0) is not None


def test_a_lesson_and_a_question_leave_the_room_as_it_is(open_page):
    page = open_page()
    before = build(page)
    page.click(".tabs a[data-view=lesson]")
    page.click(".lesson-all button.primary")
    page.click(".lesson-steps button[data-step='6']")
    page.locator(".lesson-steps button[data-step='6'][aria-current]").wait_for()
    # The panes beside the lesson show its world.
    page.wait_for_function("document.querySelectorAll('.devices .list li').length === 2")
    page.evaluate("location.hash = 'lesson/q4'")
    page.wait_for_selector(".lesson-moves button.primary")
    page.click(".lesson-moves button.primary")
    page.wait_for_selector(".lesson-heard li")
    page.click(".tabs a[data-view=room]")
    page.wait_for_selector('.plan g.device[aria-label^="Door,"]', state="attached")
    assert is_same(page, before)


def test_the_lessons_world_is_shown_in_the_views_of_the_room(open_page):
    page = open_page()
    before = build(page)
    page.evaluate("location.hash = 'lesson/tour-central'")
    page.click(".lesson-steps button[data-step='6']")
    page.locator(".lesson-steps button[data-step='6'][aria-current]").wait_for()
    page.get_by_role("button", name="Show it in the room").click()
    page.locator(".world", has_text="world of the lesson").wait_for()
    page.wait_for_function("document.querySelectorAll('.plan g.device').length === 2 && document.querySelectorAll('.plan g.link').length === 1")
    # What is done there happens there.
    page.click(".time .step")
    page.studio.world = "lesson."
    page.studio.topic("time", lambda time: time["now"] > 0)
    page.reload()
    page.wait_for_function("document.querySelectorAll('.plan g.device').length === 2")
    page.click(".world a[href='#lesson']")
    page.wait_for_selector(".lesson-steps")
    page.click(".tabs a[data-view=packets]")
    page.wait_for_selector("body[data-view=packets]", state="attached")
    assert page.evaluate("location.hash").startswith("#packets@lesson")
    page.click(".world a[href='#room']")
    page.wait_for_function("document.querySelectorAll('.plan g.device').length === 3")
    assert page.locator(".world").is_hidden()
    assert is_same(page, before)


def test_an_explorer_of_the_lesson_explores_its_world(open_page):
    page = open_page("lesson/q11")
    page.wait_for_selector(".lesson-moves button.primary")
    page.get_by_role("button", name="Open the explorer").click()
    page.click("[data-do=addPhone]")
    page.studio.topic("explorers", lambda found: [each["id"][:7] for each in found] == ["lesson-"])
    page.click("[data-do=run]")
    page.wait_for_selector("[data-do=scan]:enabled")
    page.click("[data-do=scan]")
    page.locator(".ex-rows li", has_text="Scale").wait_for()
    # The explorer of the room does not know it.
    page.click(".tabs a[data-view=explorer]")
    page.wait_for_selector("[data-do=addPhone]")


def test_another_tab_and_a_reload_leave_the_room_as_it_is(open_page):
    page = open_page()
    before = build(page)
    other = open_page("lesson/q6", of=page.studio)
    other.wait_for_selector(".lesson-moves button.primary")
    page.reload()
    page.wait_for_selector('.plan g.device[aria-label^="Door,"]', state="attached")
    other.reload()
    other.wait_for_selector(".lesson-moves button.primary")
    assert is_same(page, before)


def test_the_room_before_a_scene_comes_back(open_page):
    page = open_page()
    before = build(page)
    page.click('.tools button[aria-label="Radio and scene"]')
    page.select_option("dialog select[name=scene]", "empty")
    page.get_by_role("button", name="Begin anew").click()
    page.studio.topic("room", lambda room: room["scene"] == "empty" and room["former"] == "pair")
    page.click('.tools button[aria-label="Radio and scene"]')
    page.click("dialog button.back")
    page.studio.topic("room", lambda room: room["scene"] == "pair")
    page.wait_for_selector('.plan g.device[aria-label^="Door,"]', state="attached")
    assert is_same(page, before)


def kept(page):
    """The file that keeps the room."""
    return pathlib.Path(page.studio.workplace.environment()["XDG_STATE_HOME"]) / "opencorebluetooth" / "studio-room"


def test_a_restart_brings_the_room_back(open_page):
    page = open_page()
    page.allowed += ["WebSocket connection", "ERR_CONNECTION_REFUSED"]
    before = build(page)
    packets = page.studio.topic("counts")["packets"]
    page.studio.end()
    assert kept(page).stat().st_mode & 0o777 == 0o600
    page.studio.restart()
    page.wait_for_selector("body[data-link=open]", state="attached")
    assert is_same(page, before)
    assert page.studio.topic("counts")["packets"] == packets
    # Also the end without a goodbye, a moment after the last change.
    page.studio.do("room.rename", {"device": "d3", "name": "Gate"})
    wait_for(lambda: "Gate" in kept(page).read_text())
    page.studio.end(is_clean=False)
    page.studio.restart()
    page.studio.topic("room", lambda found: [each["name"] for each in found["devices"]][2:] == ["Gate"])


def test_a_scene_of_the_command_line_keeps_the_room_before_it(open_page, studio):
    page = open_page()
    page.allowed += ["WebSocket connection", "ERR_CONNECTION_REFUSED"]
    before = build(page)
    page.studio.end()
    page.studio.arguments = ["--scene", "empty"]
    page.studio.restart()
    page.studio.topic("room", lambda room: room["scene"] == "empty" and room["former"] == "pair")
    page.studio.do("room.back")
    assert is_same(page, before)


def test_a_damaged_file_is_put_aside_with_one_sentence(open_page, studio):
    page = open_page()
    page.allowed += ["WebSocket connection", "ERR_CONNECTION_REFUSED"]
    build(page)
    page.studio.end()
    for text in ("", "{", '{"version":9}', '{"version":1,"content":{"room":{"scene":"nowhere","parameters":null,"seed":1,"now":0,"commands":[]}}}',
                 '{"version":1,"content":{"room":{"scene":"pair","parameters":null,"seed":1,"now":0,"commands":[{"time":0,"command":{"move":{"device":"d1","x":1e300,"y":0}}}]}}}'):
        kept(page).write_text(text)
        page.studio.restart()
        page.wait_for_selector("body[data-link=open]", state="attached")
        unread = page.studio.topic("keeping", lambda keeping: keeping.get("unreadable"))["unreadable"]
        assert "cannot be read" in unread["en"] and unread["zh"]
        assert page.studio.topic("room")["scene"] == "pair"
        page.locator(".say.shown", has_text="cannot be read").wait_for()
        assert kept(page).with_name("studio-room.unreadable").read_text() == text
        # A page that opens after the next write still reads it.
        page.studio.do("room.rename", {"device": "d1", "name": "Gate"})
        wait_for(lambda: kept(page).exists() and "Gate" in kept(page).read_text())
        later = page.studio.connect()
        later.watch("keeping")
        assert later.wait("keeping") == {"unreadable": unread}
        later.close()
        page.studio.end()


def test_a_failed_write_does_not_repeat_what_was_said(open_page, studio):
    page = open_page()
    page.allowed += ["WebSocket connection", "ERR_CONNECTION_REFUSED"]
    build(page)
    page.studio.end()
    kept(page).write_text("{")
    page.studio.restart()
    bar = page.locator(".say.shown")
    bar.filter(has_text="cannot be read").wait_for()
    draft = kept(page).with_name("studio-room.new")
    for step in range(2):
        draft.mkdir()
        page.studio.do("room.rename", {"device": "d1", "name": f"Gate {step}"})
        # Both are true.
        bar.filter(has_text="The room is not kept at the moment").wait_for()
        assert "cannot be read" in bar.inner_text()
        shutil.rmtree(draft)
        page.studio.do("room.rename", {"device": "d1", "name": f"Door {step}"})
        page.studio.topic("keeping", lambda keeping: keeping.get("failure") is None)
        wait_for(lambda: "not kept at the moment" not in bar.inner_text())
        assert "cannot be read" in bar.inner_text()


def test_a_full_disk_is_said_in_one_sentence_and_loses_nothing(open_page):
    page = open_page()
    build(page)
    wait_for(lambda: kept(page).exists() and "Door" in kept(page).read_text())
    text = kept(page).read_text()
    # A folder at the place of the draft refuses each write, also for the superuser.
    draft = kept(page).with_name("studio-room.new")
    draft.mkdir()
    page.studio.do("room.move", {"device": "d3", "x": 5, "y": 5})
    page.locator(".say.shown", has_text="The room is not kept at the moment").wait_for()
    assert kept(page).read_text() == text
    page.studio.topic("room", lambda room: room["devices"][2]["x"] == 5)
    # The next change after the reason has gone is kept.
    shutil.rmtree(draft)
    page.studio.do("room.move", {"device": "d3", "x": 6, "y": 6})
    page.studio.topic("keeping", lambda keeping: keeping.get("failure") is None)
    wait_for(lambda: kept(page).read_text() != text)


def test_a_second_studio_does_not_touch_the_kept_room(open_page, studio):
    page = open_page()
    before = build(page)
    other = studio()
    assert "Another studio" in other.topic("keeping", lambda keeping: keeping.get("failure"))["failure"]["en"]
    other.do("room.scene", {"scene": "empty"})
    other.end()
    page.allowed += ["WebSocket connection", "ERR_CONNECTION_REFUSED"]
    page.studio.end()
    page.studio.restart()
    assert is_same(page, before)

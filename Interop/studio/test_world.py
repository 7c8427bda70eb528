"""The room as a world file: save, open, a link that carries it, undo and redo."""

import base64
import pathlib
import subprocess
import zlib

import pytest
from commands import ROOT, TOOL, wait_for

pytestmark = pytest.mark.long

SECOND = 1_000_000_000
WORDS = {
    "en": {"undo": "Undo", "redo": "Redo", "open": "Open a world", "save": "Save as a world file", "submit": "Open", "named": "Undo: Build a wall"},
    "zh": {"undo": "撤销", "redo": "重做", "open": "打开世界", "save": "保存为世界文件", "submit": "打开", "named": "撤销：添加墙"}}
WORLD = """world: 1
name: Two bands
seed: 9
devices:
  - {id: phone, program: walkthrough, at: [-1, 0]}
  - {id: band, program: wristband, at: [1, 0]}
  - {id: other, program: wristband, name: Other, at: [0, 2]}
events:
  - {at: 1 s, loss: band, share: 30 %}
"""


def build(studio):
    """Changes the room at several moments."""
    studio.seek(SECOND // 3)
    studio.do("room.wall", {"x1": 0, "y1": -1, "x2": 0, "y2": 1, "attenuation": 6})
    studio.step()
    studio.do("room.add", {"program": "beacon", "name": "Door", "x": 3, "y": 2})
    studio.do("room.move", {"device": "d2", "x": 1.37, "y": 0.2})
    studio.seek(2 * SECOND)
    studio.do("room.power", {"device": "d2", "isOn": False})
    studio.do("room.rename", {"device": "d1", "name": "A “phone”"})
    studio.seek(3 * SECOND)
    studio.topic("room", lambda room: [each["name"] for each in room["devices"]] == ["A “phone”", "Wristband", "Door"])


def facts(studio):
    room = studio.topic("room")
    counts = studio.topic("counts")
    return {"devices": room["devices"], "walls": room["walls"], "seed": room["seed"]}, counts["packets"], counts["lost"]


def is_same(studio, before):
    """Waits until the room is what it was: its topics arrive one after the other."""
    return studio.becomes(lambda: facts(studio), before)


def button(page, name):
    return page.locator(f".files button[data-world={name}]")


def saved(page):
    with page.expect_download() as download:
        button(page, "save").click()
    return download.value.suggested_filename, pathlib.Path(download.value.path()).read_text()


def choose(page, text, name="a.world.yaml", submits=True):
    """Opens a file with the dialog."""
    button(page, "open").click()
    page.set_input_files("dialog input[type=file]", {"name": name, "mimeType": "application/yaml", "buffer": text.encode()})
    if submits:
        page.click("dialog button[type=submit]")


def link_of(text):
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    octets = packed.compress(text.encode()) + packed.flush()
    return "#world=" + base64.urlsafe_b64encode(octets).decode().rstrip("=")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_saved_room_opens_again_and_runs_in_the_same_way(open_page, axe, language):
    page = open_page(language=language)
    studio, words = page.studio, WORDS[language]
    build(studio)
    before = facts(studio)
    page.wait_for_selector('.plan g.device[aria-label^="Door"]', state="attached")
    assert button(page, "save").get_attribute("aria-label") == words["save"]
    name, text = saved(page)
    assert name == "pair.world.yaml" and text.startswith("world: 1\n") and "Door" in text
    studio.do("room.scene", {"scene": "empty"})
    studio.topic("room", lambda room: not room["devices"])
    page.wait_for_selector(".stage > .empty:not([hidden])")
    # With the keyboard only.
    button(page, "open").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog[open]")
    axe(page)
    page.set_input_files("dialog input[type=file]", {"name": name, "mimeType": "application/yaml", "buffer": text.encode()})
    page.get_by_role("button", name=words["submit"], exact=True).focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog", state="detached")
    studio.topic("room", lambda room: room["scene"] == "file" and len(room["devices"]) == 2)
    studio.seek(3 * SECOND)
    studio.topic("room", lambda room: len(room["devices"]) == 3)
    assert is_same(studio, before)
    assert saved(page)[1] == text


def test_a_world_of_a_file_runs_and_is_saved_with_its_changes(open_page):
    page = open_page()
    studio = page.studio
    build(studio)
    before = facts(studio)
    choose(page, WORLD)
    studio.topic("room", lambda room: room.get("title") == "Two bands" and len(room["devices"]) == 3)
    page.locator(".say.shown", has_text="Undo brings the room before it back").wait_for()
    studio.seek(SECOND // 2)
    studio.do("room.add", {"program": "beacon", "name": "Door", "x": 3, "y": 2})
    studio.seek(2 * SECOND)
    # The change before it left the event of the world there.
    studio.topic("room", lambda room: room["devices"][1]["loss"] == 0.3)
    name, text = saved(page)
    assert name == "two-bands.world.yaml" and "loss: band" in text and "id: d4" in text
    # The tool reads it.
    file = studio.workplace.path / "saved.world.yaml"
    file.write_text(text + "expect:\n  - {link: [phone, band], within: 3 s}\n")
    done = subprocess.run([TOOL, "test", file], capture_output=True, text=True, env=studio.workplace.environment(), timeout=60)
    assert done.returncode == 0 and "1 of 1 passed" in done.stdout, done.stdout + done.stderr
    # Undo brings back the room that was there.
    button(page, "undo").click()
    studio.topic("room", lambda room: room.get("undo") == "open" and len(room["devices"]) == 3)
    button(page, "undo").click()
    studio.topic("room", lambda room: room["scene"] == "pair" and room["devices"][0]["name"] != "Phone")
    studio.topic("time", lambda time: time["now"] == 3 * SECOND and not time["isSeeking"])
    assert is_same(studio, before)


def test_a_bad_file_is_refused_in_one_sentence_and_leaves_the_room(open_page):
    page = open_page()
    studio = page.studio
    build(studio)
    before = facts(studio)
    for text, sentence in (
            ("", "The world cannot be opened"), ("{", "The world cannot be opened"), ("world: 1\nwalls: 7\n", "line 2"),
            ("world: 1\ndevices:\n  - {id: a, profile: /etc/hostname.yaml}\n", "this world has no folder"),
            ("world: 1\ndevices:\n  - {id: a, script: script.yaml}\n", "this world has no folder"),
            ("world: 1\ndevices:\n  - {id: a, count: 600, beacon: {name: T}}\n", "at most 500 devices"),
            ("# " + "x" * 600_000, "at most 512 KiB")):
        choose(page, text)
        page.locator("dialog .failure", has_text=sentence).wait_for()
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")
    button(page, "open").click()
    page.click("dialog button[type=submit]")
    page.locator("dialog .failure", has_text="Choose a file, or paste a link.").wait_for()
    assert is_same(studio, before) and studio.topic("room")["undo"] == "rename"


def test_what_the_room_does_not_run_is_said(open_page):
    page = open_page()
    choose(page, "world: 1\ndevices:\n  - {id: app, script: [{connect: {device: Pulse, within: 5 s}}]}\n")
    page.locator(".say.shown", has_text="does not run the script of app").wait_for()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_undo_and_redo_with_buttons_and_keys(open_page, axe, language):
    page = open_page(language=language)
    studio, words = page.studio, WORDS[language]
    page.wait_for_selector(".plan g.device", state="attached")
    for name in ("undo", "redo"):
        assert button(page, name).is_disabled() and button(page, name).get_attribute("aria-label") == words[name]
    studio.seek(SECOND)
    packets = studio.topic("counts")["packets"]
    studio.do("room.wall", {"x1": 0, "y1": -1, "x2": 0, "y2": 1, "attenuation": 60})
    studio.seek(2 * SECOND)
    page.locator(f'.files button[aria-label="{words["named"]}"]:enabled').wait_for()
    axe(page)
    button(page, "undo").click()
    studio.topic("room", lambda room: not room["walls"] and room.get("undo") is None and room.get("redo") == "wall")
    # The focus goes to the button that has something to do.
    page.wait_for_function("document.activeElement.dataset.world === 'redo'")
    assert studio.topic("time", lambda time: not time["isSeeking"])["now"] == 2 * SECOND
    page.focus(".plan g.device >> nth=0")
    page.keyboard.press("Control+Shift+z")
    studio.topic("room", lambda room: len(room["walls"]) == 1)
    page.keyboard.press("Control+z")
    studio.topic("room", lambda room: not room["walls"])
    studio.seek(SECOND)
    studio.topic("counts", lambda counts: counts["packets"] == packets)
    # A text field has its own undo.
    page.keyboard.press("Control+Shift+z")
    studio.topic("room", lambda room: len(room["walls"]) == 1)
    page.click(".tools button[data-tool=wall]")
    page.focus(".tool input[name=x1]")
    page.keyboard.press("Control+z")
    studio.step()
    assert len(studio.topic("room")["walls"]) == 1


def test_a_drag_is_undone_as_one_change(open_page):
    page = open_page()
    studio = page.studio
    studio.seek(SECOND)
    device = page.locator('.plan g.device[aria-label^="Wristband"]')
    box = device.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + min(box["height"] / 2, 20)
    page.mouse.move(x, y)
    page.mouse.down()
    place = 1
    for step in range(1, 9):
        page.mouse.move(x + 10 * step, y + 5 * step)
        place = studio.topic("room", lambda room: room["devices"][1]["x"] > place)["devices"][1]["x"]
    page.mouse.up()
    studio.topic("room", lambda room: room["devices"][1]["x"] > 1.1 and room.get("undo") == "move")
    page.keyboard.press("Control+z")
    studio.topic("room", lambda room: room["devices"][1]["x"] == 1 and room.get("undo") is None)


def test_a_link_carries_the_room(open_page):
    page = open_page()
    studio = page.studio
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    build(studio)
    before = facts(studio)
    button(page, "link").click()
    page.wait_for_function("navigator.clipboard.readText().then((text) => text.includes('#world='))")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(studio.link + "#world=") and len(link) < 4000
    # Another page opens it, after a question. The present room comes back with undo.
    studio.do("room.scene", {"scene": "crowd", "parameters": {"count": 3}})
    other = open_page(link.partition("#")[2], of=studio)
    other.locator("dialog", has_text="carries a room").wait_for()
    studio.topic("room", lambda room: room["scene"] == "crowd")
    assert other.evaluate("location.hash") == "#room"
    other.keyboard.press("Escape")
    other.wait_for_selector("dialog", state="detached")
    assert studio.topic("room")["scene"] == "crowd"
    other.evaluate("location.hash = " + repr("#" + link.partition("#")[2]))
    other.locator("dialog button[type=submit]").click()
    studio.topic("room", lambda room: room["scene"] == "file" and room.get("undo") == "open")
    studio.seek(3 * SECOND)
    studio.topic("room", lambda room: len(room["devices"]) == 3)
    assert is_same(studio, before)
    other.keyboard.press("Control+z")
    studio.topic("room", lambda room: room["scene"] == "crowd" and len(room["devices"]) == 5)
    # The dialog takes a link as well, and a reload does not open it again.
    button(other, "open").click()
    other.fill("dialog input[name=link]", link)
    other.click("dialog button[type=submit]")
    studio.topic("room", lambda room: room["scene"] == "file")
    other.reload()
    other.wait_for_selector("body[data-link=open]", state="attached")
    assert other.locator("dialog").count() == 0


def test_a_hostile_link_is_refused_in_one_sentence(open_page):
    page = open_page()
    studio = page.studio
    before = facts(studio)
    good = link_of(WORLD)
    for link, sentence in (
            (good[:-40], "damaged"), (good[:20] + "!" + good[21:], "damaged"), ("#world=", "damaged"), ("#world=AAAA", "damaged"),
            ("#world=" + "A" * 70_000, "at most 64 KiB"), (link_of("\0" * 20_000_000), "at most 512 KiB")):
        page.evaluate("(link) => { location.hash = link }", link)
        page.locator(".say.shown", has_text=sentence).wait_for()
        assert page.evaluate("location.hash") == "#room" and page.locator("dialog").count() == 0
        page.evaluate("document.querySelector('.say').textContent = ''")
    # A link names no files of the machine.
    for line in ("profile: ../secret.yaml", "script: /etc/passwd"):
        page.evaluate("(link) => { location.hash = link }", link_of("world: 1\ndevices:\n  - {id: a, " + line + "}\n"))
        page.locator("dialog button[type=submit]").click()
        page.locator("dialog .failure", has_text="this world has no folder").wait_for()
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")
    assert is_same(studio, before)


def test_the_command_opens_a_world_and_keeps_the_room_before_it(open_page):
    page = open_page()
    page.allowed += ["WebSocket connection", "ERR_CONNECTION_REFUSED"]
    studio = page.studio
    build(studio)
    before = facts(studio)
    studio.end()
    studio.arguments = ["--world", str(ROOT / "Worlds/corridor.world.yaml")]
    studio.restart()
    studio.topic("room", lambda room: room["scene"] == "file" and room.get("former") == "pair")
    page.wait_for_selector("body[data-link=open]", state="attached")
    # It is kept as the room of the user, with the world's name.
    studio.seek(SECOND)
    title = studio.topic("room")["title"]
    wait_for(lambda: studio.topic("keeping").get("failure") is None)
    studio.end()
    studio.arguments = []
    studio.restart()
    studio.topic("room", lambda room: room.get("title") == title and room.get("former") == "pair")
    studio.do("room.back")
    assert is_same(studio, before)


def test_the_command_says_what_is_wrong_with_a_world(studio, workplace):
    environment = workplace.environment()
    bad = workplace.path / "bad.world.yaml"
    bad.write_text("world: 1\ndevices:\n  - {id: a, program: nothing}\n")
    for arguments, sentence in (
            (["--world", bad], "bad.world.yaml:3:"), (["--world", workplace.path / "none.yaml"], "none.yaml"),
            (["--world", bad, "--scene", "empty"], "--world and --scene cannot be used together")):
        done = subprocess.run([TOOL, "studio", "--no-open", "--port", "0", *arguments], capture_output=True, text=True, env=environment, timeout=60)
        assert done.returncode == 2 and sentence in done.stderr, done.stderr


@pytest.mark.parametrize("language, none, hint", [("en", "None", "starts again"), ("zh", "无", "重新启动")])
def test_the_card_selects_a_platform_and_undo_takes_it_back(open_page, axe, language, none, hint):
    page = open_page(language=language)
    studio = page.studio
    studio.seek(3 * SECOND)
    page.click('.plan g.device[data-id="d1"] .disc')
    page.click(".item-card summary")
    select = page.locator(".item-card select[name=platform]")
    # The names are those of the server.
    assert select.locator("option").all_text_contents() == [none, *studio.topic("room")["platforms"]]
    assert hint in page.locator(".item-card").inner_text()
    axe(page)
    select.select_option("windows")
    studio.topic("room", lambda room: room["devices"][0].get("platform") == "windows")
    # A second page of this room shows it.
    other = open_page(of=studio, language=language)
    other.click('.plan g.device[data-id="d1"] .disc')
    other.wait_for_function("() => document.querySelector('.item-card select[name=platform]')?.value === 'windows'")
    studio.seek(12 * SECOND)
    studio.topic("room", lambda room: [link["timeout"] for link in room["links"]] == [9600])
    assert "platform: d1, is: windows" in saved(page)[1]
    button(page, "undo").click()
    studio.topic("room", lambda room: room["devices"][0].get("platform") is None)
    for each in (page, other):
        each.wait_for_function("() => document.querySelector('.item-card select[name=platform]')?.value === ''")
    button(page, "redo").click()
    other.wait_for_function("() => document.querySelector('.item-card select[name=platform]')?.value === 'windows'")


def test_a_device_without_a_host_of_the_room_has_no_choice_of_platform(open_page):
    page = open_page()
    studio = page.studio
    choose(page, "world: 1\ndevices:\n  - {id: door, program: beacon}\n  - {id: app, at: [2, 0]}\n  - {id: band, program: wristband, at: [4, 0], platform: pixel}\n")
    studio.topic("room", lambda room: [device["takesPlatform"] for device in room["devices"]] == [False, False, True])
    for number, shows in enumerate((False, False, True)):
        page.locator(".devices .item").nth(number).click()
        if page.locator(".item-card details:not([open])").count():
            page.click(".item-card summary")
        page.wait_for_selector(".item-card details[open]")
        assert page.locator(".item-card select[name=platform]").is_visible() == shows
    assert page.locator(".item-card select[name=platform]").input_value() == "pixel"


def test_faults_and_a_stress_of_a_world_are_saved_again(open_page):
    page = open_page(language="zh")
    studio = page.studio
    text = "world: 1\nseed: 9\nstress: 20\ndevices:\n  - {id: phone, program: walkthrough, at: [-1, 0]}\n  - {id: band, program: wristband, at: [1, 0]}\nevents:\n  - {at: 1 s, fault: band, kind: slow-answers, by: 50 ms}\n"
    choose(page, text)
    studio.seek(3 * SECOND)
    page.wait_for_function("() => document.querySelector('.log')?.textContent.includes('故障：')")
    file = saved(page)[1]
    assert "stress: 20" in file and "fault: band, kind: slow-answers, by: 50 ms" in file
    choose(page, text.replace("50 ms", "2 min"))
    page.locator("dialog .failure", has_text="第 8 行").wait_for()

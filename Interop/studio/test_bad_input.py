"""Input that is wrong, hostile, or ends in the middle: profiles, names, tabs and adapters."""

import pytest

from commands import ROOT, TOOL, Running

MARKUP = "<script>document.title='ran'</script><img src=x onerror=alert(1)>"
VIEWS = ["room", "lesson", "explorer", "maker", "packets"]


def failure(studio, command, arguments):
    """The failure of a command, as the page gets it."""
    with pytest.raises(AssertionError) as caught:
        studio.do(command, arguments)
    return str(caught.value)


@pytest.mark.parametrize("profile", ["services: [", "- a\n\t- b", "advertising: {name: 7, \"", "services: " + "[" * 5000, "a: &a [*a, *a]", "\0"])
def test_a_profile_that_does_not_parse_is_refused_and_the_room_runs_on(studio, profile):
    server = studio()
    devices = server.topic("room")["devices"]
    text = failure(server, "room.add", {"program": "profile", "x": 1, "y": 1, "profile": profile})
    assert "failed" in text
    server.do("time.run")
    server.topic("time", lambda time: time["now"] > 0)
    assert [device["id"] for device in server.topic("room")["devices"]] == [device["id"] for device in devices]


@pytest.mark.parametrize("command, arguments", [
    ("room.move", {"device": "d1", "x": 1e300, "y": 0}), ("room.move", {"device": "d999", "x": 1, "y": 0}), ("room.add", {"program": "none", "x": 0, "y": 0}),
    ("room.scene", {"scene": "../../etc/passwd"}), ("room.loss", {"device": "d1", "loss": 7}), ("room.rename", {"device": "d1", "name": "x" * 300}),
    ("room.platform", {"device": "d1", "platform": "iphon"}), ("room.platform", {"platform": "pixel"}), ("time.speed", {"speed": -1}), ("room.power", {"device": "d1"}), ("packets.detail", {"n": 1 << 60}), ("room.act", {"device": "d1", "action": "none", "with": {}}),
])
def test_arguments_out_of_range_are_refused(studio, command, arguments):
    server = studio()
    failure(server, command, arguments)
    assert server.do("studio.ping") == {}
    assert server.process.child.poll() is None


LONG = {"text": "x" * 140_000}
PROFILE = (ROOT / "Profiles" / "battery.yaml").read_text()


@pytest.mark.parametrize("command, arguments", [
    ("room.scene", {"scene": "empty", "parameters": LONG}), ("room.act", {"device": "d1", "action": "press", "with": LONG}),
    ("room.act", {"device": "d1", "action": "x" * 65}), ("room.add", {"program": "phone", "x": 1, "y": 1, "parameters": LONG}),
    ("room.add", {"program": "profile", "x": 1, "y": 1, "profile": PROFILE + "#" * (128 * 1024 - len(PROFILE) + 1)}),
    ("lesson.open", {"lesson": "central", "parameters": LONG}), ("explorer.do", {"explorer": "d1", "action": "scan", "with": LONG}),
    ("explorer.do", {"explorer": "d1", "action": "x" * 65}),
], ids=lambda value: value if isinstance(value, str) else "")
def test_all_commands_bound_what_the_room_keeps(studio, command, arguments):
    server = studio()
    assert "at most" in failure(server, command, arguments)


def test_a_profile_of_the_longest_length_runs(studio):
    server = studio()
    profile = PROFILE + "#" * (128 * 1024 - len(PROFILE))
    device = server.do("room.add", {"program": "profile", "x": 1, "y": 1, "profile": profile})["id"]
    server.topic("room", lambda room: any(entry["id"] == device for entry in room["devices"]))


def test_names_with_markup_are_text_in_every_view(page):
    page.studio.do("room.rename", {"device": "d2", "name": MARKUP})
    page.studio.do("time.speed", {"speed": 10})
    page.studio.do("time.run")
    page.studio.topic("time", lambda time: time["now"] > 500_000_000, timeout=60)
    for view in VIEWS:
        page.click(f"nav.tabs a[data-view={view}]")
        page.wait_for_selector(f"body[data-view={view}]")
        page.wait_for_function("document.querySelector('main').childElementCount > 0")
        page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
        assert page.evaluate("document.querySelectorAll('body script, img[src=x]').length") == 0
        assert page.title() != "ran"
    page.click("nav.tabs a[data-view=room]")
    page.wait_for_function("document.querySelector('aside.devices').textContent.includes('<script>')")


def test_two_tabs_show_the_same_room(page, open_page):
    other = open_page(of=page.studio)
    for tab in [page, other]:
        tab.wait_for_function("document.querySelector('aside.devices').textContent.includes('Wristband')")
    page.studio.do("room.rename", {"device": "d2", "name": "Armband"})
    for tab in [page, other]:
        tab.wait_for_function("document.querySelector('aside.devices').textContent.includes('Armband')")
    other.close()
    page.studio.do("room.rename", {"device": "d2", "name": "Bracelet"})
    page.wait_for_function("document.querySelector('aside.devices').textContent.includes('Bracelet')")


def test_a_tab_that_closes_while_the_room_is_busy(page, open_page):
    """The room runs on without a page, and a new page shows its present state."""
    page.studio.do("time.speed", {"speed": 1})
    page.studio.do("time.run")
    page.studio.topic("time", lambda time: time["now"] > 0)
    page.close()
    now = page.studio.topic("time")["now"]
    page.studio.topic("time", lambda time: time["now"] > now)
    again = open_page("packets", of=page.studio)
    again.wait_for_function("document.querySelectorAll('main .packet-row .name').length > 0")
    page.studio.do("time.pause")


def test_a_tab_that_sleeps_misses_no_packet(page):
    """While the tab is frozen the room runs on. When it wakes it has the present time, and the counts of all packets."""
    session = page.context.new_cdp_session(page)
    page.studio.do("time.run")
    session.send("Page.setWebLifecycleState", {"state": "frozen"})
    start = page.studio.topic("time")["now"]
    page.studio.topic("time", lambda time: time["now"] > start + 500_000_000, timeout=60)
    session.send("Page.setWebLifecycleState", {"state": "active"})
    page.studio.do("time.pause")
    page.wait_for_selector("body[data-link=open]", state="attached")
    page.studio.topic("time", lambda time: not time["isRunning"])
    shown = page.studio.topic("time")["now"] / 1e9
    page.wait_for_function(
        "(shown) => Math.abs(parseFloat(document.querySelector('.clock').textContent.replace(/[^0-9.]/g, '')) - shown) < 0.002", arg=shown)


def test_a_controller_that_is_unplugged_while_in_use(workplace, studio, open_page):
    """The explorer's controller is one of a shared radio, which ends. The page and the room stay."""
    radio = Running([TOOL, "radio"], workplace.environment(), workplace.path)
    workplace.programs.append(radio)
    radio.line("Ctrl-C")
    server = studio("--controller", "radio")
    page = open_page("explorer", of=server)

    def adapter(explorers):
        return next((explorer["state"] for explorer in explorers if explorer["id"] == "adapter"), None)

    server.topic("explorers", lambda explorers: adapter(explorers) == "poweredOn")
    radio.stop()
    server.topic("explorers", lambda explorers: adapter(explorers) != "poweredOn", timeout=60)
    assert page.evaluate("document.body.dataset.link") == "open"
    server.do("time.run")
    server.topic("time", lambda time: time["now"] > 0)


def test_a_controller_that_is_unplugged_while_a_device_is_connected(workplace, studio, open_page):
    """The device is shown as lost, its actions fail with a reason, and the virtual devices are untouched."""
    radio = Running([TOOL, "radio"], workplace.environment(), workplace.path)
    workplace.programs.append(radio)
    radio.line("Ctrl-C")
    served = Running(
        [TOOL, "serve", "heart-rate"], workplace.environment(XDG_STATE_HOME=workplace.path / "other", BLUETOOTH_RADIO_NAME="served"), workplace.path)
    workplace.programs.append(served)
    server = studio("--controller", "radio")
    page = open_page("explorer", of=server)

    def act(action, **arguments):
        return server.do("explorer.do", {"explorer": "adapter", "action": action, "with": arguments})

    server.topic("explorers", lambda explorers: any(explorer["id"] == "adapter" and explorer["state"] == "poweredOn" for explorer in explorers))
    act("scan")
    device = server.topic("explorer.adapter", lambda state: state and state["rows"], timeout=60)["rows"][0]["id"]
    act("connect", device=device)
    server.topic("explorer.adapter.devices", lambda devices: any(entry["services"] for entry in devices), timeout=60)
    radio.stop()
    server.topic("explorer.adapter.devices", lambda devices: all(entry["link"] != "connected" for entry in devices), timeout=60)
    assert "failed" in failure(server, "explorer.do", {"explorer": "adapter", "action": "readAll", "with": {"device": device}})
    assert page.evaluate("document.body.dataset.link") == "open"
    server.do("time.run")
    server.topic("time", lambda time: time["now"] > 0)

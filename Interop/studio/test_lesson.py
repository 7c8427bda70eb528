"""The lesson: the tours step by step, the cells to try, and the scenes of the fourteen questions."""

import pathlib
import re
import subprocess

import pytest

pytestmark = pytest.mark.long

CENTRAL = [
    "Create the central manager", "The state of Bluetooth arrives", "Scan", "A device is discovered", "Connect", "Connected", "Discover the services",
    "The services are known", "Discover the characteristics", "The characteristics are known", "Read a value", "The value arrives", "Write a value",
    "The write is confirmed", "Subscribe", "The subscription is on", "Discover the descriptors", "The descriptors are known", "Read a descriptor",
    "The descriptor's value arrives", "Write a descriptor", "The answer is a refusal", "Disconnect",
]
CENTRAL_ZH = [
    "建立中心角色", "检测中心设备状态", "发起扫描外设", "发现外设", "发起连接外设", "连接外设成功", "设置外设代理，发起扫描服务", "发现外设的服务",
    "发起发现外设的服务的特征", "发现外设的服务的特征", "发起读取特征值", "得到特征值", "发起写入特征值", "写入特征值成功", "发起设置某个特征的监听通知",
    "通知的状态改变", "发起发现特征的描述", "发现特征的描述", "发起读取特征的描述值", "得到特征的描述值", "发起写入特征的描述值", "写入特征的描述值的结果",
    "断开蓝牙连接",
]
# The packet that each step shows first; None if it has none.
PACKETS = [
    None, None, "ADV_IND", "ADV_IND", "CONNECT_IND", "ATT_EXCHANGE_MTU_RSP", "ATT_READ_BY_GROUP_TYPE_REQ", "ATT_READ_BY_GROUP_TYPE_RSP",
    "ATT_READ_BY_TYPE_REQ", "ATT_READ_BY_TYPE_RSP", "ATT_READ_REQ", "ATT_READ_RSP", "ATT_WRITE_REQ", "ATT_WRITE_RSP", "ATT_WRITE_REQ", "ATT_WRITE_RSP",
    "ATT_FIND_INFORMATION_REQ", "ATT_FIND_INFORMATION_RSP", "ATT_READ_REQ", "ATT_READ_RSP", "ATT_WRITE_REQ", "ATT_ERROR_RSP", "LL_TERMINATE_IND",
]


def open_lesson(open_page, name, **options):
    page = open_page(f"lesson/{name}", **options)
    page.wait_for_selector(".lesson h2")
    return page


def heard(page, text):
    page.locator(".lesson-heard li", has_text=text).first.wait_for()


def run(page):
    page.click(".lesson-moves button.primary")


def act(page, name):
    page.click(f"[data-action={name}]")


def choose(page, choice, value):
    page.select_option(f"[data-choice={choice}]", value)


def test_the_list_teaches_and_leads_to_every_lesson(open_page, axe):
    page = open_page("lesson")
    page.wait_for_selector(".lesson-all")
    assert page.locator("[data-lesson]").count() == 21
    axe(page)
    page.click(".lesson-all button.primary")
    page.wait_for_selector(".lesson-steps")
    page.click(".lesson-way button >> nth=0")
    page.wait_for_selector(".lesson-all")


def test_the_central_in_twenty_three_steps(open_page, axe):
    page = open_lesson(open_page, "tour-central")
    assert page.locator(".lesson-steps button").count() == 23
    for number, (title, packet) in enumerate(zip(CENTRAL, PACKETS, strict=True), 1):
        page.click(".lesson-moves button.primary")
        page.locator(f".lesson-steps button[data-step='{number}'][aria-current]").wait_for()
        assert page.inner_text(".lesson-title") == f"Step {number}: {title}"
        assert page.locator(".lesson-languages section").count() == 3
        assert page.inner_text(".lesson-languages pre").strip()
        if packet:
            page.locator(".lesson-packets button[aria-pressed=true]", has_text=packet).wait_for()
            assert re.fullmatch(r"([0-9a-f]{2}\s*)+", page.locator(".lesson-languages .octets").text_content())
        else:
            page.locator(".lesson-packets", has_text="No packet").wait_for()
    assert page.is_disabled(".lesson-moves button.primary")
    page.locator(".lesson-after", has_text="All steps are done").wait_for()
    axe(page)


def test_the_central_in_chinese(open_page, axe):
    page = open_lesson(open_page, "tour-central", language="zh")
    for number, title in enumerate(CENTRAL_ZH, 1):
        page.keyboard.press("ArrowRight") if number > 1 else page.click(".lesson-moves button.primary")
        page.locator(f".lesson-steps button[data-step='{number}'][aria-current]").wait_for()
        assert page.inner_text(".lesson-title") == f"第 {number} 步：{title}"
    axe(page)


def test_the_peripheral_in_fourteen_steps(open_page):
    page = open_lesson(open_page, "tour-peripheral")
    for number in range(1, 15):
        page.click(".lesson-moves button.primary")
        page.locator(f".lesson-steps button[data-step='{number}'][aria-current]").wait_for()
    page.locator(".lesson-packets button", has_text="LL_TERMINATE_IND").first.wait_for()


def test_the_steps_are_named_and_the_program_shows_the_lines_of_the_step(open_page):
    page = open_lesson(open_page, "tour-central")
    assert [name.split("\n")[-1] for name in page.locator(".lesson-names button").all_inner_texts()] == CENTRAL
    page.wait_for_function("document.querySelectorAll('.lesson-row').length > 300")
    for number in (4, 13, 23):
        page.click(f".lesson-names button[data-name='{number}']")
        page.locator(f".lesson-names button[data-name='{number}'][aria-current]").wait_for()
        page.wait_for_selector(".lesson-row.own")
        own = [" ".join(line.split()) for line in page.locator(".lesson-row.own").all_inner_texts()]
        step = [" ".join(line.split()) for line in page.inner_text(".lesson-languages pre").split("\n")]
        assert len(own) == len(step) and all(line in whole for line, whole in zip(step, own, strict=True))
        # The first of them is in the box.
        assert page.evaluate("(() => { const box = document.querySelector('.lesson-whole').getBoundingClientRect(), row = document.querySelector('.lesson-row.own')"
                             ".getBoundingClientRect(); return row.top >= box.top - 1 && row.bottom <= box.bottom + 1; })()")
    # They use the room below the step.
    for width, height in ((1440, 900), (1280, 720)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.locator(".lesson-more").bounding_box()["y"] < height * 0.9


def test_the_colour_of_a_selected_packet_is_that_of_its_layer(open_page):
    page = open_lesson(open_page, "tour-central")
    for number, layer in ((4, "adv"), (13, "att"), (23, "ll")):
        page.click(f".lesson-steps button[data-step='{number}']")
        selected = page.locator(f".lesson-steps button[data-step='{number}'][aria-current] >> xpath=//ancestor::main//*[contains(@class, 'lesson-packets')]//button[@aria-pressed='true']")
        selected.wait_for()
        page.wait_for_selector(f".lesson-packets button.layer-{layer}[aria-pressed=true]")
        assert page.evaluate(
            "layer => { const probe = document.createElement('span'); probe.className = `layer-${layer}`; document.body.append(probe);"
            "const [wanted, has] = [probe, document.querySelector('.lesson-packets button[aria-pressed=true]')].map((each) => getComputedStyle(each).color);"
            "probe.remove(); return wanted === has; }", layer)


def test_pointing_at_words_lights_up_swift_and_octets(open_page):
    page = open_lesson(open_page, "tour-central")
    page.click(".lesson-steps button[data-step='13']")
    page.locator(".lesson-packets button[aria-pressed=true]", has_text="ATT_WRITE_REQ").wait_for()
    page.hover(".lesson-text [data-mark=v]")
    page.wait_for_selector("pre .mark.lit")
    assert page.inner_text("pre .mark.lit") == "value"
    assert page.locator(".octet.lit").all_inner_texts() == ["10", "27"]
    # The digits of neighbours do not overlap in the narrow column.
    assert page.locator(".octet").evaluate_all("cells => cells.every((cell) => cell.scrollWidth <= cell.clientWidth)")
    # From the octets to the words, and by keyboard.
    page.hover(".octet.lit >> nth=0")
    page.wait_for_selector(".lesson-text .mark.lit")
    page.hover(".lesson-title")
    page.focus(".lesson-text [data-mark=c]")
    assert page.inner_text("pre .mark.lit") == "for: characteristic"
    assert page.locator(".octet.lit").all_inner_texts() == ["17", "00"]


def test_back_goes_back_in_time_and_next_runs_slowly(open_page):
    page = open_lesson(open_page, "tour-central", reduced_motion="no-preference")
    page.click(".lesson-steps button[data-step='10']")
    page.locator(".lesson-steps button[data-step='10'][aria-current]").wait_for()
    there = page.studio.topic("time")["now"]
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.locator(".lesson-steps button[data-step='8'][aria-current]").wait_for()
    page.studio.topic("time", lambda now: now["now"] < there)
    page.click(".lesson-moves button.primary")
    page.locator(".lesson-steps button[data-step='9'][aria-current]").wait_for()
    assert page.studio.topic("time", lambda now: now["isRunning"])["speed"] < 0.1
    page.locator(".lesson-moves button.primary", has_text="Skip the wait").click()
    page.locator(".lesson-moves button.primary", has_text="Next").wait_for()
    page.studio.topic("time", lambda now: not now["isRunning"] and now["now"] == there)


def test_a_program_is_copied_as_a_package_in_one_paste(open_page, axe, tmp_path):
    page = open_lesson(open_page, "tour-central")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Run it on your machine").click()
    dialog = page.locator("dialog")
    axe(page)
    dialog.get_by_role("button", name="Copy everything").click()
    dialog.get_by_role("status").get_by_text("Copied").wait_for()
    script = page.evaluate("navigator.clipboard.readText()")
    files, _, run = script.rstrip().rpartition("\n")
    assert run == "BLUETOOTH_CONTROLLER=virtual swift run"
    subprocess.run(["sh", "-e"], input=files, text=True, cwd=tmp_path, check=True)
    # First a program of forty lines; it depends on the checkout that the studio was built in.
    program = (tmp_path / "hello/Sources/hello/main.swift").read_text()
    assert program.startswith("import CoreBluetooth") and "dispatchMain()" in program and program.count("\n") <= 45
    assert (tmp_path / "hello/Sources/hello/Wristband.swift").read_text().startswith("import CoreBluetooth")
    manifest = (tmp_path / "hello/Package.swift").read_text()
    assert ".product(name: \"CoreBluetooth\"" in manifest
    place = re.search(r'\.package\(name: "OpenCoreBluetooth", path: "([^"]+)"\)', manifest).group(1)
    assert (pathlib.Path(place) / "Sources/CoreBluetooth").is_dir()
    # Then the whole one.
    dialog.get_by_role("button", name="The program of the lesson").click()
    dialog.get_by_role("button", name="Copy everything").click()
    dialog.get_by_role("status").get_by_text("Copied").wait_for()
    assert "class WalkthroughCentral" in page.evaluate("navigator.clipboard.readText()")
    dialog.get_by_role("button", name="Copy Package.swift").click()
    page.wait_for_function("navigator.clipboard.readText().then((text) => text.startsWith('// swift-tools-version'))")
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")


def test_the_speed_of_before_the_tour_comes_back(open_page):
    page = open_lesson(open_page, "tour-central", reduced_motion="no-preference")
    page.click(".speeds button[data-speed='10']")
    page.studio.topic("time", lambda time: time["speed"] == 10)
    page.click(".lesson-moves button.primary")
    page.locator(".lesson-steps button[data-step='1'][aria-current]").wait_for()
    page.click(".lesson-steps button[data-step='4']")
    page.locator(".lesson-steps button[data-step='4'][aria-current]").wait_for()
    page.click(".lesson-moves button.primary")
    page.studio.topic("time", lambda time: time["isRunning"] and time["speed"] < 0.1)
    page.locator(".lesson-moves button.primary", has_text="Skip the wait").click()
    page.studio.topic("time", lambda time: not time["isRunning"] and time["speed"] == 10)


def test_the_packets_are_between_the_lines(open_page):
    page = open_lesson(open_page, "try-mtu")
    run(page)
    heard(page, "150 octets after")
    page.studio.do("time.pause")
    page.locator(".lesson-between", has_text="ATT_READ_BLOB_REQ ×6").first.wait_for()
    page.locator(".lesson-between", has_text="CONNECT_IND").first.click()
    page.wait_for_selector("body[data-view=packets]", state="attached")
    # The packets are those of the lesson's world.
    assert page.evaluate("location.hash").startswith("#packets@lesson/")
    page.wait_for_selector(".packet-detail .packet-field")
    # In silence the packets arrive all the same.
    page = open_lesson(open_page, "try-filter", of=page.studio)
    choose(page, "filter", "180F")
    page.locator(".lesson-heard li:last-child .lesson-between", has_text="ADV_IND ×").wait_for()
    assert page.locator(".lesson-heard li", has_text="didDiscover").count() == 0


def test_a_number_within_the_limits_is_used_and_another_is_refused(open_page):
    page = open_lesson(open_page, "try-mtu")
    number = page.locator(".lesson-number")
    number.fill("5")
    page.get_by_role("button", name="Use it").click()
    assert number.evaluate("each => each.validity.rangeUnderflow")
    number.fill("100")
    page.get_by_role("button", name="Use it").click()
    heard(page, "the ATT_MTU is 100")
    assert page.locator("[data-choice=mtu]").input_value() == "100"
    for parameters in ({"mtu": 5}, {"mtu": 10 ** 9}, {"length": 10 ** 9}, {"mtu": "x" * 100000}):
        with pytest.raises(Exception, match="not possible|no setting"):
            page.studio.do("lesson.open", {"lesson": "try-mtu", "parameters": parameters})
    assert page.studio.topic("lesson")["parameters"] == {"mtu": 100}


def test_a_filter_that_does_not_match_is_silent(open_page):
    page = open_lesson(open_page, "try-filter")
    run(page)
    heard(page, "didDiscover Gadget")
    choose(page, "filter", "180F")
    heard(page, "scanForPeripherals(withServices: [\"180F\"])")
    page.studio.topic("time", lambda now: now["now"] > 2_000_000_000)
    assert page.locator(".lesson-heard li", has_text="didDiscover").count() == 0
    page.fill("form input", "no uuid")
    page.keyboard.press("Enter")
    page.locator(".say", has_text="is not a UUID").wait_for()


def test_properties_decide_what_the_delegate_hears(open_page):
    page = open_lesson(open_page, "try-properties")
    run(page)
    heard(page, "didWriteValueFor: Writing is not permitted.")
    choose(page, "properties", "read write notify")
    heard(page, "didWriteValueFor: written")


def test_the_mtu_decides_how_many_requests_a_read_takes(open_page):
    page = open_lesson(open_page, "try-mtu")
    run(page)
    heard(page, "the ATT_MTU is 23")
    choose(page, "mtu", "185")
    heard(page, "the ATT_MTU is 185")


def test_the_connection_interval_decides_how_long_a_read_takes(open_page):
    page = open_lesson(open_page, "try-interval")
    choose(page, "latency", "high")
    heard(page, "didUpdateValueFor: 20 octets after")
    page.studio.topic("room", lambda room: any(link["interval"] >= 300 for link in room["links"]))


@pytest.mark.parametrize("loss", ["wall", "walk", "off"])
def test_a_lost_link_is_heard_after_the_supervision_timeout(open_page, loss):
    page = open_lesson(open_page, "try-drop")
    run(page)
    heard(page, "didUpdateNotificationStateFor")
    act(page, loss)
    heard(page, "didDisconnectPeripheral: The connection has timed out")


# What is chosen or done in the scene of a question, and what its programs then say.
QUESTIONS = {
    "q1": (None, ["centralManagerDidUpdateState: powered on", "didDiscover Gadget"]),
    "q2": ("rename", ["peripheralDidUpdateName", "advertised name \"Renamed\""]),
    "q3": ("cancel", ["didUpdateNotificationStateFor", "didDisconnectPeripheral: without an error"]),
    "q5": (None, ["didDiscover At 100 m"]),
    "q6": (None, ["ten connections"]),
    "q7": (None, ["12 connected", "values from 12 devices"]),
    "q8": (None, ["24000 octets, all correct"]),
    "q9": ("cancel", ["didConnect", "didDisconnectPeripheral"]),
    "q10": (None, ["didUpdateValueFor FF01: read", "this one: yes"]),
    "q11": (None, ["didDiscover Wristband", "didDiscover Scale"]),
    "q12": (None, ["didDiscover: identifier", "address C0:11:22:33:44:55"]),
    "q13": ("advertise", ["scanForPeripherals", "didDiscover Phone as a device"]),
    "q14": (None, ["all parts given to the system"]),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_scene_of_a_question_shows_its_claim(open_page, name):
    action, lines = QUESTIONS[name]
    page = open_lesson(open_page, name)
    assert page.locator(".lesson-code pre").first.inner_text().strip()
    run(page)
    if not action:
        # Nothing is left to do but to wait.
        page.studio.topic("time", lambda time: time["isRunning"])
        page.studio.do("time.speed", {"speed": 0})
    heard(page, lines[0])
    if action:
        act(page, action)
    heard(page, lines[-1])


def test_an_hour_passes_before_the_device_is_switched_on(open_page):
    page = open_lesson(open_page, "q4")
    run(page)
    heard(page, "scanForPeripherals")
    act(page, "hour")
    page.studio.topic("time", lambda now: now["now"] >= 3_600_000_000_000 and not now["isSeeking"])
    assert page.locator(".lesson-heard li", has_text="didDiscover").count() == 0
    act(page, "on")
    if not page.studio.topic("time")["isRunning"]:
        run(page)
    heard(page, "didDiscover Gadget")


@pytest.mark.parametrize("name", ["all", "tour-central", "try-filter", "q14"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_narrow_page_is_accessible_in_chinese(open_page, axe, name, scheme):
    page = open_page(f"lesson/{name}", language="zh", scheme=scheme, width=360, height=740)
    page.wait_for_selector(".lesson h2")
    if name == "tour-central":
        page.click(".lesson-steps button[data-step='13']")
        page.locator(".lesson-packets button[aria-pressed=true]").wait_for()
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_tour_is_followed_by_the_time_bar(open_page):
    page = open_lesson(open_page, "tour-central")
    page.studio.do("time.speed", {"speed": 0})
    page.studio.do("time.run")
    page.locator(".lesson-steps button[data-step='23'][aria-current]").wait_for()
    page.studio.do("time.pause")
    page.locator(".lesson-packets", has_text="LL_TERMINATE_IND").wait_for()

"""The lesson on the site, which plays recordings: each step of the tours, the cells, and the scenes of the fourteen questions."""

import re

import pytest

QUESTIONS = [f"q{number}" for number in range(1, 15)]
CELLS = ["try-filter", "try-properties", "try-mtu", "try-interval", "try-drop"]


def open_lesson(open_page, name, of="file", language="en", **options):
    page = open_page(f"lesson/index{'.zh-CN' if language == 'zh' else ''}.html#lesson/{name}", of=of, language=language, **options)
    page.wait_for_selector("body[data-link=open] .lesson h2", state="attached")
    return page


def seconds(page):
    return float(page.locator(".clock").inner_text().split("\u202f")[0].replace(" s", "").replace(" ", ""))


def step_through(page, count, title):
    for number in range(1, count + 1):
        page.click(".lesson-moves button.primary")
        page.locator(f".lesson-steps button[data-step='{number}'][aria-current]").wait_for()
        assert re.fullmatch(title.format(n=number) + ".{2,}", page.inner_text(".lesson-title"))
        assert page.locator(".lesson-languages section").count() == 3
        assert page.inner_text(".lesson-languages pre").strip() and page.inner_text(".lesson-text").strip()
        page.locator(".lesson-packets li").first.wait_for()
        if page.locator(".lesson-packets button").count():
            assert re.fullmatch(r"([0-9a-f]{2}\s*)+", page.locator(".lesson-languages .octets").text_content())
    assert page.is_disabled(".lesson-moves button.primary")


@pytest.mark.parametrize("of", ["server", "file"])
def test_the_lesson_begins_with_the_list(open_page, axe, of):
    page = open_page("index.html", of=of)
    page.click(".buttons .primary")
    page.wait_for_selector(".lesson-all")
    assert page.locator("[data-lesson]").count() == 21
    # The checker loads the style sheets again, which a page from a file may not.
    if of == "server":
        axe(page)
    page.click(".site-way a")
    page.wait_for_url("**/index.html")


@pytest.mark.parametrize(("language", "title"), [("en", "Step {n}: "), ("zh", "第 {n} 步：")])
@pytest.mark.parametrize(("tour", "count"), [("tour-central", 23), ("tour-peripheral", 14)])
def test_a_tour_step_by_step(open_page, language, title, tour, count):
    page = open_lesson(open_page, tour, language=language)
    step_through(page, count, title)
    # And back.
    page.click(".lesson-moves button >> nth=0")
    page.locator(f".lesson-steps button[data-step='{count - 1}'][aria-current]").wait_for()
    page.keyboard.press("ArrowLeft")
    page.locator(f".lesson-steps button[data-step='{count - 2}'][aria-current]").wait_for()


def test_a_step_plays_slowly_and_can_be_skipped(open_page):
    page = open_lesson(open_page, "tour-central", motion="no-preference")
    for number in range(1, 5):
        page.click(f".lesson-steps button[data-step='{number}']")
    page.locator(".lesson-steps button[data-step='4'][aria-current]").wait_for()
    # A packet is on the air for some hundredths of a second.
    page.evaluate("""() => {
        window.seen = '';
        const air = document.querySelector('.lesson-air');
        new MutationObserver(() => { window.seen += air.textContent; }).observe(air, { childList: true, subtree: true });
    }""")
    page.click(".lesson-moves button.primary")
    page.locator(".lesson-moves button.primary", has_text="Skip").wait_for()
    page.wait_for_function("window.seen.includes('Phone → CONNECT_IND')")
    page.click(".lesson-moves button.primary")
    page.locator(".lesson-packets button", has_text="CONNECT_IND").wait_for()
    assert page.locator(".speeds button[aria-pressed=true]").inner_text() == "×1"


def test_a_mark_lights_up_its_counterparts(open_page):
    page = open_lesson(open_page, "tour-central")
    page.click(".lesson-steps button[data-step='13']")
    page.locator(".lesson-packets button[aria-pressed=true]", has_text="ATT_WRITE_REQ").wait_for()
    page.locator(".lesson-text .mark").first.focus()
    page.locator(".lesson-languages pre .mark.lit").wait_for()
    page.locator(".lesson-languages .octets .lit").first.wait_for()


@pytest.mark.parametrize("scene", [*CELLS, *QUESTIONS])
def test_a_scene_plays(open_page, scene):
    page = open_lesson(open_page, scene)
    page.click(".speeds button[data-speed='10']")
    page.click(".lesson-moves button.primary")
    page.locator(".lesson-heard li").first.wait_for()
    page.wait_for_function("Number.parseFloat(document.querySelector('.clock').textContent) > 0")
    assert page.locator(".lesson-devices li").count() >= 2
    assert page.locator(".lesson-code pre").first.inner_text().strip()


def test_the_settings_of_a_scene_are_recorded_and_others_say_how_to_get_a_live_room(open_page):
    page = open_lesson(open_page, "try-filter")
    page.select_option("[data-choice=filter]", "180F")
    page.wait_for_function("document.querySelector('[data-choice=filter]').value === '180F'")
    page.fill(".lesson form input", "FFFF")
    page.click(".lesson form button")
    page.locator(".say.shown", has_text="swift run bluelab studio").wait_for()


@pytest.mark.parametrize(("actions", "line"), [
    (["off"], "didDisconnectPeripheral"), (["wall"], "didDisconnectPeripheral"), (["cancel"], "didDisconnectPeripheral: without an error"), (["off", "on"], "didConnect"),
])
def test_the_actions_of_a_scene_are_recorded(open_page, actions, line):
    page = open_lesson(open_page, "try-drop")
    page.click(".speeds button[data-speed='10']")
    page.click(".lesson-moves button.primary")
    page.wait_for_function("Number.parseFloat(document.querySelector('.clock').textContent) > 0.5")
    before = page.locator(".lesson-heard li", has_text=line.split(":")[0]).count()
    for action in actions:
        page.click(f"[data-action={action}]")
    page.locator(".lesson-heard li", has_text=line).nth(before if actions == ["off", "on"] else 0).wait_for()


def test_the_bar_of_time_runs_stops_steps_and_goes_back(open_page):
    page = open_page("lesson/index.html#room", of="file", motion="no-preference")
    page.wait_for_selector("body[data-link=open]", state="attached")
    page.click(".time .step")
    page.locator(".strip button", has_text="ADV_IND").wait_for()
    first = page.locator(".clock").inner_text()
    page.click(".time .step")
    page.wait_for_function("(text) => document.querySelector('.clock').textContent !== text", arg=first)
    page.click(".time .run")
    page.locator(".happened", has_text="connected to Wristband").wait_for()
    page.click(".time .run")
    page.click(".time .start")
    page.wait_for_function("document.querySelector('.clock').textContent.startsWith('0.000')")
    page.locator(".happened", has_text="connected to Wristband").wait_for(state="hidden")


def test_what_needs_a_live_room_says_how_to_get_one(open_page):
    for view in ("explorer", "maker", "packets"):
        page = open_page(f"lesson/index.html#{view}", of="file")
        page.locator("main", has_text="swift run bluelab studio").wait_for()
        page.wait_for_function("document.querySelector('main img').naturalWidth > 0")
    page = open_page("lesson/index.html#room", of="file")
    page.wait_for_selector("body[data-link=open]", state="attached")
    page.click(".devices .grow-button")
    page.click("dialog button.primary")
    page.locator("dialog .failure, .say.shown", has_text="This page plays a recording.").first.wait_for()


def test_the_program_of_the_lesson_can_be_copied(open_page):
    page = open_lesson(open_page, "tour-central")
    page.click(".lesson-moves button >> text=Run it on your machine")
    page.locator("dialog", has_text="Package.swift").wait_for()


@pytest.mark.parametrize("name", ["all", "tour-central", "q8"])
def test_the_lesson_fits_a_phone(open_page, name):
    page = open_lesson(open_page, name, width=390, height=844)
    page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    if name == "tour-central":
        page.click(".lesson-moves button.primary")
        page.locator(".lesson-packets li").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390

"""No text is cut: the width of what a box holds against the width of the box, in all views and all steps, in both languages."""

import pytest

from exploring import begin, choose, connect, lab

pytestmark = pytest.mark.long

# The boxes whose text is cut, as [text, where]. A box that a person can scroll shows all of it, if it is one of those that say so.
CUT = """
() => {
  const scrolls = 'pre, textarea, .octets, .packet-rows';
  const found = new Map();
  const name = (element) => `${element.tagName.toLowerCase()}.${String(element.className.baseVal ?? element.className).trim().replace(/ +/g, '.')}`;
  const context = document.createElement('canvas').getContext('2d');
  for (const element of document.querySelectorAll('body *')) {
    if (element.closest('svg, option, noscript, .sr, .skip, .announce, [aria-hidden=true]') || !element.checkVisibility({ visibilityProperty: true })) continue;
    if (element.matches('select, input[placeholder]')) {
      const style = getComputedStyle(element);
      context.font = style.font;
      const text = element.matches('select') ? element.selectedOptions[0]?.text ?? '' : element.value ? '' : element.placeholder;
      const room = element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - (element.matches('select') ? 16 : 0);
      if (context.measureText(text).width > room + 1) found.set(element, [text, name(element), Math.round(room)]);
      continue;
    }
    const text = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join('').trim();
    if (!text) continue;
    for (let box = element; box && box !== document.documentElement; box = box.parentElement) {
      if (box.matches(scrolls)) break;
      if (box.clientWidth > 0 && box.scrollWidth > box.clientWidth + 1) {
        if (!found.has(box)) found.set(box, [text, name(box), `${box.scrollWidth} in ${box.clientWidth}`]);
        break;
      }
    }
    // One line that is less high than its letters.
    if (element.clientHeight > 0 && getComputedStyle(element).overflowY === 'hidden' && element.scrollHeight > element.clientHeight + 3) found.set(element, [text, name(element), 'height']);
  }
  // Texts of the plan, at its edges.
  const stage = document.querySelector('.stage')?.getBoundingClientRect();
  for (const text of document.querySelectorAll('.plan :is(.device, .link, .wall) text')) {
    if (!text.textContent || !text.checkVisibility({ visibilityProperty: true })) continue;
    const box = text.getBoundingClientRect();
    if (box.left < stage.left - 1 || box.right > stage.right + 1) found.set(text, [text.textContent, 'plan', `${box.left} to ${box.right}`]);
  }
  return [...found.values()];
}
"""

SIZES = [(1440, 900), (1280, 720), (390, 844)]
SECOND = 1_000_000_000


class Looker:
    """Collects the texts that are cut, and fails with all of them at the end."""

    def __init__(self, page):
        self.page, self.found, self.looks = page, {}, 0

    def look(self, where):
        self.looks += 1
        for text, place, widths in self.page.evaluate(CUT):
            self.found.setdefault((place, text[:60]), (where, widths))
        assert self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{where} is wider than the window"

    def end(self, looks):
        assert self.looks >= looks
        assert not self.found, f"{len(self.found)} texts are cut:\n" + "\n".join(
            f"  {place}: {text!r} ({widths}, {where})" for (place, text), (where, widths) in list(self.found.items())[:40])


@pytest.fixture(params=[(language, size) for size in SIZES for language in ("en", "zh")], ids=lambda param: f"{param[0]}-{param[1][0]}")
def looker(request, open_page):
    def opened(view):
        language, (width, height) = request.param
        return Looker(open_page(view, language=language, width=width, height=height))

    return opened


def test_the_test_finds_a_cut_text(open_page):
    page = open_page()
    page.wait_for_selector(".plan g.device", state="attached")
    assert page.evaluate(CUT) == []
    page.evaluate("document.querySelector('.time .run').style.width = '40px'")
    page.evaluate("document.querySelector('.time .run').style.minWidth = '40px'")
    assert [place.split(".")[0] for _, place, _ in page.evaluate(CUT)] == ["button"]


def test_no_text_of_the_room_is_cut(looker):
    it = looker("room")
    page, studio = it.page, it.page.studio
    page.wait_for_selector(".plan g.device", state="attached")
    it.look("the start")
    studio.seek(3 * SECOND)
    page.wait_for_selector(".plan g.link", state="attached")
    wall = studio.do("room.wall", {"x1": 0, "y1": -1, "x2": 0, "y2": 1, "attenuation": 30})["id"]
    if page.locator(".happened .fold").is_visible():
        page.click(".happened .fold")
    page.wait_for_selector(".log .event")
    page.click(".key-button")
    it.look("a link")
    page.locator(".devices .list .item").first.click()
    page.click(".item-card summary")
    it.look("a device")
    for kind in ("link", "wall"):
        page.locator(f".plan g.{kind}").focus()
        page.keyboard.press("Enter")
        page.wait_for_selector(".item-card .facts:not(:has(details))")
        it.look(kind)
    studio.do("room.attenuation", {"wall": wall, "attenuation": 60})
    page.wait_for_selector(".item-card .bad")
    it.look("a broken link")
    page.locator(".fold-packets").last.click()
    it.look("packets between the events")
    page.click(".tools button[data-tool=wall]")
    it.look("the form of a wall")
    page.keyboard.press("Escape")
    page.click(".tools button[data-tool=select]")
    for number in (2, 3):
        page.locator(".tools button").nth(number).click()
        page.wait_for_selector("dialog[open]")
        it.look("a dialog")
        page.keyboard.press("Escape")
    page.locator(".settings button").first.click()
    it.look("the keys")
    page.keyboard.press("Escape")
    for device in studio.topic("room")["devices"]:
        studio.do("room.remove", {"device": device["id"]})
    page.wait_for_selector(".stage > .empty:not([hidden])")
    it.look("an empty room")
    it.end(11)


@pytest.mark.parametrize("tour,count", [("tour-central", 23), ("tour-peripheral", 14)])
def test_no_text_of_a_step_is_cut(looker, tour, count):
    it = looker(f"lesson/{tour}")
    page = it.page
    page.wait_for_selector(".lesson-row")
    it.look("before the steps")
    for number in range(1, count + 1):
        page.click(f".lesson-steps button[data-step='{number}']")
        page.locator(f".lesson-steps button[data-step='{number}'][aria-current]").wait_for()
        page.wait_for_selector(".lesson-packets button[aria-pressed=true], .lesson-packets li.faint")
        it.look(f"step {number}")
    page.locator(".lesson-moves button").last.click()
    for choice in (0, 1):
        page.locator("dialog .segmented button").nth(choice).click()
        it.look("the program")
    it.end(count + 3)


def test_no_text_of_the_lessons_is_cut(looker):
    it = looker("lesson")
    page = it.page
    page.wait_for_selector(".lesson-all")
    it.look("the list")
    for scene in [each["id"] for each in page.studio.do("lesson.catalogue")["scenes"] if not each.get("steps")]:
        # The page opens the scene. A second time, by the test, would put its time back to the start at some later moment.
        page.evaluate(f"location.hash = 'lesson/{scene}'")
        page.wait_for_selector(f"body[data-scene='{scene}'] .lesson h2", state="attached")
        page.studio.seek(3 * SECOND)
        page.wait_for_selector(".lesson-heard:not([hidden]) li, .lesson-steps")
        it.look(scene)
    it.end(20)


def test_no_text_of_the_explorer_is_cut(looker):
    it = looker("explorer")
    page = it.page
    page.wait_for_selector("[data-do=addPhone]")
    it.look("no phone")
    begin(page, lab())
    it.look("the list")
    connect(page, "Lab")
    it.look("a device")
    for uuid in ("FFE1", "FFE2", "FFE4", "FFE5"):
        choose(page, uuid)
        it.look(uuid)
    choose(page, "FFE2")
    page.locator(".ex-value .switch input").first.click()
    page.wait_for_selector(".ex-live:not([hidden])")
    it.look("a graph")
    it.end(8)


def test_no_text_of_the_maker_is_cut(looker):
    it = looker("maker")
    page = it.page
    page.wait_for_selector("#maker-problems .good")
    it.look("the first device")
    for name in [each["name"] for each in page.studio.do("maker.library")["profiles"]][:6]:
        page.select_option(".maker select >> nth=0", name) if page.locator(f".maker select >> nth=0 >> option[value='{name}']").count() else None
        it.look(name)
    it.end(2)


def test_no_text_of_the_packets_is_cut(looker):
    it = looker("packets")
    page, studio = it.page, it.page.studio
    it.look("no packet")
    studio.seek(3 * SECOND)
    page.wait_for_selector(".packet-row", state="attached")
    it.look("the list")
    rows = studio.do("packets.list", {"from": 0, "count": 300, "filter": {}})["rows"]
    chosen = {row["name"]: row["n"] for row in reversed(rows)}
    for number in chosen.values():
        page.evaluate(f"location.hash = 'packets/{number}'")
        page.wait_for_selector(f".packet-detail[data-packet='{number}'] .packet-field")
        it.look(f"packet {number}")
    it.end(10)
